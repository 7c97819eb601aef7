// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_COVARIANCE_HPP
#define QUERN_LINALG_COVARIANCE_HPP

/// @file
/// How much variables vary together. Works without the component `linalg`, too.

#include <limits>
#include <quern/core/views/reindex.hpp>
#include <quern/linalg/covariance_weights.hpp>
#include <quern/linalg/dense_kernels.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/map/concatenate.hpp>
#include <quern/map/functions.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {

/// `centred` is a without the means of its columns, `average(to, of)`, which go to `mean`.
template <class Exec, class Centred, class Mean, class A, class Average>
void centre_columns(const Exec& exec, const Centred& centred, const Mean& mean_view, const A& a,
                    const Average& average) {
  using T = value_of<Centred>;
  const auto n = static_cast<std::int64_t>(centred.extent(1));
  const scratch_array<Exec, T> rest(exec, n);
  const auto rest_view = as_part<Exec, 1>(strided<T>{rest.data(), {n}, {1}});
  average(mean_view, a);
  quern::subtract(exec, centred, a, mean_view);
  // Means that are rounded leave the columns with means of their own, which would count as variance.
  average(rest_view, centred);
  quern::subtract(exec, centred, centred, rest_view);
  quern::add(exec, mean_view, mean_view, rest_view);
}
template <class Exec, class Centred, class Mean, class A>
void centre_columns(const Exec& exec, const Centred& centred, const Mean& mean_view, const A& a) {
  centre_columns(exec, centred, mean_view, a,
                 [&](const auto& to, const auto& of) { quern::mean(exec, to, of, axis{0}); });
}

/// `out(i, j)` is the sum over the rows k of `columns(k, i) conj(columns(k, j))`, times a factor.
template <class Exec, class T>
void multiply_columns(const Exec& exec, const std::string& label, const strided<T>& out, const column_major<T>& columns,
                      real_type<T> factor) {
  const strided<const T> all = as_input(columns);
  const strided<const T> turned{all.data, {columns.columns, columns.rows}, {columns.ld, 1}};
  const product_result<T> factors{T(factor), T(0)};
  if constexpr (is_complex<T>) {
    const work_matrix<Exec, T> conjugate(exec, columns.rows, columns.columns);
    map_launch<Exec, op::conjugate, T>(exec, label, as_matrix(*conjugate), {}, false,
                                       {{as_matrix(*conjugate).stride, all.stride}}, array_input<T>{all});
    multiply_matrices(exec, label, out, turned, as_input(*conjugate), factors);
  } else {
    multiply_matrices(exec, label, out, turned, all, factors);
  }
}

/// The same with weights of the rows, and from sums covariances.
template <class Exec, class Out, class T, class Weights>
void multiply_weighted_columns(const call<Exec>& c, const Out& out_view, const strided<T>& out,
                               const column_major<T>& columns, const Weights& weights, std::int64_t lost) {
  using R = real_type<T>;
  const strided<const T> all = as_input(columns);
  const strided<const T> turned{all.data, {columns.columns, columns.rows}, {columns.ld, 1}};
  const work_matrix<Exec, T> weighted(c.exec, columns.rows, columns.columns);
  map_checked(c.label, c.exec, as_part<Exec, 2>(as_matrix(*weighted)), weighted_conjugate(),
              as_part<Exec, 2>(as_matrix(columns)), weights.column());
  multiply_matrices(c.exec, c.label, out, turned, as_input(*weighted), product_result<T>{});
  map_checked(c.label, c.exec, out_view, covariance_of_sum<R>{static_cast<R>(lost), weights.importance()}, out_view,
              weights.total(), weights.squares());
}

/// The covariances of variables with observations along an axis of x.
template <class Exec, class Out, class In, class... Options>
void covariances(const call<Exec>& c, const Out& out_view, const In& x, const Options&... options) {
  using T = value_of<Out>;
  constexpr bool weighted = has_option<fweights_t, Options...> || has_option<aweights_t, Options...>;
  const shape extents = operand_extents(c.label, x);
  if (extents.rank != 2) reject_extents(c.label, "in", extents, "rank 2");
  const int along = axis_option(c.label, 1, 2, options...);
  const std::int64_t m = extents.extent[along], n = extents.extent[1 - along];
  const auto out = c.output(out_view);
  check_extents(c.label, "out", out.extents, shape{n, n});
  const auto rows = permute_dims(x, along == 0 ? axes{0, 1} : axes{1, 0});
  check_overlap(c.label, out, c.elements(rows), "in", false);
  check_weights_among(c, out, m, options...);
  if (n == 0) return;
  if (m == 0) return quern::fill(c.exec, out_view, std::numeric_limits<real_type<T>>::quiet_NaN());
  const work_matrix<Exec, T> centred(c.exec, m, n);
  const scratch_array<Exec, T> mean(c.exec, n);
  const auto centred_view = as_part<Exec, 2>(as_matrix(*centred));
  const auto mean_view = as_part<Exec, 1>(strided<T>{mean.data(), {n}, {1}});
  const std::int64_t lost = option_or(ddof{1}, options...).value;
  if constexpr (weighted) {
    const observation_weights<Exec, real_type<T>> weights(c, m, options...);
    centre_columns(c.exec, centred_view, mean_view, rows,
                   [&](const auto& to, const auto& of) { weights.average(c.exec, to, of); });
    multiply_weighted_columns(c, out_view, out, *centred, weights, lost);
  } else {
    centre_columns(c.exec, centred_view, mean_view, rows);
    const std::int64_t freedom = std::max<std::int64_t>(m - lost, 0);
    multiply_columns(c.exec, c.label, out, *centred, 1 / static_cast<real_type<T>>(freedom));
  }
}

