// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/reductions.md, as part of functions that a user might write around it.
// # 1

#include <quern/stencil.hpp>
#include "guide.hpp"

namespace {

struct sum_of_two {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

void statistics(const space& exec) {
  // # 2
  quern::fill(exec, t, 3.0);
  // # 3
  // # 4
  mean = quern::mean(exec, t);
  EXPECT_EQ(3.0, mean);
  EXPECT_EQ(3.0, typical);
  EXPECT_EQ(3.0, extreme);
  EXPECT_EQ(0.0, test::value(hottest));
  EXPECT_EQ(0.0, test::contents(profile)[7]);
}

void scans(const space& exec) {
  const sum_of_two plus;
  const Kokkos::View<double**> t("t", 5, 6);
  const Kokkos::View<double*> x("x", 9), out("out", 9);
  const Kokkos::View<int*> counts("counts", 9), offsets("offsets", 9);
  quern::fill(exec, x, 2.0);
  quern::fill(exec, counts, 3);
  // # 5
  EXPECT_EQ(18.0, test::contents(out)[8]);
  EXPECT_EQ(24, test::contents(offsets)[8]);
}

void segments(const space& exec) {
  const sum_of_two plus;
  const Kokkos::View<double*> values("values", 6), row_sums("row sums", 2);
  const Kokkos::View<int*> particles("particles", 6), positions("positions", 6);
  const auto row_start = on_device<std::int64_t>({0, 2, 6}), cell_start = row_start;
  quern::fill(exec, values, 1.0);
  quern::fill(exec, particles, 1);
  // # 6
  EXPECT_EQ((std::vector<double>{2, 4}), test::contents(row_sums));
  EXPECT_EQ((std::vector<int>{1, 2, 1, 2, 3, 4}), test::contents(positions));
}

void reproducible(const space& exec) {
  const Kokkos::View<double***> t("t", 4, 5, 6);
  const Kokkos::View<double*> x("x", 10), profile("profile", 6);
  quern::fill(exec, x, 0.5);
  // # 7
  EXPECT_EQ(5.0, total);
}

struct laplacian_and_product {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = 4 * p(0, 0) - p(-1, 0) - p(1, 0) - p(0, -1) - p(0, 1);
    return quern::values(l, l * p(0, 0));
  }
};
struct step_and_square {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double rest = r - alpha * w;
    return quern::values(u + alpha * p, rest, rest * rest);
  }
};

void fused(const space& exec) {
  const laplacian_and_product apply;
  const step_and_square advance;
  const Kokkos::View<double**> u("u", 1, 2), r("r", 1, 2), p("p", 1, 2), w("w", 1, 2);
  const Kokkos::View<double> pw("pw"), rr("rr"), alpha("alpha");
  quern::fill(exec, r, 3.0);
  quern::fill(exec, p, 3.0);
  quern::fill(exec, rr, 18.0);
  // # 8
  EXPECT_EQ(54.0, test::value(pw));
  EXPECT_NEAR(0.0, test::value(rr), 1e-30);  // the solution, after one step
  for (const double found : test::contents(u)) EXPECT_DOUBLE_EQ(1.0, found);
}

struct is_positive {
  KOKKOS_FUNCTION bool operator()(double a) const { return a > 0; }
};

void masks(const space& exec) {
  const sum_of_two plus;
  const is_positive positive;
  const Kokkos::View<double**> t("t", 2, 3);
  const Kokkos::View<double*> column("column", 2), x("x", 4), out("out", 4);
  const auto inside = on_device<int>({1, 0, 1}), chosen = on_device<int>({1, 0, 1, 1});
  quern::fill(exec, t, 2.0);
  quern::fill(exec, x, 1.0);
  // # 9
  EXPECT_EQ((std::vector<double>{2, 2}), test::contents(column));
  EXPECT_EQ(12.0, hot);
  EXPECT_EQ(2.0, typical_heat);
  EXPECT_EQ((std::vector<double>{1, 1, 2, 3}), test::contents(out));
  EXPECT_EQ((std::vector<double>{2, 1, 2, 2}), test::contents(x));
}

}  // namespace

TEST(Guides, Reductions) {
  const space exec;
  statistics(exec);
  scans(exec);
  segments(exec);
  reproducible(exec);
  fused(exec);
  masks(exec);
}
