// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

struct weigh {
  KOKKOS_FUNCTION double operator()(double a, float b, int c, double d) const { return a + 2 * b + 3 * c + 4 * d; }
};
struct increment {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x + T(1);
  }
};
struct mix_of_six {
  KOKKOS_FUNCTION double operator()(double a, double b, double c, double d, double e, double f) const {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
  }
};
struct seven {
  KOKKOS_FUNCTION int operator()() const { return 7; }
};

/// A generator of random numbers, so many steps on.
struct draw {
  int steps;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const {
    for (int k = 0; k < steps; ++k) x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
  }
};

template <class Exec>
struct MapEdges : testing::Test {
  template <class T, int Rank>
  static auto array(const std::array<std::int64_t, Rank>& n, const std::vector<T>& v) {
    return test::make_array<T, Rank, Kokkos::LayoutRight, Exec>(n, v);
  }
};
TYPED_TEST_SUITE(MapEdges, test::all_spaces);

TYPED_TEST(MapEdges, TakesMixedTypesAndScalarsAnywhere) {
  const TypeParam exec;
  const std::int64_t n = 1013;
  const auto a = test::samples<double>(n, 1);
  const auto b = test::samples<float>(n, 2);
  const auto c = test::samples<int>(n, 3);
  const auto x = this->template array<double, 1>({n}, a);
  const auto y = this->template array<float, 1>({n}, b);
  const auto i = this->template array<int, 1>({n}, c);
  Kokkos::View<float*, TypeParam> z("z", n);
  const auto check = [&](auto expected) {
    const auto got = test::contents(z);
    for (std::int64_t k = 0; k < n; ++k) ASSERT_EQ(static_cast<float>(expected(k)), got[k]) << k;
  };
  quern::map(exec, z, weigh(), x, y, i, 0.5);
  check([&](std::int64_t k) { return a[k] + 2 * b[k] + 3 * c[k] + 2; });
  quern::map(exec, z, weigh(), 0.25, 1.0f, i, x);
  check([&](std::int64_t k) { return 0.25 + 2 + 3 * c[k] + 4 * a[k]; });
  quern::map(exec, z, weigh(), 1.0, 2.0f, 3, 4.0);
  check([&](std::int64_t) { return 30.0; });
  quern::map(exec, z, seven());
  check([&](std::int64_t) { return 7.0; });
}

// More inputs than a loop is compiled for every combination of: neighbours, a row and a column that repeat, a scalar.
TYPED_TEST(MapEdges, TakesManyInputs) {
  const TypeParam exec;
  const std::int64_t m = 7, n = 1013;
  const auto values = test::samples<double>(m * n, 1), row = test::samples<double>(n, 2),
             column = test::samples<double>(m, 3);
  const auto x = this->template array<double, 2>({m, n}, values);
  const auto r = this->template array<double, 1>({n}, row);
  const auto c = this->template array<double, 2>({m, 1}, column);
  const auto z = this->template array<double, 2>({m, n}, values);
  const auto combine = mix_of_six();
  const auto check = [&](const auto& expected) {
    const auto got = test::contents(z);
    for (std::int64_t i = 0; i < m * n; ++i) ASSERT_EQ(expected(i), got[i]) << i;
  };
  quern::map(exec, z, combine, x, x, x, x, x, x);
  check([&](std::int64_t i) { return 21 * values[i]; });
  quern::map(exec, z, combine, x, r, c, 0.5, x, r);
  check([&](std::int64_t i) { return 6 * values[i] + 8 * row[i % n] + 3 * column[i / n] + 2; });
  EXPECT_EQ(quern::sum(exec, z), quern::sum(exec, quern::lazy(combine, x, r, c, 0.5, x, r)));
}

TYPED_TEST(MapEdges, HandlesEveryAlignmentAndLength) {
  const TypeParam exec;
  const auto values = test::samples<float>(600);
  const auto x = this->template array<float, 1>({600}, values);
  for (int offset : {0, 1, 2, 3, 5})
    for (int length : {0, 1, 2, 3, 4, 5, 31, 32, 33, 511, 513}) {
      Kokkos::View<float*, TypeParam> y("y", 600);
      const auto part = std::pair(offset, offset + length);
      quern::map(exec, Kokkos::subview(y, part), increment(), Kokkos::subview(x, part));
      const auto got = test::contents(y);
      for (int k = 0; k < 600; ++k)
        ASSERT_EQ(k >= offset && k < offset + length ? values[k] + 1 : 0.0f, got[k]) << offset << ' ' << length;
    }
}