/// The root of a variance.
struct deviation_of {
  template <class T>
  KOKKOS_FUNCTION real_type<T> operator()(const T& variance) const {
    if constexpr (is_complex<T>) return Kokkos::sqrt(variance.real());
    else return Kokkos::sqrt(variance);
  }
};
/// A covariance divided by both deviations, within -1 and 1.
struct correlation_of {
  template <class R>
  KOKKOS_FUNCTION static R clipped(const R& x) {
    return x < R(-1) ? R(-1) : x > R(1) ? R(1) : x;
  }
  template <class T, class R>
  KOKKOS_FUNCTION T operator()(const T& covariance, const R& a, const R& b) const {
    const T c = covariance / a / b;
    if constexpr (is_complex<T>) return T(clipped(c.real()), clipped(c.imag()));
    else return clipped(c);
  }
};

template <class Out, class In>
constexpr bool covariance_types() {
  using T = value_of<Out>;
  constexpr bool fits = std::is_floating_point_v<real_type<T>> && converts<value_of<In>, T>;
  static_assert(fits, "quern::cov: out must be of floating-point numbers, of complex ones where in is");
  constexpr bool one = rank_of<In> == 1 && rank_of<Out> == 0;
  constexpr bool ranks = one || (may_have_rank<In, 2, 2> && may_have_rank<Out, 2, 2>);
  static_assert(ranks, "quern::cov: in and out must have rank 2, or of one variable in rank 1 and out rank 0");
  return fits && ranks && can_reindex<In>();
}

/// The type of a matrix of two variables: that of both, or one that holds either.
template <class T, class U>
auto common_number() {
  if constexpr (std::is_same_v<T, U>) return T();
  else if constexpr (std::is_integral_v<T> || std::is_integral_v<U>) return 0.0 + T() + U();
  else return T() + U();
}

/// Calls `run(m)` with the matrix of two variables, in scratch memory.
template <class Exec, class Out, class X, class Y, class Run>
void with_two_variables(const operation_name& name, const Exec& exec, const Out& out_view, const X& x, const Y& y,
                        const Run& run) {
  using T = decltype(common_number<value_of<X>, value_of<Y>>());
  constexpr bool lines = may_have_rank<X, 1, 1> && may_have_rank<Y, 1, 1>;
  static_assert(lines, "quern::cov: two variables have one axis each");
  if constexpr (lines) {
    const call c(name, exec);
    const auto out = c.output(out_view);
    const shape n = operand_extents(c.label, x);
    check_extents(c.label, "y", operand_extents(c.label, y), n);
    check_overlap(c.label, out, c.elements(x), "x", false);
    check_overlap(c.label, out, c.elements(y), "y", false);
    const scratch_array<Exec, T> memory(exec, 2 * n.size());
    const auto both = as_part<Exec, 2, Kokkos::LayoutRight>(strided<T>{memory.data(), {2, n.size()}, {}});
    stack(exec, both, components(x, y));
    run(both);
  }
}

}  // namespace impl

/// The covariances of n variables, the rows of x, of each of which there are m observations (NumPy's `cov`):
/// `out(i, j) = sum_k (x(i, k) - mean(i)) conj(x(j, k) - mean(j)) / (m - ddof)`.
///
/// @param out     a View (n, n) of floating-point or complex numbers, in whose type everything is computed
/// @param x       an array (n, m), which may be lazy or re-indexed
/// @param options `ddof{d}`, 1 without it; `axis{0}`: observations are the rows of x, (m, n) (NumPy's `rowvar=False`);
///                `fweights{f}`, a View of m integers, how often each observation was made; `aweights{a}`, one of m
///                real numbers, how important each is; `checked`: a weight below 0 is an error, for which the call
///                waits
///
/// With weights `w = f a` means are `sum_k w(k) x(i, k) / W` with `W = sum_k w(k)`, and out(i, j) is the sum of
/// products, each times w(k), divided by `W - ddof`, and with `aweights` by `W - ddof sum_k w(k) a(k) / W`: as of an x
/// with each observation f times. Unlike NumPy, the call checks weights with `checked` alone, and where W is 0 all is
/// NaN.
///
/// From a copy of x without means in scratch memory, by `mean` and `matmul`, with weights from two; the rounding of the
/// means is taken out again. Where m is at most ddof, or what is divided by below 0, all is infinite or NaN, as in
/// NumPy. Asynchronous on `exec`, without `checked`.
///
/// Of one variable x has one axis and `out` none. Of two in arrays of their own, `cov(exec, out, x, y)`, `out` is (2,
/// 2).
/// @throws Error if ranks or extents do not fit, or memory overlaps; ElementError with `checked`, with the position
template <execution_space Exec, view_like Out, array_like In,
          option<axis, ddof, impl::fweights_t, impl::aweights_t, checked_t>... Options>
