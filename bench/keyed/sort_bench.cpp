// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts beside Kokkos's, which on devices are those of the vendor's library. Bytes count each key, and each position,
// read and written once.

#include <Kokkos_Sort.hpp>
#include <quern/core.hpp>
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

/// Keys in order, and those of before.
template <class T>
std::function<bool()> sorted(const bench::view<T*>& x, const bench::view<T*>& out) {
  return [=] { return quern::is_sorted(out) && bench::same_elements(out, x); };
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

/// How the keys of a sweep are spread; sorts differ in these.
enum class spread { random, ascending, descending, few, equal, special };
template <class T>
struct fill_spread {
  T* x;
  std::int64_t n;
  spread how;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double u = bench::hashed(static_cast<std::uint64_t>(i), 1);
    const double rising = static_cast<double>(i) / static_cast<double>(n);
    double v = how == spread::ascending    ? rising
               : how == spread::descending ? 1 - rising
               : how == spread::equal      ? 0.5
               : how == spread::few        ? static_cast<double>(static_cast<int>(17 * u)) / 17
                                           : u;
    if constexpr (std::is_integral_v<T>) {
      x[i] = static_cast<T>((v - 0.5) * 0.999 * static_cast<double>(std::numeric_limits<T>::max()) * 2);
    } else {
      x[i] = static_cast<T>(v - 0.5);
      // A tenth is NaN, and a tenth zeros of either sign.
      if (how == spread::special && u < 0.1) x[i] = Kokkos::Experimental::quiet_NaN_v<T>;
      else if (how == spread::special && u < 0.2) x[i] = u < 0.15 ? T(0) : -T(0);
    }
  }
};
template <class T, spread How>
prepared sort_spread(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<T*>("x", n), out = make_view<T*>("out", n);
  prepared p{2.0 * sizeof(T) * static_cast<double>(n), 0, {}, {}, {}};
  Kokkos::parallel_for("fill", bench::range(exec, 0, n), fill_spread<T>{x.data(), n, How});
  p.variants = {{"quern", [=] { quern::sort(exec, out, x); }}};
  // NaN has no place in the order of others, and hosts sort 1e8 numbers for many seconds.
  if (How != spread::special && n <= 10'000'000)
    p.variants.push_back({"plain", [=] {
                            Kokkos::deep_copy(exec, out, x);
                            Kokkos::sort(exec, out);
                          }});
  p.poison = [=] { Kokkos::deep_copy(out, T(7)); };
  p.right = sorted(x, out);
  return p;
}
template <class T>
void add_spreads(const std::string& type) {
  const std::vector<std::int64_t> sizes{10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  bench::add({"sort_random_" + type, sizes, 4099, sort_spread<T, spread::random>});
  bench::add({"sort_ascending_" + type, sizes, 4099, sort_spread<T, spread::ascending>});
  bench::add({"sort_descending_" + type, sizes, 4099, sort_spread<T, spread::descending>});
  bench::add({"sort_few_" + type, sizes, 4099, sort_spread<T, spread::few>});
  bench::add({"sort_equal_" + type, sizes, 4099, sort_spread<T, spread::equal>});
  if constexpr (!std::is_integral_v<T>)
    bench::add({"sort_special_" + type, sizes, 4099, sort_spread<T, spread::special>});
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

/// By a comparator, of which no radix sort knows: descending.
struct greater {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a > b; }
};
prepared sort_by_comparator(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<double*>("x", n), out = make_view<double*>("out", n);
  fill(exec, x);
  prepared p{16.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sort(exec, out, x, greater()); }}, {"plain", [=] {
                                                                             Kokkos::deep_copy(exec, out, x);
                                                                             Kokkos::sort(exec, out, greater());
                                                                           }}};
  p.poison = [=] { Kokkos::deep_copy(out, 7.0); };
  p.right = [=] { return quern::is_sorted(out, quern::sort_order::descending) && bench::same_elements(out, x); };
  return p;
}

/// Rows of a length, or the columns of a matrix with such rows.
template <class T>
prepared sort_matrix(const exec_space& exec, std::int64_t rows, std::int64_t length, bool columns = false) {
  const auto x = make_view<T**>("x", rows, length), out = make_view<T**>("out", rows, length);
  const quern::axis along(columns ? 0 : 1);
  quern::random::uniform(exec, x, key(1));
  prepared p{2.0 * sizeof(T) * rows * length, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sort(exec, out, x, along); }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(7)); };
  p.right = [=] {
    const auto hash = [=](const bench::view<T**>& v) {
      return bench::hash_of(v.data(), rows * length, length, columns);
    };
    return quern::is_sorted(out, along) && hash(out) == hash(x);
  };
  return p;
}
/// Of n numbers.
template <int Length, bool Columns = false>
prepared sort_rows(const exec_space& exec, std::int64_t n) {
  const std::int64_t length = std::min<std::int64_t>(n, Length);
  return sort_matrix<double>(exec, n / length, length, Columns);
}

