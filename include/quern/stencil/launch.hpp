// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_LAUNCH_HPP
#define QUERN_STENCIL_LAUNCH_HPP

#include <quern/stencil/kernel.hpp>

namespace quern::impl {

/// Whether packs of W elements stay aligned along the fastest axis.
template <int W, class Grid>
bool aligned_rows(const Grid& g) {
  return g.stride[2] == 1 && g.stride[0] % W == 0 && g.stride[1] % W == 0 && holds_packs<W>(g.data);
}

/// Takes cells from the inner box that packs cannot reach.
template <class Kernel>
void cut_to_packs(Kernel& k) {
  const std::int64_t w = k.packed ? Kernel::width : 1;
  auto &low = k.inner.low[2], &high = k.inner.high[2];
  if (Kernel::whole) low = (low + w - 1) / w * w;
  high = std::max(low, std::min(high, (Kernel::whole ? high : k.extent[2]) / w * w));
  if (low == high) low = high = k.all.low[2];
  k.packs = (high + w - 1) / w;
}

/// How many rows of a plane a host thread computes before those of the next, and whether it writes past its caches.
template <int Rank, bool Reversed, class Exec, class Kernel, class Shape>
void set_host_shape(const Exec& exec, Kernel& k, const Shape& reach, std::size_t in_bytes, std::size_t out_bytes) {
  std::int64_t planes = 2;
  for (int d = 0; d < Rank; ++d)
    if (grid_axis<Rank, Reversed>(d) == 0) planes += 2 * reach.radius(d);
  const std::int64_t bytes = std::max<std::int64_t>(1, planes * k.extent[2] * static_cast<std::int64_t>(in_bytes));
  k.block_rows = std::clamp<std::int64_t>(tuning<Exec>::stencil_block_bytes / bytes, 1,
                                          std::max<std::int64_t>(1, k.inner.extent(1)));
  k.stream = k.unit && exec.concurrency() >= tuning<Exec>::streaming_threads &&
             k.inner.cells() * static_cast<std::int64_t>(out_bytes) >= tuning<Exec>::streaming_bytes;
}

template <int Rank, bool Reversed, class Grid, class Array>
void set_strides(Grid& g, const Array& array) {
  for (int d = 0; d < Rank; ++d) g.stride[grid_axis<Rank, Reversed>(d)] = array.stride[d];
  if (Rank == 1) g.stride[2] = array.stride[0];
}
template <int Rank, bool Reversed, class T>
grid_output<T> on_grid(const strided<T>& array) {
  grid_output<T> g{array.data, {0, 0, 0}};
  set_strides<Rank, Reversed>(g, array);
  return g;
}
template <int Rank, bool Reversed, class In>
auto on_grid(const std::string& label, const In& array, const boundaries& edges) {
  using T = typename In::value_type;
  grid_input<std::remove_const_t<decltype(In::data)>> g{array.data, {0, 0, 0}, {}};
  set_strides<Rank, Reversed>(g, array);
  for (int d = 0; d < Rank && !edges.is_box(); ++d) {
    const boundary_pair& s = edges.axis(d);
    auto& beyond = g.beyond[grid_axis<Rank, Reversed>(d)];
    if (s.low.kind() == boundary::mode::constant) beyond[0] = s.low.template value_for<T>(label);
    if (s.high.kind() == boundary::mode::constant) beyond[1] = s.high.template value_for<T>(label);
  }
  return g;
}

template <class Shape, int Rank, bool Reversed, class Exec, class F, class... Out, class... In, std::size_t... O>
void stencil_launch(const Exec& exec, const std::string& label, const Shape& reach, const F& f, const boundaries& edges,
                    const std::tuple<strided<Out>...>& out, std::index_sequence<O...>, const In&... in) {
  using kernel_type =
      stencil_kernel<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::remove_const_t<decltype(In::data)>...>;
  const shape& extents = std::get<0>(out).extents;
  if (extents.size() == 0) return;
  kernel_type k{boxes_of<Rank, Reversed>(label, reach, extents, edges),
                f,
                {{on_grid<Rank, Reversed>(std::get<O>(out))}...},
                {{on_grid<Rank, Reversed>(label, in, edges)}...}};
  const auto all_inputs = [&](auto&& test) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (test(get<I>(k.in)) && ...);
    }(std::index_sequence_for<In...>());
  };
  const auto contiguous = [](const auto& grid) { return grid.stride[2] == 1; };
  const auto aligned = [](const auto& grid) { return aligned_rows<kernel_type::width>(grid); };
  k.unit = (contiguous(get<O>(k.out)) && ...) && all_inputs(contiguous);
  k.packed = kernel_type::rolls && (aligned(get<O>(k.out)) && ...) && all_inputs(aligned);
  if constexpr (kernel_type::device) cut_to_packs(k);
  std::int64_t border = 0;
  for (int slab = 0; slab < 6; ++slab)
    k.border_ends[slab] = border += std::max<std::int64_t>(0, k.border_slab(slab).cells());

  if constexpr (kernel_type::device) {
    const std::int64_t walks = k.packs * k.inner.extent(1) * k.inner.extent(0);
    k.steps = std::clamp<std::int64_t>(walks / (2 * exec.concurrency()), 8, 64);
    k.border_teams = (border + kernel_type::tile - 1) / kernel_type::tile;
    using policy = Kokkos::TeamPolicy<Exec, grid_tag, Kokkos::LaunchBounds<kernel_type::tile, kernel_type::teams>>;
    Kokkos::parallel_for(label, policy(exec, static_cast<int>(k.border_teams + k.walk_teams()), kernel_type::tile), k);
  } else {
    const auto launch = [&]<class Tag>(Tag, const std::string& name, std::int64_t units) {
      if (units > 0)
        Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>(exec, 0, units), k);
    };
    set_host_shape<Rank, Reversed>(exec, k, reach, std::max({sizeof(typename In::value_type)...}), (sizeof(Out) + ...));
    launch(interior_tag(), label, k.inner.cells() > 0 ? k.inner.extent(0) * k.inner.extent(1) : 0);
    launch(border_tag(), label + "/border", border);
  }
}

}  // namespace quern::impl

#endif
