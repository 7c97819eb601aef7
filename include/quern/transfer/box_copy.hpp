// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_BOX_COPY_HPP
#define QUERN_TRANSFER_BOX_COPY_HPP

#include <functional>
#include <quern/core/views/overlap.hpp>

namespace quern::impl {

/// A box of an array's elements, and the strides that these have when they are packed in the order of the array's
/// memory.
struct packed_box {
  stride_array first{};  // index of the first element along each axis
  shape extents;
  stride_array packed{};  // strides in elements
};

/// Cuts an array into boxes of at most that many bytes (one element at least), whose elements are contiguous in memory
/// as far as possible, and calls f with each, in the order of the array's memory.
void for_each_box(const array_bytes& array, std::int64_t max_bytes, const std::function<void(const packed_box&)>& f);
/// The first of these boxes of an array that has elements.
packed_box first_box(const array_bytes& array, std::int64_t max_bytes);

/// The address of an element, from its index along each axis.
const void* address_of(const array_bytes& array, const stride_array& index);

/// Whether the elements of a box lie in the array as they do when they are packed.
bool is_packed(const array_bytes& array, const packed_box& box);

/// Whether there is nothing between the elements of an array.
bool lies_packed(const array_bytes& array);

/// Copies elements between arrays of the host by several threads, in the order in which `to` lies in memory. Nothing
/// between the elements is touched.
void copy_on_host(const array_bytes& to, const array_bytes& from);

}  // namespace quern::impl

#endif
