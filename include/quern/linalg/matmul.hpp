// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATMUL_HPP
#define QUERN_LINALG_MATMUL_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/map/map.hpp>

namespace quern {

/// A View of rank 2 with its axes exchanged, of rank 3 with its last two: no copy, the same memory. Of a managed View
/// it is one of its owners; of another, the memory must outlive it.
template <class V>
  requires(Kokkos::is_view_v<V> && (V::rank() == 2 || V::rank() == 3))
auto transposed(const V& v) {
  static_assert(!impl::is_atomic<V>, "quern::transposed: v is an Atomic View, which operations do not take");
  constexpr std::size_t r = V::rank();
  Kokkos::LayoutStride layout;
  for (std::size_t d = 0; d < r; ++d) {
    const std::size_t from = d + 2 < r ? d : 2 * r - 3 - d;
    layout.dimension[d] = v.extent(from);
    layout.stride[d] = v.stride(from);
  }
  using data = std::conditional_t<r == 2, typename V::value_type**, typename V::value_type***>;
  using managed = Kokkos::View<data, Kokkos::LayoutStride, typename V::device_type>;
  using unmanaged =
      Kokkos::View<data, Kokkos::LayoutStride, typename V::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  // A handle holds the count of references, besides the pointer.
  if constexpr (!V::traits::memory_traits::is_unmanaged && requires { managed(v.data_handle(), layout); })
    return managed(v.data_handle(), layout);
  else return unmanaged(v.data(), layout);
}

namespace impl {

struct matrix_products {};

template <>
struct engine<in_memory, matrix_products> {
  template <class Exec, class C, class A, class B>
  static void run(const Exec& exec, const C& c_view, const A& a_view, const B& b_view,
                  const product_scaling<value_of<C>>& scaling) {
    constexpr bool have_rank = may_have_rank<A, 2, 3> && may_have_rank<B, 2, 3>;
    constexpr bool holds = holds_product<value_of<C>, value_of<A>, value_of<B>>;
    static_assert(
        have_rank,
        "quern::matmul: a and b must be matrices or batches of them, of rank 2 or 3; quern::matvec multiplies a "
        "matrix and a vector, quern::dot two vectors");
    static_assert(holds, "quern::matmul: products of complex numbers do not fit c, which is of real numbers");
    if constexpr (have_rank && holds) {
      call op("quern::matmul", exec);
      const auto c = op.output(c_view);
      if (scaling.beta != decltype(scaling.beta)(0)) op.input(c_view);  // which is read, too
      const auto a = op.input(a_view);
      const auto b = op.input(b_view);
      const int ra = a.extents.rank, rb = b.extents.rank;
      if (ra < 2 || ra > 3 || rb < 2 || rb > 3)
        throw Error(op.label,
                    "a and b have extents " + a.extents.str() + " and " + b.extents.str() + ", expected rank 2 or 3");
      const auto batch_of = [](const shape& s) { return s.rank == 3 ? s.extent[0] : 1; };
      const std::int64_t batch = batch_of(a.extents) == 1 ? batch_of(b.extents) : batch_of(a.extents);
      const bool batches_fit = batch_of(b.extents) == batch || batch_of(b.extents) == 1;
      const std::int64_t m = a.extents.extent[ra - 2], k = a.extents.extent[ra - 1], n = b.extents.extent[rb - 1];
      if (b.extents.extent[rb - 2] != k || !batches_fit)
        throw Error(op.label,
                    "a has extents " + a.extents.str() + ", which do not fit b with extents " + b.extents.str());
      const shape expected = ra == 3 || rb == 3 ? shape{batch, m, n} : shape{m, n};
      check_extents(op.label, "c", c.extents, expected);
      check_overlap(op.label, c, a, "a", false);
      check_overlap(op.label, c, b, "b", false);
      multiply_matrices(exec, op.label, c, a, b, {scaling.alpha, scaling.beta});
    }
  }
};

}  // namespace impl

/// The matrix product `c = alpha a b + beta c`, by default `c = a b`, with `(a b)(i, j) = sum_k a(i, k) b(k, j)`; of
/// batches, the product of each item.
///
/// | a | b | c |
/// | --- | --- | --- |
/// | (m, k) | (k, n) | (m, n) |
/// | (batch, m, k) or (1, m, k) or (m, k) | (batch, k, n) or (1, k, n) or (k, n) | (batch, m, n) |
///
/// Views of any layout; c must not share memory with a or b, and is not read where beta is 0. The product is taken in
/// c's value type (half types add up in float; integers wrap around). Transposed operands are
/// strided Views (`transposed`) and cost no copy. `k = 0` gives zeros, or beta c. Asynchronous on `exec`; uses no
/// scratch memory of Quern's. Quern's own kernels may be captured in a device graph; of a vendor's BLAS that is not
/// promised.
///
/// With the `linalg` component, products of one floating-point or complex type are taken by the BLAS, on devices that
/// of the vendor through Kokkos Kernels, where each operand has stride 1 along rows or columns; all others, and all
/// without the component, by a tiled Kokkos kernel, or by one thread an element where the matrices are small. What was
/// chosen decides the order of the additions, and so the rounding: the error is bounded by
/// `k eps sum_k |a(i, k) b(k, j)|`.
///
/// Over ranks c and a are DistributedViews whose rows are distributed in the same way, and b is a View: no messages.
/// @throws Error if ranks or extents do not fit or c shares memory with an input
template <execution_space Exec, result_view C, any_array A, any_array B>
void matmul(const Exec& exec, const C& c, const A& a, const B& b,
            const product_scaling<impl::value_of<C>>& scaling = {}) {
  impl::engine_of<impl::matrix_products, C, A, B>::run(exec, c, a, b, scaling);
}

template <result_view C, any_array A, any_array B>
void matmul(const C& c, const A& a, const B& b, const product_scaling<impl::value_of<C>>& scaling = {}) {
  matmul(impl::space_of(c, a, b), c, a, b, scaling);
}
QUERN_TAKES_NAME_NOT(option_of_products, matmul)

/// The outer product `c(i, j) = x(i) y(j)` of vectors of m and n elements, without conjugation, as `numpy.outer`.
///
/// c, (m, n), must not share memory with x or y. Asynchronous on `exec`, may be captured in a device graph.
/// @throws Error if ranks or extents do not fit or c shares memory with an input
template <execution_space Exec, view_like C, view_like X, view_like Y>
void outer(const Exec& exec, const C& c_view, const X& x_view, const Y& y_view) {
  impl::call op("quern::outer", exec);
  const auto c = op.output(c_view);
  const auto x = op.input(x_view);
  const auto y = op.input(y_view);
  if (x.extents.rank != 1 || y.extents.rank != 1)
    throw Error(op.label, "x and y have extents " + x.extents.str() + " and " + y.extents.str() + ", expected rank 1");
  const shape expected{x.extents.extent[0], y.extents.extent[0]};
  impl::check_extents(op.label, "c", c.extents, expected);
  impl::check_overlap(op.label, c, x, "x", false);
  impl::check_overlap(op.label, c, y, "y", false);
  if (expected.size() == 0) return;
  using T = impl::value_of<C>;
  impl::map_launch<Exec, impl::op::multiply, T>(
      exec, op.label, c, {}, false, {{c.stride, {x.stride[0], 0}, {0, y.stride[0]}}},
      impl::array_input<impl::value_of<X>>{x}, impl::array_input<impl::value_of<Y>>{y});
}

template <view_like C, view_like X, view_like Y>
void outer(const C& c, const X& x, const Y& y) {
  outer(impl::space_of(c), c, x, y);
}
QUERN_TAKES_NAME_NOT(option_or_place, outer)

}  // namespace quern

#endif
