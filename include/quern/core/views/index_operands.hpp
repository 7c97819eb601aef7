// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_INDEX_OPERANDS_HPP
#define QUERN_CORE_VIEWS_INDEX_OPERANDS_HPP

/// @file
/// Operands whose elements are those of another array, found by a map of indices as they are read. Nothing is copied:
/// `copy(exec, out, roll(x, 1))` is how data are moved. They are inputs of every operation that reads element by
/// element, nest, and keep Views, and so their memory, alive. An output that shares memory with what they read is an
/// error: `map(exec, x, f, roll(x, 1))` throws.

#include <quern/core/views/reindex.hpp>

namespace quern {
namespace impl {

/// Whether elements in row-major order lie in memory as those of the array's type do, except for gaps between its rows.
template <class V>
inline constexpr bool lies_in_rows = (rank_of<V> >= 0 && rank_of<V> <= 1) || requires {
  requires std::is_same_v<
      typename typical<std::remove_cvref_t<decltype(view_of(std::declval<const V&>()))>>::array_layout,
      Kokkos::LayoutRight>;
};

template <int Rank, class V>
auto reshape_array(const std::string& label, const V& v, const shape& extents) {
  const shape to = reshaped_extents(label, operand_extents(label, v), extents);
  const auto by_strides = [&](const index_layout& l) { return reshaped(label, l, to); };
  if constexpr (lies_in_rows<V>) return restride<Rank>(v, by_strides);
  else return restride<Rank>(in_row_major_order(as_mapped(v)), by_strides);
}

/// All elements in row-major order, as an array of rank 1; where they lie so in memory, they are found without
/// division.
template <class V>
auto line_of(const V& v) {
  if constexpr (rank_of<V> >= 0 && rank_of<V> <= 1) return reshape_array<1>("quern::reshape", v, shape{-1});
  else return in_row_major_order(as_mapped(v));
}

/// Maps the index along each of the axes from D to before N: `of(d, n)` is the map for an extent n, and the new extent.
template <int D, int N, class V, class Of>
auto map_axes(const std::string& label, const V& v, const Of& of) {
  if constexpr (D == N) {
    return v;
  } else {
    const auto [map, extent] = of(D, v.extents.extent[D]);
    return map_axes<D + 1, N>(label, map_axis(label, v, D, map, extent), of);
  }
}

inline bool fits_32_bits(std::int64_t n) { return n < (std::int64_t{1} << 31); }

template <class V>
auto roll_axis(const std::string& label, const V& v, std::int64_t shift, int axis_wanted) {
  const auto a = as_mapped(v);
  const int d = axis_number(label, axis_wanted, a.extents.rank);
  const std::int64_t n = a.extents.extent[d];
  return map_axis(label, a, d, roll_map{n, n == 0 ? 0 : floor_mod(shift, n)}, n);
}
template <std::size_t K, class V, std::size_t N>
auto roll_axes(const std::string& label, const V& v, const std::int64_t (&shifts)[N], const axes& along) {
  if constexpr (K == N) return v;
  else return roll_axes<K + 1>(label, roll_axis(label, v, shifts[K], along.number[K]), shifts, along);
}

template <class V>
auto repeat_axis(const std::string& label, const V& v, std::int64_t times, int axis_wanted) {
  const auto a = as_mapped(v);
  const int d = axis_number(label, axis_wanted, a.extents.rank);
  if (times < 0) reject_times(label, times);
  shape to = a.extents;
  to.extent[d] = times;
  bytes_of_array(label, to, static_cast<std::size_t>(std::max<std::int64_t>(1, a.extents.extent[d])));
  const std::int64_t n = a.extents.extent[d] * times;
  return map_axis(label, a, d, repeat_map{std::max<std::int64_t>(times, 1), fits_32_bits(n)}, n);
}

/// The slice of one index along an axis.
template <class V>
slice_range one_index(const std::string& label, const V& v, std::int64_t index, int axis_wanted) {
  const shape extents = operand_extents(label, v);
  const std::int64_t i = index_along_axis(label, index, extents, axis_number(label, axis_wanted, extents.rank));
  return {i, i + 1};
}
template <class V>
auto remove_along(const std::string& label, const V& v, const slice_range& removed, int axis_wanted) {
  const auto a = as_mapped(v);
  const int d = axis_number(label, axis_wanted, a.extents.rank);
  const std::int64_t n = a.extents.extent[d];
  index_layout l{a.extents, {}, 0};  // where an address is the index along the axis
  l.stride[d] = 1;
  std::array<slice_range, max_rank> ranges;
  ranges[d] = removed;
  l = sliced(label, l, ranges.data(), static_cast<std::size_t>(d) + 1);
  const std::int64_t count = l.extents.extent[d], step = l.stride[d];
  const bool backwards = step < 0 && count > 0;
  const removing_map map{backwards ? l.first + (count - 1) * step : l.first, count, backwards ? -step : step};
  return map_axis(label, a, d, map, n - count);
}

/// Indices of rank `Rank`, read by their row-major positions.
template <int Rank, class I>
auto indices_in_order(const strided<I>& at) {
  using index = std::remove_const_t<I>;
  if constexpr (Rank == 1) return row_of_indices<index>{at.data, at.stride[0]};
  else if constexpr (Rank == 0) return row_of_indices<index>{at.data, 0};
  else return by_row_major_positions(memory_source<index>{at.data}, {at.extents, at.stride, 0});
}
/// The elements at indices of rank `Rank`, whose extents take the place of the axis.
template <int Rank, class V, class I, class... More>
auto take_axis(const std::string& label, const V& v, const strided<I>& at, index_mode mode, std::int64_t* outside,
               int axis_wanted, const More&... more) {
  const auto a = as_mapped(v);
  const int d = axis_number(label, axis_wanted, a.extents.rank);
  const std::int64_t n = a.extents.extent[d], count = at.extents.size();
  check_take(label, count, n, d);
  const auto in_order = indices_in_order<Rank>(at);
  const auto taken =
      map_axis(label, a, d, take_map<std::remove_const_t<decltype(in_order)>>{in_order, count, n, mode, outside}, count,
               more...);
  if constexpr (Rank == 1) return taken;
  else
    return restride<rank_plus(rank_of<V>, Rank - 1)>(
        taken, [&](const index_layout& l) { return with_axis_split(label, l, d, at.extents); });
}
/// The rank of indices; of those that do not say it when compiling it must be 1.
template <class Indices>
inline constexpr int rank_of_indices = rank_of<Indices> < 0 ? 1 : rank_of<Indices>;
template <class Indices>
auto describe_indices(const Indices& indices) {
  static_assert(is_integer<value_of<Indices>>, "quern::take: indices must be integers");
  static_assert(!dual_view<Indices>, "quern::take: indices are one side of a DualView: view_device() or view_host()");
  const auto at = describe(indices);
  if (at.extents.rank != rank_of_indices<Indices>)
    throw Error("quern::take", "indices have extents " + at.extents.str() +
                                   ", expected rank 1: other ranks must be known when compiling");
  return at;
}

}  // namespace impl

/// The elements of x in row-major order (NumPy's), whatever its layout, with other extents, of which one may be -1:
/// `reshape(x, {-1, 3})`. Of an array of rank 0 or 1, or of LayoutRight, it is reached by strides, and may be an
/// output; of others it is an input. A View of LayoutRight whose rows have gaps must be one that strides can reshape.
/// @throws Error if the numbers of elements differ, or if the rows of a View of LayoutRight have gaps that a row of the
/// result would run over; `reshape(slice(x, {}), ...)` is an input that finds these by their indices
template <impl::reindexed_operand V, std::size_t N>
auto reshape(const V& x, const extent_number (&extents)[N]) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>()) {
    const shape to = impl::shape_of(extents);
    return impl::each_array("quern::reshape", x, [&](const auto& a) {
      return impl::reshape_array<static_cast<int>(N)>("quern::reshape", a, to);
    });
  }
}

