// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <support/lazy.hpp>

namespace {

using quern::lazy;

struct mean_of_cross {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    return (w(0, 0) + w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1)) / 5;
  }
};

template <class E>
class LazyScan : public testing::Test {};
TYPED_TEST_SUITE(LazyScan, test::all_spaces);

TYPED_TEST(LazyScan, Scans) {
  using E = TypeParam;
  const auto x = test::waves(7), y = test::waves(8);
  test::with_layouts<E>(x, y, [&](const auto& vx, const auto& vy) {
    const auto stored = test::matrix<Kokkos::LayoutRight, E>(x), expected = test::matrix<Kokkos::LayoutRight, E>(x);
    const auto out = test::matrix<Kokkos::LayoutLeft, E>(x);
    quern::map(E(), stored, test::plus(), vx, vy);
    const auto check = [&](const auto&... options) {
      quern::cumsum(E(), expected, stored, quern::reproducible, options...);
      quern::cumsum(E(), out, lazy(test::plus(), vx, vy), quern::reproducible, options...);
      EXPECT_EQ(test::contents(expected), test::contents(out));
      quern::cumsum(out, lazy(test::plus(), vx, vy), options...);
      const auto exact = test::contents(expected), got = test::contents(out);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(exact[i], got[i], 1e-12);
    };
    check();
    check(quern::axis{0});
    check(quern::axis{1});
  });
  // Long enough for chunks, in place of a leaf.
  const std::int64_t n = 300000;
  const Kokkos::View<double*, E> a("a", n), sums("sums", n), same("same", n);
  quern::fill(E(), a, 0.25);
  quern::cumsum(E(), sums, lazy(test::scaled{4.0}, a));
  quern::copy(E(), same, a);
  quern::cumsum(E(), same, lazy(test::scaled{4.0}, same));
  const auto got = test::contents(sums);
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(static_cast<double>(i + 1), got[i]);
  EXPECT_EQ(got, test::contents(same));
}

TYPED_TEST(LazyScan, WindowsReadIt) {
  using E = TypeParam;
  for (const auto& edge : {quern::boundary::keep, quern::boundary::wrap, quern::boundary::constant(3)}) {
    test::expect_the_same<E>([&](const auto& x) {
      const auto out = test::matrix<Kokkos::LayoutRight, E>(test::waves(1));
      quern::stencil<quern::box<1>>(E(), out, mean_of_cross(), edge, x);
      return test::contents(out);
    });
  }
}

TEST(LazySource, SingleElementsAreThoseOfTheirOffset) {
  using E = Kokkos::DefaultHostExecutionSpace;
  const test::with_gaps none(test::gaps::none);  // elements that are neighbours in memory are read
  test::with_layouts<E>(test::waves(9), test::waves(10), [](const auto& x, const auto& y) {
    const E exec;
    quern::impl::call<E> c("test", exec);
    const auto elements = c.elements(quern::lazy(test::plus(), x, y));
    quern::impl::with_sources(
        [](const auto& in) {
          for (std::int64_t i = 0; i < test::lazy_rows * test::lazy_columns; ++i)
            ASSERT_EQ(quern::impl::load_pack<1>(in.data, i).value[0], in.data[i]) << i;
        },
        elements);
  });
}

}  // namespace
