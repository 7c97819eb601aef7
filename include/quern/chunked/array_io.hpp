// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_ARRAY_IO_HPP
#define QUERN_CHUNKED_ARRAY_IO_HPP

/// @file
/// Arrays that are not in memory and are read and written box by box: in a file, or behind a user's function.

#include <functional>
#include <memory>
#include <quern/core/views/strided_array.hpp>
#include <quern/transfer/box_copy.hpp>
#include <string>

namespace quern::impl {

/// The strides of an array without gaps, in C order or in Fortran order.
stride_array packed_strides(const shape& extents, bool fortran_order);

/// A box of an array, with its elements packed in the order of the array.
packed_box make_box(const shape& extents, const stride_array& first, bool fortran_order);

/// Calls f(element, count, at) for each contiguous run of a box in a packed array: the run's offset in the array, its
/// number of elements and its offset in the packed box. The runs come in the order of the array.
void for_each_run(const shape& whole, bool fortran_order, const packed_box& box,
                  const std::function<void(std::int64_t element, std::int64_t count, std::int64_t at)>& f);

/// What reads and writes of an array share.
class array_io {
 public:
  virtual ~array_io() = default;
  shape extents;
  bool fortran_order = false;  ///< whether boxes are packed with the first axis as the fastest
  int middle_axis = -1;        ///< along which it is best cut, where that is neither the first axis nor the last
  /// Where a box lies, for messages: `u.npy, bytes 128 to 1151`.
  virtual std::string location(const packed_box& box) const = 0;
  /// The memory of a box's elements, where they lie packed in memory that the link's copy engine reaches; or null.
  virtual void* address(const packed_box&) const { return nullptr; }
  /// Whether boxes must be of whole rows, as a user's functions read and write.
  virtual bool has_whole_rows() const { return false; }
};

/// The slowest axis of an array in its order, and the axis along which it is best cut.
inline int slowest_axis(const array_io& array) { return array.fortran_order ? array.extents.rank - 1 : 0; }
inline int best_cut(const array_io& array) { return array.middle_axis < 0 ? slowest_axis(array) : array.middle_axis; }

/// Refuses a box that is not of whole rows: users' functions read and write nothing else.
void check_whole_rows(const array_io& array, const packed_box& box);
std::string rows_of(const packed_box& box);

/// An array that is read box by box, in ascending order where it can be chosen. One call at a time.
class array_reader : public array_io {
 public:
  /// @param to packed memory of the host
  virtual void read(const packed_box& box, void* to) = 0;
};

/// An array of elements of so many bytes with other extents and strides: `change(layout)` is what these become, where a
/// box of the result is a box of the array.
std::shared_ptr<array_reader> reindexed_reader(std::shared_ptr<array_reader> array, std::int64_t element,
                                               const std::function<index_layout(const index_layout&)>& change);

/// An array that is written box by box, each element once, in ascending order. One call at a time.
class array_writer : public array_io {
 public:
  /// An operation begins to write.
  /// @throws Error, with the operation's name, if the array was written before and can be written only once
  virtual void begin(const std::string&) {}
  virtual void write(const packed_box& box, const void* from) = 0;
  /// All is written. Without this call nothing stays.
  virtual void finish() = 0;
};

}  // namespace quern::impl

#endif
