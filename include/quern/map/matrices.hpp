// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MATRICES_HPP
#define QUERN_MAP_MATRICES_HPP

/// @file
/// Matrices by the places of their elements: the identity, triangles, and coordinates of a grid. In memory, `eye`,
/// `tril` and `triu` also in chunks and over ranks; asynchronous on `exec`, without scratch memory, and may be captured
/// in a device graph.

#include <quern/core/launch/operations.hpp>
#include <quern/core/views/each_array.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>

namespace quern {

/// Which diagonal is meant, NumPy's `k`: 0 the main one, 1 the one to the right of it, -1 the one below.
struct diagonal_offset {
  using option_of = impl::any_place;
  std::int64_t value;
};

/// Which axis of `meshgrid`'s outputs the first input runs along: NumPy's `indexing`. With `xy`, its default, along the
/// second one, as x in a matrix of points; with `ij` along the first.
enum class indexing { xy, ij };
template <>
inline constexpr bool impl::marked_option<indexing> = true;

namespace impl {

/// How far an element is to the right of the main diagonal of its matrix, along the last two axes.
template <class P>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t distance_from_diagonal(const P& at) {
  return at[P::size() - 1] - at[P::size() - 2];
}
struct on_diagonal {
  std::int64_t k;
  template <class P>
  KOKKOS_FUNCTION bool operator()(const P& at) const {
    return distance_from_diagonal(at) == k;
  }
};
/// The element where it is in the triangle, and else 0.
template <bool Lower>
struct triangle_part {
  std::int64_t k;
  template <class T, class P>
  KOKKOS_FUNCTION T operator()(const T& x, const P& at) const {
    const std::int64_t d = distance_from_diagonal(at);
    return (Lower ? d <= k : d >= k) ? x : T(0);
  }
};
struct all_values {
  template <class... T>
  KOKKOS_FUNCTION auto operator()(const T&... v) const {
    if constexpr (sizeof...(T) == 1) return nth<0>(v...);
    else return values(v...);
  }
};

template <class F, class Exec, class Out, class... In, class... Options>
void map_by_diagonal(const operation_name& label, const Exec& exec, const Out& out, const std::tuple<const In&...>& in,
                     const Options&... options) {
  const F f{option_or(diagonal_offset{0}, options...).value};
  const auto more = [&] { return ", diagonal " + std::to_string(f.k); };
  unpack([&](const auto&... v) { compare_calls<maps>(label, more, out, v...); }, in);
  std::apply([&](const auto&... of_map) { map_call(label, exec, out, f, in, of_map...); }, options_of_maps(options...));
}

/// The axis of the outputs that an input of `meshgrid` runs along.
inline int axis_of_grid(int input, int inputs, indexing order) {
  return order == indexing::ij || inputs < 2 || input > 1 ? input : 1 - input;
}
/// A vector as an array of all axes, of extent 1 along the others.
template <class Exec, int Rank, class V>
auto along_axis(const std::string& label, const V& v, int axis) {
  const auto grid_of = [&](const index_layout& line) {
    index_layout grid{{}, {}, line.first};
    grid.extents.rank = Rank;
    for (int d = 0; d < Rank; ++d) grid.extents.extent[d] = 1;
    grid.extents.extent[axis] = line.extents.extent[0];
    grid.stride[axis] = line.stride[0];
    return grid;
  };
  if constexpr (view_like<V>) {
    auto line = make_input<Exec>(v, label).array;
    const index_layout grid = grid_of({line.extents, line.stride, 0});
    line.extents = grid.extents;
    line.stride = grid.stride;
    return as_part<Exec, Rank>(line);
  } else {
    return restride_each<Rank>(label, v, grid_of);
  }
}
template <class Exec, class... Out, class... In, std::size_t... I>
void write_grid(const Exec& exec, const std::tuple<Out...>& out, const std::tuple<In...>& in, indexing order,
                std::index_sequence<I...>) {
  constexpr int rank = sizeof...(In);
  const operation_name label("quern::meshgrid");
  shape expected;
  expected.rank = rank;
  const auto check_line = [&](const auto& v, int number) {
    const shape line = operand_extents(label, v);
    if (line.rank != 1) reject_extents(label, input_name(static_cast<std::size_t>(number)), line, "one axis");
    expected.extent[axis_of_grid(number, rank, order)] = line.extent[0];
  };
  (check_line(std::get<I>(in), I), ...);
  check_extents(label, "out", view_extents(std::get<0>(out)), expected);
  const std::tuple lines(along_axis<Exec, rank>(label, std::get<I>(in), axis_of_grid(I, rank, order))...);
  map_checked(label, exec, out, all_values(), std::get<I>(lines)...);
}

}  // namespace impl

/// `out(i, j) = 1` where `j - i` is the offset of the diagonal, and 0 elsewhere (NumPy's `eye`): of more axes, many
/// matrices along the last two. Option: `diagonal_offset{k}`.
template <execution_space Exec, result_view Out, call_option<diagonal_offset>... Options>
void eye(const Exec& exec, const Out& out, const Options&... options) {
  static_assert(impl::may_have_rank<Out, 2, max_rank>, "quern::eye: out must have two axes at least");
  const positions_t at = positions();
  impl::map_by_diagonal<impl::on_diagonal>("quern::eye", exec, out, std::tie(at), options...);
}
template <result_view Out, call_option<diagonal_offset>... Options>
void eye(const Out& out, const Options&... options) {
  eye(impl::space_of(out), out, options...);
}
QUERN_TAKES_NAME(eye)

/// `out(i, j) = in(i, j)` on and below a diagonal, and 0 above it (NumPy's `tril`): of more axes, many matrices along
/// the last two. `in` broadcasts, may be lazy, and may be `out`. Options: `diagonal_offset{k}`,
/// `mask{m}`.
template <execution_space Exec, result_view Out, any_array In, call_option<diagonal_offset, mask_t>... Options>
void tril(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::may_have_rank<Out, 2, max_rank>, "quern::tril: out must have two axes at least");
  const positions_t at = positions();
  impl::map_by_diagonal<impl::triangle_part<true>>("quern::tril", exec, out, std::tie(in, at), options...);
}
template <result_view Out, any_array In, call_option<diagonal_offset, mask_t>... Options>
void tril(const Out& out, const In& in, const Options&... options) {
  tril(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME(tril)

/// The same on and above a diagonal, and 0 below it (NumPy's `triu`).
template <execution_space Exec, result_view Out, any_array In, call_option<diagonal_offset, mask_t>... Options>
void triu(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::may_have_rank<Out, 2, max_rank>, "quern::triu: out must have two axes at least");
  const positions_t at = positions();
  impl::map_by_diagonal<impl::triangle_part<false>>("quern::triu", exec, out, std::tie(in, at), options...);
}
template <result_view Out, any_array In, call_option<diagonal_offset, mask_t>... Options>
void triu(const Out& out, const In& in, const Options&... options) {
  triu(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME(triu)

/// The coordinates of the points of a grid, an output for each: `meshgrid(exec, outputs(u, v), components(x, y))`
/// writes `u(i, j) = x(j)` and `v(i, j) = y(i)` (NumPy's `meshgrid`), with `indexing::ij` `u(i, j) = x(i)` and `v(i, j)
/// = y(j)`.
///
/// @param out as many Views as inputs, with an axis for each; only inputs need be of one axis
/// @param in  `components(x, y, ...)`, arrays of one axis, which may be lazy or re-indexed
///
/// One kernel for all outputs. An operation that reads a grid needs none: `map(u, f, x)` broadcasts x along the last
/// axis.
/// @throws Error if extents do not fit, or memory overlaps
template <execution_space Exec, view_like... Out, array_like... In, option<indexing>... Options>
void meshgrid(const Exec& exec, const std::tuple<Out...>& out, const std::tuple<In...>& in, const Options&... options) {
  constexpr bool fits = sizeof...(Out) == sizeof...(In) && sizeof...(In) > 0;
  static_assert(fits, "quern::meshgrid: there must be as many outputs as inputs");
  static_assert((impl::may_have_rank<In, 1, 1> && ...), "quern::meshgrid: the inputs must have one axis");
  static_assert((impl::may_have_rank<Out, sizeof...(In), sizeof...(In)> && ...),
                "quern::meshgrid: the outputs must have an axis for each input");
  if constexpr (fits)
    impl::write_grid(exec, out, in, impl::option_or(indexing::xy, options...), std::index_sequence_for<In...>());
}
template <view_like... Out, array_like... In, option<indexing>... Options>
void meshgrid(const std::tuple<Out...>& out, const std::tuple<In...>& in, const Options&... options) {
  meshgrid(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME(meshgrid)

}  // namespace quern

#endif
