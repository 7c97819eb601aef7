// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slices along an axis that a mask of one element for each selects.

#include <algorithm>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"

namespace {

using quern::axis, quern::size_to;

template <class Case>
struct CompactRows : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  using extents = std::array<std::int64_t, 3>;

  /// Into an array with room for `room` slices along axis d, beside a loop; other elements stay 99.
  static void check(const extents& n, int d, std::int64_t room, int least) {
    const auto values = test::samples<T>(n[0] * n[1] * n[2]);
    std::vector<std::uint8_t> set(n[d]);
    for (std::int64_t i = 0; i < n[d]; ++i) set[i] = test::sample(i, 3) > least ? 2 : 0;
    const std::int64_t kept = n[d] - std::count(set.begin(), set.end(), 0);
    extents of_out = n;
    of_out[d] = room;
    std::vector<T> expected(of_out[0] * of_out[1] * of_out[2], T(99));
    std::int64_t at[3], slice = 0;
    for (at[d] = 0; at[d] < n[d]; ++at[d]) {
      if (set[at[d]] == 0 || slice == room) continue;
      const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
      for (at[a] = 0; at[a] < n[a]; ++at[a])
        for (at[b] = 0; at[b] < n[b]; ++at[b]) {
          std::int64_t to[] = {at[0], at[1], at[2]};
          to[d] = slice;
          expected[(to[0] * of_out[1] + to[1]) * of_out[2] + to[2]] = values[(at[0] * n[1] + at[1]) * n[2] + at[2]];
        }
      ++slice;
    }
    const auto x = test::make_array<T, 3, layout, exec>(n, values);
    const auto m = test::make_array<std::uint8_t, 1, layout, exec>({n[d]}, set);
    const auto out = test::make_array<T, 3, layout, exec>(of_out, std::vector<T>(expected.size(), T(99)));
    const Kokkos::View<std::int64_t, exec> count("count");
    quern::compact(exec(), out, x, m, size_to{count}, axis{d});
    EXPECT_EQ(kept, test::value(count));
    EXPECT_EQ(expected, test::contents(out));
    if (room >= kept) EXPECT_EQ(kept, quern::compact(out, x, m, axis{d - 3}));
    else EXPECT_THROW(quern::compact(out, x, m, axis{d}), quern::CapacityError);
  }
};
using cases = test::covering<double, std::int8_t, float>;
TYPED_TEST_SUITE(CompactRows, cases);

TYPED_TEST(CompactRows, AlongEveryAxis) {
  for (const std::array<std::int64_t, 3>& n : {std::array<std::int64_t, 3>{700, 2, 13}, {5, 1, 1}, {3, 41, 60}})
    for (int d = 0; d < 3; ++d)
      for (const int least : {-9, 0, 9}) {  // all, some, and none
        this->check(n, d, n[d], least);
        this->check(n, d, n[d] + 2, least);
        this->check(n, d, n[d] / 3, least);
      }
}

TYPED_TEST(CompactRows, WithoutElements) {
  this->check({0, 3, 2}, 0, 0, -9);
  this->check({4, 0, 2}, 0, 4, -9);
}

template <class Exec>
struct CompactRowsOn : testing::Test {};
TYPED_TEST_SUITE(CompactRowsOn, test::all_spaces);

TYPED_TEST(CompactRowsOn, OfLazyArrays) {
  const auto x = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto line = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({2}, {10, 20});
  const auto m = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({3}, {-1, 0, 1});
  const Kokkos::View<double**, TypeParam> out("out", 3, 2);
  EXPECT_EQ(2, quern::compact(TypeParam(), out, quern::lazy(quern::impl::op::multiply(), x, line),
                              quern::lazy(quern::impl::op::not_zero(), m), axis{0}, quern::named{"rows"}));
  EXPECT_EQ((std::vector<double>{10, 40, 50, 120, 0, 0}), test::contents(out));
}

// Of one axis, it is compact without one.
TYPED_TEST(CompactRowsOn, OfOneAxis) {
  const auto x = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({5}, {1, 2, 3, 4, 5});
  const auto m = test::make_array<bool, 1, Kokkos::LayoutRight, TypeParam>({5}, {true, false, false, true, true});
  const Kokkos::View<int*, TypeParam> out("out", 3);
  EXPECT_EQ(3, quern::compact(out, x, m, axis{0}));
  EXPECT_EQ((std::vector<int>{1, 4, 5}), test::contents(out));
}

TYPED_TEST(CompactRowsOn, RejectsWhatDoesNotFit) {
  const Kokkos::View<int**, TypeParam> x("x", 4, 3), out("out", 4, 3), narrow("narrow", 4, 2);
  const Kokkos::View<int*, TypeParam> m("m", 4), few("few", 3), row("row", 4);
  const auto rejects = [](const std::string& message, const auto& call) { test::expect_error(message, call); };
  rejects("quern::compact: the mask has extents (3), expected (4)", [&] { quern::compact(out, x, few, axis{0}); });
  rejects("quern::compact: the mask has extents (4, 3), expected (4)", [&] { quern::compact(out, x, x, axis{0}); });
  rejects("quern::compact: out has extents (4, 2), expected (4, 3), of any number of slices along the axis",
          [&] { quern::compact(narrow, x, m, axis{0}); });
  rejects("quern::compact: out has extents (4), expected (4, 3), of any number of slices along the axis",
          [&] { quern::compact(row, x, m, axis{0}); });
  rejects("quern::compact: axis 2 is out of range, expected one of an array of rank 2",
          [&] { quern::compact(out, x, m, axis{2}); });
  rejects("quern::compact: out and x share memory", [&] { quern::compact(x, x, m, axis{0}); });
  const Kokkos::View<std::int64_t*, TypeParam> marks("marks", 4);
  rejects("quern::compact: the mask and count share memory",
          [&] { quern::compact(out, x, marks, axis{0}, size_to{Kokkos::subview(marks, 3)}); });
  rejects("quern::compact: out and the mask share memory",
          [&] { quern::compact(out, x, Kokkos::subview(out, Kokkos::ALL, 1), axis{0}); });
}

}  // namespace
