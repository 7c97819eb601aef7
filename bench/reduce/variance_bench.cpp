// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Variances of rows that begin beside the boundaries of packs, and of one long row, beside a team for each row that
// reads it twice; and of the columns of few, beside a loop over all rows. Bytes count each element read once.

#include <quern/core.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;

/// Numbers between 0 and 100, which types of a byte hold, too.
template <class T>
struct fill_rows {
  bench::view<T**> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x.data()[i] = static_cast<T>(100 * bench::hashed(i, 1)); }
};

/// The variance of a row by two passes in double, by other kernels than those of the benchmark.
template <class X>
double exact_var(const X& x, std::int64_t row) {
  const auto n = static_cast<std::int64_t>(x.extent(1));
  double sum = 0, squares = 0;
  Kokkos::parallel_reduce(
      "bench::exact", range(0, n), KOKKOS_LAMBDA(std::int64_t j, double& s) { s += static_cast<double>(x(row, j)); },
      sum);
  const double mean = sum / static_cast<double>(n);
  Kokkos::parallel_reduce(
      "bench::exact", range(0, n),
      KOKKOS_LAMBDA(std::int64_t j, double& s) {
        const double d = static_cast<double>(x(row, j)) - mean;
        s += d * d;
      },
      squares);
  return squares / static_cast<double>(n);
}

template <class T, class Result>
prepared var_of_rows(const exec_space& exec, std::int64_t rows, std::int64_t n) {
  const auto all = make_view<T**>("x", rows, n + 1);
  Kokkos::parallel_for("bench::fill", range(0, rows * (n + 1)), fill_rows<T>{all});
  Kokkos::fence();
  const auto x = Kokkos::subview(all, Kokkos::ALL, std::pair<std::int64_t, std::int64_t>(1, n + 1));
  const auto out = make_view<Result*>("out", rows);
  prepared p{1.0 * sizeof(T) * rows * n, 4.0 * rows * n, {}, {}, {}};
  using policy = Kokkos::TeamPolicy<exec_space>;
  p.variants = {{"quern", [=] { quern::var(exec, out, x, quern::axis{1}); }}};
  if (rows > 1)  // one row would be read by one team
    p.variants.push_back(
        {"plain_team", [=] {
           Kokkos::parallel_for(
               "plain", policy(exec, static_cast<int>(rows), Kokkos::AUTO),
               KOKKOS_LAMBDA(const typename policy::member_type& team) {
                 const int row = team.league_rank();
                 Result mean = 0, var = 0;
                 const auto add = [=](std::int64_t j, Result& s) { s += static_cast<Result>(x(row, j)); };
                 Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, n), add, mean);
                 mean /= static_cast<Result>(n);
                 const auto add_square = [=](std::int64_t j, Result& s) {
                   const Result d = static_cast<Result>(x(row, j)) - mean;
                   s += d * d;
                 };
                 Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, n), add_square, var);
                 Kokkos::single(Kokkos::PerTeam(team), [=] { out(row) = var / static_cast<Result>(n); });
               });
         }});
  p.poison = [=] { Kokkos::deep_copy(out, Result(-7)); };
  p.right = [=] {
    constexpr double relative = sizeof(Result) == 4 ? 1e-5 : 1e-10;
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
      const double var = exact_var(x, row);
      if (!(Kokkos::abs(static_cast<double>(got(row)) - var) <= relative * var)) return false;
    }
    return true;
  };
  return p;
}

template <class T>
prepared var_of_columns(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t rows = 100'000;
  const auto x = make_view<T**>("x", rows, n);
  Kokkos::parallel_for("bench::fill", range(0, rows * n), fill_rows<T>{x});
  Kokkos::fence();
  const auto out = make_view<T*>("out", n);
  prepared p{1.0 * sizeof(T) * rows * n, 4.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::var(exec, out, x, quern::axis{0}); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t j) {
                         double sum = 0, squares = 0;
                         for (std::int64_t i = 0; i < rows; ++i) sum += static_cast<double>(x(i, j));
                         const double mean = sum / rows;
                         for (std::int64_t i = 0; i < rows; ++i) {
                           const double d = static_cast<double>(x(i, j)) - mean;
                           squares += d * d;
                         }
                         out(j) = static_cast<T>(squares / rows);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    const Kokkos::View<T**, Kokkos::LayoutStride, bench::memory_space> columns(
        x.data(), Kokkos::LayoutStride(static_cast<std::size_t>(n), 1, rows, static_cast<std::size_t>(n)));
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (const std::int64_t column : {std::int64_t{0}, n - 1}) {
      const double var = exact_var(columns, column);
      if (!(Kokkos::abs(static_cast<double>(got(column)) - var) <= 1e-5 * var)) return false;
    }
    return true;
  };
  return p;
}

template <class T, class Result>
void add(const char* of_one, const char* of_rows) {
  using std::int64_t;
  const auto one = [](const exec_space& e, int64_t n) { return var_of_rows<T, Result>(e, 1, n); };
  const auto rows = [](const exec_space& e, int64_t n) { return var_of_rows<T, Result>(e, 10'000, n); };
  bench::add({of_one, {1'000'000, 100'000'000}, 1003, one});
  bench::add({of_rows, {1001, 10'000}, 33, rows});
}

[[maybe_unused]] const bool registered = [] {
  add<double, double>("var/float64", "var/float64 1e4xn");
  add<float, float>("var/float32", "var/float32 1e4xn");
  add<std::int32_t, double>("var/int32", "var/int32 1e4xn");
  add<std::int8_t, double>("var/int8", "var/int8 1e4xn");
  bench::add({"var_axis0/float64 1e5xn", {5, 10, 30, 100}, 3, var_of_columns<double>});
  bench::add({"var_axis0/float32 1e5xn", {5, 10, 30, 100}, 3, var_of_columns<float>});
  return true;
}();

}  // namespace
