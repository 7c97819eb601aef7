// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_REINDEX_HPP
#define QUERN_CORE_VIEWS_REINDEX_HPP

/// @file
/// Operands whose elements are those of another in another order, which strides express. Nothing is copied. Of a View
/// they are as a View: an input or an output of every operation, and kept alive with it; of a lazy array or of one that
/// is found by a map of indices (quern/core/views/index_operands.hpp) they are inputs of operations that read element
/// by element. What comes in chunks, `in_chunks(view)` or a source, is re-indexed where a box of the result is a box of
/// it: by all but `diagonal`, which takes `in_chunks(view)` alone.
///
/// An output that shares memory with an input that it is not the same as is an error, here too: `map(exec, x, f,
/// flip(x))` throws.

#include <concepts>
#include <initializer_list>
#include <limits>
#include <quern/core/views/each_array.hpp>

namespace quern {

/// Beyond the last index of a slice, in the direction in which it steps: `{2, end()}`, `{end(), end(), -1}`.
constexpr std::int64_t end() { return std::numeric_limits<std::int64_t>::max(); }

/// The indices of a slice along one axis, as Python's `start:stop:step`: start, start + step and so on to before stop.
/// Negative ones count from the end of the axis, those beyond its ends are taken as the ends. `{}` is the whole axis,
/// `{end(), end(), -1}` the axis backwards.
struct slice_range {
  std::int64_t start = 0, stop = end(), step = 1;
  slice_range() = default;
  slice_range(std::int64_t first, std::int64_t before, std::int64_t by = 1) : start(first), stop(before), step(by) {}
};

/// An extent, of any type of integers: `reshape(x, {n, 3})`.
struct extent_number {
  std::int64_t value;
  template <std::integral I>
  extent_number(I n) : value(static_cast<std::int64_t>(n)) {}
};

namespace impl {
template <std::size_t N>
shape shape_of(const extent_number (&extents)[N]) {
  static_assert(N <= max_rank, "quern: at most 8 extents are possible");
  shape s;
  s.rank = static_cast<int>(N);
  for (std::size_t d = 0; d < N; ++d) s.extent[d] = extents[d].value;
  return s;
}
template <std::size_t N>
axes axes_of(const int (&numbers)[N]) {
  axes a;
  a.count = static_cast<int>(N);
  for (std::size_t d = 0; d < N; ++d) a.number[d] = numbers[d];
  return a;
}
struct extents_of_operand {
  template <any_array V>
  shape operator()(const V& v) const {
    return operand_extents("quern::extents_of", v);
  }
};
}  // namespace impl

/// The extents of any array, as a `quern::shape`: of a View, of a lazy array, of one that is re-indexed.
inline constexpr impl::extents_of_operand extents_of{};

/// The axes in another order: axis d of the result is axis `order.number[d]` of x (NumPy's `transpose`, the array API's
/// `permute_dims`): `permute_dims(x, axes{2, 0, 1})`.
/// @throws Error unless every axis is named once
template <impl::reindexed_operand V>
auto permute_dims(const V& x, const axes& order) {
  if constexpr (impl::can_reindex<V>()) {
    const std::string label = "quern::permute_dims";
    return impl::restride_each<impl::rank_of<V>>(label, x, [&](const impl::index_layout& l) {
      return impl::permuted(l, impl::permutation_of(label, order, l.extents.rank));
    });
  }
}

/// The axes `from` moved to the places `to`, the others in their order (NumPy's `moveaxis`): `moveaxis(x, 0, -1)`,
/// `moveaxis(x, {0, 1}, {-1, -2})`.
/// @throws Error if an axis is out of range or repeated, or if there are more of one than of the other
template <impl::reindexed_operand V>
auto moveaxis(const V& x, const axes& from, const axes& to) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<impl::rank_of<V>>("quern::moveaxis", x, [&](const impl::index_layout& l) {
      const int rank = l.extents.rank;
      return impl::permuted(l, impl::permutation_of("quern::moveaxis", impl::moved_order(from, to, rank), rank));
    });
}
template <impl::reindexed_operand V>
auto moveaxis(const V& x, int from, int to) {
  return moveaxis(x, axes{from}, axes{to});
}

