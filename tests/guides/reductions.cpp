// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/reductions.md, as part of functions that a user might write around it.
// # 1

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

}  // namespace

TEST(Guides, Reductions) {
  const space exec;
  statistics(exec);
  scans(exec);
  segments(exec);
  reproducible(exec);
}
