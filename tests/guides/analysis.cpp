// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/analysis.md, as part of functions that a user might write around it.
#include <cmath>

#include "guide.hpp"

namespace {

// # 1

/// A mass times its column in the last axis.
struct times_column {
  std::int64_t columns;
  KOKKOS_FUNCTION double operator()(double mass, const Kokkos::Array<std::int64_t, 1>& at) const {
    return mass * static_cast<double>(at[0] % columns);
  }
};

struct column_of {
  std::int64_t columns;
  KOKKOS_FUNCTION std::int64_t operator()(int, const Kokkos::Array<std::int64_t, 1>& at) const {
    return at[0] % columns;
  }
};

void features(const space& exec) {
  const std::int64_t nz = 5;
  const Kokkos::View<std::uint8_t***, Kokkos::LayoutRight, space> mask("mask", 2, 3, nz);
  const Kokkos::View<int***, Kokkos::LayoutRight, space> labels("labels", 2, 3, nz);
  const Kokkos::View<double***, Kokkos::LayoutRight, space> density("density", 2, 3, nz);
  const Kokkos::View<double*> mass("mass", 2), peak("peak", 2), moment("moment", 2), centre("centre", 2);
  const Kokkos::View<std::int64_t*> first("first", 2), last("last", 2);
  quern::fill(exec, quern::slice(mask, {{0, 1}, {0, 1}, {1, 4}}), 1);
  quern::fill(exec, quern::slice(mask, {{1, 2}, {2, 3}, {4, 5}}), 1);
  quern::fill(exec, density, 2.0);
  // # 2
  EXPECT_EQ(2, n);
  // # 4
  EXPECT_EQ((std::vector<double>{6, 2}), test::contents(mass));
  EXPECT_EQ((std::vector<double>{2, 2}), test::contents(peak));
  EXPECT_EQ((std::vector<double>{2, 4}), test::contents(centre));
  EXPECT_EQ((std::vector<std::int64_t>{1, 4}), test::contents(first));
  EXPECT_EQ((std::vector<std::int64_t>{3, 4}), test::contents(last));
  // # 3
  EXPECT_EQ(1, quern::max(exec, labels));  // which meet at a corner, beyond the end of the second axis
}

void clusters_of(const space& exec) {
  const Kokkos::View<double**> points("points", 11, 2);
  const Kokkos::View<int*> cluster("cluster", 11);
  quern::fill(exec, quern::slice(points, {{5, 10}, {0, 2}}), 1);
  quern::fill(exec, quern::slice(points, {{10, 11}, {0, 2}}), 0.5);
  // # 5
  EXPECT_EQ(2, clusters);
  EXPECT_EQ((std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1}), test::contents(cluster));
  // # 6
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(5.0 / 12, found.inertia, 1e-15);  // the last point is of either cluster
}

void graphs(const space& exec) {
  const auto from = on_device<int>({0, 4}), to = on_device<int>({2, 2});
  const Kokkos::View<int*> component("component", 5);
  // # 7
  EXPECT_EQ(3, parts);
  EXPECT_EQ((std::vector<int>{0, 1, 0, 2, 0}), test::contents(component));
}

void advance(const space& exec, const Kokkos::View<double***>& u) { quern::add(exec, u, u, 1.0); }

void statistics_of_steps(const space& exec) {
  const int steps = 5;
  const Kokkos::View<double***> u("u", 3, 4, 5), mean_field("mean_field", 3, 4, 5);
  const Kokkos::View<double*> deviations("deviations", 3);
  const Kokkos::View<double**> velocity("velocity", 60, 3), matrix("matrix", 3, 3);
  // # 8
  EXPECT_EQ(3, test::contents(mean_field)[59]);
  EXPECT_NEAR(std::sqrt(200.0 / 99), test::contents(deviations)[1], 1e-15);
  // # 9
  EXPECT_EQ(60, test::contents(bins.counts())[25]);
  EXPECT_EQ(0, test::contents(matrix)[8]);
}

}  // namespace

TEST(Guides, Analysis) {
  const space exec;
  features(exec);
  clusters_of(exec);
  graphs(exec);
  statistics_of_steps(exec);
}
