// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_SORT_KEYS_HPP
#define QUERN_TABLE_SORT_KEYS_HPP

#include <quern/keyed/sort_order.hpp>
#include <quern/table/column.hpp>

namespace quern {

/// A column to sort by, in a direction: `"mass"`, or `{"mass", sort_order::descending}`.
struct sort_key {
  std::string name;
  sort_order order = sort_order::ascending;

  sort_key(const char* column) : name(column) {}             // NOLINT(google-explicit-constructor)
  sort_key(std::string column) : name(std::move(column)) {}  // NOLINT(google-explicit-constructor)
  sort_key(std::string column, sort_order direction) : name(std::move(column)), order(direction) {}
};

/// One or several, the most important one first: `"mass"`, `{"cell", {"mass", sort_order::descending}}`.
class sort_keys {
 public:
  sort_keys(const char* one) : keys_{one} {}             // NOLINT(google-explicit-constructor)
  sort_keys(std::string one) : keys_{std::move(one)} {}  // NOLINT(google-explicit-constructor)
  sort_keys(std::initializer_list<sort_key> keys) : keys_(keys) {}
  sort_keys(std::vector<sort_key> keys) : keys_(std::move(keys)) {}  // NOLINT(google-explicit-constructor)
  auto begin() const { return keys_.begin(); }
  auto end() const { return keys_.end(); }

 private:
  std::vector<sort_key> keys_;
};

}  // namespace quern

#endif
