// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/reindexing.md, as part of functions that a user might write around it.
// # 1

#include "guide.hpp"

namespace {

struct difference {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a - b; }
};
struct halved {
  KOKKOS_FUNCTION double operator()(double a) const { return a / 2; }
};
using matrix = Kokkos::View<double**>;

matrix numbers() {
  const matrix x("x", 3, 4);
  quern::copy(x, quern::reshape(on_device<double>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), {3, 4}));
  return x;
}

void move(const space& exec) {
  const matrix x = numbers(), out("out", 3, 4);
  // # 2
  EXPECT_EQ(66, total);
  EXPECT_EQ(-4, test::contents(out)[0]);
}

void write_by_strides(const space& exec) {
  const matrix x = numbers(), out("out", 3, 4), square("square", 3, 3);
  // # 3
  EXPECT_EQ(8, test::contents(out)[0]);
  EXPECT_EQ((std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}), test::contents(square));
}

void take_rows(const space& exec) {
  const matrix x = numbers(), out("out", 3, 4), sorted("sorted", 3, 4);
  const Kokkos::View<int**> order("order", 3, 4);
  // # 4
  EXPECT_EQ((std::vector<double>{-1, 9, -1, 11, 0, 1, 2, 3, 8, 9, 10, -1}), test::contents(out));
  EXPECT_EQ(test::contents(x), test::contents(sorted));
}

void repeat_rows(const space& exec) {
  const matrix x = numbers(), out("out", 3, 4);
  // # 5
  quern::copy(exec, out, repeated);
  EXPECT_EQ((std::vector<double>{0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11}), test::contents(out));
  EXPECT_EQ(6, quern::sum(exec, fewer));
}

void pad_by_computed(const space& exec) {
  const Kokkos::View<double*> v("v", 4), line("line", 8);
  quern::arange(exec, v, 4);
  // # 6
  EXPECT_EQ((std::vector<double>{-1, -0.5, 0, 1, 2, 3, 6, 9}), test::contents(line));
}

void overlap(const space& exec) {
  const matrix x = numbers();
  // # 7
  EXPECT_EQ(11, test::contents(x)[11]);
}

void centre(const space& exec) {
  const matrix x = numbers(), out("out", 3, 4);
  // # 8
  EXPECT_EQ(-1.5, test::contents(out)[8]);
}

TEST(Guides, Reindexing) {
  const space exec;
  move(exec);
  write_by_strides(exec);
  take_rows(exec);
  repeat_rows(exec);
  pad_by_computed(exec);
  overlap(exec);
  centre(exec);
}

}  // namespace
