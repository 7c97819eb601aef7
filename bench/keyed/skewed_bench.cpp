// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts and sums by keys as data have them: some are frequent. Beside a loop with one atomic for each key. Bytes count
// each key and weight read once.

#include <quern/keyed.hpp>

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
                   if constexpr (std::is_floating_point_v<K>)
                     quern::histogram(exec, sums, keys, quern::bin_range{0.0, static_cast<double>(bins)});
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

template <class K, class Sum, distribution How, std::int64_t Bins>
prepared of(const exec_space& exec, std::int64_t n) {
  return bincount<K, Sum>(exec, n, Bins, How);
}
/// As many bins as keys.
template <class Sum, distribution How>
prepared in_as_many(const exec_space& exec, std::int64_t n) {
  return bincount<std::int32_t, Sum>(exec, n, n, How);
}

template <distribution How>
void add_rows(const std::string& name) {
  const std::vector<std::int64_t> sizes{1'000'000, 50'000'000};
  bench::add({"bincount_i32 weights in 1e6 " + name, sizes, 4099, of<std::int32_t, double, How, 1'000'000>});
  bench::add({"bincount_i32 in 1e6 " + name, sizes, 4099, of<std::int32_t, std::int64_t, How, 1'000'000>});
  bench::add({"bincount_i64 weights in 1e6 " + name, {50'000'000}, 4099, of<std::int64_t, double, How, 1'000'000>});
  bench::add({"bincount_i32 weights in 1000 " + name, sizes, 4099, of<std::int32_t, double, How, 1000>});
  bench::add({"bincount_i32 in 1000 " + name, {50'000'000}, 4099, of<std::int32_t, std::int64_t, How, 1000>});
  bench::add({"histogram_f64 in 1e6 " + name, {50'000'000}, 4099, of<double, std::int64_t, How, 1'000'000>});
}
template <distribution How>
void add_rows_of_as_many(const std::string& name) {
  bench::add({"bincount_i32 weights in n " + name, {50'000'000}, 4099, in_as_many<double, How>});
  bench::add({"bincount_i32 in n " + name, {50'000'000}, 4099, in_as_many<std::int64_t, How>});
}

const bool registered = [] {
  add_rows<distribution::uniform>("uniform");
  add_rows<distribution::log_uniform>("log-uniform");
  add_rows<distribution::zipf>("zipf 1.2");
  add_rows<distribution::half_equal>("half equal");
  add_rows<distribution::all_equal>("all equal");
  add_rows<distribution::runs>("runs");
  add_rows_of_as_many<distribution::uniform>("uniform");
  add_rows_of_as_many<distribution::all_different>("all different");
  return true;
}();

}  // namespace
