// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_CURVE_FIT_HPP
#define QUERN_FITS_CURVE_FIT_HPP

#include <quern/batch/newton.hpp>
#include <quern/batch/vmap.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/call/tolerance.hpp>
#include <quern/core/views/layouts.hpp>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/levenberg_marquardt.hpp>

namespace quern {

/// Says of `curve_fit` that sigma are the standard deviations of y, and not weights alone (SciPy's `absolute_sigma`).
struct absolute_sigma_t {
  using option_of = impl::any_place;
};
inline constexpr absolute_sigma_t absolute_sigma{};

/// How one `curve_fit` has ended: its `curve_fit_status`, and how many steps it took.
struct curve_fit_result {
  int status, iterations;
};

namespace impl {

/// Point k of x: a number, or a row of numbers.
template <class X>
KOKKOS_FUNCTION auto point_of(const X& x, std::int64_t k) {
  if constexpr (X::rank() == 1) {
    return x(k);
  } else {
    using row = Kokkos::View<typename X::value_type*, Kokkos::LayoutStride, typename X::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return row(x.data() + k * static_cast<std::int64_t>(x.stride(0)), Kokkos::LayoutStride(x.extent(1), x.stride(1)));
  }
}

/// The point k of a fit: its residual and the derivatives of that.
template <class T, int N, class F, class P, class X, class Y, class... Sigma>
KOKKOS_FUNCTION void add_point(residual_sums<T, N>& sums, const F& f, const P& p, std::int64_t k, const X& x,
                               const Y& y, const Sigma&... sigma) {
  constexpr bool callable = std::is_invocable_v<const F&, decltype(point_of(x, k)), const P&>;
  static_assert(callable,
                "quern::curve_fit: f must be callable with a point of x, a number or a View of rank 1, and a "
                "Kokkos::Array of N parameters of any type");
  if constexpr (callable) {
    const dual<T, N> value(f(point_of(x, k), p));
    const T weight = T(1) / (T(1) * ... * static_cast<T>(sigma(k)));
    sums.add((value.value - static_cast<T>(y(k))) * weight, value, weight);
  }
}

/// What the squares of residuals are divided by for a covariance: infinity where no points are left over.
template <class T>
KOKKOS_FUNCTION T covariance_factor(bool absolute, T squares, std::int64_t points, int parameters) {
  if (absolute) return T(1);
  return points > parameters ? squares / static_cast<T>(points - parameters) : Kokkos::Experimental::infinity_v<T>;
}

/// One fit of many.
template <int N, class F>
struct curve_fit_item {
  F f;
  fit_limits limits;
  bool absolute;

  template <class P, class Covariance, class Status, class Iterations, class X, class Y, class... Sigma>
  KOKKOS_FUNCTION void operator()(const P& p, const Covariance& covariance, const Status& status,
                                  const Iterations& iterations, const X& x, const Y& y, const Sigma&... sigma) const {
    using T = typename P::non_const_value_type;
    const auto points = static_cast<std::int64_t>(y.extent(0));
    const auto sums_at = [&](const Kokkos::Array<T, N>& at) {
      residual_sums<T, N> sums;
      sums.clear();
      const auto variables = autodiff::impl::variables<dual<T, N>>(at);
      for (std::int64_t k = 0; k < points; ++k) add_point(sums, f, variables, k, x, y, sigma...);
      return sums;
    };
    Kokkos::Array<T, N> start;
    for (int i = 0; i < N; ++i) start[i] = p(i);
    levenberg_marquardt<T, N> fit(limits, start, sums_at(start));
    while (fit.propose()) fit.judge(sums_at(fit.trial));
    T all[N][N];
    fit.covariance(covariance_factor(absolute, fit.at.squares, points, N), all);
    for (int i = 0; i < N; ++i) {
      p(i) = fit.parameters[i];
      for (int j = 0; j < N; ++j) covariance(i, j) = all[i][j];
    }
    status() = fit.status;
    iterations() = fit.iterations;
  }
};

/// The sums over the points of one fit.
template <int N, class F, class X, class Y, class... Sigma>
struct point_sums {
  using value_type = residual_sums<double, N>;
  F f;
  Kokkos::Array<double, N> at;
  operand_tuple<X, Y, Sigma...> data;

