// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <quern/keyed.hpp>
#include <quern/scan.hpp>
#include <support/lazy.hpp>

namespace {

using quern::lazy;

struct is_positive {
  KOKKOS_FUNCTION bool operator()(double v) const { return v > 0; }
};
struct one_if_positive {
  KOKKOS_FUNCTION int operator()(double v) const { return v > 0 ? 1 : 0; }
};
struct third {
  KOKKOS_FUNCTION int operator()(int v) const { return v / 3; }
};
struct row_number {
  template <class P>
  KOKKOS_FUNCTION int operator()(const P& p) const {
    return static_cast<int>(p[0]);
  }
};

template <class E>
class LazyKeyed : public testing::Test {};
TYPED_TEST_SUITE(LazyKeyed, test::all_spaces);

TYPED_TEST(LazyKeyed, IsCountedSelectedAndSorted) {
  using E = TypeParam;
  test::expect_the_same<E>([&](const auto& x) {
    const Kokkos::View<std::int64_t*, E> bins("bins", 13);
    quern::histogram(E(), bins, x, quern::bin_range{-2, 2});
    return test::contents(bins);
  });
  test::expect_the_same<E>([&](const auto& x) {
    const auto ones =
        test::matrix<Kokkos::LayoutLeft, E>(std::vector<double>(test::lazy_rows * test::lazy_columns, 0.5));
    const Kokkos::View<double*, E> bins("bins", 7);
    quern::histogram(E(), bins, ones, quern::bin_range{0, 1}, quern::weights{lazy(test::scaled{0.0}, x)});
    return test::contents(bins);
  });
  test::expect_the_same<E>([&](const auto& x) {
    const Kokkos::View<double*, E> out("out", test::lazy_rows * test::lazy_columns);
    const std::int64_t n = quern::compact(E(), out, x, is_positive());
    const Kokkos::View<double*, E> again("again", test::lazy_rows * test::lazy_columns);
    EXPECT_EQ(n, quern::compact(E(), again, x, lazy(one_if_positive(), x)));
    EXPECT_EQ(test::contents(out), test::contents(again));
    return test::contents(out);
  });
  test::expect_the_same<E>([&](const auto& x) {
    const auto out = test::matrix<Kokkos::LayoutLeft, E>(test::waves(1));
    quern::sort(E(), out, x, quern::axis{0});
    return test::contents(out);
  });
}

TYPED_TEST(LazyKeyed, GroupsAndSegments) {
  using E = TypeParam;
  const std::int64_t n = 1000;
  const Kokkos::View<int*, E> cell("cell", n), keys("keys", n);
  quern::map(E(), cell, row_number(), quern::positions());
  quern::map(E(), keys, third(), cell);
  const auto stored = quern::group_by(E(), keys), computed = quern::group_by(E(), lazy(third(), cell));
  EXPECT_EQ(test::contents(stored.labels()), test::contents(computed.labels()));
  const auto in_range = quern::group_by(E(), lazy(third(), cell), quern::key_range{0, 400}, quern::checked);
  EXPECT_EQ(test::contents(stored.labels()), test::contents(in_range.labels()));
  const auto offsets = test::make_array<int, 1, Kokkos::LayoutRight, E>({4}, {0, 17, 17, 1000});
  const Kokkos::View<double*, E> sums("sums", 3);
  quern::segmented_reduce(E(), sums, test::plus(), 0.0, lazy(test::scaled{0.5}, cell), offsets);
  EXPECT_EQ((std::vector<double>{0.5 * 16 * 17 / 2, 0, 0.5 * (999 * 1000 - 16 * 17) / 2}), test::contents(sums));
}

}  // namespace
