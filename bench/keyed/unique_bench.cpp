// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Distinct values and selections beside what a user would put together from Kokkos's sort and scan. Bytes count the
// input and the result once.

#include <Kokkos_Sort.hpp>
#include <quern/keyed.hpp>
#include <quern/random.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;
using number = Kokkos::View<std::int64_t, bench::memory_space>;

/// The distinct ones among n / 5 numbers.
prepared unique_of_many(const exec_space& exec, std::int64_t n) {
  const std::int64_t different = n / 5;
  const auto x = make_view<std::int32_t*>("x", n), values = make_view<std::int32_t*>("values", different),
             sorted = make_view<std::int32_t*>("sorted", n);
  const number count("count");
  quern::random::integers(exec, x, key(1), 0, different);
  prepared p{4.0 * n + 4.0 * different, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { Kokkos::deep_copy(exec, count, quern::unique(exec, values, x)); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, sorted, x);
                   Kokkos::sort(exec, sorted);
                   Kokkos::parallel_scan(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, std::int64_t& k, bool final) {
                         const bool first = i == 0 || sorted(i) != sorted(i - 1);
                         if (final && first) values(k) = sorted(i);
                         k += first;
                         if (final && i == n - 1) count() = k;
                       });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(values, -7);
    Kokkos::deep_copy(count, 0);
  };
  const auto times = make_view<std::int64_t*>("times", different), rank = make_view<std::int64_t*>("rank", different);
  quern::bincount(exec, times, x);
  std::int64_t present = 0;
  Kokkos::parallel_scan(
      "ranks", bench::range(0, different),
      KOKKOS_LAMBDA(std::int64_t v, std::int64_t& k, bool final) {
        if (final) rank(v) = k;
        k += times(v) > 0;
      },
      present);
  p.right = [=] {
    std::int64_t found = 0;
    Kokkos::deep_copy(found, count);
    return found == present &&
           bench::failures(
               different, KOKKOS_LAMBDA(std::int64_t v) { return times(v) == 0 || values(rank(v)) == v; }) == 0;
  };
  return p;
}

/// The distinct values of numbers from 0 to different - 1, all of which occur, and their counts.
template <std::int64_t Different>
prepared unique(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<std::int32_t*>("x", n), values = make_view<std::int32_t*>("values", Different),
             sorted = make_view<std::int32_t*>("sorted", n);
  const auto counts = make_view<std::int64_t*>("counts", Different), starts = make_view<std::int64_t*>("starts", n + 1);
  const number count("count");
  quern::random::integers(exec, x, key(1), 0, Different);
  prepared p{4.0 * n + 12.0 * Different, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::unique_counts(exec, values, counts, x, quern::size_to{count}); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, sorted, x);
                   Kokkos::sort(exec, sorted);
                   Kokkos::parallel_scan(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, std::int64_t& k, bool final) {
                         const bool first = i == 0 || sorted(i) != sorted(i - 1);
                         if (final && first) {
                           values(k) = sorted(i);
                           starts(k) = i;
                         }
                         k += first;
                         if (final && i == n - 1) {
                           count() = k;
                           starts(k) = n;
                         }
                       });
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, Different), KOKKOS_LAMBDA(std::int64_t k) {
                         if (k < count()) counts(k) = starts(k + 1) - starts(k);
                       });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(values, -7);
    Kokkos::deep_copy(counts, -7);
    Kokkos::deep_copy(count, 0);
  };
  const auto expected = make_view<std::int64_t*>("expected", Different);
  quern::bincount(exec, expected, x);
  p.right = [=] {
    return bench::failures(
               Different, KOKKOS_LAMBDA(std::int64_t k) {
                 return count() == Different && values(k) == k && counts(k) == expected(k);
               }) == 0;
  };
  return p;
}

/// Of values that are uniform, those below one over `Part`.
template <class T, int Part>
prepared compact(const exec_space& exec, std::int64_t n) {
  constexpr T below = T(1) / Part;
  const auto x = make_view<T*>("x", n), out = make_view<T*>("out", n);
  const number count("count");
  quern::random::uniform(exec, x, key(1));
  prepared p{(1 + 1.0 / Part) * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::compact(exec, out, x, KOKKOS_LAMBDA(T v) { return v < below; }, quern::size_to{count}); }},
      {"plain", [=] {
         Kokkos::parallel_scan(
             "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, std::int64_t& k, bool final) {
               const T v = x(i);
               if (final && v < below) out(k) = v;
               k += v < below;
               if (final && i == n - 1) count() = k;
             });
       }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    // Numbered by another scan, each is where it belongs.
    const auto number_of = make_view<std::int64_t*>("numbers", n);
    const auto is_selected = KOKKOS_LAMBDA(T v) { return v < below; };
    std::int64_t expected = 0, found = 0;
    Kokkos::parallel_scan(
        "numbers", bench::range(0, n),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t& k, bool final) {
          if (final) number_of(i) = k;
          k += is_selected(x(i));
        },
        expected);
    Kokkos::deep_copy(found, count);
    const auto wrong =
        bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return !is_selected(x(i)) || out(number_of(i)) == x(i); });
    return found == expected && wrong == 0;
  };
  return p;
}

/// Of which half are set.
prepared nonzero(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<bool*>("x", n);
  const auto out = make_view<std::int64_t*>("out", n), expected = make_view<std::int64_t*>("expected", n);
  const number count("count"), set("set");
  Kokkos::parallel_for(
      "fill", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { x(i) = bench::hashed(i, 1) < 0.5; });
  using positions = bench::view<std::int64_t*>;
  const auto plain = [=](const positions& to, const number& many) {
    Kokkos::parallel_scan(
        "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, std::int64_t& k, bool final) {
          if (final && x(i)) to(k) = i;
          k += x(i) ? 1 : 0;
          if (final && i == n - 1) many() = k;
        });
  };
  prepared p{1.0 * n + 4.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::nonzero(exec, out, x, quern::size_to{count}); }},
                {"plain", [=] { plain(out, count); }}};
  p.poison = [=] { Kokkos::deep_copy(out, std::int64_t{-7}); };
  p.right = [=] {
    plain(expected, set);
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) {
                 return count() == set() && (i >= set() || out(i) == expected(i));
               }) == 0;
  };
  return p;
}

const bool registered = [] {
  bench::add({"unique_i32", {1'000'000, 100'000'000}, 40'099, unique<1000>});
  bench::add({"unique_1e7_i32", {50'000'000}, 40'099, unique_of_many});
  bench::add({"compact_half_f64", {1'000'000, 100'000'000}, 4099, compact<double, 2>});
  bench::add({"compact_half_f32", {100'000'000}, 4099, compact<float, 2>});
  bench::add({"nonzero_half_bool", {10'000, 1'000'000, 100'000'000}, 4099, nonzero});
  bench::add({"compact_tenth_f64", {80'000'000}, 4099, compact<double, 10>});
  return true;
}();

}  // namespace
