// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_STENCIL_HPP
#define QUERN_DISTRIBUTED_STENCIL_HPP

#include <quern/core/views/whole_positions.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/halo_boxes.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/stencil_parts.hpp>
#include <quern/stencil/iterate.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern::impl {

/// The cells of an array with its halo that a part has.
template <class Field>
auto cells_of_part(const Field& u, const stencil_part& part) {
  auto s = describe(u.local_with_halo().data(), u.local_with_halo());
  for (int d = 0; d < Field::rank; ++d) s.data += (u.decomposition().halo(d) + part.first.extent[d]) * s.stride[d];
  s.extents = part.extents;
  return as_part<Field, Field::rank>(s);
}

/// Calls `f(field)` with each DistributedView of an input.
template <class F, class V>
void for_each_field(const F& f, const V& v) {
  if constexpr (distributed_like<V>) f(v);
  else if constexpr (is_lazy<V>) std::apply([&](const auto&... in) { (for_each_field(f, in), ...); }, v.in);
  else
    static_assert(scalar_value<V> || is_positions<V>,
                  "quern::stencil: over ranks, inputs are DistributedViews, or lazy arrays of these, of scalars and of "
                  "positions()");
}

/// Rejects constants that are no values T on every rank, and not on those alone whose blocks are at an end.
template <int Rank, class T>
void check_constants(const std::string& label, const Decomposition& d, const boundaries& edge) {
  T constants[3][2];
  if (d.extents().size() > 0) set_constants<Rank, false>(label, edge, constants);
}

template <class Shape>
std::array<int, max_rank> radius_along_axes(const Shape& reach, int rank) {
  std::array<int, max_rank> radius{};
  for (int axis = 0; axis < rank; ++axis) radius[axis] = reach.radius(axis);
  return radius;
}

/// Compares a stencil with those of the other ranks, where calls are checked; `more()` tells of its reductions, or of
/// the parameters of a filter.
template <class Shape, class First, class... Out, class More, class... In>
void compare_stencils(const std::string& label, const Shape& reach, const std::tuple<First, Out...>& out,
                      const boundaries& edge, const More& more_text, const In&... in) {
  constexpr int rank = First::rank;
  const auto more = [&] {
    return text_of_stencil(Shape::arms_only, radius_along_axes(reach, rank), rank, edge) + more_text();
  };
  check_same_arrays(std::get<0>(out).decomposition().communicator(), label, more, out, in...);
}

/// Checks a stencil of DistributedViews that has been compared, and exchanges halos; `begin(parts)` is called before
/// any is computed, and `compute(exec, number, out, f, part, first, in...)` for each part, which begins at the cell
/// `first` of the whole array. `overlaps`: cells that need no halo are parts of their own, which are computed while it
/// is exchanged.
template <class Shape, class Exec, class First, class... Out, class F, class Begin, class Compute, class... In>
void stencil_of_blocks(const std::string& label, const Shape& reach, const Exec& exec,
                       const std::tuple<First, Out...>& out, const F& f, const boundaries& edge, bool overlaps,
                       const Begin& begin, const Compute& compute, const In&... in) {
  constexpr int rank = First::rank;
  static_assert(((Out::rank == rank) && ...), "quern::stencil: outputs must have the same rank");
  static_assert(((rank_of<In> == rank) && ...), "quern::stencil: in must have the rank of out");
  static_assert(sizeof...(In) > 0, "quern::stencil: no input");
  const Decomposition& d = std::get<0>(out).decomposition();
  const auto radius = radius_along_axes(reach, rank);
  halo_arrays arrays;
  std::size_t number = 0;
  const auto add = [&](const auto& field) {
    add_halo_array(label, number, d, {&field.decomposition(), with_halo(field)}, arrays);
  };
  ((for_each_field(add, in), ++number), ...);
  unpack(
      [&](const auto&... o) {
        (check_same_blocks(label, "out", d, o.decomposition()), ...);
        (check_halo_width(label, "out", o.decomposition(), radius), ...);
      },
      out);
  for (const halo_array& a : arrays) check_halo_width(label, "in", *a.blocks, radius);
  // Hosts have nothing that would bring the messages while they compute.
  const stencil_parts parts = cut_stencil(label, d, edge, radius, overlaps && is_device<Exec>);
  (check_constants<rank, value_of<In>>(label, d, edge), ...);
  const auto compute_part = [&](const Exec& where, int part, const stencil_part& p) {
    const auto to = unpack([&](const auto&... o) { return std::tuple(cells_of_part(o, p)...); }, out);
    shape first = d.local().first;
    for (int axis = 0; axis < rank; ++axis) first.extent[axis] += p.first.extent[axis];
    const wrapped_origin<rank> origin(first, d.extents());
    const auto cells = [&](const auto& leaf) {
      if constexpr (distributed_like<decltype(leaf)>) return cells_of_part(leaf, p);
      else return leaf;
    };
    compute(where, part, to, functor_of_part<rank>(f, first), p, first, at_cells(in, origin, cells)...);
  };
  begin(parts.inner.size() + parts.outer.size());
  const auto exchange = exchange_of_halos(exec, label, edge, radius, !Shape::arms_only, arrays);
  compute_parts(exec, *exchange, parts, part_computation<Exec>(compute_part));
}

template <>
struct engine<over_ranks_place, iterations> : compared_calls {};

/// Stencils of DistributedViews.
template <>
struct engine<over_ranks_place, stencils> : compared_calls {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static void run(const operation_name& name, const Shape&, const Exec& exec, const std::tuple<Out...>& outs,
                  const F& f, const boundaries& edge, const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    constexpr bool all = (distributed_like<Out> && ...) && (is_at<over_ranks_place, In> && ...);
    static_assert(all, "quern::stencil: over ranks, all arrays are DistributedViews");
    const std::string& label = name;
    const auto compute = [&](const Exec& where, int, const auto& to, const auto& g, const stencil_part& part,
                             const shape&,
                             const auto&... in) { stencil_call(where, label, Shape(), to, g, part.edge, in...); };
    if constexpr (all)
      unpack(
          [&](const auto&... in) {
            compare_stencils(label, Shape(), outs, edge, [] { return ""; }, in...);
            stencil_of_blocks(label, Shape(), exec, outs, f, edge, true, [](std::size_t) {}, compute, in...);
          },
          inputs);
  }
};

}  // namespace quern::impl

#endif
