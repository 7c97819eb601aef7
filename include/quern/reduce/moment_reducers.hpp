// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_MOMENT_REDUCERS_HPP
#define QUERN_REDUCE_MOMENT_REDUCERS_HPP

#include <quern/reduce/results.hpp>
#include <quern/reduce/sum_reducers.hpp>

namespace quern::impl {

/// Mean and variance in one pass: blocks by the two-pass formula while they are in registers, joined by the update of
/// Chan, Golub and LeVeque (The American Statistician 37, 1983). No difference of large squares ever occurs.
template <class S>
struct moments_reducer {
  using real = real_type<S>;
  std::int64_t ddof = 0;
  struct state {
    S mean;
    real m2;
    std::int64_t n;
  };

  KOKKOS_FUNCTION static real square(const S& x) {
    if constexpr (is_complex<S>) return x.real() * x.real() + x.imag() * x.imag();
    else return x * x;
  }
  struct squared_deviation {
    S mean;
    template <class T>
    KOKKOS_FUNCTION real operator()(const T& x) const {
      return square(static_cast<S>(x) - mean);
    }
  };

  KOKKOS_FUNCTION state init() const { return {S(0), real(0), 0}; }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (t.n == 0) return;
    if (s.n == 0) {
      s = t;
      return;
    }
    const std::int64_t n = s.n + t.n;
    const real share = static_cast<real>(t.n) / static_cast<real>(n);
    const S delta = t.mean - s.mean;
    s.mean += delta * share;
    s.m2 += t.m2 + square(delta) * (static_cast<real>(s.n) * share);
    s.n = n;
  }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    const S x = static_cast<S>(v);
    join(s, {x, square(x - x), 1});  // NaN for an infinite value, as its variance is
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    const S mean = fold<S, N>(v, cast_to<S>(), plus<S>()) / static_cast<real>(N);
    join(s, {mean, fold<real, N>(v, squared_deviation{mean}, plus<real>()), N});
  }
  /// NaN for no values, or no more than ddof.
  KOKKOS_FUNCTION real variance(const state& s) const {
    if (s.n <= ddof) return Kokkos::Experimental::quiet_NaN_v<real>;
    return s.m2 / static_cast<real>(s.n - ddof);
  }
  KOKKOS_FUNCTION moments<S, real> result(const state& s, std::int64_t) const {
    const real var = variance(s);
    return {s.n == 0 ? s.mean + var : s.mean, var};
  }
};

template <class S>
struct var_reducer : moments_reducer<S> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S>::state& s, std::int64_t) const {
    return this->variance(s);
  }
};

template <class S>
struct stddev_reducer : moments_reducer<S> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S>::state& s, std::int64_t) const {
    return Kokkos::sqrt(this->variance(s));
  }
};

/// Mean and variance of the values that are not NaN.
template <class Reducer>
struct nan_moments_reducer : Reducer {
  using state = typename Reducer::state;
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    if (!is_nan(v)) Reducer::add(s, v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    bool some = false;
    for (int i = 0; i < N; ++i) some = some || is_nan(v[i]);
    if (!some) {
      Reducer::template add_block<N>(s, v);
    } else {
      for (int i = 0; i < N; ++i) add(s, v[i]);
    }
  }
};

}  // namespace quern::impl

#endif