  KOKKOS_FUNCTION void operator()(std::int64_t k, value_type& sums) const {
    add(k, sums, std::index_sequence_for<X, Y, Sigma...>());
  }
  KOKKOS_FUNCTION void init(value_type& sums) const { sums.clear(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& others) const { sums.add(others); }

 private:
  template <std::size_t... I>
  KOKKOS_FUNCTION void add(std::int64_t k, value_type& sums, std::index_sequence<I...>) const {
    add_point(sums, f, autodiff::impl::variables<dual<double, N>>(at), k, get<I>(data)...);
  }
};

/// The extents of an argument of many fits without its axis of items.
template <class V>
shape extents_of_item(const std::string& label, const V& argument) {
  shape e = view_extents(vmap_view(argument));
  if constexpr (!is_unbatched<V>) {
    for (int d = axis_number(label, vmap_axis(argument), e.rank); d + 1 < e.rank; ++d) e.extent[d] = e.extent[d + 1];
    e.extent[--e.rank] = 0;
  }
  return e;
}
inline void check_fit_points(const std::string& label, int parameters, const shape& x, const shape& y) {
  if (y.rank != 1) reject_extents(label, "y", y, "rank 1 for each fit");
  if ((x.rank != 1 && x.rank != 2) || x.extent[0] != y.extent[0])
    throw Error(label, "x has extents " + x.str() + " for each fit, which do not fit y with extents " + y.str());
  if (y.extent[0] < parameters)
    throw Error(label, "y has " + std::to_string(y.extent[0]) + " points for each fit, expected at least " +
                           std::to_string(parameters));
}

template <int N, class Exec, class P, class Covariance, class F, class X, class Y, class... Sigma>
curve_fit_result fit_one(const Exec& exec, const std::string& label, const P& p_view, const Covariance& covariance_view,
                         const F& f, const fit_limits& limits, bool absolute, const X& x_view, const Y& y_view,
                         const Sigma&... sigma_view) {
  static_assert(!is_device<Exec> || N <= 12,
                "quern::curve_fit: one fit on a device has at most 12 parameters, whose sums a team has room for");
  const call c(label, exec);
  const auto p = c.output(p_view);
  const auto covariance = c.output(covariance_view);
  using T = value_of<P>;
  const auto y = c.input(y_view);
  const std::int64_t points = y.extents.extent[0];
  const auto x = c.input(x_view);
  check_extents(label, "p", p.extents, shape{N});
  check_extents(label, "covariance", covariance.extents, shape{N, N});
  check_fit_points(label, N, x.extents, y.extents);
  (check_extents(label, "sigma", c.input(sigma_view).extents, y.extents), ...);
  check_apart(label, {"p", "covariance"}, p, covariance);
  const auto apart = [&](const char* name, const auto& in) {
    check_overlap(label, p, in, name, false);
    check_overlap(label, covariance, in, name, false);
  };
  apart("x", x);
  apart("y", y);
  (apart("sigma", c.input(sigma_view)), ...);
  const auto sums_at = [&](const Kokkos::Array<double, N>& at) {
    const auto run = [&](const auto&... data) {
      residual_sums<double, N> sums;
      Kokkos::parallel_reduce(kernel_label(label, "/points"), index_range(exec, points),
                              point_sums<N, F, std::remove_cvref_t<decltype(data)>...>{f, at, {{data}...}}, sums);
      return sums;
    };
    return run(as_part<Exec, rank_of<X>>(x), as_part<Exec, 1>(y), as_part<Exec, 1>(c.input(sigma_view))...);
  };
  std::vector<T> found(N), variances(N * N);
  const scratch_array<Exec, T> memory(exec, N + N * N);
  copy_matrix(exec, label, strided<T>{memory.data(), {N}, {1}}, p);
  copy_items_to_host(exec, found.data(), memory.data(), N);
  exec.fence(kernel_label(label, ": start"));
  Kokkos::Array<double, N> start;
  for (int i = 0; i < N; ++i) start[i] = static_cast<double>(found[i]);
  levenberg_marquardt<double, N> fit(limits, start, sums_at(start));
  while (fit.propose()) fit.judge(sums_at(fit.trial));
  double all[N][N];
  fit.covariance(covariance_factor(absolute, fit.at.squares, points, N), all);
  for (int i = 0; i < N; ++i) {
    found[i] = static_cast<T>(fit.parameters[i]);
    for (int j = 0; j < N; ++j) variances[i * N + j] = static_cast<T>(all[i][j]);
  }
  copy_items_from_host(exec, memory.data(), found.data(), N);
  copy_items_from_host(exec, memory.data() + N, variances.data(), N * N);
  copy_matrix(exec, label, p, strided<T>{memory.data(), {N}, {1}});
  copy_matrix(exec, label, covariance, strided<T>{memory.data() + N, {N, N}, {N, 1}});
  exec.fence(kernel_label(label, ": results"));
  return {fit.status, fit.iterations};
}

/// Many fits, one for each thread; all outputs are given.
template <int N, class Exec, class Out, class F, class X, class Y, class... Sigma>
void fit_many(const Exec& exec, const std::string& label, const Out& out, const F& f, const fit_limits& limits,
              bool absolute, const X& x, const Y& y, const Sigma&... sigma) {
  constexpr std::size_t count = std::tuple_size_v<Out>;
  static_assert(count == 4, "quern::curve_fit: of many fits the outputs are p, covariance, status and iterations");
  if constexpr (count == 4) {
    const std::int64_t items = view_extents(vmap_view(std::get<0>(out))).extent[0];
    check_extents(label, "p", view_extents(std::get<0>(out)), shape{items, N});
    check_extents(label, "covariance", view_extents(std::get<1>(out)), shape{items, N, N});
    const shape points = extents_of_item(label, y);
    check_fit_points(label, N, extents_of_item(label, x), points);
    (check_extents(label, "sigma", extents_of_item(label, sigma), points, " for each fit, as y"), ...);
    // `vmap` would let an output be an input of the same elements.
    const call c(label, exec);
    const auto apart = [&](const char* name, const auto& in) {
      check_overlap(label, c.output(std::get<0>(out)), c.input(vmap_view(in)), name, false);
      check_overlap(label, c.output(std::get<1>(out)), c.input(vmap_view(in)), name, false);
    };
    apart("x", x);
    apart("y", y);
    (apart("sigma", sigma), ...);
    vmap_call(label, exec, out, curve_fit_item<N, F>{f, limits, absolute}, x, y, sigma...);
  }
}

}  // namespace impl

/// Fits a function of N parameters to points by least squares, as `scipy.optimize.curve_fit`: the parameters p with the
/// least `sum_k ((f(x_k, p) - y_k) / sigma_k)^2`, by the method of Levenberg and Marquardt with derivatives by dual
/// numbers.
///
/// @code
/// // decay()(t, p) returns p[0] * exp(-p[1] * t). One fit, of all threads:
/// const auto result = quern::curve_fit<2>(exec, quern::outputs(p, covariance), decay(), t, y);
/// // Many, each of one thread:
/// quern::curve_fit<2>(exec, quern::outputs(ps, covariances, status, iterations), decay(), quern::absolute_sigma,
///                     quern::unbatched(t), ys, sigmas);
/// @endcode
///
/// | | p | covariance | status, iterations | x | y, sigma |
/// | --- | --- | --- | --- | --- | --- |
/// | one fit | (N) | (N, N) | in the `curve_fit_result` that is returned | (n) or (n, k) | (n) |
/// | many fits | (items, N) | (items, N, N) | (items), of int | (items, n) or (items, n, k) | (items, n) |
///
/// @param out p, of float or double: at first the guesses, then the parameters; and the other outputs
/// @param f   returns a number for a point, a number or a View of k of them, and a `Kokkos::Array` of N parameters,
///            which are of any type; elementary functions are called without a namespace
/// @param options before the inputs. `tolerance{.relative = r}`, 1.5e-8 without it, as SciPy's ftol and xtol: a fit has
///            converged where a step neither changes the sum nor may change it by more than r of it, where the step is
///            at most r of the parameters (both measured by the columns of the Jacobian J), or no parameter changes by
///            more than `absolute`; at least 8 eps. `max_iterations`, 200 without it. `absolute_sigma`
/// @param in  x, y, and perhaps sigma, the standard deviations of y; of many fits as inputs of `quern::vmap`, so that
///            `unbatched(x)` is the same for all
///
/// The covariance is `(J^T J)^-1`, where J is divided by sigma, times `sum / (n - N)` unless `absolute_sigma` is given;
/// infinite where J has dependent columns or no points are left over, as SciPy's. Its error is some eps times the
/// condition of J^T J with columns of length 1.
///
/// A fit that does not converge is no error: `curve_fit_status` says why, and p is the best that was found. NaN and
/// infinities, of points or of f at the guess, give the status `not_finite`, the guess and an infinite covariance;
/// steps to where f is not finite are shortened. A guess whose squares of residuals underflow has the status
/// `no_progress`: scale y. There are no bounds, and sigma is no matrix.
///
/// One fit sums up in double, also of floats, and waits for `exec` once in each iteration; its N parameters, on a
/// device at most 12, are solved for on the host. Many fits are computed in their type, by one kernel, asynchronous on
/// `exec`.
/// @throws Error if extents do not fit, there are fewer points than parameters, outputs share memory with others, or a
///         tolerance is negative or NaN
template <int N, execution_space Exec, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_iterations, absolute_sigma_t>) && ...)
auto curve_fit(const Exec& exec, const Out& out, const F& f, const In&... in) {
  const impl::label_scope functor("quern::curve_fit", typeid(F));
  const std::string& label = impl::label_text("quern::curve_fit");
  static_assert(impl::is_outputs<Out>,
                "quern::curve_fit: the outputs are p and covariance, of many fits also status and iterations");
  constexpr bool one = impl::rank_of<std::tuple_element_t<0, Out>> == 1;
  std::conditional_t<one, curve_fit_result, int> result{};
  impl::with_options_first(
      [&](const auto& inputs, const auto&... options) {
        const auto within = impl::tolerances_of(label, {1.5e-8, 0}, options...);
        const impl::fit_limits limits{within.relative, within.absolute,
                                      impl::option_or(max_iterations{200}, options...).value};
        constexpr bool absolute = impl::has_option<absolute_sigma_t, decltype(options)...>;
        impl::unpack(
            [&](const auto&... arrays) {
              static_assert(sizeof...(arrays) == 2 || sizeof...(arrays) == 3,
                            "quern::curve_fit: the inputs are x, y and perhaps sigma");
              if constexpr (one) {
                static_assert(std::tuple_size_v<Out> == 2,
                              "quern::curve_fit: of one fit the outputs are p and covariance");
                result =
                    impl::fit_one<N>(exec, label, std::get<0>(out), std::get<1>(out), f, limits, absolute, arrays...);
              } else {
                impl::fit_many<N>(exec, label, out, f, limits, absolute, arrays...);
              }
            },
            inputs);
      },
      in...);
  if constexpr (one) return result;
}
template <int N, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_iterations, absolute_sigma_t>) && ...)
auto curve_fit(const Out& out, const F& f, const In&... in) {
  return curve_fit<N>(impl::space_of(out), out, f, in...);
}
QUERN_TAKES_NAME_WITH(curve_fit, int N, N)

}  // namespace quern

#endif
