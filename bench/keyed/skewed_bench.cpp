// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts and sums by keys as data have them: some are frequent. Beside a loop with one atomic for each key. Bytes count
// each key and weight read once.

#include <quern/keyed.hpp>
#include <string>
#include <utility>
#include <vector>

#include "keyed/skewed_keys.hpp"

namespace {

using bench::distribution;
using bench::exec_space;
using bench::make_view;
using bench::prepared;

/// One atomic addition for each key.
template <class K, class Sums>
struct plain_sums {
  using sum = typename Sums::non_const_value_type;
  decltype(make_view<K*>("", 0)) keys;
  decltype(make_view<double*>("", 0)) values;  // empty for counts
  Sums out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sum* const to = &out(static_cast<std::int64_t>(keys(i)));
    if constexpr (std::is_integral_v<sum>) Kokkos::atomic_inc(to);
    else Kokkos::atomic_add(to, values(i));
  }
  void run(const exec_space& exec) const {
    Kokkos::deep_copy(exec, out, sum(0));
    Kokkos::parallel_for("plain", bench::range(exec, 0, static_cast<std::int64_t>(keys.extent(0))), *this);
  }
};

/// `bincount` of integers, `histogram` of floating-point values.
template <class K, class Sum>
prepared bincount(const exec_space& exec, std::int64_t n, std::int64_t bins, distribution how) {
  constexpr bool weighted = !std::is_integral_v<Sum>;
  const auto keys = bench::keys_of<K>(exec, n, bins, how);
  const auto values = make_view<double*>("values", weighted ? n : 0);
  const auto sums = make_view<Sum*>("sums", bins), expected = make_view<Sum*>("expected", bins);
  Kokkos::parallel_for(
      "values", bench::range(exec, 0, static_cast<std::int64_t>(values.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { values(i) = 1 + i % 3; });
  const plain_sums<K, std::remove_const_t<decltype(sums)>> plain{keys, values, sums};
  prepared p{static_cast<double>(sizeof(K) + (weighted ? 8 : 0)) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   [[maybe_unused]] const quern::bin_range range{0.0, static_cast<double>(bins)};
                   if constexpr (std::is_floating_point_v<K> && weighted)
                     quern::histogram(exec, sums, keys, range, quern::weights{values});
                   else if constexpr (std::is_floating_point_v<K>) quern::histogram(exec, sums, keys, range);
                   else if constexpr (weighted) quern::bincount(exec, sums, keys, quern::weights{values});
                   else quern::bincount(exec, sums, keys);
                 }},
                {"plain", [=] { plain.run(exec); }}};
  p.poison = [=] { Kokkos::deep_copy(sums, Sum(-7)); };
  p.right = [=] {
    auto again = plain;
    again.out = expected;
    again.run(exec);
    return bench::failures(bins, KOKKOS_LAMBDA(std::int64_t b) { return sums(b) == expected(b); }) == 0;
  };
  return p;
}

/// In `bins`, or, of 0, in as many as keys.
template <class K, class Sum>
void add_row(const std::string& name, distribution how, std::int64_t bins, std::vector<std::int64_t> sizes) {
  bench::add({name, std::move(sizes), 4099, [how, bins](const exec_space& exec, std::int64_t n) {
                return bincount<K, Sum>(exec, n, bins == 0 ? n : bins, how);
              }});
}
void add_rows(const std::string& name, distribution how) {
  using std::int32_t, std::int64_t;
  constexpr int64_t million = 1'000'000;
  const std::vector<int64_t> both{million, 50 * million}, large{50 * million};
  add_row<int32_t, double>("bincount_i32 weights in 1e6 " + name, how, million, both);
  add_row<int32_t, int64_t>("bincount_i32 in 1e6 " + name, how, million, both);
  add_row<int64_t, double>("bincount_i64 weights in 1e6 " + name, how, million, large);
  add_row<int64_t, int64_t>("bincount_i64 in 1e6 " + name, how, million, large);
  add_row<int32_t, double>("bincount_i32 weights in 1000 " + name, how, 1000, both);
  add_row<int32_t, int64_t>("bincount_i32 in 1000 " + name, how, 1000, large);
  add_row<double, double>("histogram_f64 weights in 1e6 " + name, how, million, large);
  add_row<double, int64_t>("histogram_f64 in 1e6 " + name, how, million, large);
}
void add_rows_of_as_many(const std::string& name, distribution how) {
  const std::vector<std::int64_t> large{50'000'000};
  add_row<std::int32_t, double>("bincount_i32 weights in n " + name, how, 0, large);
  add_row<std::int32_t, std::int64_t>("bincount_i32 in n " + name, how, 0, large);
}

const bool registered = [] {
  add_rows("uniform", distribution::uniform);
  add_rows("log-uniform", distribution::log_uniform);
  add_rows("zipf 1.2", distribution::zipf);
  add_rows("half equal", distribution::half_equal);
  add_rows("all equal", distribution::all_equal);
  add_rows("runs", distribution::runs);
  add_rows_of_as_many("uniform", distribution::uniform);
  add_rows_of_as_many("all different", distribution::all_different);
  return true;
}();

}  // namespace
