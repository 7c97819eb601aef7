// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/views/layouts.hpp>
#include <quern/core/views/reindex.hpp>

namespace quern::impl {
namespace {

/// Appends an axis.
void append(index_layout& l, std::int64_t extent, std::int64_t stride) {
  l.stride[l.extents.rank] = stride;
  l.extents.extent[l.extents.rank++] = extent;
}
void check_rank(const std::string& label, int rank) {
  if (rank > max_rank) throw Error(label, "at most 8 axes are possible");
}

/// An index of a slice as Python takes it: from the end where it is negative, and not beyond `low` and `high`.
std::int64_t within(std::int64_t i, std::int64_t n, std::int64_t low, std::int64_t high) {
  return std::clamp(i < 0 ? i + n : i, low, high);
}

}  // namespace

int axis_number(const std::string& label, int axis, int rank) { return axis_set(label, axes{axis}, rank).only(); }

std::array<int, max_rank> permutation_of(const std::string& label, const axes& order, int rank) {
  if (order.count != rank)
    throw Error(label, "an order of " + std::to_string(order.count) + " axes, expected one of " + std::to_string(rank));
  return axes_in_order(label, order, rank);
}

axes moved_order(const axes& from, const axes& to, int rank) {
  const std::string label = "quern::moveaxis";
  if (from.count != to.count)
    throw Error(label, std::to_string(from.count) + " axes cannot move to " + std::to_string(to.count) + " places");
  const axis_set moved(label, from, rank), targets(label, to, rank);
  axes order;
  order.count = rank;
  for (int k = 0; k < from.count; ++k)
    order.number[axis_from_front(to.number[k], rank)] = axis_from_front(from.number[k], rank);
  int target = 0;
  for (int d = 0; d < rank; ++d) {
    if (moved.has(d)) continue;
    while (targets.has(target)) ++target;
    order.number[target++] = d;
  }
  return order;
}

index_layout permuted(const index_layout& l, const std::array<int, max_rank>& order) {
  index_layout r{{}, {}, l.first};
  for (int d = 0; d < l.extents.rank; ++d) append(r, l.extents.extent[order[d]], l.stride[order[d]]);
  return r;
}

index_layout flipped(const index_layout& l, const axis_set& along) {
  index_layout r = l;
  const bool has_elements = l.extents.size() > 0;
  for (int d = 0; d < l.extents.rank; ++d) {
    if (!along.has(d)) continue;
    if (has_elements) r.first += (l.extents.extent[d] - 1) * l.stride[d];
    r.stride[d] = -l.stride[d];
  }
  return r;
}

index_layout sliced(const std::string& label, const index_layout& l, const slice_range* ranges, std::size_t count) {
  if (count > static_cast<std::size_t>(l.extents.rank))
    throw Error(label, std::to_string(count) + " ranges for an array of extents " + l.extents.str());
  index_layout r = l;
  for (std::size_t d = 0; d < count; ++d) {
    const slice_range& s = ranges[d];
    const std::int64_t n = l.extents.extent[d];
    if (s.step == 0) throw Error(label, "a step of 0 along axis " + std::to_string(d));
    const std::int64_t step = std::clamp(s.step, -n - 1, n + 1);  // beyond which nothing follows
    std::int64_t start, many;
    if (step > 0) {
      start = within(s.start, n, 0, n);
      many = (within(s.stop, n, 0, n) - start + step - 1) / step;
    } else {
      start = within(s.start, n, -1, n - 1);
      const std::int64_t stop = s.stop == end() ? -1 : within(s.stop, n, -1, n - 1);
      many = (start - stop - step - 1) / -step;
    }
    r.extents.extent[d] = std::max<std::int64_t>(many, 0);
    r.stride[d] = many > 1 ? l.stride[d] * step : l.stride[d];
    if (many > 0) r.first += start * l.stride[d];
  }
  return r;
}

index_layout diagonal_of(const std::string& label, const index_layout& l, std::int64_t offset, int axis1, int axis2) {
  const int rank = l.extents.rank, a = axis_number(label, axis1, rank), b = axis_number(label, axis2, rank);
  if (a == b) throw Error(label, "axis " + std::to_string(axis2) + " is repeated");
  index_layout r{{}, {}, l.first};
  for (int d = 0; d < rank; ++d)
    if (d != a && d != b) append(r, l.extents.extent[d], l.stride[d]);
  const std::int64_t n = l.extents.extent[a], m = l.extents.extent[b];
  const std::int64_t down = offset < 0 ? std::min(n, -std::max(offset, -n)) : 0,
                     right = offset > 0 ? std::min(m, offset) : 0;
  const std::int64_t length = std::min(n - down, m - right);
  if (length > 0) r.first += down * l.stride[a] + right * l.stride[b];
  append(r, length, l.stride[a] + l.stride[b]);
  return r;
}

index_layout with_axes(const std::string& label, const index_layout& l, const axes& numbers) {
  check_rank(label, l.extents.rank + numbers.count);
  const int rank = l.extents.rank + numbers.count;
  const axis_set added(label, numbers, rank);
  index_layout r{{}, {}, l.first};
  for (int d = 0, from = 0; d < rank; ++d) {
    if (added.has(d)) append(r, 1, 0);
    else append(r, l.extents.extent[from], l.stride[from]), ++from;
  }
  return r;
}

index_layout without_axes(const std::string& label, const index_layout& l, const axes& numbers) {
  const axis_set gone(label, numbers, l.extents.rank);
  index_layout r{{}, {}, l.first};
  for (int d = 0; d < l.extents.rank; ++d) {
    if (!gone.has(d)) append(r, l.extents.extent[d], l.stride[d]);
    else if (l.extents.extent[d] != 1)
      throw Error(label,
                  "axis " + std::to_string(d) + " of extents " + l.extents.str() + " does not have the extent 1");
  }
  return r;
}

index_layout broadcast_layout(const std::string& label, const char* name, const index_layout& l, const shape& to) {
  bytes_of_array(label, to, 1);
  index_layout r{to, {}, l.first};
  if (!broadcast_strides(l.extents, l.stride, to, r.stride)) reject_broadcast(label, name, l.extents, to);
  return r;
}

shape reshaped_extents(const std::string& label, const shape& from, shape to) {
  int open = -1;
  const shape wanted = to;
  for (int d = 0; d < to.rank; ++d) {
    if (to.extent[d] != -1) continue;
    if (open >= 0) throw Error(label, "two extents of " + wanted.str() + " are -1");
    open = d;
    to.extent[d] = 1;
  }
  bytes_of_array(label, to, 1);
  const std::int64_t size = from.size(), rest = to.size();
  if (open >= 0) to.extent[open] = rest == 0 ? -1 : size / rest;
  if ((open >= 0 && rest == 0) || to.size() != size)
    throw Error(label, "x has extents " + from.str() + ", which do not become " + wanted.str());
  return to;
}

bool reshape_by_strides(const index_layout& l, const shape& to, index_layout& result) {
  result = {to, row_major_strides(to), l.first};
  if (to.size() == 0) return true;
  const loop_nest<1> from = row_major_nest<1>(l.extents, {l.stride});  // axes that lie as one are one, the last first
  int k = 0;
  std::int64_t inside = 1;  // elements of axis k that one step goes over
  for (int d = to.rank - 1; d >= 0; --d) {
    const std::int64_t n = to.extent[d];
    if (n == 1) continue;
    if (inside == from.extent[k]) {
      ++k;
      inside = 1;
    }
    if (k >= from.rank || from.extent[k] % (inside * n) != 0) return false;
    result.stride[d] = from.stride[0][k] * inside;
    inside *= n;
  }
  return true;
}

index_layout reshaped(const std::string& label, const index_layout& l, const shape& to) {
  index_layout r;
  if (!reshape_by_strides(l, to, r))
    throw Error(label, "x has extents " + l.extents.str() + " with gaps between its rows, so that no strides lead to " +
                           to.str() + "; reshape(slice(x, {}), ...) finds the elements by their indices");
  return r;
}

index_layout with_axis_split(const std::string& label, const index_layout& l, int axis, const shape& to) {
  index_layout result = l;
  result.extents.rank = l.extents.rank - 1 + to.rank;
  if (result.extents.rank > max_rank)
    throw Error(label, "the result has " + std::to_string(result.extents.rank) + " axes; at most 8 are possible");
  for (int d = axis + 1; d < l.extents.rank; ++d) {
    result.extents.extent[d - 1 + to.rank] = l.extents.extent[d];
    result.stride[d - 1 + to.rank] = l.stride[d];
  }
  std::int64_t stride = l.stride[axis];
  for (int d = to.rank - 1; d >= 0; --d) {
    result.extents.extent[axis + d] = to.extent[d];
    result.stride[axis + d] = stride;
    stride *= to.extent[d];
  }
  for (int d = result.extents.rank; d < l.extents.rank; ++d) result.extents.extent[d] = result.stride[d] = 0;
  return result;
}

void reject_times(const std::string& label, std::int64_t times) {
  throw Error(label, std::to_string(times) + " repetitions, expected 0 or more");
}
void check_pad(const std::string& label, std::int64_t before, std::int64_t after, bool is_empty, int axis) {
  const auto reject = [&](const char* why) {
    throw Error(label, std::to_string(before) + " and " + std::to_string(after) + " elements around axis " +
                           std::to_string(axis) + why);
  };
  if (before < 0 || after < 0) reject(", expected 0 or more");
  if (is_empty && before + after > 0) reject(", which is empty: only a value can be put there");
}
void check_take(const std::string& label, std::int64_t count, std::int64_t n, int axis) {
  if (count > 0 && n == 0) throw Error(label, "axis " + std::to_string(axis) + " is empty, and there are indices");
}
std::int64_t index_along_axis(const std::string& label, std::int64_t index, const shape& extents, int axis) {
  const std::int64_t n = extents.extent[axis];
  if (index < -n || index >= n)
    throw Error(label, "index " + std::to_string(index) + " is out of range for an extent of " + std::to_string(n));
  return index < 0 ? index + n : index;
}
void check_numbered(const std::string& label, const shape& extents, int rank) {
  if (extents.rank != rank) reject_extents(label, "the numbered array", extents, "rank " + std::to_string(rank));
  std::int64_t size = 1;
  for (int d = 0; d < rank; ++d) {
    const std::int64_t n = extents.extent[d];
    if (n < 0) reject_extents(label, "the numbered array", extents, "none that is negative");
    if (n > 0 && size > std::numeric_limits<std::int64_t>::max() / n)
      reject_extents(label, "the numbered array", extents, "at most 2^63 - 1 elements");
    size *= std::max<std::int64_t>(n, 1);
  }
}
void reject_indices(const std::string& label, std::int64_t position, std::int64_t index, std::int64_t n,
                    std::int64_t outside) {
  throw ElementError(label,
                     "index " + std::to_string(index) + " at position " + std::to_string(position) +
                         " is out of range for an extent of " + std::to_string(n) +
                         (outside > 2   ? "; so are " + std::to_string(outside - 1) + " others"
                          : outside > 1 ? "; so is another"
                                        : ""),
                     position);
}

}  // namespace quern::impl
