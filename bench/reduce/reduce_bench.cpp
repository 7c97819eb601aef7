// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions beside parallel_reduce as a user would write it. Bytes count each input read once.

#include <memory>
#include <quern/config.hpp>
#include <quern/core.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"
#ifdef QUERN_BENCHMARK_KOKKOSKERNELS
#include <KokkosBlas1_dot.hpp>
#endif

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

template <class T>
T on_host(const bench::view<T>& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v)();
}

/// What the data's sum must be: added up in another order and in double by the check itself.
template <class F>
double exact_sum(std::int64_t n, const F& f) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "bench::exact", range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += static_cast<double>(f(i)); }, sum);
  return sum;
}

bool close(double a, double b, double relative) { return Kokkos::abs(a - b) <= relative * Kokkos::abs(b); }

template <class T, class... Option>
prepared sum_with(const exec_space& exec, std::int64_t n, Option... option) {
  const auto x = sampled(make_view<T*>("x", n), 1);
  const auto out = make_view<T>("out");
  prepared p{1.0 * sizeof(T) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, x, option...); }},
                {"plain", [=] {
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, T& s) { s += x(i); },
                       Kokkos::Sum<T, bench::memory_space>(out));
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    const double exact = exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i); });
    return close(on_host<T>(out), exact, 1000 * Kokkos::Experimental::epsilon_v<T>);
  };
  return p;
}

template <class T>
prepared sum(const exec_space& exec, std::int64_t n) {
  return sum_with<T>(exec, n);
}
prepared sum_reproducible(const exec_space& exec, std::int64_t n) {
  return sum_with<double>(exec, n, quern::reproducible);
}

template <class T>
prepared sum_to_host(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<T*>("x", n), 1);
  const auto result = std::make_shared<T>();
  prepared p{1.0 * sizeof(T) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { *result = quern::sum(exec, x); }},
                {"plain", [=] {
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, T& s) { s += x(i); }, *result);
                 }}};
  p.poison = [=] { *result = T(-7); };
  p.right = [=] {
    const double exact = exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i); });
    return close(*result, exact, 1000 * Kokkos::Experimental::epsilon_v<T>);
  };
  return p;
}

prepared mean_var(const exec_space& exec, std::int64_t n) {
  using result = quern::moments<double>;
  const auto x = sampled(make_view<double*>("x", n), 1);
  const bench::view<result> out("out");
  prepared p{8.0 * n, 4.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::mean_var(exec, out, x); }},
                {"plain_two_passes", [=] {
                   double a = 0, b = 0;
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += x(i); }, a);
                   const double mean = a / static_cast<double>(n);
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n),
                       KOKKOS_LAMBDA(std::int64_t i, double& s) { s += (x(i) - mean) * (x(i) - mean); }, b);
                   Kokkos::deep_copy(exec, out, result{mean, b / static_cast<double>(n)});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, result{-7, -7}); };
  p.right = [=] {
    const double mean = exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i); }) / static_cast<double>(n);
    const double var =
        exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return (x(i) - mean) * (x(i) - mean); }) / static_cast<double>(n);
    const auto got = on_host<result>(out);
    return close(got.mean, mean, 1e-12) && close(got.var, var, 1e-12);
  };
  return p;
}

prepared minmax(const exec_space& exec, std::int64_t n) {
  using result = quern::extrema<double>;
  const auto x = sampled(make_view<double*>("x", n), 1);
  const bench::view<result> out("out");
  prepared p{8.0 * n, 2.0 * n, {}, {}, {}};
  using plain_minmax = Kokkos::MinMax<double>;
  p.variants = {{"quern", [=] { quern::minmax(exec, out, x); }},
                {"plain", [=] {
                   plain_minmax::value_type r;
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n),
                       KOKKOS_LAMBDA(std::int64_t i, plain_minmax::value_type& s) {
                         s.min_val = Kokkos::min(s.min_val, x(i));
                         s.max_val = Kokkos::max(s.max_val, x(i));
                       },
                       plain_minmax(r));
                   Kokkos::deep_copy(exec, out, result{r.min_val, r.max_val});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, result{-7, -7}); };
  p.right = [=] {
    const auto got = on_host<result>(out);
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) >= got.min && x(i) <= got.max; }) == 0 &&
           exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) == got.min || x(i) == got.max ? 1 : 0; }) >= 2;
  };
  return p;
}

prepared dot(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2);
  const auto out = make_view<double>("out");
  prepared p{16.0 * n, 2.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::dot(exec, out, x, y); }},
                {"plain", [=] {
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += x(i) * y(i); },
                       Kokkos::Sum<double, bench::memory_space>(out));
                 }}};
#ifdef QUERN_BENCHMARK_KOKKOSKERNELS
  p.variants.push_back({"vendor_blas", [=] { KokkosBlas::dot(exec, out, x, y); }});
#endif
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return close(on_host<double>(out), exact_sum(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) * y(i); }), 1e-12);
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"sum/float64", {10'000, 1'000'000, 100'000'000}, 1003, sum<double>});
  bench::add({"sum/float32", {1'000'000, 1'000'000'000}, 1003, sum<float>});
  bench::add({"sum_reproducible/float64", {1'000'000, 100'000'000}, 1003, sum_reproducible});
  bench::add({"sum_to_host/float64", {10'000, 100'000'000}, 1003, sum_to_host<double>});
  bench::add({"sum_to_host/float32", {1'000'000'000}, 1003, sum_to_host<float>});
  bench::add({"mean_var/float64", {1'000'000, 100'000'000}, 1003, mean_var});
  bench::add({"minmax/float64", {100'000'000}, 1003, minmax});
  bench::add({"dot/float64", {50'000'000}, 1003, dot});
  return true;
}();

}  // namespace
