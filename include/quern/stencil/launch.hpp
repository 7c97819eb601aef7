// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_LAUNCH_HPP
#define QUERN_STENCIL_LAUNCH_HPP

#include <quern/stencil/device_stencil.hpp>
#include <quern/stencil/host_stencil.hpp>

namespace quern::impl {

template <int Rank, bool Reversed, class Array>
auto on_grid(const Array& array) {
  grid_array<std::remove_const_t<decltype(Array::data)>> g{array.data, {0, 0, 0}};
  for (int d = 0; d < Rank; ++d) g.stride[grid_axis<Rank, Reversed>(d)] = array.stride[d];
  return g;
}
/// Sets the constants of an input's boundaries.
template <int Rank, bool Reversed, class T>
void set_constants(const std::string& label, const boundaries& edges, T (&beyond)[3][2]) {
  for (int d = 0; d < Rank && !edges.is_box(); ++d) {
    const boundary_pair& s = edges.axis(d);
    auto& of_axis = beyond[grid_axis<Rank, Reversed>(d)];
    if (s.low.kind() == boundary::mode::constant) of_axis[0] = s.low.template value_for<T>(label);
    if (s.high.kind() == boundary::mode::constant) of_axis[1] = s.high.template value_for<T>(label);
  }
}
template <int Rank, bool Reversed, class In>
auto on_grid(const std::string& label, const In& array, const boundaries& edges) {
  grid_input<std::remove_const_t<decltype(In::data)>> g{on_grid<Rank, Reversed>(array), {}};
  set_constants<Rank, Reversed>(label, edges, g.beyond);
  return g;
}

/// An array with boundaries of its own: `boundary::keep` where it stores ghosts.
template <class Array>
struct edged_array {
  using value_type = typename Array::value_type;
  edged<std::remove_const_t<decltype(Array::data)>> data;
  const Array& array;
  const boundaries& edge;
};
template <class In>
inline constexpr bool is_edged = false;
template <class Array>
inline constexpr bool is_edged<edged_array<Array>> = true;
template <int Rank, bool Reversed, class Array>
auto on_grid(const std::string& label, const edged_array<Array>& in, const boundaries&) {
  grid_input<edged<std::remove_const_t<decltype(Array::data)>>> g{on_grid<Rank, Reversed>(in.array), {}, {}};
  set_constants<Rank, Reversed>(label, in.edge, g.beyond);
  for (int d = 0; d < Rank; ++d)
    g.own.set_axis(grid_axis<Rank, Reversed>(d), in.edge.axis(d), in.array.extents.extent[d]);
  return g;
}

/// Whether no neighbourhood reaches so far that an input's own boundaries go from end to end.
template <int Rank, class Reach, class In>
bool continues_once(const Reach&, const In&) {
  return true;
}
template <int Rank, class Reach, class Array>
bool continues_once(const Reach& reach, const edged_array<Array>& in) {
  bool once = true;
  for (int d = 0; d < Rank; ++d)
    once = once && reach.radius(d) <= grid_edges().set_axis(0, in.edge.axis(d), in.array.extents.extent[d]);
  return once;
}

/// The cells of a stencil, as kernels carry them.
template <class Shape, int Rank, bool Reversed, class Exec, class F, class... Out, class... In>
auto make_cells(const std::string& label, const Shape& reach, const F& f, const boundaries& edges,
                const std::tuple<strided<Out>...>& out, const In&... in) {
  using cells_type = stencil_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>,
                                   std::tuple<std::remove_const_t<decltype(In::data)>...>>;
  const auto on_grids = [](const strided<Out>&... o) {
    return operand_tuple<grid_output<Out>...>{{on_grid<Rank, Reversed>(o)}...};
  };
  cells_type cells{boxes_of<Rank, Reversed>(label, reach, std::get<0>(out).extents, edges, (is_edged<In> && ...)),
                   f,
                   unpack(on_grids, out),
                   {{on_grid<Rank, Reversed>(label, in, edges)}...}};
  cells.continued_once = cells.continued_once && (continues_once<Rank>(reach, in) && ...);
  cells.unit = cells.all_of([](const auto& grid) { return grid.stride[2] == 1; });
  return cells;
}

template <class Shape, int Rank, bool Reversed, class Exec, class F, class... Out, class... In>
void stencil_launch(const Exec& exec, const std::string& label, const Shape& reach, const F& f, const boundaries& edges,
                    const std::tuple<strided<Out>...>& out, const In&... in) {
  if (std::get<0>(out).extents.size() == 0) return;
  auto cells = make_cells<Shape, Rank, Reversed, Exec>(label, reach, f, edges, out, in...);
  using cells_type = decltype(cells);
  static_assert(cells_type::callable,
                "quern::stencil: f must be callable with a window of each input, whose types are several, and with "
                "with_position with a Kokkos::Array<std::int64_t, rank> before them");
  if constexpr (!cells_type::callable) return;
  else if constexpr (is_device<Exec>)
    stencil_on_device(exec, label, cells, no_sink(), [](const auto&, const auto& policy) { return policy; });
  else stencil_on_host(exec, label, cells, reach);
}

}  // namespace quern::impl

#endif