/// The elements in reverse order along some axes, or along all of them (NumPy's `flip`): `flip(x, axis{0})`.
/// @throws Error if an axis is out of range or repeated
template <impl::reindexed_operand V>
auto flip(const V& x, const axes& along) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<impl::rank_of<V>>("quern::flip", x, [&](const impl::index_layout& l) {
      return impl::flipped(l, impl::axis_set("quern::flip", along, l.extents.rank));
    });
}
template <impl::reindexed_operand V>
auto flip(const V& x) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<impl::rank_of<V>>(
        "quern::flip", x, [&](const impl::index_layout& l) { return impl::flipped(l, impl::axis_set::all()); });
}

/// Slices along the first axes, as Python's `x[a:b:c, d:e]`; other axes are whole. `slice(x, {{1, 10, 3}, {}})`,
/// `slice(x, {{end(), end(), -2}})`.
/// @throws Error if there are more ranges than axes, or if a step is 0
template <impl::reindexed_operand V>
auto slice(const V& x, std::initializer_list<slice_range> ranges) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<impl::rank_of<V>>("quern::slice", x, [&](const impl::index_layout& l) {
      return impl::sliced("quern::slice", l, ranges.begin(), ranges.size());
    });
}

/// The elements `x(..., i, ..., i + offset, ...)` of two axes, which become the last axis (NumPy's `diagonal`).
/// @throws Error if an axis is out of range, or both are one
template <impl::reindexed_operand V>
auto diagonal(const V& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1) {
  static_assert(impl::rank_of<V> < 0 || impl::rank_of<V> >= 2, "quern::diagonal: x must have two axes at least");
  if constexpr (impl::can_reindex<V, impl::reindexing::by_strides>())
    return impl::restride_each<impl::rank_plus(impl::rank_of<V>, -1)>(
        "quern::diagonal", x,
        [&](const impl::index_layout& l) { return impl::diagonal_of("quern::diagonal", l, offset, axis1, axis2); });
}

/// With axes of extent 1, which have these numbers in the result: `expand_dims(x, axis{0})`, `expand_dims(x, {0, 2})`.
/// @throws Error if an axis is out of range or repeated
template <impl::reindexed_operand V, std::size_t N>
auto expand_dims(const V& x, const int (&numbers)[N]) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<impl::rank_plus(impl::rank_of<V>, static_cast<int>(N))>(
        "quern::expand_dims", x,
        [&](const impl::index_layout& l) { return impl::with_axes("quern::expand_dims", l, impl::axes_of(numbers)); });
}
template <impl::reindexed_operand V>
auto expand_dims(const V& x, const axis& number) {
  return expand_dims(x, {number.number[0]});
}

/// Without axes of extent 1: `squeeze(x, axis{1})`, `squeeze(x, {0, 2})`.
/// @throws Error if an axis is out of range or repeated, or has another extent
template <impl::reindexed_operand V, std::size_t N>
auto squeeze(const V& x, const int (&numbers)[N]) {
  constexpr int rank = impl::rank_of<V>, rest = rank < 0 ? -1 : rank - static_cast<int>(N);
  static_assert(rank < 0 || rest >= 0, "quern::squeeze: x has fewer axes");
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<rest>("quern::squeeze", x, [&](const impl::index_layout& l) {
      return impl::without_axes("quern::squeeze", l, impl::axes_of(numbers));
    });
}
template <impl::reindexed_operand V>
auto squeeze(const V& x, const axis& number) {
  return squeeze(x, {number.number[0]});
}

/// Repeated to larger extents by NumPy's rule: axes are matched from the last one backwards, and an extent of 1 or a
/// missing axis is repeated. `broadcast_to(x, {4, 3})`. Repeated elements share memory: as an output it is an error.
/// @throws Error if x does not broadcast to the extents
template <impl::reindexed_operand V, std::size_t N>
auto broadcast_to(const V& x, const extent_number (&extents)[N]) {
  if constexpr (impl::can_reindex<V>())
    return impl::restride_each<static_cast<int>(N)>("quern::broadcast_to", x, [&](const impl::index_layout& l) {
      return impl::broadcast_layout("quern::broadcast_to", "x", l, impl::shape_of(extents));
    });
}

}  // namespace quern

#endif