/// The elements `shift` places further along an axis, those beyond the end at the beginning (NumPy's `roll`):
/// `roll(x, 1, axis{0})`.
/// @throws Error if the axis is out of range
template <impl::reindexed_operand V>
auto roll(const V& x, std::int64_t shift, const axis& along) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::roll", x,
                            [&](const auto& a) { return impl::roll_axis("quern::roll", a, shift, along.number[0]); });
}
/// Along several axes, or several times along one: `roll(x, {1, -2}, axes{0, 1})`.
template <impl::reindexed_operand V, std::size_t N>
auto roll(const V& x, const std::int64_t (&shifts)[N], const axes& along) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>()) {
    if (along.count != static_cast<int>(N))
      throw Error("quern::roll", std::to_string(N) + " shifts along " + std::to_string(along.count) + " axes");
    return impl::each_array("quern::roll", x,
                            [&](const auto& a) { return impl::roll_axes<0>("quern::roll", a, shifts, along); });
  }
}
/// Of all elements in row-major order.
template <impl::reindexed_operand V>
auto roll(const V& x, std::int64_t shift) {
  constexpr int rank = impl::rank_of<V>;
  static_assert(rank >= 0, "quern::roll: without an axis, the rank must be known when compiling");
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>() && rank >= 0)
    return impl::each_array("quern::roll", x, [&](const auto& a) {
      const shape own = impl::operand_extents("quern::roll", a);
      return impl::restride<rank>(impl::roll_axis("quern::roll", impl::line_of(a), shift, 0),
                                  [&](const impl::index_layout& l) { return impl::reshaped("quern::roll", l, own); });
    });
}

