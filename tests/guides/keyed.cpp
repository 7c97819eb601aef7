// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/keyed.md, as part of functions that a user might write around it.
#include "guide.hpp"

namespace guide {

// # 1
struct point {
  double mass, charge;
};
using doubles = Kokkos::View<double*>;
using positions_type = Kokkos::View<std::int64_t*>;

void order(const space& exec) {
  const auto x = on_device<double>({3, 1, 2}), keys = on_device<double>({3, 1, 2});
  const doubles out("out", 3), values("values", 3), smallest("smallest", 2);
  const Kokkos::View<double**> table("table", 3, 4);
  const Kokkos::View<point*> points("points", 3);
  const positions_type positions("positions", 3);
  // # 2
  EXPECT_TRUE(!in_order);
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(keys));
}

void distinct(const space& exec) {
  const auto x = on_device<double>({3, 1, 3});
  const auto mask = on_device<int>({1, 0, 1});
  const Kokkos::View<double**> table("table", 3, 2), some_rows("some rows", 3, 2);
  quern::fill(exec, table, 1.0);
  const doubles values("values", 3), out("out", 3);
  const positions_type counts("counts", 3), inverse("inverse", 3), first("first", 3), positions("positions", 3);
  // # 3
  EXPECT_EQ(3, n);
  EXPECT_EQ(4.0, quern::sum(exec, some_rows));
  EXPECT_EQ(2, test::value(count));
}

void groups(const space& exec) {
  const auto cell = on_device<int>({5, 3, 5}), species = on_device<int>({0, 0, 1});
  const auto particle_mass = on_device<double>({1, 2, 4});
  const auto inside = on_device<int>({1, 1, 0});
  const Kokkos::View<int*> cell_of_group("cell of group", 3), rows_of_group("rows of group", 3);
  // # 4
  EXPECT_EQ(2, in_range.size());
  EXPECT_EQ((std::vector<double>{2, 1, 0}), test::contents(mass));
}

void joins(const space& exec) {
  const auto left = on_device<int>({1, 2}), right = on_device<int>({2, 3});
  // # 5
  EXPECT_EQ(3, n);                             // of the full join: two left rows, and the right one without a partner
  EXPECT_EQ(0, test::contents(left_rows)[0]);  // the first row has no partner
  EXPECT_EQ((std::vector<int>{-1, 0}), test::contents(nearest));
}

void bins(const space& exec) {
  const auto x = on_device<double>({0.1, 0.5, 0.5}), weights = on_device<double>({1, 2, 3});
  const doubles edges("edges", 257), masses("masses", 256);
  const Kokkos::View<double**> points("points", 5, 3);
  quern::fill(exec, edges, 0.0);
  // # 6
  EXPECT_EQ(5, quern::sum(exec, cells));
}

void keys(const space& exec) {
  const int cells = 4;
  const auto cell_of_particle = on_device<int>({1, 3, 1});
  const auto particle_mass = on_device<double>({1, 2, 4});
  // # 7
  EXPECT_EQ((std::vector<double>{0, 5, 0, 2}), test::contents(mass));
}

void searches(const space& exec) {
  const auto sorted = on_device<double>({1, 2, 3}), x = on_device<double>({2, 5}), edges = sorted;
  const Kokkos::View<int*> places("places", 2), bins("bins", 2);
  const auto points = on_device<double>({0, 4}), values = on_device<double>({0, 8});
  const Kokkos::View<double*> out("out", 2);
  // # 8
  EXPECT_EQ((std::vector<int>{2, 3}), test::contents(places));
  EXPECT_EQ(4, test::contents(out)[0]);
  EXPECT_NEAR(8 - 8.0 / 356, test::contents(out)[1], 1e-14);  // on the way back to 0 at 360
}

}  // namespace guide

TEST(Guides, Keyed) {
  const space exec;
  guide::order(exec);
  guide::distinct(exec);
  guide::groups(exec);
  guide::joins(exec);
  guide::bins(exec);
  guide::keys(exec);
  guide::searches(exec);
}
