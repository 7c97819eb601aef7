// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts beside Kokkos's, which on devices are those of the vendor's library. Bytes count each key, and each position,
// read and written once.

#include <Kokkos_Sort.hpp>
#include <quern/keyed.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;

template <class T>
void fill(const exec_space& exec, const bench::view<T*>& x) {
  if constexpr (std::is_integral_v<T>)
    quern::random::integers(exec, x, key(1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  else quern::random::uniform(exec, x, key(1));
}

/// Keys in order, and of the same sum as before.
template <class T>
std::function<bool()> sorted(const bench::view<T*>& x, const bench::view<T*>& out) {
  const auto total = [](const bench::view<T*>& v) {
    if constexpr (std::is_integral_v<T>) return quern::sum(v);
    else return quern::sum(v, quern::reproducible);
  };
  return [=] { return quern::is_sorted(out) && total(out) == total(x); };
}

template <class T>
prepared sort(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<T*>("x", n), out = make_view<T*>("out", n);
  fill(exec, x);
  prepared p{2.0 * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sort(exec, out, x); }}, {"plain", [=] {
                                                                  Kokkos::deep_copy(exec, out, x);
                                                                  Kokkos::sort(exec, out);
                                                                }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(7)); };
  p.right = sorted(x, out);
  return p;
}

template <class T>
prepared argsort(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<T*>("x", n), keys = make_view<T*>("keys", n), out = make_view<T*>("out", n);
  const auto positions = make_view<std::int64_t*>("positions", n);
  fill(exec, x);
  prepared p{(sizeof(T) + 8.0) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::argsort(exec, positions, x); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, keys, x);
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { positions(i) = i; });
                   Kokkos::Experimental::sort_by_key(exec, keys, positions);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(positions, 0); };
  p.right = [=] {
    Kokkos::parallel_for("gather", bench::range(0, n), KOKKOS_LAMBDA(std::int64_t i) { out(i) = x(positions(i)); });
    return sorted(x, out)();
  };
  return p;
}

const bool registered = [] {
  bench::add({"sort_f64", {1'000'000, 100'000'000}, 4099, sort<double>});
  bench::add({"sort_i32", {1'000'000, 100'000'000}, 4099, sort<std::int32_t>});
  bench::add({"argsort_f64", {1'000'000, 100'000'000}, 4099, argsort<double>});
  return true;
}();

}  // namespace
