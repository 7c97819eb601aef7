// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATVEC_HPP
#define QUERN_LINALG_MATVEC_HPP

#include <Kokkos_Core.hpp>
#include <quern/config.hpp>
#include <quern/core/arguments.hpp>
#include <string>
#ifdef QUERN_HAS_LINALG
#include <KokkosBlas2_gemv.hpp>
#endif

namespace quern {
namespace impl {

/// One element of y a thread: the dot product of a row of A with x. All three carry a batch axis in front, of stride 0
/// where an argument has none.
template <class Y, class A, class X>
struct matvec_kernel {
  Y* y;
  const A* a;
  const X* x;
  std::int64_t rows, columns;
  std::int64_t y_stride[2], a_stride[3], x_stride[2];

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t batch = item / rows, row = item - batch * rows;
    const A* from = a + batch * a_stride[0] + row * a_stride[1];
    const X* with = x + batch * x_stride[0];
    Y sum(0);
    for (std::int64_t k = 0; k < columns; ++k)
      sum += static_cast<Y>(from[k * a_stride[2]]) * static_cast<Y>(with[k * x_stride[1]]);
    y[batch * y_stride[0] + row * y_stride[1]] = sum;
  }
};

}  // namespace impl

/// Products of matrices with vectors, `y(b, i) = sum_k a(b, i, k) x(b, k)`, with NumPy's `matvec` rules for the batch
/// axis b:
///
/// | a | x | y | |
/// | --- | --- | --- | --- |
/// | (m, n) | (n) | (m) | one product; Kokkos Kernels where `linalg` is on |
/// | (m, n) | (batch, n) | (batch, m) | one matrix times many vectors |
/// | (batch, m, n) | (batch, n) | (batch, m) | many products |
/// | (batch, m, n) | (n) | (batch, m) | many matrices times one vector |
///
/// Views of any layout; y must not share memory with a or x. Asynchronous on `exec`; uses no scratch memory.
/// @throws Error if ranks or extents do not fit or y shares memory with an input
template <execution_space Exec, view_like Y, view_like A, view_like X>
void matvec(const Exec& exec, const Y& y_view, const A& a_view, const X& x_view) {
  const std::string label = "quern::matvec";
  const auto y = impl::make_output<Exec>(y_view, label);
  const auto a = impl::make_input<Exec>(a_view, label).array;
  const auto x = impl::make_input<Exec>(x_view, label).array;
  const int ra = a.extents.rank, rx = x.extents.rank;
  if (ra < 2 || ra > 3 || rx < 1 || rx > 2)
    throw Error(label, "a and x have extents " + a.extents.str() + " and " + x.extents.str() +
                           ", expected rank 2 or 3 and rank 1 or 2");
  const bool batched = ra == 3 || rx == 2;
  const std::int64_t batch = ra == 3 ? a.extents.extent[0] : rx == 2 ? x.extents.extent[0] : 1;
  const std::int64_t rows = a.extents.extent[ra - 2], columns = a.extents.extent[ra - 1];
  if (x.extents.extent[rx - 1] != columns || (rx == 2 && x.extents.extent[0] != batch))
    throw Error(label, "x has extents " + x.extents.str() + ", which do not fit a with extents " + a.extents.str());
  const shape expected = batched ? shape{batch, rows} : shape{rows};
  if (y.extents != expected) throw Error(label, "y has extents " + y.extents.str() + ", expected " + expected.str());
  impl::check_overlap(label, y, a, "a", false);
  impl::check_overlap(label, y, x, "x", false);
  if (expected.size() == 0) return;

#ifdef QUERN_HAS_LINALG
  if constexpr (Kokkos::is_view_v<Y> && Kokkos::is_view_v<A> && Kokkos::is_view_v<X>) {
    using T = impl::value_of<Y>;
    if constexpr (Y::rank() == 1 && A::rank() == 2 && X::rank() == 1 && std::is_floating_point_v<T> &&
                  std::is_same_v<T, impl::value_of<A>> && std::is_same_v<T, impl::value_of<X>>) {
      KokkosBlas::gemv(exec, "N", T(1), a_view, x_view, T(0), y_view);
      return;
    }
  }
#endif
  using T = std::remove_pointer_t<decltype(y.data)>;
  const impl::matvec_kernel<T, impl::value_of<A>, impl::value_of<X>> kernel{
      y.data,
      a.data,
      x.data,
      rows,
      columns,
      {batched ? y.stride[0] : 0, y.stride[batched ? 1 : 0]},
      {ra == 3 ? a.stride[0] : 0, a.stride[ra - 2], a.stride[ra - 1]},
      {rx == 2 ? x.stride[0] : 0, x.stride[rx - 1]}};
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, batch * rows),
                       kernel);
}

/// The same on a default instance of y's execution space.
template <view_like Y, view_like A, view_like X>
void matvec(const Y& y, const A& a, const X& x) {
  matvec(impl::default_execution_space<Y>(), y, a, x);
}

}  // namespace quern

#endif
