// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups and joins of 64-bit keys beside what a user would write with Kokkos's unordered map. Bytes count each key and
// value once, and each result.

#include <Kokkos_UnorderedMap.hpp>
#include <algorithm>
#include <initializer_list>
#include <quern/keyed.hpp>
#include <quern/random.hpp>
#include <string>
#include <utility>
#include <vector>

#include "keyed/skewed_keys.hpp"

namespace {

using bench::distribution;
using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;

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

struct sum_of {
  static constexpr double first = 0;
  KOKKOS_FUNCTION static void join(double* to, double value) { Kokkos::atomic_add(to, value); }
  template <class... Args>
  static void call(const Args&... args) {
    quern::sum(args...);
  }
};
struct min_of {
  static constexpr double first = 4;  // more than the values are
  KOKKOS_FUNCTION static void join(double* to, double value) { Kokkos::atomic_min(to, value); }
  template <class... Args>
  static void call(const Args&... args) {
    quern::min(args...);
  }
};

double total_of(const bench::view<double*>& v, std::int64_t n) {
  double total = 0;
  Kokkos::parallel_reduce("total", bench::range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += v(i); }, total);
  return total;
}

/// From keys to sums, or least ones, of values by key.
template <class Op, class Keys>
prepared results_by_key(const exec_space& exec, const Keys& keys, std::int64_t different) {
  using K = typename Keys::value_type;
  const auto n = static_cast<std::int64_t>(keys.extent(0)), most = std::min(n, different);
  const auto values = make_view<double*>("values", n), results = make_view<double*>("results", most);
  Kokkos::parallel_for("values", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { values(i) = 1 + i % 3; });
  std::int64_t size = 0;
  double expected = 0;
  {
    const auto by = quern::group_by(exec, keys);
    const auto labels = by.labels();
    size = by.size();
    Kokkos::deep_copy(results, Op::first);
    Kokkos::parallel_for(
        "expected", bench::range(exec, 0, n),
        KOKKOS_LAMBDA(std::int64_t i) { Op::join(&results(labels(i)), values(i)); });
    expected = total_of(results, size);
  }
  const auto used = Kokkos::subview(results, Kokkos::pair<std::int64_t, std::int64_t>(0, size));
  prepared p{(8.0 + sizeof(K)) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { Op::call(exec, used, values, quern::group_by(exec, keys)); }},
                {"plain", [=] {
                   const Kokkos::UnorderedMap<std::int64_t, std::int32_t, exec_space> map(2 * most);
                   Kokkos::deep_copy(exec, results, Op::first);
                   const auto row = make_view<std::int32_t*>("rows", map.capacity());
                   const Kokkos::View<std::int32_t, exec_space> count("count");
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         const auto found = map.insert(static_cast<std::int64_t>(keys(i)));
                         if (found.success()) row(found.index()) = Kokkos::atomic_fetch_inc(&count());
                       });
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         Op::join(&results(row(map.find(static_cast<std::int64_t>(keys(i))))), values(i));
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(results, -7.0); };
  p.right = [=] {
    return total_of(results, size) == expected &&
           bench::failures(size, KOKKOS_LAMBDA(std::int64_t g) { return results(g) >= 1; }) == 0;
  };
  return p;
}
template <std::int64_t Different>
prepared group_by(const exec_space& exec, std::int64_t n) {
  return results_by_key<sum_of>(exec, spread_keys(exec, n, Different, 1), Different);
}

/// The same of 5e7 rows, or of few where it is only verified, with keys from 0 to `different` - 1.
template <class K, class Op = sum_of>
bench::prepare group_by_range(distribution how) {
  return [how](const exec_space& exec, std::int64_t different) {
    const std::int64_t n = different < 10 ? 100 : 50'000'000;
    return results_by_key<Op>(exec, bench::keys_of<K>(exec, n, different, how), different);
  };
}
template <class Op>
prepared group_by_different(const exec_space& exec, std::int64_t n) {
  return results_by_key<Op>(exec, bench::keys_of<std::int64_t>(exec, n, n, distribution::all_different), n);
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
                   const Kokkos::UnorderedMap<std::int64_t, std::int32_t, exec_space> map(2 * n);
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
  const auto add = [](const std::string& name, std::vector<std::int64_t> numbers, bench::prepare make) {
    bench::add({name, std::move(numbers), 7, std::move(make)});
  };
  constexpr std::int64_t million = 1'000'000;
  add("group_by_i32 5e7 rows", {10, 1000, 100'000, million, 10 * million, 1000 * million},
      group_by_range<std::int32_t>(distribution::uniform));
  add("group_by_i64 5e7 rows", {million, 10 * million}, group_by_range<std::int64_t>(distribution::uniform));
  add("group_by_f64 5e7 rows", {million}, group_by_range<double>(distribution::uniform));
  add("group_by_i32 log-uniform 5e7 rows", {1000, million, 10 * million},
      group_by_range<std::int32_t>(distribution::log_uniform));
  add("group_by_i64 log-uniform 5e7 rows", {million, 10 * million},
      group_by_range<std::int64_t>(distribution::log_uniform));
  add("group_by_f64 log-uniform 5e7 rows", {million}, group_by_range<double>(distribution::log_uniform));
  add("group_by_i32 minima 5e7 rows", {million}, group_by_range<std::int32_t, min_of>(distribution::uniform));
  add("group_by_i32 minima log-uniform 5e7 rows", {million},
      group_by_range<std::int32_t, min_of>(distribution::log_uniform));
  // What is slowest of these is compared with the uniform keys above, in as many groups.
  for (const auto& [name, how] :
       std::initializer_list<std::pair<const char*, distribution>>{{"zipf 1.2", distribution::zipf},
                                                                   {"half equal", distribution::half_equal},
                                                                   {"all equal", distribution::all_equal},
                                                                   {"runs", distribution::runs}}) {
    const std::string rows = std::string(name) + " 5e7 rows";
    add("group_by_i32 " + rows, {million}, group_by_range<std::int32_t>(how));
    add("group_by_i64 " + rows, {million}, group_by_range<std::int64_t>(how));
    add("group_by_f64 " + rows, {million}, group_by_range<double>(how));
    add("group_by_i32 minima " + rows, {million}, group_by_range<std::int32_t, min_of>(how));
  }
  bench::add({"group_by_i64 all different", {50'000'000}, 4099, group_by_different<sum_of>});
  bench::add({"group_by_i64 minima all different", {50'000'000}, 4099, group_by_different<min_of>});
  bench::add({"join_i64", {1'000'000, 30'000'000}, 4099, join});
  return true;
}();

}  // namespace