void cov(const Exec& exec, const Out& out, const In& x, const Options&... options) {
  if constexpr (impl::covariance_types<Out, In>() && impl::weight_types<Options...>()) {
    if constexpr (impl::rank_of<In> == 1) {
      static_assert(!(impl::is_option<axis, Options> || ...), "quern::cov: one variable has no option axis");
      cov(exec, expand_dims(out, {0, 1}), expand_dims(x, axis{0}), options...);
    } else {
      const impl::call c("quern::cov", exec);
      impl::covariances(c, out, x, options...);
    }
  }
}
template <execution_space Exec, view_like Out, array_like X, array_like Y,
          option<ddof, impl::fweights_t, impl::aweights_t, checked_t>... Options>
void cov(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  impl::with_two_variables("quern::cov", exec, out, x, y, [&](const auto& m) { cov(exec, out, m, options...); });
}
template <view_like Out, array_like X, array_like Y,
          option<ddof, impl::fweights_t, impl::aweights_t, checked_t>... Options>
void cov(const Out& out, const X& x, const Y& y, const Options&... options) {
  cov(impl::space_of(out), out, x, y, options...);
}
template <view_like Out, array_like In, option<axis, ddof, impl::fweights_t, impl::aweights_t, checked_t>... Options>
void cov(const Out& out, const In& x, const Options&... options) {
  cov(impl::space_of(out), out, x, options...);
}
QUERN_TAKES_NAME_NOT(place, cov)

/// The correlation coefficients of n variables (NumPy's `corrcoef`): `out(i, j) = cov(i, j) / sqrt(cov(i, i) cov(j,
/// j))`, within -1 and 1, real and imaginary parts for themselves. Of a variable that does not vary they are NaN.
/// Arguments and memory are those of `cov`.
/// @throws Error as `cov`
template <execution_space Exec, view_like Out, array_like In, option<axis>... Options>
void corrcoef(const Exec& exec, const Out& out_view, const In& x, const Options&... options) {
  if constexpr (!impl::covariance_types<Out, In>()) {
  } else if constexpr (impl::rank_of<In> == 1) {
    static_assert(!(impl::is_option<axis, Options> || ...), "quern::corrcoef: one variable has no option axis");
    corrcoef(exec, expand_dims(out_view, {0, 1}), expand_dims(x, axis{0}), options...);
  } else {
    using R = impl::real_type<impl::value_of<Out>>;
    const impl::call c("quern::corrcoef", exec);
    impl::covariances(c, out_view, x, options...);
    const auto out = c.output(out_view);
    const std::int64_t n = out.extents.extent[0];
    const impl::scratch_array<Exec, R> memory(exec, n);
    const impl::strided<R> deviations{memory.data(), {n}, {1}}, down{memory.data(), {n, 1}, {1, 0}};
    auto variances = out;
    variances.extents = {n};
    variances.stride = {out.stride[0] + out.stride[1]};
    impl::map_checked(c.label, exec, impl::as_part<Exec, 1>(deviations), impl::deviation_of(),
                      impl::as_part<Exec, 1>(variances));
    impl::map_checked(c.label, exec, out_view, impl::correlation_of(), out_view, impl::as_part<Exec, 2>(down),
                      impl::as_part<Exec, 1>(deviations));
  }
}
template <execution_space Exec, view_like Out, array_like X, array_like Y>
void corrcoef(const Exec& exec, const Out& out, const X& x, const Y& y) {
  impl::with_two_variables("quern::corrcoef", exec, out, x, y, [&](const auto& m) { corrcoef(exec, out, m); });
}
template <view_like Out, array_like X, array_like Y>
void corrcoef(const Out& out, const X& x, const Y& y) {
  corrcoef(impl::space_of(out), out, x, y);
}
template <view_like Out, array_like In, option<axis>... Options>
void corrcoef(const Out& out, const In& x, const Options&... options) {
  corrcoef(impl::space_of(out), out, x, options...);
}
QUERN_TAKES_NAME_NOT(place, corrcoef)

}  // namespace quern

#endif
