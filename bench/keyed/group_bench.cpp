// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups and joins of 64-bit keys beside what a user would write with Kokkos's unordered map. Bytes count each key and
// value once, and each result.

#include <Kokkos_UnorderedMap.hpp>
#include <algorithm>
#include <cmath>
#include <quern/keyed.hpp>
#include <quern/random.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;
using key_map = Kokkos::UnorderedMap<std::int64_t, std::int32_t, exec_space>;

/// Keys all over the 64 bits, so many of them different.
bench::view<std::int64_t*> spread_keys(const exec_space& exec, std::int64_t n, std::int64_t different, int seed) {
  const auto keys = make_view<std::int64_t*>("keys", n);
  quern::random::integers(exec, keys, key(seed), 0, different);
  Kokkos::parallel_for(
      "spread", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        keys(i) = static_cast<std::int64_t>(static_cast<std::uint64_t>(keys(i)) * 0x9e3779b97f4a7c15u);
      });
  return keys;
}

/// From keys to sums of values by key.
template <class Keys>
prepared sums_by_key(const exec_space& exec, const Keys& keys, std::int64_t different) {
  const auto n = static_cast<std::int64_t>(keys.extent(0)), most = std::min(n, different);
  const auto values = make_view<double*>("values", n), sums = make_view<double*>("sums", most);
  Kokkos::parallel_for("values", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { values(i) = 1 + i % 3; });
  const std::int64_t size = quern::group_by(exec, keys).size();
  const auto used = Kokkos::subview(sums, Kokkos::pair<std::int64_t, std::int64_t>(0, size));
  prepared p{(8.0 + sizeof(typename Keys::value_type)) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, used, values, quern::group_by(exec, keys)); }},
                {"plain", [=] {
                   const key_map map(2 * most);
                   Kokkos::deep_copy(exec, sums, 0);
                   const auto row = make_view<std::int32_t*>("rows", map.capacity());
                   const Kokkos::View<std::int32_t, exec_space> count("count");
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         const auto found = map.insert(keys(i));
                         if (found.success()) row(found.index()) = Kokkos::atomic_fetch_inc(&count());
                       });
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n),
                       KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_add(&sums(row(map.find(keys(i)))), values(i)); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(sums, -7.0); };
  double total = 0;
  Kokkos::parallel_reduce(
      "total", bench::range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += values(i); }, total);
  p.right = [=] {
    double sum = 0;
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce(
        "check", bench::range(0, size),
        KOKKOS_LAMBDA(std::int64_t g, double& s, std::int64_t& w) {
          s += sums(g);
          w += sums(g) < 1;
        },
        sum, wrong);
    return sum == total && wrong == 0;
  };
  return p;
}
template <std::int64_t Different>
prepared group_by(const exec_space& exec, std::int64_t n) {
  return sums_by_key(exec, spread_keys(exec, n, Different, 1), Different);
}

/// The same of 5e7 rows, or of few where it is only verified, with keys from 0 to `different` - 1: all as frequent, or
/// key k about 1 / k times as frequent as key 1.
enum class frequency { uniform, zipf };
template <class K, frequency F>
prepared group_by_range(const exec_space& exec, std::int64_t different) {
  const std::int64_t n = different < 10 ? 100 : 50'000'000;
  const auto keys = make_view<K*>("keys", n);
  if (F == frequency::uniform) {
    quern::random::integers(exec, keys, key(1), 0, different);
  } else {
    const double logarithm = std::log(static_cast<double>(different));
    Kokkos::parallel_for(
        "zipf", bench::range(exec, 0, n),
        KOKKOS_LAMBDA(std::int64_t i) { keys(i) = static_cast<K>(Kokkos::exp(logarithm * bench::hashed(i, 1))); });
  }
  return sums_by_key(exec, keys, different);
}

/// One partner on each side for about two thirds of the rows.
prepared join(const exec_space& exec, std::int64_t n) {
  const auto left = make_view<std::int64_t*>("left", n), right = make_view<std::int64_t*>("right", n);
  quern::random::permutation(exec, left, key(1));
  quern::random::permutation(exec, right, key(2));
  Kokkos::parallel_for("shift", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { right(i) += n / 3; });
  const auto left_rows = make_view<std::int32_t*>("left rows", n),
             right_rows = make_view<std::int32_t*>("right rows", n);
  const Kokkos::View<std::int64_t, exec_space> count("count");
  prepared p{16.0 * n + 8.0 * (n - n / 3), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::join(exec, left_rows, right_rows, left, right, quern::size_to{count}); }},
                {"plain", [=] {
                   const key_map map(2 * n);
                   Kokkos::deep_copy(exec, count, std::int64_t{0});
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t j) { map.insert(right(j), j); });
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         const auto found = map.find(left(i));
                         if (!map.valid_at(found)) return;
                         const auto k = Kokkos::atomic_fetch_inc(&count());
                         left_rows(k) = i;
                         right_rows(k) = map.value_at(found);
                       });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(left_rows, 0);
    Kokkos::deep_copy(right_rows, 0);
  };
  p.right = [=] {
    // Different left rows, each with the right one.
    const auto seen = make_view<int*>("seen", n);
    Kokkos::deep_copy(seen, 0);
    std::int64_t pairs = 0;
    Kokkos::deep_copy(pairs, count);
    if (pairs != n - n / 3) return false;
    return bench::failures(
               pairs, KOKKOS_LAMBDA(std::int64_t k) {
                 return left(left_rows(k)) == right(right_rows(k)) &&
                        Kokkos::atomic_fetch_inc(&seen(left_rows(k))) == 0;
               }) == 0;
  };
  return p;
}

const bool registered = [] {
  bench::add({"group_by_hash_1000", {1'000'000, 100'000'000}, 40'099, group_by<1000>});
  bench::add({"group_by_hash_1e6", {100'000'000}, 40'099, group_by<1'000'000>});
  const std::vector<std::int64_t> different{10, 1000, 100'000, 10'000'000, 1'000'000'000};
  bench::add({"group_by_i32 5e7 rows", different, 7, group_by_range<std::int32_t, frequency::uniform>});
  bench::add({"group_by_i64 5e7 rows", {10'000'000}, 7, group_by_range<std::int64_t, frequency::uniform>});
  bench::add(
      {"group_by_i32 zipf 5e7 rows", {1000, 1'000'000, 10'000'000}, 7, group_by_range<std::int32_t, frequency::zipf>});
  bench::add({"group_by_i64 zipf 5e7 rows", {1'000'000}, 7, group_by_range<std::int64_t, frequency::zipf>});
  bench::add({"join_i64", {1'000'000, 30'000'000}, 4099, join});
  return true;
}();

}  // namespace
