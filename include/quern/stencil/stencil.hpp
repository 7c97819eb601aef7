// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_STENCIL_HPP
#define QUERN_STENCIL_STENCIL_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/views/whole_positions.hpp>
#include <quern/stencil/boundary.hpp>
#include <quern/stencil/inputs.hpp>
#include <quern/stencil/launch.hpp>

namespace quern {

namespace impl {

/// A neighbourhood that reaches as far along each axis: one radius for all, or one for each.
template <bool Star, int... Radius>
struct neighbourhood {
  static_assert(sizeof...(Radius) > 0 && ((Radius >= 0) && ...), "quern::stencil: a radius must not be negative");
  static constexpr bool arms_only = Star;
  static constexpr bool fixed = true;
  static constexpr int radii = sizeof...(Radius);
  KOKKOS_FUNCTION static constexpr int radius(int d) {
    const int all[] = {Radius...};
    return all[radii == 1 ? 0 : d];
  }
};

}  // namespace impl

/// The neighbourhood of all cells within a radius along every axis: 3 x 3 for `box<1>` of an image, 3 x 1 for
/// `box<1, 0>`.
template <int... Radius>
struct box : impl::neighbourhood<false, Radius...> {};

/// The cell and its neighbours along the axes, within a radius: 7 cells for `star<1>` in three dimensions.
template <int... Radius>
struct star : impl::neighbourhood<true, Radius...> {};

/// A functor of a stencil that is called with the cell's indices, a `Kokkos::Array<std::int64_t, rank>`, before the
/// windows.
template <class F>
impl::positioned<F> with_position(const F& f) {
  return {f};
}

namespace impl {

template <class V>
inline constexpr bool first_axis_fastest =
    requires { requires std::is_same_v<typename typical<V>::array_layout, Kokkos::LayoutLeft>; };
template <std::size_t K, class Element, class V>
inline constexpr bool first_axis_fastest<row_array<K, Element, V>> = first_axis_fastest<V>;

/// Rejects an input whose cells are not those of the output.
void check_cells(const std::string& label, const shape& in, const shape& out);

template <class... Out, class In>
void check_stencil_input(const std::string& label, const std::tuple<Out...>& out, const In& in, const shape& found) {
  check_cells(label, found, std::get<0>(out).extents);
  unpack([&](const auto&... o) { (check_overlap(label, o, in, "in", false), ...); }, out);
}

/// Checks the arrays of an operation with windows, and calls `launch(out, in...)` with what kernels take.
template <class Shape, class Exec, class... Out, class Launch, class... In>
void with_stencil_arrays(const call<Exec>& c, const Shape& shape, const std::tuple<Out...>& outs, const Launch& launch,
                         const In&... inputs) {
  constexpr int rank = rank_of<std::tuple_element_t<0, std::tuple<Out...>>>;
  static_assert(rank >= 1 && rank <= 3, "quern::stencil: out must have rank 1, 2 or 3, known when compiling");
  static_assert(((rank_of<Out> == rank) && ...), "quern::stencil: outputs must have the same rank");
  static_assert(((rank_of<stencil_array<In>> == rank) && ...), "quern::stencil: in must have the rank of out");
  static_assert(sizeof...(In) > 0, "quern::stencil: no input");
  static_assert(Shape::radii == 1 || Shape::radii == rank, "quern::stencil: one radius, or one for each axis");
  const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, outs);
  check_outputs(c.label, out);
  const auto checked = [&](const auto& in) {
    const auto elements = c.elements(array_of(in));
    check_stencil_input(c.label, out, elements,
                        cells_of<rank>(c.label, shape, in, operand_extents(c.label, array_of(in))));
    return elements;
  };
  with_sources([&](const auto&... in) { launch(out, with_edge_of(inputs, without_ghosts(inputs, in))...); },
               checked(inputs)...);
}

/// The checks of every operation with windows, then its launch.
template <class Shape, class Exec, class F, class... Out, class... In>
void stencil_call(const Exec& exec, const std::string& label, const Shape& shape, const std::tuple<Out...>& outs,
                  const F& f, const boundaries& edges, const In&... inputs) {
  using first_out = std::tuple_element_t<0, std::tuple<Out...>>;
  const auto launch = [&](const auto& out, const auto&... in) {
    stencil_launch<Shape, rank_of<first_out>, first_axis_fastest<first_out>>(exec, label, shape, f, edges, out, in...);
  };
  with_stencil_arrays(call<Exec>(label, exec), shape, outs, launch, inputs...);
}

/// A functor of a part whose first cell is `first` in the whole array.
template <int Rank, class F>
auto functor_of_part(const F& f, const shape& first) {
  if constexpr (is_positioned<F>)
    return with_position(at_whole_index<std::remove_cvref_t<decltype(f.f)>, Rank>{f.f, part_origin<Rank>(first)});
  else return f;
}

/// Stencils of arrays in memory.
template <>
struct engine<in_memory, stencils> {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static void run(const operation_name& label, const Shape& shape, const Exec& exec, const std::tuple<Out...>& out,
                  const F& f, const boundaries& edge, const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    unpack([&](const auto&... in) { stencil_call(exec, label, shape, out, f, edge, in...); }, inputs);
  }
};
/// A stencil, by the engine of the place where its operands are.
template <class Shape, class Exec, class Out, class F, class... In, class... Options>
auto run_stencil(const Exec& exec, const Out& out, const F& f, const boundaries& edge,
                 const std::tuple<const In&...>& inputs, const Options&... options) {
  if constexpr (has_reduced<Out>) {
    static_assert(!all_reduced<Out>, "quern::stencil: no output is an array; a stencil writes at least one");
    if constexpr (!all_reduced<Out>)
      return engine_of<reducing_stencils, Out, In...>::run(Shape(), exec, out, f, edge, inputs, options...);
  } else {
    engine_of<stencils, Out, In...>::run("quern::stencil", Shape(), exec, as_outputs(out), f, edge, inputs, options...);
  }
}

}  // namespace impl