/// The largest k of each row, which a thread of the plain loop keeps in order in its registers or on its stack.
template <int K>
struct plain_top_k {
  bench::view<float**> x, out;
  bench::view<std::int32_t**> positions;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    float best[K];
    std::int32_t at[K];
    int found = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(x.extent(1)); ++i) {
      const float v = x(row, i);
      if (found == K && !(v > best[K - 1])) continue;
      int j = found < K ? found++ : K - 1;
      for (; j > 0 && v > best[j - 1]; --j) {
        best[j] = best[j - 1];
        at[j] = at[j - 1];
      }
      best[j] = v;
      at[j] = i;
    }
    for (int j = 0; j < K; ++j) {
      out(row, j) = best[j];
      positions(row, j) = at[j];
    }
  }
};
template <int K>
prepared top_k_of_rows(const exec_space& exec, std::int64_t rows, std::int64_t length) {
  const auto x = make_view<float**>("x", rows, length), out = make_view<float**>("out", rows, K);
  const auto positions = make_view<std::int32_t**>("positions", rows, K);
  quern::random::uniform(exec, x, key(1));
  prepared p{4.0 * rows * length + 8.0 * rows * K, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::top_k(exec, out, positions, x); }},
                {"plain", [=] {
                   Kokkos::parallel_for("plain", bench::range(exec, 0, rows), plain_top_k<K>{x, out, positions});
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(out, 7.0F);
    Kokkos::deep_copy(positions, 0);
  };
  p.right = [=] {
    return quern::is_sorted(out, quern::sort_order::descending) &&
           bench::failures(
               rows, KOKKOS_LAMBDA(std::int64_t row) {
                 const float last = out(row, K - 1);
                 std::int64_t larger = 0, wrong = 0;
                 for (std::int64_t i = 0; i < length; ++i) larger += x(row, i) > last ? 1 : 0;
                 for (int j = 0; j < K; ++j) wrong += x(row, positions(row, j)) != out(row, j) ? 1 : 0;
                 return larger < K && wrong == 0;
               }) == 0;
  };
  return p;
}

prepared top_k(const exec_space& exec, std::int64_t n) {
  const std::int64_t k = 100;
  const auto x = make_view<double*>("x", n), sorted_x = make_view<double*>("sorted", n),
             out = make_view<double*>("out", k);
  const auto positions = make_view<std::int64_t*>("positions", k);
  fill(exec, x);
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::top_k(exec, out, positions, x); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, sorted_x, x);
                   Kokkos::sort(exec, sorted_x);
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, k),
                       KOKKOS_LAMBDA(std::int64_t i) { out(i) = sorted_x(n - 1 - i); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, 7.0); };
  p.right = [=] {
    const auto found = quern::to_host(out);
    const double last = found(k - 1);
    const bench::view<std::uint64_t> hash("hash"), count("count");
    Kokkos::parallel_for(
        "check", bench::range(0, n), KOKKOS_LAMBDA(std::int64_t i) {
          if (x(i) < last) return;
          std::uint64_t own = 0;
          bench::add_hashes<double>{&x(i), 1, false}(0, own);
          Kokkos::atomic_add(&hash(), own);
          Kokkos::atomic_inc(&count());
        });
    return quern::is_sorted(out, quern::sort_order::descending) && quern::to_host(count)() == k &&
           quern::to_host(hash)() == bench::hash_of(out.data(), k, k);
  };
  return p;
}

const bool registered = [] {
  bench::add({"sort_f64", {1'000'000, 100'000'000}, 4099, sort<double>});
  bench::add({"sort_i32", {1'000'000, 100'000'000}, 4099, sort<std::int32_t>});
  bench::add({"argsort_f64", {1'000'000, 100'000'000}, 4099, argsort<double>});
  bench::add({"sort_comparator_f64", {1'000'000, 100'000'000}, 4099, sort_by_comparator});
  bench::add({"sort_rows_f64", {1'000'000, 100'000'000}, 4099, sort_rows<1000>});
  bench::add({"sort_short_rows_f64", {1'000'000, 100'000'000}, 4099, sort_rows<10>});
  bench::add({"sort_columns_f64", {1'000'000, 100'000'000}, 4099, sort_rows<1000, true>});
  add_spreads<double>("f64");
  add_spreads<float>("f32");
  add_spreads<std::int32_t>("i32");
  add_spreads<std::int64_t>("i64");
  add_spreads<std::int16_t>("i16");
  add_spreads<std::int8_t>("i8");
  bench::add({"top_k_100_f64", {1'000'000, 100'000'000}, 70'099, top_k});
  // About 6e7 numbers in rows of odd lengths.
  for (const std::int64_t length : {11, 17, 33, 65, 101, 151, 301, 501, 1001, 1025, 3001, 9999}) {
    const std::int64_t rows = 60'200'000 / length;
    const auto name = [&](const char* of) { return std::string(of) + " nx" + std::to_string(length); };
    bench::add({name("sort_rows/float32"), {rows}, 33, [=](const exec_space& exec, std::int64_t n) {
                  return sort_matrix<float>(exec, n, length);
                }});
    bench::add({name("sort_rows/float64"), {rows}, 33, [=](const exec_space& exec, std::int64_t n) {
                  return sort_matrix<double>(exec, n, length);
                }});
    bench::add({name("top_k_rows 10/float32"), {rows}, 33, [=](const exec_space& exec, std::int64_t n) {
                  return top_k_of_rows<10>(exec, n, length);
                }});
  }
  bench::add({"top_k_rows 32/float32 nx301", {200'000}, 33, [](const exec_space& exec, std::int64_t n) {
                return top_k_of_rows<32>(exec, n, 301);
              }});
  return true;
}();

}  // namespace