TYPED_TEST(MapEdges, OffsetsOfOperandsMayDiffer) {
  const TypeParam exec;
  const auto values = test::samples<double>(1000);
  const auto x = this->template array<double, 1>({1000}, values);
  Kokkos::View<double*, TypeParam> y("y", 1000);
  quern::map(exec, Kokkos::subview(y, std::pair(0, 997)), increment(), Kokkos::subview(x, std::pair(3, 1000)));
  const auto got = test::contents(y);
  for (int k = 0; k < 997; ++k) ASSERT_EQ(values[k + 3] + 1, got[k]);
  EXPECT_EQ(0.0, got[997]);
}

TYPED_TEST(MapEdges, RanksZeroToFour) {
  const TypeParam exec;
  Kokkos::View<double, TypeParam> r0("r0");
  Kokkos::View<double*, TypeParam> r1("r1", 5);
  Kokkos::View<double***, Kokkos::LayoutLeft, TypeParam> r3("r3", 3, 4, 5);
  Kokkos::View<double****, TypeParam> r4("r4", 2, 3, 4, 5);
  quern::fill(exec, r0, 2.0);
  quern::map(exec, r1, increment(), r0);
  quern::map(exec, r3, increment(), r1);
  quern::map(exec, r4, increment(), r3);
  EXPECT_EQ(std::vector<double>(5, 3.0), test::contents(r1));
  EXPECT_EQ(std::vector<double>(60, 4.0), test::contents(r3));
  EXPECT_EQ(std::vector<double>(120, 5.0), test::contents(r4));
}

TYPED_TEST(MapEdges, FourStridedAxesKeepTheirPlaces) {
  const TypeParam exec;
  const std::array<std::int64_t, 4> n{3, 4, 5, 6};
  const auto a = test::samples<double>(360, 1), b = test::samples<double>(30, 2);
  const auto x = test::make_array<double, 4, Kokkos::LayoutStride, TypeParam>(n, a);
  const auto row = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({5, 6}, b);
  const auto z = test::make_array<double, 4, Kokkos::LayoutLeft, TypeParam>(n);
  quern::add(exec, z, x, row);
  const auto got = test::contents(z);
  for (int k = 0; k < 360; ++k) ASSERT_EQ(a[k] + b[k % 30], got[k]) << k;
}

TYPED_TEST(MapEdges, StaticExtentsAndConstInputs) {
  const TypeParam exec;
  Kokkos::View<float[3][4], TypeParam> x("x"), y("y");
  quern::fill(exec, x, 1.0f);
  const Kokkos::View<const float[3][4], TypeParam> constant = x;
  quern::map(exec, y, increment(), constant);
  EXPECT_EQ(std::vector<float>(12, 2.0f), test::contents(y));
}

// Operands whose neighbours are on the first, the second and the last axis, of types of 8 and 1 bytes.
TYPED_TEST(MapEdges, ThreeOrdersOfAxes) {
  const TypeParam exec;
  for (const auto& [l, m, n] : {std::array<std::int64_t, 3>{5, 70, 33}, {40, 3, 66}, {64, 16, 64}, {66, 65, 2}}) {
    const auto a = test::samples<double>(l * m * n, 1), b = test::samples<double>(l * m * n, 2);
    const auto c = test::samples<std::int8_t>(l * m * n, 3);
    std::vector<double> by_last(b.size());
    for (std::int64_t i = 0; i < l; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t k = 0; k < n; ++k) by_last[(k * l + i) * m + j] = b[(i * m + j) * n + k];
    const auto x = test::make_array<double, 3, Kokkos::LayoutLeft, TypeParam>({l, m, n}, a);
    const auto memory = this->template array<double, 3>({n, l, m}, by_last);
    const Kokkos::LayoutStride turned(l, memory.stride(1), m, memory.stride(2), n, memory.stride(0));
    const Kokkos::View<const double***, Kokkos::LayoutStride, TypeParam> y(memory.data(), turned);
    const auto w = test::make_array<std::int8_t, 3, Kokkos::LayoutLeft, TypeParam>({l, m, n}, c);
    const auto z = this->template array<double, 3>({l, m, n}, a);
    quern::map(exec, z, weigh(), quern::lazy(increment(), x), y, w, 0.5);
    const auto got = test::contents(z);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(weigh()(a[i] + 1, static_cast<float>(b[i]), c[i], 0.5), got[i]) << i << " of " << l << m << n;
  }
}

TYPED_TEST(MapEdges, OutputMayBeAnInput) {
  const TypeParam exec;
  const auto values = test::samples<double>(5003);
  const auto x = this->template array<double, 1>({5003}, values);
  quern::axpy(exec, x, 2.0, x, x);
  const auto got = test::contents(x);
  for (int k = 0; k < 5003; ++k) ASSERT_EQ(3 * values[k], got[k]);
}

