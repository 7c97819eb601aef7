// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_PER_AXIS_HPP
#define QUERN_CORE_CALL_PER_AXIS_HPP

/// @file
/// Parameters of operations that may differ from axis to axis.

#include <array>
#include <initializer_list>
#include <quern/core/call/error.hpp>
#include <quern/core/values/short_list.hpp>
#include <string>

namespace quern {
namespace impl {

[[noreturn]] void reject_parameters(const std::string& operation, std::size_t found, int rank);

}  // namespace impl

/// A parameter of each axis: one for all, `3`, or one for each, `{3, 5}`.
template <class T>
class per_axis {
 public:
  per_axis(T all) : values_{all} {}                           // NOLINT(google-explicit-constructor)
  per_axis(std::initializer_list<T> each) : values_(each) {}  // NOLINT(google-explicit-constructor)

  /// The values of all axes.
  /// @throws Error if there are neither one nor `Rank`
  template <int Rank>
  std::array<T, Rank> all(const std::string& operation) const {
    if (values_.size() != 1 && values_.size() != Rank) impl::reject_parameters(operation, values_.size(), Rank);
    std::array<T, Rank> each;
    for (int d = 0; d < Rank; ++d) each[d] = values_[values_.size() == 1 ? 0 : d];
    return each;
  }

  /// The values as they are given.
  const impl::axis_list<T>& given() const { return values_; }

 private:
  impl::axis_list<T> values_;
};

}  // namespace quern

#endif
