// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions of quern::math by map beside those of Kokkos in a loop, which on hosts are the C library's.

#include <quern/map.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

#define FUNCTION(name)                              \
  struct name##_function {                          \
    template <class... T>                           \
    KOKKOS_FUNCTION auto operator()(T... x) const { \
      return quern::math::name(x...);               \
    }                                               \
    template <class... T>                           \
    KOKKOS_FUNCTION static auto plain(T... x) {     \
      return Kokkos::name(x...);                    \
    }                                               \
  };
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log1p)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(erf)
FUNCTION(cbrt)
FUNCTION(pow)
FUNCTION(atan2)
#undef FUNCTION

/// y = f(x) for x from low to high.
template <class F, class T>
prepared of_one(const exec_space& exec, std::int64_t n, double low, double high) {
  const auto x = sampled(make_view<T*>("x", n), 1), y = make_view<T*>("y", n);
  Kokkos::parallel_for(
      "spread", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { x(i) = static_cast<T>(low + (high - low) * x(i)); });
  prepared p{2.0 * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, y, F(), x); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = F::plain(x(i)); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, T(-77)); };
  p.right = [=] {
    const T unit = 8 * Kokkos::Experimental::epsilon_v<T>;
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) {
                 const T exact = F::plain(x(i));
                 return Kokkos::abs(y(i) - exact) <= unit * Kokkos::abs(exact);
               }) == 0;
  };
  return p;
}
template <class F, class T>
prepared of_two(const exec_space& exec, std::int64_t n) {
  const auto a = sampled(make_view<T*>("a", n), 1), b = sampled(make_view<T*>("b", n), 2), y = make_view<T*>("y", n);
  prepared p{3.0 * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, y, F(), a, b); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = F::plain(a(i), b(i)); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, T(-77)); };
  p.right = [=] {
    const T unit = 8 * Kokkos::Experimental::epsilon_v<T>;
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) {
                 const T exact = F::plain(a(i), b(i));
                 return Kokkos::abs(y(i) - exact) <= unit * Kokkos::abs(exact);
               }) == 0;
  };
  return p;
}

template <class F>
void add_one(const std::string& name, double low, double high) {
  bench::add({name + "/float64", {5'000'000}, 1003, [=](const exec_space& exec, std::int64_t n) {
                return of_one<F, double>(exec, n, low, high);
              }});
  bench::add({name + "/float32", {5'000'000}, 1003, [=](const exec_space& exec, std::int64_t n) {
                return of_one<F, float>(exec, n, low, high);
              }});
}
template <class F>
void add_two(const std::string& name) {
  bench::add({name + "/float64", {5'000'000}, 1003, of_two<F, double>});
  bench::add({name + "/float32", {5'000'000}, 1003, of_two<F, float>});
}

[[maybe_unused]] const bool registered = [] {
  add_one<exp_function>("exp", -20, 20);
  add_one<exp2_function>("exp2", -20, 20);
  add_one<expm1_function>("expm1", -2, 2);
  add_one<log_function>("log", 0.5, 40);
  add_one<log2_function>("log2", 0.5, 40);
  add_one<log1p_function>("log1p", 0, 40);
  add_one<sin_function>("sin", -3, 3);
  add_one<cos_function>("cos", -1.5, 1.5);
  add_one<tan_function>("tan", -1.5, 1.5);
  add_one<sinh_function>("sinh", -20, 20);
  add_one<cosh_function>("cosh", -20, 20);
  add_one<tanh_function>("tanh", -20, 20);
  add_one<asin_function>("asin", -1, 1);
  add_one<acos_function>("acos", -1, 0.9);
  add_one<atan_function>("atan", -20, 20);
  add_one<erf_function>("erf", -3, 3);
  add_one<cbrt_function>("cbrt", -20, 20);
  add_two<pow_function>("pow");
  add_two<atan2_function>("atan2");
  return true;
}();

}  // namespace
