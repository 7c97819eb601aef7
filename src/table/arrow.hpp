// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_ARROW_HPP
#define QUERN_SRC_TABLE_ARROW_HPP

/// @file
/// Arrays of Arrow's C data interface on the host, without an execution space.

#include <quern/table/arrow.hpp>

#include "host_column.hpp"

namespace quern::impl::arrow {

/// The columns of an array of structs: those without an owner are in memory of the allocator, others in the array's.
/// Neither releases nor changes the structs.
/// @param owner of the array, of all columns in its memory
std::vector<host_column> read(const std::string& label, const ArrowSchema& schema, const ArrowArray& array,
                              const host_allocator& allocate, const std::shared_ptr<const void>& owner);

/// Writes structs that keep the columns' owners.
void write(const std::string& label, const std::vector<host_column>& columns, ArrowSchema* schema, ArrowArray* array);

/// Releases a struct unless it was released or moved.
template <class Struct>
class releases {
 public:
  explicit releases(Struct* s) : struct_(s) {}
  ~releases() {
    if (struct_ != nullptr && struct_->release != nullptr) struct_->release(struct_);
  }
  releases(const releases&) = delete;
  releases& operator=(const releases&) = delete;

 private:
  Struct* struct_;
};

}  // namespace quern::impl::arrow

#endif
