// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MULTIVARIATE_NORMAL_HPP
#define QUERN_LINALG_MULTIVARIATE_NORMAL_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/linalg/solve.hpp>
#include <quern/random/distributions.hpp>

namespace quern::impl {

/// x = mean + l z for the vectors z along the last axis, in place: the last element first, which no later one reads.
template <class T>
struct correlate_rows {
  T* x;
  row_nest<1> rows;  // over vectors
  std::int64_t n, step;
  const T* factor;
  const T* mean;
  std::int64_t mean_step;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t i;
    T* v = x + rows.at_item(item, rows.inner, 1, i).of[0];
    for (std::int64_t k = n - 1; k >= 0; --k) {
      T sum = mean[k * mean_step];
      for (std::int64_t j = 0; j <= k; ++j) sum = Kokkos::fma(factor[k * n + j], v[j * step], sum);
      v[k * step] = sum;
    }
  }
};

}  // namespace quern::impl

namespace quern::random {

/// Normal vectors of that mean and covariance along the last axis of `out`: `mean + L z` with `covariance = L L^T`
/// (Cholesky) and the standard normal numbers z that `normal` gives for `out`. NumPy's method "cholesky".
///
/// The numbers z have the same bits everywhere; L is that of `quern::cholesky`, which rounds differently on different
/// back ends.
///
/// @param out (..., n) of float or double
/// @param where a key, or a part of its field
/// @param mean (n), of out's type
/// @param covariance (n, n), of out's type, n at most 64; the lower triangle is read
/// @param info an optional View of int of rank 1 and extent 1: 0, or the number from 1 of the row whose pivot is not
///        positive. With it the call is asynchronous, without it it waits for the factorization
/// @throws NotPositiveDefiniteError without `info`; Error if extents do not fit or Views share memory
template <execution_space Exec, view_like Out, view_like Mean, view_like Covariance, class... Info>
void multivariate_normal(const Exec& exec, const Out& out_view, const part_of& where, const Mean& mean_view,
                         const Covariance& covariance, const Info&... info) {
  using T = impl::value_of<Out>;
  static_assert((std::is_same_v<T, float> || std::is_same_v<T, double>) && std::is_same_v<T, impl::value_of<Mean>> &&
                    std::is_same_v<T, impl::value_of<Covariance>>,
                "quern::random::multivariate_normal: out, mean and covariance must be all of float or all of double");
  impl::call op("quern::random::multivariate_normal", exec);
  const auto out = op.output(out_view);
  const auto mean = op.input(mean_view);
  const auto c = op.input(covariance);
  const int last = out.extents.rank - 1;
  const std::int64_t n = last < 0 ? 0 : out.extents.extent[last];
  if (last < 0 || n < 1 || n > 64 || mean.extents != shape{n} || c.extents != shape{n, n})
    throw Error(op.label, "out has extents " + out.extents.str() + ", mean " + mean.extents.str() + " and covariance " +
                              c.extents.str() + ", expected (..., n), (n) and (n, n) with n from 1 to 64");
  impl::check_overlap(op.label, out, mean, "mean", false);
  impl::check_overlap(op.label, out, c, "covariance", false);
  impl::check_info<Exec>(op.label, std::tie(out, mean, c), info...);
  const impl::scratch_array<Exec, T> factor(exec, n * n);
  const impl::strided<T> l{factor.data(), {1, n, n}, {n * n, n, 1}};
  const impl::strided<const T> one{c.data, l.extents, {n * n, c.stride[0], c.stride[1]}};
  cholesky(exec, impl::as_part<Exec, 3>(l), impl::as_part<Exec, 3>(one), info...);
  normal(exec, out_view, where);

  auto rows = out;
  rows.extents.extent[last] = 1;
  const impl::row_nest<1> nest(impl::make_loop_nest<1>(rows.extents, {rows.stride}));
  Kokkos::parallel_for(
      quern::impl::kernel_label(op.label), impl::index_range(exec, rows.extents.size()),
      impl::correlate_rows<T>{out.data, nest, n, out.stride[last], factor.data(), mean.data, mean.stride[0]});
}
template <view_like Out, view_like Mean, view_like Covariance, class... Info>
void multivariate_normal(const Out& out, const part_of& where, const Mean& mean, const Covariance& covariance,
                         const Info&... info) {
  multivariate_normal(impl::space_of(out), out, where, mean, covariance, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, multivariate_normal)

}  // namespace quern::random

#endif