/// How many elements `pad` puts before and behind those of an axis.
struct pad_width {
  std::int64_t before, after;
};
/// Those of all axes: `{{1, 2}, {0, 3}}`, one pair for all, `{{1, 2}}`, or one number, `2`.
struct pad_widths {
  std::size_t count = 1;
  std::array<pad_width, max_rank> of{};
  template <std::integral I>
  pad_widths(I both) : of{{{static_cast<std::int64_t>(both), static_cast<std::int64_t>(both)}}} {}
  pad_widths(std::initializer_list<pad_width> widths) : count(widths.size()) {
    if (count > max_rank) throw Error("quern::pad", "at most 8 axes are possible");
    std::copy(widths.begin(), widths.end(), of.begin());
  }
  const pad_width& along(int d) const { return of[count == 1 ? 0 : static_cast<std::size_t>(d)]; }
};

namespace impl {
/// The extent of a padded axis.
std::int64_t padded_extent(const pad_widths& widths, int d, std::int64_t n, int rank, bool by_value);

template <class V>
void check_pad_rank() {
  static_assert(rank_of<V> >= 0, "quern::pad: the rank must be known when compiling");
}
/// Whether a position is one of the elements that `pad` puts others around.
template <int Rank>
struct is_inside {
  Kokkos::Array<std::int64_t, Rank> first, extent;
  template <class At>
  KOKKOS_FUNCTION bool operator()(const At& at) const {
    bool inside = true;
    for (int d = 0; d < Rank; ++d) inside = inside && at[d] >= first[d] && at[d] < first[d] + extent[d];
    return inside;
  }
};
/// The element where there is one, and else the value.
template <class T>
struct inside_or {
  struct selects_by_last {};
  T value;
  KOKKOS_FUNCTION T operator()(const T& element, bool inside) const { return inside ? element : value; }
};
template <class V, class T>
auto pad_array(const V& v, const pad_widths& widths, const T& value) {
  using U = value_of<V>;
  const auto a = as_mapped(v);
  return map_axes<0, rank_of<V>>("quern::pad", a, [&](int d, std::int64_t n) {
    const constant_pad_map<U> map{{n, widths.along(d).before}, static_cast<U>(value)};
    return std::pair(map, padded_extent(widths, d, n, rank_of<V>, true));
  });
}
}  // namespace impl