TYPED_TEST(MapEdges, HalfPrecision) {
  using half = Kokkos::Experimental::half_t;
  using bhalf = Kokkos::Experimental::bhalf_t;
  const TypeParam exec;
  Kokkos::View<half*, TypeParam> x("x", 1001), y("y", 1001);
  Kokkos::View<bhalf*, TypeParam> z("z", 1001);
  quern::fill(exec, x, 1.5f);
  quern::add(exec, y, x, x);
  quern::copy(exec, z, y);
  Kokkos::View<float*, TypeParam> f("f", 1001);
  quern::copy(exec, f, z);
  EXPECT_EQ(std::vector<float>(1001, 3.0f), test::contents(f));
}

TYPED_TEST(MapEdges, ReportsMisuse) {
  const TypeParam exec;
  Kokkos::View<double**, TypeParam> x("x", 10, 20);
  Kokkos::View<double*, TypeParam> y("y", 3);
  quern::fill(exec, x, 1.0);
  test::expect_error("quern::map: in 1 has extents (3), which do not broadcast to (10, 20)",
                     [&] { quern::map(exec, x, increment(), y); });
  test::expect_error("quern::add: in 2 has extents (10, 20), which do not broadcast to (3)",
                     [&] { quern::add(exec, y, y, x); });
  const auto low = Kokkos::subview(x, std::pair(0, 9), Kokkos::ALL),
             high = Kokkos::subview(x, std::pair(1, 10), Kokkos::ALL);
  test::expect_error("quern::copy: out and in 1 share memory and are not the same View",
                     [&] { quern::copy(exec, low, high); });
  Kokkos::LayoutStride repeated(4, 0);
  Kokkos::View<double*, Kokkos::LayoutStride, TypeParam, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(x.data(),
                                                                                                       repeated);
  test::expect_error("quern::fill: out has stride 0 along axis 0 of extents (4): its elements share memory",
                     [&] { quern::fill(exec, flat, 1.0); });
  EXPECT_EQ(200.0, quern::sum(exec, x)) << "a refused call writes nothing";
}

TYPED_TEST(MapEdges, DisjointPartsOfOneViewAreNotAnOverlap) {
  const TypeParam exec;
  Kokkos::View<double**, TypeParam> x("x", 100, 20);
  const auto left = Kokkos::subview(x, Kokkos::ALL, std::pair(0, 10));
  const auto right = Kokkos::subview(x, Kokkos::ALL, std::pair(10, 20));
  quern::fill(exec, left, 1.0);
  quern::map(exec, right, increment(), left);
  EXPECT_EQ(3000.0, quern::sum(exec, x));
}

// Many host threads write such outputs past the caches, in whole lines and what is left of them.
// Hosts look how long a part of a few blocks takes before they wake threads. Each element is computed once.
TYPED_TEST(MapEdges, AFewBlocksOfQuickAndOfSlowFunctions) {
  const TypeParam exec;
  for (const std::int64_t n : {1024, 1025, 1300, 5001, 8192, 8193})
    for (const draw f : {draw{1}, draw{300}}) {
      std::vector<std::uint64_t> expected(n);
      for (std::int64_t i = 0; i < n; ++i) expected[i] = i;
      const auto x = this->template array<std::uint64_t, 1>({n}, expected);
      for (auto& e : expected) e = f(e);
      quern::map(exec, x, f, x);
      EXPECT_EQ(expected, test::contents(x)) << n << ", " << f.steps << " steps";
    }
}

TYPED_TEST(MapEdges, LargerThanCaches) {
  for (const std::array<std::int64_t, 2>& n : {std::array<std::int64_t, 2>{1, 9'000'017}, {4'003, 2'251}}) {
    const auto values = test::samples<float>(n[0] * n[1]);
    const auto x = this->template array<float, 2>(n, values);
    const auto out = quern::like(x);
    quern::map(TypeParam(), out, increment(), x);
    const auto found = test::contents(out);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i] + 1, found[i]) << i;
  }
}