/// Applies a function to the neighbourhood of each cell: `out(j, i) = f(w...)`, where `w(dj, di)` is `in(j + dj, i +
/// di)`.
///
/// @tparam Shape the neighbourhood: `quern::box<radius>` or `quern::star<radius>`, with one radius or one for each
///               axis; `f` must not look further
/// @param out    a View of rank 1 to 3, or several, `quern::outputs(u, v)`, among which reductions of the cells that
///               are computed may stand, of all, `quern::outputs(w, quern::reduced<quern::op::sum>(pw))`, or along
///               axes, `quern::reduced<quern::op::sum>(rows, quern::axis{1})`; then f returns a value for each,
///               `quern::values(a, b)`, or a `Kokkos::Array` of values
/// @param f      a functor over a window of each input, with an offset for each axis in the order of the Views'
///               indices; it computes in the type it likes. In `quern::with_position(f)` it also gets the cell's
///               indices. The windows have several types, so its operator is a template; hosts take the lambda
///               `KOKKOS_LAMBDA(const auto& w)`, too, which nvcc does not
/// @param edge   the values beyond the arrays, for all axes or for each: `quern::boundary`, `quern::boundaries`,
///               or the cells to compute, `quern::interior_only`
/// @param in     one or more arrays with the extents of `out`, of any types; they must not share memory with it. A lazy
///               one is computed as windows read it: on devices once by each thread that holds the value in registers,
///               on hosts at each access. What takes long is better written to a View first. In memory,
///               `quern::with_boundary(in, edge)` has boundaries of its own, and `quern::with_ghosts(in, depth{1})`
///               stores ghost cells, which are read
///
/// A window gives the values of its View; integers narrower than int come as int, as any arithmetic would make them. On
/// devices it holds the neighbourhood in registers: constant offsets cost nothing, others are right but slow.
/// LayoutLeft and LayoutRight are equally fast when all Views have the same. On devices packs of up to 16 bytes are
/// moved where all rows are aligned; elsewhere, as with ghost cells, a thread computes cells of several planes at once.
/// One kernel on devices, two on hosts where there is a border; with reductions also scratch memory for a state of each
/// team or of each thread's cells. With reductions along axes it is one kernel everywhere, which looks up for each cell
/// of a device whether it is one of the border, and another one for results of no cells.
///
/// Asynchronous on `exec`; without reductions it uses no scratch memory, allocates nothing, and may be captured in a
/// device graph.
///
/// A result along axes of which no cell is computed is that of an empty axis, as 0 for sums.
///
/// In chunks and over ranks, `positions()` in lazy inputs are those in the whole array, as in memory.
///
/// In chunks, which overlap by the radius, the call waits. It has one output beside reductions, a View or a sink, and
/// an option `chunking` stands before the inputs, which have the extents of out and, where they are read in chunks, its
/// slowest axis. Cells that the boundary leaves as they are keep what a View has; a sink gets zeros there.
///
/// Over ranks, all arrays are DistributedViews with the same blocks. Along the axes that are cut, all have a halo at
/// least as wide as the neighbourhood; that of the inputs is written by an exchange, that of out is not. On devices,
/// cells whose neighbourhoods are within a block are computed in the meantime, except for reductions along axes.
/// Collective; with NCCL asynchronous on `exec`. With MPI it waits for the kernel that packs, which comes after what
/// was launched on `exec` before, and for the messages. Each cell is computed from the same values as on one device.
/// Compilers of devices may contract products and sums of f to multiply-adds in one kernel and not in another;
/// `Kokkos::fma` where it is wanted, or the compiler's option (`-fmad=false`, `-ffp-contract=off`), then give the same
/// bits.
/// @throws Error if the extents differ, Views share memory, a neighbourhood does not fit under `boundary::keep`, cells
/// of `interior_only` need values from outside, or no cells are computed for a reduction that has no result then
template <class Shape, execution_space Exec, output_like Out, class F, class... In>
  requires stencil_inputs<In...>
auto stencil(const Exec& exec, const Out& out, const F& f, const boundaries& edge, const In&... in) {
  const impl::label_scope functor("quern::stencil", typeid(F));
  return impl::run_stencil<Shape>(exec, out, f, edge, std::tie(in...));
}
template <class Shape, execution_space Exec, output_like Out, class F, call_option Option, class... In>
  requires(stencil_inputs<In...> || impl::second_option<Option, In...>::value)
auto stencil(const Exec& exec, const Out& out, const F& f, const boundaries& edge, const Option& option,
             const In&... in) {
  const impl::label_scope functor("quern::stencil", typeid(F));
  return impl::run_stencil<Shape>(exec, out, f, edge, std::tie(in...), option);
}

template <class Shape, output_like Out, class F, class... In>
  requires stencil_inputs<In...>
auto stencil(const Out& out, const F& f, const boundaries& edge, const In&... in) {
  return stencil<Shape>(impl::space_of(out, in...), out, f, edge, in...);
}
template <class Shape, output_like Out, class F, call_option Option, class... In>
  requires(stencil_inputs<In...> || impl::second_option<Option, In...>::value)
auto stencil(const Out& out, const F& f, const boundaries& edge, const Option& option, const In&... in) {
  return stencil<Shape>(impl::space_of(out, in...), out, f, edge, option, in...);
}
QUERN_TAKES_NAME_WITH(stencil, class Shape, Shape)

}  // namespace quern

#endif
