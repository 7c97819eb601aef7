// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random fields beside the pool of generators that Kokkos has, which a user would write a loop with, and on CUDA beside
// cuRAND. Bytes count each output written once.

#include <Kokkos_Random.hpp>
#include <quern/random.hpp>

#include "random/random_vendor.hpp"
#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;

using pool = Kokkos::Random_XorShift64_Pool<exec_space>;

/// A loop that asks `number` of a generator of the pool for each element.
template <class V, class Number>
std::function<void()> plain_loop(const exec_space& exec, const V& v, const Number& number) {
  const pool generators(1);
  return [=] {
    Kokkos::parallel_for(
        "plain", bench::range(exec, 0, v.size()), KOKKOS_LAMBDA(std::int64_t i) {
          auto g = generators.get_state();
          v(i) = number(g);
          generators.free_state(g);
        });
  };
}

/// Whether mean and variance are what they should be, within five standard errors.
template <class V>
bool moments_right(const V& v, double mean, double variance, double fourth) {
  double sum = 0, squares = 0;
  const auto n = static_cast<std::int64_t>(v.size());
  Kokkos::parallel_reduce(
      "check", bench::range(0, n),
      KOKKOS_LAMBDA(std::int64_t i, double& s, double& q) {
        const double d = static_cast<double>(v(i)) - mean;
        s += d;
        q += d * d;
      },
      sum, squares);
  const auto count = static_cast<double>(n);
  return Kokkos::abs(sum / count) < 5 * Kokkos::sqrt(variance / count) &&
         Kokkos::abs(squares / count - variance) < 5 * Kokkos::sqrt((fourth - variance * variance) / count);
}

struct any_uniform {
  template <class G>
  KOKKOS_FUNCTION double operator()(G& g) const {
    return g.drand();
  }
};
prepared uniform(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<double*>("v", n);
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::uniform(exec, v, key(1)); }},
                {"plain", plain_loop(exec, v, any_uniform())}};
#ifdef KOKKOS_ENABLE_CUDA
  bench::vendor::add_uniform(p, exec, v);
#endif
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  p.right = [=] { return moments_right(v, 0.5, 1.0 / 12, 1.0 / 80); };
  return p;
}

struct any_normal {
  template <class G>
  KOKKOS_FUNCTION double operator()(G& g) const {
    return g.normal();
  }
};
template <class T>
prepared normal(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<T*>("v", n);
  prepared p{1.0 * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::normal(exec, v, key(1)); }},
                {"plain", plain_loop(exec, v, any_normal())}};
#ifdef KOKKOS_ENABLE_CUDA
  bench::vendor::add_normal(p, exec, v);
#endif
  p.poison = [=] { Kokkos::deep_copy(v, T(-7)); };
  p.right = [=] { return moments_right(v, 0, 1, 3); };
  return p;
}

struct any_die {
  template <class G>
  KOKKOS_FUNCTION int operator()(G& g) const {
    return g.rand(0, 1000);
  }
};
prepared integers(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<int*>("v", n);
  prepared p{4.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::integers(exec, v, key(1), 0, 1000); }},
                {"plain", plain_loop(exec, v, any_die())}};
  p.poison = [=] { Kokkos::deep_copy(v, -7); };
  const double variance = (1e6 - 1) / 12;
  p.right = [=] { return moments_right(v, 499.5, variance, 1.8 * variance * variance); };
  return p;
}

prepared exponential(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<double*>("v", n);
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::exponential(exec, v, key(1)); }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  p.right = [=] { return moments_right(v, 1, 1, 9); };
  return p;
}

prepared poisson(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<int*>("v", n);
  prepared p{4.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::poisson(exec, v, key(1), 30); }}};
#ifdef KOKKOS_ENABLE_CUDA
  bench::vendor::add_poisson(p, exec, v, 30);
#endif
  p.poison = [=] { Kokkos::deep_copy(v, -7); };
  p.right = [=] { return moments_right(v, 30, 30, 3 * 900 + 30); };
  return p;
}

prepared gamma(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<double*>("v", n);
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::gamma(exec, v, key(1), 2.5); }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  p.right = [=] { return moments_right(v, 2.5, 2.5, 3 * 2.5 * 2.5 + 6 * 2.5); };
  return p;
}

prepared permutation(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<int*>("v", n);
  prepared p{4.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::permutation(exec, v, key(1)); }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7); };
  p.right = [=] {
    double sum = 0, squares = 0;
    Kokkos::parallel_reduce(
        "check", bench::range(0, n),
        KOKKOS_LAMBDA(std::int64_t i, double& s, double& q) {
          s += v(i);
          q += static_cast<double>(v(i)) * v(i);
        },
        sum, squares);
    const auto m = static_cast<double>(n);
    return Kokkos::abs(sum - m * (m - 1) / 2) < 1e-9 * sum &&
           Kokkos::abs(squares - m * (m - 1) * (2 * m - 1) / 6) < 1e-9 * squares;
  };
  return p;
}

prepared sobol(const exec_space& exec, std::int64_t n) {
  const auto v = make_view<double**>("v", n, 8);
  prepared p{64.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern_scrambled", [=] { quern::random::sobol(exec, v, key(1)); }},
                {"quern", [=] { quern::random::sobol(exec, v); }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  const Kokkos::View<double*, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(v.data(), v.size());
  p.right = [=] { return moments_right(flat, 0.5, 1.0 / 12, 1.0 / 80); };
  return p;
}

const bool registered = [] {
  bench::add({"uniform_f64", {1'000'000, 100'000'000}, 4099, uniform});
  bench::add({"normal_f32", {1'000'000, 100'000'000}, 4098, normal<float>});
  bench::add({"normal_f64", {1'000'000, 100'000'000}, 4098, normal<double>});
  bench::add({"integers_i32", {100'000'000}, 4099, integers});
  bench::add({"exponential_f64", {100'000'000}, 4099, exponential});
  bench::add({"poisson_i32", {10'000'000}, 4099, poisson});
  bench::add({"gamma_f64", {10'000'000}, 4099, gamma});
  bench::add({"permutation_i32", {100'000'000}, 4099, permutation});
  bench::add({"sobol_f64", {10'000'000}, 4096, sobol});
  return true;
}();

}  // namespace
