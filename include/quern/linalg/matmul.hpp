// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATMUL_HPP
#define QUERN_LINALG_MATMUL_HPP

#include <quern/core/operations.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/map/map.hpp>

namespace quern {

namespace impl {

/// The extents and strides of a matrix, or of a batch of them, whose batch axis is read as one of `batch` items.
template <class T>
Kokkos::Array<std::int64_t, 3> matrix_strides(const strided<T>& s, std::int64_t batch) {
  const int r = s.extents.rank;
  const bool repeated = r == 2 || (s.extents.extent[0] == 1 && batch != 1);
  return {repeated ? 0 : s.stride[0], s.stride[r - 2], s.stride[r - 1]};
}

}  // namespace impl

/// A View of rank 2 with its axes exchanged, of rank 3 with its last two: no copy, the same memory, which `v` must keep
/// alive.
template <class V>
  requires(Kokkos::is_view_v<V> && (V::rank() == 2 || V::rank() == 3))
auto transposed(const V& v) {
  constexpr std::size_t r = V::rank();
  Kokkos::LayoutStride layout;
  for (std::size_t d = 0; d < r; ++d) {
    const std::size_t from = d + 2 < r ? d : 2 * r - 3 - d;
    layout.dimension[d] = v.extent(from);
    layout.stride[d] = v.stride(from);
  }
  using data = std::conditional_t<r == 2, typename V::value_type**, typename V::value_type***>;
  using result =
      Kokkos::View<data, Kokkos::LayoutStride, typename V::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return result(v.data(), layout);
}

/// The matrix product `c = alpha a b + beta c`, by default `c = a b`, with `(a b)(i, j) = sum_k a(i, k) b(k, j)`; of
/// batches, the product of each item.
///
/// | a | b | c |
/// | --- | --- | --- |
/// | (m, k) | (k, n) | (m, n) |
/// | (batch, m, k) or (1, m, k) or (m, k) | (batch, k, n) or (1, k, n) or (k, n) | (batch, m, n) |
///
/// Views of any layout; c must not share memory with a or b, and is not read where beta is 0. The product is taken in
/// c's value type (half types add up in float; integers wrap as those of the language do). Transposed operands are
/// strided Views (`transposed`) and cost no copy. `k = 0` gives zeros, or beta c. Asynchronous on `exec`; uses no
/// scratch memory of Quern's. Quern's own kernels may be captured in a device graph; of a vendor's BLAS that is not
/// promised.
///
/// With the `linalg` component, products of one floating-point or complex type are taken by Kokkos Kernels, and through
/// it by the vendor's BLAS, where each operand has stride 1 along rows or columns; all others, and all without the
/// component, by a tiled Kokkos kernel, or by one thread an element where the matrices are small. The order of the
/// additions, and so the rounding, is that of what was chosen: the error is bounded by `k eps sum_k |a(i, k) b(k, j)|`.
/// @throws Error if ranks or extents do not fit or c shares memory with an input
template <execution_space Exec, view_like C, view_like A, view_like B>
void matmul(const Exec& exec, const C& c_view, const A& a_view, const B& b_view, impl::product_factor<C> alpha = 1,
            impl::product_factor<C> beta = 0) {
  const std::string label = "quern::matmul";
  const auto c = impl::make_output<Exec>(c_view, label);
  const auto a = impl::make_input<Exec>(a_view, label).array;
  const auto b = impl::make_input<Exec>(b_view, label).array;
  const int ra = a.extents.rank, rb = b.extents.rank;
  if (ra < 2 || ra > 3 || rb < 2 || rb > 3)
    throw Error(label,
                "a and b have extents " + a.extents.str() + " and " + b.extents.str() + ", expected rank 2 or 3");
  const auto batch_of = [](const shape& s) { return s.rank == 3 ? s.extent[0] : 1; };
  const std::int64_t batch = batch_of(a.extents) == 1 ? batch_of(b.extents) : batch_of(a.extents);
  const bool batches_fit = batch_of(b.extents) == batch || batch_of(b.extents) == 1;
  const std::int64_t m = a.extents.extent[ra - 2], k = a.extents.extent[ra - 1], n = b.extents.extent[rb - 1];
  if (b.extents.extent[rb - 2] != k || !batches_fit)
    throw Error(label, "a has extents " + a.extents.str() + ", which do not fit b with extents " + b.extents.str());
  const shape expected = ra == 3 || rb == 3 ? shape{batch, m, n} : shape{m, n};
  if (c.extents != expected) throw Error(label, "c has extents " + c.extents.str() + ", expected " + expected.str());
  impl::check_overlap(label, c, a, "a", false);
  impl::check_overlap(label, c, b, "b", false);
  using T = impl::value_of<C>;
  impl::multiply(exec, label,
                 impl::matrix_product<T, impl::value_of<A>, impl::value_of<B>>{c.data,
                                                                               a.data,
                                                                               b.data,
                                                                               batch,
                                                                               m,
                                                                               n,
                                                                               k,
                                                                               impl::matrix_strides(c, batch),
                                                                               impl::matrix_strides(a, batch),
                                                                               impl::matrix_strides(b, batch),
                                                                               {alpha, beta}});
}

/// The same on a default instance of c's execution space.
template <view_like C, view_like A, view_like B>
void matmul(const C& c, const A& a, const B& b, impl::product_factor<C> alpha = 1, impl::product_factor<C> beta = 0) {
  matmul(impl::default_execution_space<C>(), c, a, b, alpha, beta);
}

/// The outer product `c(i, j) = x(i) y(j)` of vectors of m and n elements, without conjugation, as `numpy.outer`.
///
/// c, (m, n), must not share memory with x or y. Asynchronous on `exec`, may be captured in a device graph.
/// @throws Error if ranks or extents do not fit or c shares memory with an input
template <execution_space Exec, view_like C, view_like X, view_like Y>
void outer(const Exec& exec, const C& c_view, const X& x_view, const Y& y_view) {
  const std::string label = "quern::outer";
  const auto c = impl::make_output<Exec>(c_view, label);
  const auto x = impl::make_input<Exec>(x_view, label).array;
  const auto y = impl::make_input<Exec>(y_view, label).array;
  if (x.extents.rank != 1 || y.extents.rank != 1)
    throw Error(label, "x and y have extents " + x.extents.str() + " and " + y.extents.str() + ", expected rank 1");
  const shape expected{x.extents.extent[0], y.extents.extent[0]};
  if (c.extents != expected) throw Error(label, "c has extents " + c.extents.str() + ", expected " + expected.str());
  impl::check_overlap(label, c, x, "x", false);
  impl::check_overlap(label, c, y, "y", false);
  if (expected.size() == 0) return;
  using T = impl::value_of<C>;
  impl::map_launch<Exec, impl::op::multiply, T>(
      exec, label, c, {}, false, {{c.stride, {x.stride[0], 0}, {0, y.stride[0]}}},
      impl::array_input<impl::value_of<X>>{x}, impl::array_input<impl::value_of<Y>>{y});
}

/// The same on a default instance of c's execution space.
template <view_like C, view_like X, view_like Y>
void outer(const C& c, const X& x, const Y& y) {
  outer(impl::default_execution_space<C>(), c, x, y);
}

}  // namespace quern

#endif
