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
template <int Rank, bool Reversed, class In>
auto on_grid(const std::string& label, const In& array, const boundaries& edges) {
  using T = typename In::value_type;
  grid_input<std::remove_const_t<decltype(In::data)>> g{on_grid<Rank, Reversed>(array), {}};
  for (int d = 0; d < Rank && !edges.is_box(); ++d) {
    const boundary_pair& s = edges.axis(d);
    auto& beyond = g.beyond[grid_axis<Rank, Reversed>(d)];
    if (s.low.kind() == boundary::mode::constant) beyond[0] = s.low.template value_for<T>(label);
    if (s.high.kind() == boundary::mode::constant) beyond[1] = s.high.template value_for<T>(label);
  }
  return g;
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
  cells_type cells{boxes_of<Rank, Reversed>(label, reach, std::get<0>(out).extents, edges),
                   f,
                   unpack(on_grids, out),
                   {{on_grid<Rank, Reversed>(label, in, edges)}...}};
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
