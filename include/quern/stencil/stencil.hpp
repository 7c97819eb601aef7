// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_STENCIL_HPP
#define QUERN_STENCIL_STENCIL_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/arguments.hpp>
#include <string>

namespace quern {

/// The neighbourhood of all cells within Radius along every axis: 3 x 3 for `box<1>` of an image.
template <int Radius>
struct box {
  static_assert(Radius >= 0, "quern::box: the radius must not be negative");
  static constexpr int radius = Radius;
};

/// What happens at cells whose neighbourhood reaches beyond the array.
enum class boundary {
  keep  ///< these cells of the output are left as they are
};

namespace impl {

/// What a stencil's functor sees: the input around one cell. `w(dj, di)` is the value dj rows and di columns away.
template <class T, int Rank>
struct window {
  const T* centre;
  std::int64_t stride[Rank];

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION T operator()(I... offset) const {
    const std::int64_t* s = stride;
    std::int64_t at = 0;
    ((at += static_cast<std::int64_t>(offset) * *s++), ...);
    return centre[at];
  }
};

template <class Exec, int Rank, class F, class Out, class In>
struct stencil_kernel {
  F f;
  Out* out;
  const In* in;
  std::int64_t out_stride[Rank], in_stride[Rank];

  template <class... I>
  KOKKOS_FUNCTION void operator()(I... index) const {
    const std::int64_t i[Rank] = {static_cast<std::int64_t>(index)...};
    window<In, Rank> w{in, {}};
    std::int64_t to = 0;
    for (int d = 0; d < Rank; ++d) {
      w.centre += i[d] * in_stride[d];
      w.stride[d] = in_stride[d];
      to += i[d] * out_stride[d];
    }
    out[to] = static_cast<Out>(f(w));
  }
};

/// Tiles run along the axis that is contiguous in memory, so the iteration order follows the output's strides.
template <class Exec, int Rank, Kokkos::Iterate Order, class Kernel>
void stencil_launch(const Exec& exec, const std::string& label, const shape& extents, int radius,
                    const Kernel& kernel) {
  using policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<Rank, Order, Order>, Kokkos::IndexType<std::int64_t>>;
  typename policy::point_type low, high;
  for (int d = 0; d < Rank; ++d) {
    low[d] = radius;
    high[d] = extents.extent[d] - radius;
  }
  Kokkos::parallel_for(label, policy(exec, low, high), kernel);
}

}  // namespace impl

/// Applies a function to the neighbourhood of each cell: `out(j, i) = f(w)`, where `w(dj, di)` is `in(j + dj, i + di)`.
///
/// @tparam Shape    the neighbourhood: `quern::box<radius>`. `f` must not look further
/// @param  out, in  Views of rank 2 or 3 with the same extents; they must not share memory
/// @param  f        a functor or lambda over the window, `KOKKOS_LAMBDA(const auto& w)`; with an offset for each axis
/// in
///                  the order of the View's indices
/// @param  edge     `boundary::keep`: the outermost `radius` cells of `out` along each axis are left as they are
///
/// Asynchronous on `exec`; uses no scratch memory, allocates nothing, and may be captured in a device graph.
/// @throws Error if the extents differ or the Views share memory
template <class Shape, execution_space Exec, view_like Out, class F, view_like In>
void stencil(const Exec& exec, const Out& out_view, const F& f, boundary edge, const In& in_view) {
  const std::string label = "quern::stencil";
  constexpr int rank = static_cast<int>(Out::rank());
  static_assert(rank == 2 || rank == 3, "quern::stencil: out must have rank 2 or 3");
  static_assert(rank == static_cast<int>(In::rank()), "quern::stencil: in must have the rank of out");
  if (edge != boundary::keep) throw Error(label, "unknown boundary");
  const auto out = impl::make_output<Exec>(out_view, label);
  const auto in = impl::make_input<Exec>(in_view, label);
  if (in.array.extents != out.extents)
    throw Error(label, "in has extents " + in.array.extents.str() + ", expected those of out, " + out.extents.str());
  impl::check_overlap(label, out, in.array, "in", false);
  for (int d = 0; d < rank; ++d)
    if (out.extents.extent[d] <= 2 * Shape::radius) return;  // all cells are border cells

  using T = std::remove_pointer_t<decltype(out.data)>;
  impl::stencil_kernel<Exec, rank, F, T, impl::value_of<In>> kernel{f, out.data, in.array.data, {}, {}};
  for (int d = 0; d < rank; ++d) {
    kernel.out_stride[d] = out.stride[d];
    kernel.in_stride[d] = in.array.stride[d];
  }
  if (out.stride[0] < out.stride[rank - 1])
    impl::stencil_launch<Exec, rank, Kokkos::Iterate::Left>(exec, label, out.extents, Shape::radius, kernel);
  else impl::stencil_launch<Exec, rank, Kokkos::Iterate::Right>(exec, label, out.extents, Shape::radius, kernel);
}

/// The same on a default instance of out's execution space.
template <class Shape, view_like Out, class F, view_like In>
void stencil(const Out& out, const F& f, boundary edge, const In& in) {
  stencil<Shape>(impl::default_execution_space<Out>(), out, f, edge, in);
}

}  // namespace quern

#endif
