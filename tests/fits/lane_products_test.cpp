// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of products of a fit by lanes that multiply matrices together, of which a host has none.
#include <cmath>
#include <limits>
#include <quern/fits/lane_products.hpp>
#include <support/emulated_lanes.hpp>
#include <support/testing.hpp>

namespace {

using quern::impl::fit_rows, quern::impl::strided;
using host = Kokkos::DefaultHostExecutionSpace;

/// `matrix_lane` on a host: what a device does by one instruction.
struct emulated_lane {
  int lane;
  const test::lanes_in_turn<32>::lane_type* all;
  void add_products(double (&sum)[2], double a, double b) const {
    for (int k = 0; k < 4; ++k) {
      const double left = all->from(lane / 4 * 4 + k, a);
      for (int i = 0; i < 2; ++i) sum[i] += left * all->from((lane % 4 * 2 + i) * 4 + k, b);
    }
  }
  void add_products(double (&first)[2], double (&second)[2], double a, double a2, double b) const {
    add_products(first, a, b);
    add_products(second, a2, b);
  }
};

/// The sums of all teams' lanes, as a matrix of all columns.
template <class T, int Blocks, bool Paired>
std::vector<double> products(const fit_rows<T>& rows, const std::vector<double>& origin) {
  using kernel = quern::impl::lane_products<host, T, Blocks, Paired>;
  kernel k(rows);
  k.of.origin = origin.empty() ? nullptr : origin.data();
  k.rows_of_team = 31;
  const std::int64_t teams = (rows.count() + k.rows_of_team - 1) / k.rows_of_team;
  std::vector<double> all(kernel::sums());
  for (std::int64_t team = 0; team < teams; ++team)
    for (int g = 0; g < kernel::groups; ++g) {
      test::lanes_in_turn<32> warp;
      warp.each([&](const auto& l) {
        double sum[kernel::tiles][2] = {};
        k.add_rows_of(emulated_lane{l.lane, &l}, g, team, teams, sum);
        for (int t = 0; t < kernel::tiles; ++t)
          for (int i = 0; i < 2; ++i) all[kernel::place(l.lane, t, i)] += sum[t][i];
      });
    }
  const int p = rows.columns();
  std::vector<double> result(p * p, std::numeric_limits<double>::quiet_NaN());
  for (int number = 0; number < kernel::pairs(); ++number)
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        const int a = kernel::pair(number).left * 8 + i, b = kernel::pair(number).right * 8 + j;
        const double v = all[(number * 8 + i) * 8 + j];
        if (a < p && b < p) result[a * p + b] = result[b * p + a] = v;
      }
  return result;
}

/// Whole numbers, whose products are exact; what is not read is NaN.
template <class T>
struct data {
  std::vector<T> x, y, weight;
  std::vector<double> origin;
  fit_rows<T> rows;

  data(std::int64_t n, int d, int t, bool by_columns, bool weighted)
      : x(n * (d + 1), nan()), y(n * (t + 1), nan()), weight(2 * n, nan()), origin(d + t) {
    const quern::shape of_x{n, d}, of_y{n, t};
    rows.x = by_columns ? strided<const T>{x.data(), of_x, {1, n}} : strided<const T>{x.data(), of_x, {d + 1, 1}};
    rows.y = by_columns ? strided<const T>{y.data(), of_y, {1, n}} : strided<const T>{y.data(), of_y, {t + 1, 1}};
    for (std::int64_t i = 0; i < n; ++i) {
      for (int j = 0; j < d; ++j) x[i * rows.x.stride[0] + j * rows.x.stride[1]] = whole(i, j);
      for (int j = 0; j < t; ++j) y[i * rows.y.stride[0] + j * rows.y.stride[1]] = whole(i, d + j);
      weight[2 * i] = static_cast<T>((i % 3) * (i % 3));
    }
    for (int j = 0; j < d + t; ++j) origin[j] = j % 7;
    if (!weighted) return;
    rows.weight = weight.data();
    rows.weight_step = 2;
  }
  static T nan() { return std::numeric_limits<T>::quiet_NaN(); }
  static T whole(std::int64_t i, int j) { return static_cast<T>((i * 37 + j * 11 + i * j) % 19 - 9); }

  std::vector<double> expected(bool centred) const {
    const int p = rows.columns();
    std::vector<double> sums(p * p);
    for (std::int64_t i = 0; i < rows.count(); ++i) {
      const double w = rows.weight == nullptr ? 1 : static_cast<double>(weight[2 * i]);
      const auto value = [&](int j) {
        return j == p - 1 ? 1.0 : static_cast<double>(whole(i, j)) - (centred ? origin[j] : 0);
      };
      for (int a = 0; a < p; ++a)
        for (int b = 0; b < p; ++b) sums[a * p + b] += w * value(a) * value(b);
    }
    return sums;
  }
};

template <class T, int Blocks>
void check(int d, int t) {
  for (const std::int64_t n : {1, 13, 61, 146})  // an even number of rows makes pairs
    for (const bool by_columns : {false, true}) {
      const bool weighted = by_columns != (n == 13) && !(d > 20 && n == 146);
      const data<T> all(n, d, t, by_columns, weighted);
      const bool paired = quern::impl::are_paired(all.rows);
      EXPECT_EQ(by_columns && (n == 146 || (d < 2 && t < 2)), paired);
      const std::vector<double> origin = weighted ? std::vector<double>{} : all.origin;
      const auto found =
          paired ? products<T, Blocks, true>(all.rows, origin) : products<T, Blocks, false>(all.rows, origin);
      ASSERT_EQ(all.expected(!weighted), found)
          << n << " rows of " << d << " and " << t << ", by columns " << by_columns << ", weights " << weighted;
    }
}

TEST(LaneProducts, AreThoseOfAllColumns) {
  check<double, 2>(1, 0);
  check<double, 2>(1, 1);
  check<float, 2>(8, 1);
  check<double, 2>(14, 1);
  check<double, 3>(16, 2);
  check<float, 5>(31, 1);
  check<double, 5>(38, 1);
  check<double, 5>(20, 19);
}

TEST(LaneProducts, SpreadNaNToItsColumn) {
  data<double> all(40, 9, 1, false, false);
  all.x[30 * 10 + 2] = all.nan();
  const auto found = products<double, 2, false>(all.rows, {});
  const auto expected = all.expected(false);
  for (int a = 0; a < 11; ++a)
    for (int b = 0; b < 11; ++b)
      EXPECT_TRUE(a == 2 || b == 2 ? std::isnan(found[a * 11 + b]) : found[a * 11 + b] == expected[a * 11 + b]);
}

}  // namespace
