// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <quern/keyed.hpp>
#include <quern/reduce.hpp>
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

// What is read through a functor that changes nothing has the results of the array, bit by bit.
template <class E, class T>
void expect_results_of_the_array(const std::vector<T>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const auto x = test::make_array<T, 1, Kokkos::LayoutRight, E>({n}, values);
  const auto same = lazy(quern::impl::op::identity(), x);
  const auto line = [&](const auto& call) {
    const auto out = test::make_array<T, 1, Kokkos::LayoutRight, E>({n});
    call(out);
    return test::contents(out);
  };
  const auto equal = [](const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  };
  EXPECT_PRED2(equal, std::vector<T>{static_cast<T>(quern::sum(E(), x))},
               std::vector<T>{static_cast<T>(quern::sum(E(), same))});
  EXPECT_EQ(quern::argmax(E(), x), quern::argmax(E(), same));
  EXPECT_EQ(quern::argmin(E(), x), quern::argmin(E(), same));
  EXPECT_EQ(quern::count(E(), x), quern::count(E(), same));
  EXPECT_PRED2(equal, line([&](const auto& out) { quern::cumsum(E(), out, x); }),
               line([&](const auto& out) { quern::cumsum(E(), out, same); }));
  EXPECT_PRED2(equal, line([&](const auto& out) { quern::sort(E(), out, x); }),
               line([&](const auto& out) { quern::sort(E(), out, same); }));
  EXPECT_PRED2(equal, line([&](const auto& out) { quern::compact(E(), out, x, x); }),
               line([&](const auto& out) { quern::compact(E(), out, same, same); }));
  const auto counted = [&](const auto& from) {
    const Kokkos::View<std::int64_t*, E> bins("bins", 5);
    quern::histogram(E(), bins, from, quern::bin_range{-1e300, 1e300});
    return test::contents(bins);
  };
  EXPECT_EQ(counted(x), counted(same));
}

TYPED_TEST(LazyKeyed, ExtremeValues) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  expect_results_of_the_array<TypeParam, double>({1e155, -1e-155, infinity, 0.0, largest, -largest, 5e-324});
  expect_results_of_the_array<TypeParam, double>({1.0, -infinity, infinity, 2.0});
  expect_results_of_the_array<TypeParam, float>({1.0f, std::numeric_limits<float>::infinity(), -3e38f, 1e-45f});
  expect_results_of_the_array<TypeParam, std::int64_t>({most, least, 0, -1, most, 1, least + 1});
  expect_results_of_the_array<TypeParam, std::uint8_t>({255, 0, 1, 254, 255});
}

}  // namespace
