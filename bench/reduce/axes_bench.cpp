// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions along an axis and positions, beside a loop for each result and a team for each result. Bytes count each
// input read and each output written once.

#include <memory>
#include <quern/core.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

/// Every array is before x along x after, and reduced along the one in the middle.
prepared sum_along(const exec_space& exec, std::int64_t before, std::int64_t along, std::int64_t after) {
  const auto x = sampled(make_view<double***>("x", before, along, after), 1);
  const auto out = make_view<double**>("out", before, after);
  prepared p{8.0 * before * after * (along + 1), 1.0 * before * along * after, {}, {}, {}};
  using policy = Kokkos::TeamPolicy<exec_space>;
  p.variants = {{"quern", [=] { quern::sum(exec, out, x, quern::axis{1}); }},
                {"plain",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, before * after), KOKKOS_LAMBDA(std::int64_t r) {
                         const std::int64_t i = r / after, k = r % after;
                         double s = 0;
                         for (std::int64_t j = 0; j < along; ++j) s += x(i, j, k);
                         out(i, k) = s;
                       });
                 }},
                {"plain_team", [=] {
                   Kokkos::parallel_for(
                       "plain", policy(exec, static_cast<int>(before * after), Kokkos::AUTO),
                       KOKKOS_LAMBDA(const policy::member_type& team) {
                         const std::int64_t i = team.league_rank() / after, k = team.league_rank() % after;
                         double total = 0;
                         Kokkos::parallel_reduce(
                             Kokkos::TeamThreadRange(team, along), [=](std::int64_t j, double& s) { s += x(i, j, k); },
                             total);
                         Kokkos::single(Kokkos::PerTeam(team), [=] { out(i, k) = total; });
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return bench::failures(
               before * after, KOKKOS_LAMBDA(std::int64_t r) {
                 const std::int64_t i = r / after, k = r % after;
                 double s = 0;
                 for (std::int64_t j = 0; j < along; ++j) s += x(i, j, k);
                 return Kokkos::abs(out(i, k) - s) <= 1e-12 * s;
               }) == 0;
  };
  return p;
}

prepared argmax(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1);
  const auto out = make_view<std::int64_t>("out");
  prepared p{8.0 * n, 1.0 * n, {}, {}, {}};
  using plain_argmax = Kokkos::MaxFirstLoc<double, std::int64_t>;
  p.variants = {{"quern", [=] { quern::argmax(exec, out, x); }},
                {"plain", [=] {
                   plain_argmax::value_type r;
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n),
                       KOKKOS_LAMBDA(std::int64_t i, plain_argmax::value_type& s) {
                         if (x(i) > s.val) s = {x(i), i};
                       },
                       plain_argmax(r));
                   Kokkos::deep_copy(exec, out, r.loc);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, std::int64_t{-7}); };
  p.right = [=] {
    const std::int64_t at = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out)();
    return at >= 0 && at < n &&
           bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return i < at ? x(i) < x(at) : x(i) <= x(at); }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  const auto add = [](const char* name, std::vector<int64_t> sizes, bench::prepare make) {
    bench::add({name, std::move(sizes), 33, std::move(make)});
  };
  add("sum_axis0/float64 n2", {1000, 10'000}, [](const exec& e, int64_t n) { return sum_along(e, 1, n, n); });
  add("sum_axis1/float64 n2", {1000, 10'000}, [](const exec& e, int64_t n) { return sum_along(e, n, n, 1); });
  add("sum_axis0/float64 n3", {512}, [](const exec& e, int64_t n) { return sum_along(e, 1, n, n * n); });
  add("sum_axis1/float64 n3", {512}, [](const exec& e, int64_t n) { return sum_along(e, n, n, n); });
  add("sum_axis2/float64 n3", {512}, [](const exec& e, int64_t n) { return sum_along(e, n * n, n, 1); });
  add("sum_axis0/float64 nx3", {100'000'000}, [](const exec& e, int64_t n) { return sum_along(e, 1, n, 3); });
  add("sum_axis1/float64 nx3", {100'000'000}, [](const exec& e, int64_t n) { return sum_along(e, n, 3, 1); });
  add("sum_axis0/float64 3xn", {100'000'000}, [](const exec& e, int64_t n) { return sum_along(e, 1, 3, n); });
  add("sum_axis1/float64 3xn", {100'000'000}, [](const exec& e, int64_t n) { return sum_along(e, 3, n, 1); });
  // Rows that no pack divides, and a middle axis.
  add("sum_axis1/float64 1e5xn", {776, 777}, [](const exec& e, int64_t n) { return sum_along(e, 100'000, n, 1); });
  add("sum_axis1/float64 300x400xn", {500, 501}, [](const exec& e, int64_t n) { return sum_along(e, 300, 400, n); });
  bench::add({"argmax/float64", {1'000'000, 100'000'000}, 1003, argmax});
  return true;
}();

}  // namespace
