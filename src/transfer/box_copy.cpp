// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/transfer/box_copy.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <quern/core/launch/host_threads.hpp>
#include <quern/core/launch/loop_nest.hpp>

namespace quern::impl {
namespace {

/// The axes of an array from the one that is closest in memory to the one that is farthest.
std::array<int, max_rank> axes_by_stride(const array_bytes& array) {
  std::array<int, max_rank> order{};
  const auto end = order.begin() + array.extents.rank;
  std::iota(order.begin(), end, 0);
  std::reverse(order.begin(), end);  // of equal strides, as of extent 1, the last axis is the fastest
  std::stable_sort(order.begin(), end,
                   [&](int a, int b) { return std::abs(array.stride[a]) < std::abs(array.stride[b]); });
  return order;
}

/// How an array is cut into boxes: the first of them, and the axis `order[cut]` of which they have a part, if any.
struct boxes_of_array {
  packed_box first;
  std::array<int, max_rank> order;
  int cut;
};
boxes_of_array cut_into_boxes(const array_bytes& array, std::int64_t max_bytes) {
  const auto order = axes_by_stride(array);
  packed_box box;
  box.extents.rank = array.extents.rank;
  const std::int64_t elements = std::max<std::int64_t>(max_bytes / array.element, 1);
  // Whole axes as long as they fit, then a part of one, in parts of about equal size; one index of each after it.
  int cut = 0;
  std::int64_t whole = 1;
  for (; cut < array.extents.rank; ++cut) {
    const int d = order[cut];
    box.packed[d] = whole;
    if (whole * array.extents.extent[d] > elements) break;
    whole *= array.extents.extent[d];
    box.extents.extent[d] = array.extents.extent[d];
  }
  if (cut == array.extents.rank) return {box, order, cut};
  const std::int64_t n = array.extents.extent[order[cut]], step = elements / whole, parts = (n + step - 1) / step;
  box.extents.extent[order[cut]] = (n + parts - 1) / parts;
  for (int k = cut + 1; k < array.extents.rank; ++k) box.extents.extent[order[k]] = 1;
  return {box, order, cut};
}

/// Bytes that one thread copies at a time.
constexpr std::int64_t share_bytes = 256 << 10;
/// Bytes of a row that is moved as one element.
constexpr std::int64_t short_row = 64;

template <int Bytes>
void copy_row(char* to, std::int64_t to_step, const char* from, std::int64_t from_step, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, Bytes);
}

/// The sizes of elements that are moved by single instructions; others call memcpy for each.
void copy_elements(char* to, std::int64_t to_step, const char* from, std::int64_t from_step, std::int64_t n,
                   std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return copy_row<1>(to, to_step, from, from_step, n);
    case 2:
      return copy_row<2>(to, to_step, from, from_step, n);
    case 4:
      return copy_row<4>(to, to_step, from, from_step, n);
    case 8:
      return copy_row<8>(to, to_step, from, from_step, n);
    case 16:
      return copy_row<16>(to, to_step, from, from_step, n);
    default:
      for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
  }
}

}  // namespace

const void* address_of(const array_bytes& array, const stride_array& index) {
  std::int64_t offset = 0;
  for (int d = 0; d < array.extents.rank; ++d) offset += index[d] * array.stride[d];
  return static_cast<const char*>(array.data) + offset * array.element;
}

bool is_packed(const array_bytes& array, const packed_box& box) {
  for (int d = 0; d < box.extents.rank; ++d)
    if (box.extents.extent[d] > 1 && array.stride[d] != box.packed[d]) return false;
  return true;
}

packed_box first_box(const array_bytes& array, std::int64_t max_bytes) {
  return cut_into_boxes(array, max_bytes).first;
}

void for_each_box(const array_bytes& array, std::int64_t max_bytes, const std::function<void(const packed_box&)>& f) {
  if (array.extents.size() == 0) return;
  auto [box, order, cut] = cut_into_boxes(array, max_bytes);
  if (cut == array.extents.rank) return f(box);
  const std::int64_t n = array.extents.extent[order[cut]], size = box.extents.extent[order[cut]];
  for (;;) {
    for (std::int64_t i = 0; i < n; i += size) {
      box.first[order[cut]] = i;
      box.extents.extent[order[cut]] = std::min(size, n - i);
      f(box);
    }
    int k = cut + 1;
    for (; k < array.extents.rank; ++k) {
      if (++box.first[order[k]] < array.extents.extent[order[k]]) break;
      box.first[order[k]] = 0;
    }
    if (k == array.extents.rank) return;
  }
}

bool lies_packed(const array_bytes& array) {
  bool packed = true;
  for_each_box(array, std::numeric_limits<std::int64_t>::max(),
               [&](const packed_box& whole) { packed = is_packed(array, whole); });
  return packed;
}

void copy_on_host(const array_bytes& to, const array_bytes& from) {
  if (to.extents.size() == 0) return;
  stride_array extent{1, 1, 1, 1, 1, 1, 1, 1}, strides[2]{}, given[2]{to.stride, from.stride};
  int rank = nest_by_strides(to.extents, given, 2, 0, extent, strides);
  std::int64_t bytes = to.element;
  for (auto& s : strides)
    for (auto& step : s) step *= bytes;
  const auto contiguous = [&] { return strides[0][0] == bytes && strides[1][0] == bytes; };
  if (contiguous() && rank > 1 && extent[0] * bytes <= short_row) {  // short rows are elements of the next axis
    bytes *= extent[0];
    --rank;
    std::copy(extent.begin() + 1, extent.end(), extent.begin());
    for (auto& s : strides) std::copy(s.begin() + 1, s.end(), s.begin());
  }
  const bool whole_rows = contiguous();
  const std::int64_t inner = extent[0], outer = std::accumulate(extent.begin() + 1, extent.begin() + rank,
                                                                std::int64_t(1), std::multiplies<>());
  const auto row = [&](std::int64_t r, std::int64_t first, std::int64_t n) {
    char* t = static_cast<char*>(const_cast<void*>(to.data)) + first * strides[0][0];
    const char* f = static_cast<const char*>(from.data) + first * strides[1][0];
    for (int d = 1; d < rank; ++d) {
      const std::int64_t i = r % extent[d];
      r /= extent[d];
      t += i * strides[0][d];
      f += i * strides[1][d];
    }
    if (whole_rows) std::memcpy(t, f, n * bytes);
    else copy_elements(t, strides[0][0], f, strides[1][0], n, bytes);
  };
  const std::int64_t part = std::clamp<std::int64_t>(share_bytes / bytes, 1, inner);
  const std::int64_t parts = (inner + part - 1) / part, rows = std::max<std::int64_t>(share_bytes / (inner * bytes), 1);
  const std::int64_t groups = (outer + rows - 1) / rows;
  on_host_threads(groups * parts, [&](std::int64_t k) {
    const std::int64_t first = k % parts * part, last = std::min(outer, (k / parts + 1) * rows);
    for (std::int64_t r = k / parts * rows; r < last; ++r) row(r, first, std::min(part, inner - first));
  });
}

}  // namespace quern::impl
