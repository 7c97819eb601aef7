// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps with several outputs.
#include <limits>
#include <quern/autodiff.hpp>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

struct sum_and_difference {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& a, const T& b) const {
    return Kokkos::Array<T, 2>{static_cast<T>(a + b), static_cast<T>(a - b)};
  }
};
struct three_powers {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(double x) const { return {x, x * x, x * x * x}; }
};

template <class Case>
struct MapOutputs : testing::Test {};
using cases = test::covering<double, float, std::int8_t, Kokkos::complex<double>>;
TYPED_TEST_SUITE(MapOutputs, cases);

TYPED_TEST(MapOutputs, OfEveryExtent) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  for (const auto& n : {std::array<std::int64_t, 2>{1, 1}, {3, 5}, {16, 64}, {33, 1025}, {1, 40'001}, {0, 7}}) {
    const auto a = test::samples<T>(n[0] * n[1], 3), b = test::samples<T>(n[1], 4);
    const auto x = test::make_array<T, 2, L, E>(n, a);
    const auto y = test::make_array<T, 1, L, E>({n[1]}, b);  // broadcasts
    const auto u = test::make_array<T, 2, L, E>(n), v = test::make_array<T, 2, L, E>(n);
    const auto check = [&] {
      const auto sums = test::contents(u), differences = test::contents(v);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto expected = sum_and_difference()(a[i], b[i % n[1]]);
        ASSERT_EQ(expected[0], sums[i]) << i;
        ASSERT_EQ(expected[1], differences[i]) << i;
      }
    };
    quern::map(exec, quern::outputs(u, v), sum_and_difference(), x, y);
    check();
    quern::map(exec, quern::outputs(v, u), sum_and_difference(), x, y);  // the other way round
    quern::map(exec, u, quern::impl::op::identity(), x);
    quern::map(quern::outputs(u, v), sum_and_difference(), u, y);  // in place
    check();
  }
}

template <class Exec>
struct MapOutputsOn : testing::Test {};
TYPED_TEST_SUITE(MapOutputsOn, test::all_spaces);

TYPED_TEST(MapOutputsOn, LargerThanCachesOfSeveralTypesAndLayouts) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t m = 701, n = 1203;
  const auto values = test::samples<double>(m * n, 5);
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, E>({m, n}, values);
  const auto a = test::make_array<double, 2, Kokkos::LayoutRight, E>({m, n});
  const auto b = test::make_array<float, 2, Kokkos::LayoutLeft, E>({m, n});
  const auto c = test::make_array<std::int32_t, 2, Kokkos::LayoutStride, E>({m, n});
  const auto shifted = Kokkos::View<float*, E>("shifted", m * n + 1);
  quern::map(exec, quern::outputs(a, b, c), three_powers(), x);
  const auto first = test::contents(a);
  const auto second = test::contents(b);
  const auto third = test::contents(c);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], first[i]);
    ASSERT_EQ(static_cast<float>(values[i] * values[i]), second[i]);
    ASSERT_EQ(static_cast<std::int32_t>(values[i] * values[i] * values[i]), third[i]);
  }
  // One kernel of unaligned rows.
  const auto tail = Kokkos::subview(shifted, std::pair<std::int64_t, std::int64_t>(1, m * n + 1));
  const Kokkos::View<double*, E> squares("squares", m * n), cubes("cubes", m * n), line("line", m * n);
  Kokkos::deep_copy(line, 1.5);
  quern::map(exec, quern::outputs(tail, squares, cubes), three_powers(), line);
  EXPECT_EQ(std::vector<float>(m * n, 1.5f), test::contents(tail));
  EXPECT_EQ(std::vector<double>(m * n, 2.25), test::contents(squares));
  EXPECT_EQ(std::vector<double>(m * n, 3.375), test::contents(cubes));
  EXPECT_EQ(0, test::contents(shifted)[0]);
}

struct weighted {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a * a * sin(b);
  }
};
TYPED_TEST(MapOutputsOn, ValuesAndPartialDerivatives) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 1001;
  const auto values = test::samples<double>(n, 5);
  const auto a = test::make_array<double, 1, Kokkos::LayoutRight, E>({n}, values);
  const Kokkos::View<double*, E> y("y", n), by_a("by_a", n), by_b("by_b", n);
  quern::map(exec, quern::outputs(y, by_a, by_b), quern::with_gradient(weighted()), a, 0.75);
  const auto value = test::contents(y), da = test::contents(by_a), db = test::contents(by_b);
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = values[i];
    ASSERT_NEAR(x * x * std::sin(0.75), value[i], 1e-13);
    ASSERT_NEAR(2 * x * std::sin(0.75), da[i], 1e-13);
    ASSERT_NEAR(x * x * std::cos(0.75), db[i], 1e-13);
  }
}

TYPED_TEST(MapOutputsOn, ReportsMisuse) {
  using E = TypeParam;
  const E exec{};
  const Kokkos::View<double*, E> x("x", 6), y("y", 6), z("z", 5);
  test::expect_error("quern::map: out 2 has extents (5), expected those of the first, (6)",
                     [&] { quern::map(exec, quern::outputs(x, z), sum_and_difference(), x, y); });
  test::expect_error("quern::map: out and another output share memory",
                     [&] { quern::map(exec, quern::outputs(x, x), sum_and_difference(), y, y); });
  const auto head = Kokkos::subview(x, std::pair<int, int>(0, 5)), tail = Kokkos::subview(x, std::pair<int, int>(1, 6));
  test::expect_error("quern::map: out and in 1 share memory and are not the same View",
                     [&] { quern::map(exec, quern::outputs(z, head), sum_and_difference(), tail, 1.0); });
}

}  // namespace