// Of rows of each length around those that loops are made for, between elements that are not the array's.
TYPED_TEST(MapEdges, ShortRowsOfThreeDimensions) {
  const TypeParam exec;
  const std::int64_t l = 3, m = 101;
  for (const std::int64_t n : {1, 2, 3, 7, 16, 31, 32, 33, 70}) {
    const auto a = test::samples<double>(l * m * n, 1), b = test::samples<double>(m, 2),
               c = test::samples<double>(n, 3);
    const Kokkos::View<double***, Kokkos::LayoutRight, TypeParam> wide("wide", l, m + 1, n + 2);
    const auto z = Kokkos::subview(wide, Kokkos::ALL, std::pair<std::int64_t, std::int64_t>(1, m + 1),
                                   std::pair<std::int64_t, std::int64_t>(1, n + 1));
    const auto x = this->template array<double, 3>({l, m, n}, a);
    const auto column = this->template array<double, 2>({m, 1}, b);
    const auto row = this->template array<double, 1>({n}, c);
    quern::map(exec, z, mix_of_six(), x, column, row, 0.0, 0.0, 1.0);
    quern::map(exec, z, weigh(), z, 0.0f, 0, column);
    const auto got = test::contents(z);
    for (std::int64_t e = 0; e < l * m * n; ++e) {
      const std::int64_t i = e / n % m, j = e % n;
      ASSERT_EQ(a[e] + 2 * b[i] + 3 * c[j] + 6 + 4 * b[i], got[e]) << n << " at " << e;
    }
    double outside = 0;
    for (const double v : test::contents(wide)) outside += v == 0;
    EXPECT_GE(outside, static_cast<double>(wide.size() - z.size())) << n;
  }
}

// The same of narrow numbers, of which hosts choose loops for many rows at once.
template <class T, class Exec>
void expect_narrow_rows() {
  const Exec exec;
  const std::int64_t l = 3, m = 101;
  for (const std::int64_t n : {3, 8, 15, 31, 40, 63, 127, 128}) {
    const auto numbers = [](std::int64_t count, std::int64_t factor) {
      std::vector<T> v;
      for (std::int64_t k = 0; k < count; ++k) v.push_back(static_cast<T>(k * factor % 50));
      return v;
    };
    const auto a = numbers(l * m * n, 7), b = numbers(m, 11), c = numbers(n, 13);
    const Kokkos::View<T***, Kokkos::LayoutRight, Exec> wide("wide", l, m + 1, n + 2);
    Kokkos::deep_copy(wide, T(77));
    const auto z = Kokkos::subview(wide, Kokkos::ALL, std::pair<std::int64_t, std::int64_t>(1, m + 1),
                                   std::pair<std::int64_t, std::int64_t>(1, n + 1));
    const auto x = test::make_array<T, 3, Kokkos::LayoutRight, Exec>({l, m, n}, a);
    const auto column = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({m, 1}, b);
    const auto row = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, c);
    quern::add(exec, z, x, column);
    quern::subtract(exec, z, row, z);
    const auto got = test::contents(z);
    std::int64_t wrong = 0;
    for (std::int64_t e = 0; e < l * m * n; ++e)
      wrong += got[e] != static_cast<T>(c[e % n] - static_cast<T>(a[e] + b[e / n % m]));
    EXPECT_EQ(0, wrong) << n;
    std::int64_t outside = 0;
    for (const T v : test::contents(wide)) outside += v == T(77);
    EXPECT_GE(outside, static_cast<std::int64_t>(wide.size() - z.size())) << n;
  }
}
TYPED_TEST(MapEdges, ShortRowsOfNarrowNumbers) {
  expect_narrow_rows<std::int8_t, TypeParam>();
  expect_narrow_rows<std::uint16_t, TypeParam>();
}

TYPED_TEST(MapEdges, TransposedAndLargerThanCaches) {
  const TypeParam exec;
  const std::int64_t m = 2051, n = 2049;
  const auto a = test::samples<double>(m * n, 1), b = test::samples<double>(m * n, 2);
  const auto x = this->template array<double, 2>({m, n}, a);
  const auto y = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({m, n}, b);
  quern::axpy(exec, x, 2.0, x, y);
  const auto got = test::contents(x);
  for (std::int64_t i = 0; i < m * n; ++i) ASSERT_EQ(2 * a[i] + b[i], got[i]) << i;
}

TYPED_TEST(MapEdges, MoreThanTwoToThe31Elements) {
  const std::int64_t n = (std::int64_t{1} << 31) + 17;
  const TypeParam exec;
  Kokkos::View<std::int8_t*, TypeParam> x;
  try {
    x = Kokkos::View<std::int8_t*, TypeParam>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), n);
  } catch (const std::exception& e) {
    GTEST_SKIP() << "not enough memory: " << e.what();
  }
  quern::fill(exec, x, std::int8_t{1});
  quern::map(exec, Kokkos::subview(x, std::pair<std::int64_t, std::int64_t>(n - 5, n)), increment(),
             Kokkos::subview(x, std::pair<std::int64_t, std::int64_t>(n - 5, n)));
  EXPECT_EQ(n + 5, quern::sum(exec, x));
  EXPECT_EQ(n, quern::count(exec, x));
}

}  // namespace
