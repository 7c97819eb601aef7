// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATVEC_HPP
#define QUERN_LINALG_MATVEC_HPP

#include <quern/core/call.hpp>
#include <quern/linalg/product_kernels.hpp>

namespace quern {

/// Products of matrices with vectors, `y(b, i) = alpha sum_k a(b, i, k) x(b, k) + beta y(b, i)`, by default without
/// scaling, with NumPy's `matvec` rules for the batch axis b:
///
/// | a | x | y | |
/// | --- | --- | --- | --- |
/// | (m, n) | (n) | (m) | one product; Kokkos Kernels where `linalg` is on |
/// | (m, n) | (batch, n) | (batch, m) | one matrix times many vectors |
/// | (batch, m, n) | (batch, n) | (batch, m) | many products |
/// | (batch, m, n) | (n) | (batch, m) | many matrices times one vector |
///
/// Views of any layout; y must not share memory with a or x, and is not read where beta is 0. Types, rounding, what
/// computes and asynchrony are as for `matmul`.
/// @throws Error if ranks or extents do not fit or y shares memory with an input
template <execution_space Exec, view_like Y, view_like A, view_like X>
void matvec(const Exec& exec, const Y& y_view, const A& a_view, const X& x_view,
            const product_scaling<impl::value_of<Y>>& scaling = {}) {
  impl::call c("quern::matvec", exec);
  const auto y = c.output(y_view);
  if (scaling.beta != decltype(scaling.beta)(0)) c.input(y_view);  // which is read, too
  const auto a = c.input(a_view);
  const auto x = c.input(x_view);
  const int ra = a.extents.rank, rx = x.extents.rank;
  if (ra < 2 || ra > 3 || rx < 1 || rx > 2)
    throw Error(c.label, "a and x have extents " + a.extents.str() + " and " + x.extents.str() +
                             ", expected rank 2 or 3 and rank 1 or 2");
  const bool batched = ra == 3 || rx == 2;
  const std::int64_t batch = ra == 3 ? a.extents.extent[0] : rx == 2 ? x.extents.extent[0] : 1;
  const std::int64_t rows = a.extents.extent[ra - 2], columns = a.extents.extent[ra - 1];
  if (x.extents.extent[rx - 1] != columns || (rx == 2 && x.extents.extent[0] != batch))
    throw Error(c.label, "x has extents " + x.extents.str() + ", which do not fit a with extents " + a.extents.str());
  const shape expected = batched ? shape{batch, rows} : shape{rows};
  impl::check_extents(c.label, "y", y.extents, expected);
  impl::check_overlap(c.label, y, a, "a", false);
  impl::check_overlap(c.label, y, x, "x", false);
  if (expected.size() == 0) return;

  // One matrix and many vectors are the rows of a product with the transposed matrix; all else has one column.
  using T = impl::value_of<Y>;
  const impl::product_result<T> result{scaling.alpha, scaling.beta};
  const std::int64_t row = a.stride[ra - 2], column = a.stride[ra - 1], next = ra == 3 ? a.stride[0] : 0;
  if (ra == 2 && rx == 2)
    impl::multiply(exec, c.label,
                   impl::matrix_product<T, impl::value_of<X>, impl::value_of<A>>{y.data,
                                                                                 x.data,
                                                                                 a.data,
                                                                                 1,
                                                                                 batch,
                                                                                 rows,
                                                                                 columns,
                                                                                 {0, y.stride[0], y.stride[1]},
                                                                                 {0, x.stride[0], x.stride[1]},
                                                                                 {0, column, row},
                                                                                 result});
  else
    impl::multiply(
        exec, c.label,
        impl::matrix_product<T, impl::value_of<A>, impl::value_of<X>>{y.data,
                                                                      a.data,
                                                                      x.data,
                                                                      batch,
                                                                      rows,
                                                                      1,
                                                                      columns,
                                                                      {batched ? y.stride[0] : 0, y.stride[batched], 0},
                                                                      {next, row, column},
                                                                      {rx == 2 ? x.stride[0] : 0, x.stride[rx - 1], 0},
                                                                      result});
}

template <view_like Y, view_like A, view_like X>
void matvec(const Y& y, const A& a, const X& x, const product_scaling<impl::value_of<Y>>& scaling = {}) {
  matvec(impl::space_of(y), y, a, x, scaling);
}

}  // namespace quern

#endif
