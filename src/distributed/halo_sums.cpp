// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/distributed/halo_sums.hpp>

namespace quern::impl {

namespace {

using Block = Decomposition::Block;

/// Cells that are in the same boxes, by their numbers.
struct cells_of_boxes {
  Block cells;
  std::vector<std::size_t> boxes;
};

/// Calls f with boxes that hold the cells of one that are not in another.
template <class F>
void for_each_part_outside(Block from, const Block& other, const F& f) {
  for (int d = 0; d < from.extents.rank; ++d) {
    std::int64_t &first = from.first.extent[d], &n = from.extents.extent[d];
    const std::int64_t begin = other.first.extent[d], end = begin + other.extents.extent[d];
    Block part = from;
    if (first < begin) {
      part.extents.extent[d] = begin - first;
      f(part);
      n -= begin - first;
      first = begin;
    }
    if (first + n > end) {
      part.first.extent[d] = end;
      part.extents.extent[d] = first + n - end;
      f(part);
      n = end - first;
    }
  }
}

/// Cuts the cells of a field's boxes where these begin and end in each other.
std::vector<cells_of_boxes> cut_boxes(int field, std::span<const peer_cells> boxes) {
  std::vector<cells_of_boxes> cut;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].field != field) continue;
    std::vector<cells_of_boxes> next;
    std::vector<Block> alone{boxes[i].cells};  // what is in no box before
    for (auto& c : cut) {
      const Block common = common_cells(c.cells, boxes[i].cells);
      if (common.extents.size() == 0) {
        next.push_back(std::move(c));
        continue;
      }
      for_each_part_outside(c.cells, common, [&](const Block& part) { next.push_back({part, c.boxes}); });
      c.boxes.push_back(i);
      next.push_back({common, std::move(c.boxes)});
      std::vector<Block> left;
      for (const Block& a : alone) {
        const Block taken = common_cells(a, common);
        if (taken.extents.size() == 0) left.push_back(a);
        else for_each_part_outside(a, taken, [&](const Block& part) { left.push_back(part); });
      }
      alone = std::move(left);
    }
    for (const Block& a : alone) next.push_back({a, {i}});
    cut = std::move(next);
  }
  return cut;
}

/// The axes of an array, that of the smallest stride first.
std::vector<int> axes_in_memory(const peer_box& array) {
  std::vector<int> axes(array.extents.rank);
  std::iota(axes.rbegin(), axes.rend(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return array.stride[a] < array.stride[b]; });
  return axes;
}

}  // namespace

summed_table make_summed_table(std::span<const peer_box> fields, const stride_array& stored,
                               std::span<const peer_cells> boxes, std::span<const std::byte* const> packed,
                               bool row_item) {
  summed_table table;
  for (int field = 0; field < static_cast<int>(fields.size()); ++field) {
    const peer_box& array = fields[field];
    const auto axes = axes_in_memory(array);
    if (field % fields_of_kernel == 0) table.kernels.push_back({field, static_cast<int>(table.cells.size()), 0, 0});
    boxes_of_kernel& kernel = table.kernels.back();
    for (const auto& [cells, added] : cut_boxes(field, boxes)) {
      summed_cells& to = table.cells.emplace_back();
      to = {kernel.items,
            array.data,
            field - kernel.first_field,
            static_cast<int>(table.boxes.size()),
            static_cast<int>(added.size()),
            {},
            {}};
      for (std::size_t a = 0; a < axes.size(); ++a) {
        const int d = axes[a];
        to.to += (cells.first.extent[d] + stored[d]) * array.stride[d] * array.element;
        to.extent[a] = cells.extents.extent[d];
        to.stride[a] = array.stride[d];
      }
      for (const std::size_t i : added) {
        const stride_array strides = row_major_strides(boxes[i].cells.extents);
        summed_box& from = table.boxes.emplace_back();
        from = {packed[i], {}};
        for (std::size_t a = 0; a < axes.size(); ++a) {
          const int d = axes[a];
          from.from += (cells.first.extent[d] - boxes[i].cells.first.extent[d]) * strides[d] * array.element;
          from.stride[a] = strides[d];
        }
      }
      kernel.items += cells.extents.size() / (row_item ? to.extent[0] : 1);
      ++kernel.boxes;
    }
  }
  std::erase_if(table.kernels, [](const boxes_of_kernel& k) { return k.boxes == 0; });
  return table;
}

}  // namespace quern::impl