/// x with elements around it that repeat its own (NumPy's `pad`): `pad(x, {{1, 2}, {0, 3}}, pad_mode::edge)`.
/// @throws Error if a width is negative, if their number is not that of the axes, or if an axis is empty
template <impl::reindexed_operand V>
auto pad(const V& x, const pad_widths& widths, pad_mode mode) {
  impl::check_pad_rank<V>();
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::pad", x, [&](const auto& v) {
      const auto a = impl::as_mapped(v);
      constexpr int rank = impl::rank_of<std::remove_cvref_t<decltype(v)>>;
      return impl::map_axes<0, rank>("quern::pad", a, [&](int d, std::int64_t n) {
        const impl::pad_map map{n, widths.along(d).before, mode};
        return std::pair(map, impl::padded_extent(widths, d, n, rank, false));
      });
    });
}
/// x with a value around it, 0 if none is given, converted to its type: `pad(x, 1)`, `pad(x, {{1, 2}}, -1.0)`.
template <impl::reindexed_operand V, scalar_value T = int>
auto pad(const V& x, const pad_widths& widths, const T& value = T()) {
  impl::check_pad_rank<V>();
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>()) {
    static_assert(impl::converts<T, impl::value_of<V>>, "quern::pad: the value does not convert to x's type");
    if constexpr (impl::is_lazy<V>) {
      // What is around is no value of the lazy array's function, which is not called there: the position chooses.
      constexpr int rank = impl::rank_of<V>;
      const shape own = impl::operand_extents("quern::pad", x);
      impl::is_inside<rank> here{};
      for (int d = 0; d < rank; ++d) {
        here.first[d] = widths.along(d).before;
        here.extent[d] = own.extent[d];
      }
      const auto inside = impl::each_array(
          "quern::pad", x, [&](const auto& v) { return impl::pad_array(v, widths, impl::value_of<decltype(v)>()); });
      using element = impl::value_of<V>;
      return lazy(impl::inside_or<element>{static_cast<element>(value)}, inside, lazy(here, positions()));
    } else {
      return impl::pad_array(x, widths, value);
    }
  }
}

/// Copies of x side by side, as many along each axis as `times` says (NumPy's `tile`): `tile(x, {2, 3})`. Axes are
/// matched from the last one backwards; where there are more numbers than axes, x gets axes before its own.
/// @throws Error if a number is negative
template <impl::reindexed_operand V, std::size_t N>
auto tile(const V& x, const extent_number (&times)[N]) {
  constexpr int own = impl::rank_of<V>, n = static_cast<int>(N), rank = own > n ? own : n;
  static_assert(own >= 0, "quern::tile: the rank must be known when compiling");
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>() && own >= 0)
    return impl::each_array("quern::tile", x, [&](const auto& v) {
      const auto a = impl::as_mapped(impl::restride<rank>(v, [&](impl::index_layout l) {
        axes first;
        while (l.extents.rank + first.count < rank) first.number[first.count] = first.count, ++first.count;
        return impl::with_axes("quern::tile", l, first);
      }));
      return impl::map_axes<rank - n, rank>("quern::tile", a, [&](int d, std::int64_t extent) {
        const std::int64_t copies = times[d - (rank - n)].value;
        if (copies < 0) impl::reject_times("quern::tile", copies);
        impl::bytes_of_array("quern::tile", {extent, copies}, 1);
        const std::int64_t many = copies * extent;
        return std::pair(impl::tile_map{std::max<std::int64_t>(extent, 1), impl::fits_32_bits(many)}, many);
      });
    });
}

/// Each element `times` times, one after the other, along an axis (NumPy's `repeat`): `repeat(x, 3, axis{0})`.
/// @throws Error if `times` is negative, or the axis out of range
template <impl::reindexed_operand V>
auto repeat(const V& x, std::int64_t times, const axis& along) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::repeat", x, [&](const auto& a) {
      return impl::repeat_axis("quern::repeat", a, times, along.number[0]);
    });
}
/// Of all elements in row-major order, of rank 1.
template <impl::reindexed_operand V>
auto repeat(const V& x, std::int64_t times) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::repeat", x, [&](const auto& a) {
      return impl::repeat_axis("quern::repeat", impl::line_of(a), times, 0);
    });
}

