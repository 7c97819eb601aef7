// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_KEYED_SKEWED_KEYS_HPP
#define QUERN_BENCH_KEYED_SKEWED_KEYS_HPP

#include "support/bench.hpp"

namespace bench {

/// How keys are distributed over n numbers: evenly; key k about 1 / k times as frequent as key 1; by Zipf's law with an
/// exponent of 1.2; half or all of them one number; evenly in runs of 64; or, of as many keys as numbers, each once.
enum class distribution { uniform, log_uniform, zipf, half_equal, all_equal, runs, all_different };

/// Keys from 0 to before `bins`; in floating point they are 0.5 more, amid a bin.
template <class K>
struct make_key {
  distribution how;
  std::int64_t bins;
  K* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double u = hashed(i, 1), n = static_cast<double>(bins);
    double k = u * n;
    if (how == distribution::log_uniform) k = Kokkos::exp(u * Kokkos::log(n)) - 1;
    // The distribution function of a continuous variable from 1 to n + 1, turned around.
    if (how == distribution::zipf) k = Kokkos::pow(1 - u * (1 - Kokkos::pow(n + 1, -0.2)), -5.0) - 1;
    if (how == distribution::all_equal || (how == distribution::half_equal && hashed(i, 2) < 0.5)) k = n / 3;
    if (how == distribution::runs) k = hashed(i / 64, 1) * n;
    std::int64_t number = Kokkos::min(static_cast<std::int64_t>(k), bins - 1);
    if (how == distribution::all_different) number = i % bins * 2'654'435'761 % bins;  // by a prime
    keys[i] = static_cast<K>(number);
    if constexpr (std::is_floating_point_v<K>) keys[i] += K(0.5);
  }
};
template <class K>
view<K*> keys_of(const exec_space& exec, std::int64_t n, std::int64_t bins, distribution how) {
  const auto keys = make_view<K*>("keys", n);
  Kokkos::parallel_for("keys", bench::range(exec, 0, n), make_key<K>{how, bins, keys.data()});
  return keys;
}

}  // namespace bench

#endif
