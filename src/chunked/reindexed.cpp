// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <quern/chunked/array_io.hpp>

namespace quern::impl {
namespace {

/// Bytes of a box that is read to memory of its own before its elements are put in order.
constexpr std::int64_t block_bytes = 16 << 20;

/// An array whose boxes are boxes of another one.
class boxes_of_reindexed : public array_reader {
 public:
  boxes_of_reindexed(std::shared_ptr<array_reader> array, std::int64_t element,
                     const std::function<index_layout(const index_layout&)>& change)
      : array_(std::move(array)),
        element_(element),
        whole_rows_(array_->has_whole_rows()),
        rows_along_(best_cut(*array_)) {
    from_.fill(-1);
    // A change of strides is linear: it is known by what becomes of strides that are 1 along one axis.
    for (int s = 0; s < array_->extents.rank; ++s) {
      index_layout along{array_->extents};
      along.stride[s] = 1;
      const index_layout changed = change(along);
      extents = changed.extents;
      first_[s] = changed.first;
      for (int d = 0; d < extents.rank; ++d)
        if (changed.stride[d] != 0) from_[d] = s, step_[d] = changed.stride[d];
    }
    for (int d = 0; d < extents.rank; ++d)
      if (from_[d] == rows_along_) slowest_ = d;
    if (slowest_ < 0) slowest_ = axis_of_parts(extents);  // where one index of that axis is left
    const bool at_an_end = slowest_ == 0 || slowest_ == extents.rank - 1;
    fortran_order = at_an_end ? slowest_ != 0 : array_->fortran_order;
    if (!at_an_end) middle_axis = slowest_;
  }
  std::string location(const packed_box& box) const override { return array_->location(box_of(box)); }
  bool has_whole_rows() const override { return whole_rows_; }
  void* address(const packed_box& box) const override {
    const packed_box of = box_of(box);
    return box.extents.size() > 0 && lies_as(box, of) ? array_->address(of) : nullptr;
  }
  void read(const packed_box& box, void* to) override {
    if (box.extents.size() == 0) return;
    if (whole_rows_) check_rows(box);
    read_blocks(box, static_cast<char*>(to));
  }

 private:
  /// The indices of the array that those of a box lead to.
  packed_box box_of(const packed_box& box) const {
    shape of = array_->extents;
    stride_array low = first_;
    for (int s = 0; s < of.rank; ++s) of.extent[s] = 1;
    for (int d = 0; d < extents.rank; ++d) {
      const int s = from_[d];
      if (s < 0) continue;
      const std::int64_t begin = first_[s] + step_[d] * box.first[d],
                         last = begin + step_[d] * (box.extents.extent[d] - 1);
      low[s] = std::min(begin, last);
      of.extent[s] = std::abs(last - begin) + 1;
    }
    if (whole_rows_)
      for (int s = 0; s < of.rank; ++s)
        if (s != rows_along_) low[s] = 0, of.extent[s] = array_->extents.extent[s];
    return make_box(of, low, array_->fortran_order);
  }
  /// The strides that the elements of a box have where a box of the array is packed.
  stride_array strides_in(const packed_box& of) const {
    stride_array stride{};
    for (int d = 0; d < extents.rank; ++d)
      if (from_[d] >= 0) stride[d] = step_[d] * of.packed[from_[d]];
    return stride;
  }
  /// Whether a box of the array, packed, is the box.
  bool lies_as(const packed_box& box, const packed_box& of) const {
    const stride_array stride = strides_in(of);
    for (int d = 0; d < extents.rank; ++d)
      if (box.extents.extent[d] > 1 && stride[d] != box.packed[d]) return false;
    return of.extents.size() == box.extents.size();
  }
  /// Refuses to read all rows again for every chunk, which is cut along another axis than theirs; one row is read
  /// again.
  void check_rows(const packed_box& box) const {
    for (int d = 0; d < extents.rank && slowest_ >= 0; ++d)
      if (d != slowest_ && from_[d] >= 0 && box.extents.extent[d] != extents.extent[d])
        throw Error("quern::chunked", "a user's reader has rows along axis 0, which is axis " +
                                          std::to_string(slowest_) +
                                          " of what it is re-indexed to; all operands must be cut along that axis");
  }
  /// The axis along which a box is read in parts: the one that leads along the slowest axis of the array; or -1 where
  /// parts would read as much.
  int axis_of_parts(const shape& box) const {
    int found = -1;
    const auto slower = [&](int d) {
      return found < 0 || (array_->fortran_order ? from_[d] > from_[found] : from_[d] < from_[found]);
    };
    for (int d = 0; d < extents.rank; ++d)
      if (from_[d] >= 0 && box.extent[d] > 1) {
        if (d == slowest_) return d;
        if (!whole_rows_ && slower(d)) found = d;
      }
    return found;
  }
  /// Reads a box by way of blocks of bounded memory: the elements between those of the box are read as well.
  void read_blocks(const packed_box& box, char* to) {
    const packed_box of = box_of(box);
    if (lies_as(box, of)) return array_->read(of, to);
    const std::int64_t bytes = of.extents.size() * element_;
    const int d = axis_of_parts(box.extents);
    if (bytes <= block_bytes || d < 0) return read_block(box, of, to);
    const std::int64_t n = box.extents.extent[d], each = (bytes + n - 1) / n,
                       together = std::max<std::int64_t>(1, block_bytes / each);
    for (std::int64_t i = 0; i < n; i += together) {
      packed_box some = box;
      some.first[d] += i;
      some.extents.extent[d] = std::min(together, n - i);
      read_blocks(some, to + i * box.packed[d] * element_);
    }
  }
  void read_block(const packed_box& box, const packed_box& of, char* to) {
    const std::int64_t bytes = of.extents.size() * element_;
    const auto block = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    array_->read(of, block.get());
    array_bytes from, packed;
    from.element = packed.element = element_;
    from.extents = packed.extents = box.extents;
    from.stride = strides_in(of);
    packed.stride = box.packed;
    packed.data = to;
    std::int64_t at = 0;
    for (int s = 0; s < of.extents.rank; ++s) at += (begin_along(s, box) - of.first[s]) * of.packed[s];
    from.data = block.get() + at * element_;
    copy_on_host(packed, from);
  }
  /// The index of the array along one of its axes that a box begins with.
  std::int64_t begin_along(int s, const packed_box& box) const {
    std::int64_t begin = first_[s];
    for (int d = 0; d < extents.rank; ++d)
      if (from_[d] == s) begin += step_[d] * box.first[d];
    return begin;
  }

  std::shared_ptr<array_reader> array_;
  std::int64_t element_;
  bool whole_rows_;
  int rows_along_;                    // the axis of the array along which it is best cut
  std::array<int, max_rank> from_{};  // the axis of the array that each axis leads along, or -1
  stride_array step_{};
  stride_array first_{};  // the index along each axis of the array of the first element
  int slowest_ = -1;      // the axis that leads along that, or else along the slowest of the others, or -1
};

}  // namespace

std::shared_ptr<array_reader> reindexed_reader(std::shared_ptr<array_reader> array, std::int64_t element,
                                               const std::function<index_layout(const index_layout&)>& change) {
  return std::make_shared<boxes_of_reindexed>(std::move(array), element, change);
}

}  // namespace quern::impl