/// Without the elements of a slice along an axis (NumPy's `delete`): `remove_at(x, {1, 4}, axis{0})` has the rows 0, 4,
/// 5 and so on. Rows that a mask selects are left out by `compact`.
/// @throws Error if the axis is out of range, or the step 0
template <impl::reindexed_operand V>
auto remove_at(const V& x, const slice_range& removed, const axis& along) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::remove_at", x, [&](const auto& a) {
      return impl::remove_along("quern::remove_at", a, removed, along.number[0]);
    });
}
/// Without the elements at one index, which counts from the end where it is negative: `remove_at(x, -1, axis{1})`.
/// @throws Error if the axis or the index is out of range
template <impl::reindexed_operand V, std::integral I>
auto remove_at(const V& x, I index, const axis& along) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>())
    return impl::each_array("quern::remove_at", x, [&](const auto& a) {
      const auto at = static_cast<std::int64_t>(index);
      return impl::remove_along("quern::remove_at", a, impl::one_index("quern::remove_at", a, at, along.number[0]),
                                along.number[0]);
    });
}

/// The elements of x at `indices` along an axis (NumPy's `take`): `take(x, rows, axis{0})`. `indices` is a View of
/// integers, which is read when the operation runs. Its extents take the place of the axis: of indices (k, l) along
/// axis 1 of x, the result is `y(i, a, b, ...) = x(i, indices(a, b), ...)`; with rank 0 the axis goes.
///
/// `index_mode::raise`, the default: indices from -n on count from the end. The operation that reads the elements
/// waits for its execution space, and throws if an index is out of range, before it computes anything.
/// `index_mode::wrap` and `index_mode::clip` take any index, and the operation is asynchronous.
/// @throws Error if the axis is out of range, or empty where there are indices, or if the result has more than 8 axes;
/// the operation, ElementError with the row-major position of the first index that is out of range
template <impl::reindexed_operand V, view_like Indices>
auto take(const V& x, const Indices& indices, const axis& along, index_mode mode = index_mode::raise) {
  if constexpr (impl::can_reindex<V, impl::reindexing::by_map>()) {
    const auto at = impl::describe_indices(indices);
    return impl::each_array("quern::take", x, [&](const auto& a) {
      return impl::take_axis<impl::rank_of_indices<Indices>>("quern::take", a, at, mode, nullptr, along.number[0],
                                                             indices);
    });
  }
}
/// The elements at one index, without that axis, of any operand that can be sliced: `take(x, -1, axis{0})` is NumPy's
/// `x[-1]`. By strides, so that of a View it may be an output.
/// @throws Error if the axis or the index is out of range
template <impl::reindexed_operand V, std::integral I>
auto take(const V& x, I index, const axis& along) {
  if constexpr (impl::can_reindex<V>()) {
    const std::string label = "quern::take";
    const int d = impl::axis_number(label, along.number[0], impl::operand_extents(label, x).rank);
    std::array<slice_range, max_rank> ranges;
    ranges[d] = impl::one_index(label, x, static_cast<std::int64_t>(index), d);
    const auto part = impl::restride_each<impl::rank_of<V>>(label, x, [&](const impl::index_layout& l) {
      return impl::sliced(label, l, ranges.data(), static_cast<std::size_t>(d) + 1);
    });
    return squeeze(part, axis{d});
  }
}
/// At indices that an array holds, without waiting: each operation that reads the elements counts the indices that are
/// out of range to `info`, a View of rank 0 of `std::int64_t`, before it computes anything, and takes the nearest in
/// their place. Every `take` of a call needs an `info` of its own.
/// @throws Error as without `info`, and if `info` shares memory with x or the indices
template <impl::reindexed_operand V, view_like Indices, view_like Info>
auto take(const V& x, const Indices& indices, const axis& along, const Info& info) {
  constexpr bool counts = std::is_same_v<typename Info::value_type, std::int64_t> && impl::may_have_rank<Info, 0, 0>;
  static_assert(counts, "quern::take: info must be a View of rank 0 of std::int64_t");
  if constexpr (counts && impl::can_reindex<V, impl::reindexing::by_map>()) {
    const auto at = impl::describe_indices(indices);
    const auto count = impl::describe(info);
    impl::check_apart("quern::take", {"indices", "info"}, at, count);
    return impl::each_array("quern::take", x, [&](const auto& a) {
      for (const impl::source_bytes& m : impl::as_mapped(a).memory)
        impl::check_apart("quern::take", {"in", "info"}, m.bytes, count);
      return impl::take_axis<impl::rank_of_indices<Indices>>("quern::take", a, at, index_mode::raise, info.data(),
                                                             along.number[0], indices, info);
    });
  }
}

}  // namespace quern

#endif
