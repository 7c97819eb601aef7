// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/matmul.hpp>
#include <quern/linalg/matvec.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Matmul : testing::Test {};
using cases = test::covering<float, double, std::int32_t, Kokkos::complex<double>, float, double>;
TYPED_TEST_SUITE(Matmul, cases);

// Small multiples of 1/4: every product and sum is exact, so the order of additions does not show.
template <class T>
std::vector<T> product(std::int64_t m, std::int64_t k, std::int64_t n, const std::vector<T>& a,
                       const std::vector<T>& b) {
  std::vector<T> c(m * n, T(0));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  return c;
}

TYPED_TEST(Matmul, MatchesTheDefinition) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  for (const auto& [m, k, n] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {5, 0, 4}, {3, 17, 5}, {64, 64, 64}, {67, 33, 101}, {0, 3, 4}}) {
    const auto a = test::samples<T>(m * k, 1), b = test::samples<T>(k * n, 2);
    const auto va = test::make_array<T, 2, L, E>({m, k}, a);
    const auto vb = test::make_array<T, 2, L, E>({k, n}, b);
    const auto vc = test::make_array<T, 2, L, E>({m, n}, std::vector<T>(m * n, T(77)));
    quern::matmul(E(), vc, va, vb);
    EXPECT_EQ(product(m, k, n, a, b), test::contents(vc)) << m << ' ' << k << ' ' << n;
  }
}

TYPED_TEST(Matmul, MixesLayouts) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  const auto a = test::samples<T>(31 * 40, 1), b = test::samples<T>(40 * 23, 2);
  const auto va = test::make_array<T, 2, Kokkos::LayoutLeft, E>({31, 40}, a);
  const auto vb = test::make_array<T, 2, Kokkos::LayoutRight, E>({40, 23}, b);
  const auto vc = test::make_array<T, 2, L, E>({31, 23});
  quern::matmul(vc, va, vb);
  EXPECT_EQ(product<T>(31, 40, 23, a, b), test::contents(vc));
}

template <class Case>
struct MatmulForms : testing::Test {};
using form_cases = test::covering<double, Kokkos::complex<double>, std::int32_t>;
TYPED_TEST_SUITE(MatmulForms, form_cases);

TYPED_TEST(MatmulForms, BatchesBroadcast) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  constexpr std::int64_t batch = 3;
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{4, 5, 6}, {65, 20, 97}}) {
    const auto a = test::samples<T>(batch * m * k, 1), b = test::samples<T>(batch * k * n, 2);
    const auto item = [](const std::vector<T>& v, std::int64_t i, std::int64_t size) {
      return std::vector<T>(v.begin() + i * size, v.begin() + (i + 1) * size);
    };
    const auto c = test::make_array<T, 3, L, E>({batch, m, n});
    const auto check = [&](bool many_a, bool many_b) {
      std::vector<T> expected;
      for (std::int64_t i = 0; i < batch; ++i) {
        const auto one = product<T>(m, k, n, item(a, many_a ? i : 0, m * k), item(b, many_b ? i : 0, k * n));
        expected.insert(expected.end(), one.begin(), one.end());
      }
      EXPECT_EQ(expected, test::contents(c)) << many_a << many_b << ' ' << m;
      Kokkos::deep_copy(c, T(77));
    };
    const auto many_a = test::make_array<T, 3, L, E>({batch, m, k}, a);
    const auto many_b = test::make_array<T, 3, L, E>({batch, k, n}, b);
    const auto one_a = test::make_array<T, 2, L, E>({m, k}, item(a, 0, m * k));
    const auto one_b = test::make_array<T, 3, L, E>({1, k, n}, item(b, 0, k * n));
    quern::matmul(E(), c, many_a, many_b);
    check(true, true);
    quern::matmul(E(), c, one_a, many_b);
    check(false, true);
    quern::matmul(E(), c, many_a, one_b);
    check(true, false);
    quern::matmul(c, many_a, Kokkos::subview(many_b, 0, Kokkos::ALL, Kokkos::ALL));
    check(true, false);
  }
}

// Both operands and the output, in every combination, as a View and as its transposed View.
TYPED_TEST(MatmulForms, TakesTransposedViews) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  constexpr std::int64_t m = 33, k = 17, n = 29;
  const auto transpose = [](std::int64_t rows, std::int64_t columns, const std::vector<T>& v) {
    std::vector<T> t(v.size());
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) t[j * rows + i] = v[i * columns + j];
    return t;
  };
  const auto a = test::samples<T>(m * k, 1), b = test::samples<T>(k * n, 2);
  const auto expected = product<T>(m, k, n, a, b);
  const auto va = test::make_array<T, 2, L, E>({m, k}, a),
             ta = test::make_array<T, 2, L, E>({k, m}, transpose(m, k, a));
  const auto vb = test::make_array<T, 2, L, E>({k, n}, b),
             tb = test::make_array<T, 2, L, E>({n, k}, transpose(k, n, b));
  const auto vc = test::make_array<T, 2, L, E>({m, n}), tc = test::make_array<T, 2, L, E>({n, m});
  const auto with_b = [&](const auto& c, const auto& left) {
    quern::matmul(E(), c, left, vb);
    EXPECT_EQ(expected, test::contents(c));
    quern::matmul(E(), c, left, quern::transposed(tb));
    EXPECT_EQ(expected, test::contents(c));
  };
  with_b(vc, va);
  with_b(vc, quern::transposed(ta));
  with_b(quern::transposed(tc), va);
  with_b(quern::transposed(tc), quern::transposed(ta));
}

TYPED_TEST(MatmulForms, ScalesAndAdds) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{3, 4, 5}, {70, 20, 99}, {70, 0, 99}}) {
    const auto a = test::samples<T>(m * k, 1), b = test::samples<T>(k * n, 2), c = test::samples<T>(m * n, 3);
    const auto va = test::make_array<T, 2, L, E>({m, k}, a), vb = test::make_array<T, 2, L, E>({k, n}, b);
    const auto vc = test::make_array<T, 2, L, E>({m, n}, c);
    quern::matmul(E(), vc, va, vb, {.alpha = T(2), .beta = T(-3)});
    auto expected = product<T>(m, k, n, a, b);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = T(2) * expected[i] + T(-3) * c[i];
    EXPECT_EQ(expected, test::contents(vc)) << k;
  }
}

// The content of the output does not matter where beta is 0.
TYPED_TEST(MatmulForms, OverwritesNaN) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  if constexpr (!std::is_integral_v<T>) {
    const T nan(std::numeric_limits<double>::quiet_NaN());
    for (const std::int64_t k : {0, 6}) {
      const auto a = test::samples<T>(5 * k, 1), b = test::samples<T>(k * 40, 2);
      const auto va = test::make_array<T, 2, L, E>({5, k}, a), vb = test::make_array<T, 2, L, E>({k, 40}, b);
      const auto vc = test::make_array<T, 2, L, E>({5, 40}, std::vector<T>(200, nan));
      quern::matmul(E(), vc, va, vb, {.alpha = T(1)});
      EXPECT_EQ(product<T>(5, k, 40, a, b), test::contents(vc));
    }
  }
}

template <class Exec>
struct Products : testing::Test {};
TYPED_TEST_SUITE(Products, test::all_spaces);

// Values of one type whose products are taken in that of the output.
TYPED_TEST(Products, MixedTypes) {
  using E = TypeParam;
  using L = Kokkos::LayoutRight;
  constexpr std::int64_t m = 70, k = 300, n = 100;
  const auto a = test::samples<std::int8_t>(m * k, 1), b = test::samples<std::int8_t>(k * n, 2);
  const auto wide = [](const auto& v) { return std::vector<std::int32_t>(v.begin(), v.end()); };
  const auto expected = product<std::int32_t>(m, k, n, wide(a), wide(b));
  const auto va = test::make_array<std::int8_t, 2, L, E>({m, k}, a),
             vb = test::make_array<std::int8_t, 2, L, E>({k, n}, b);
  const auto as_int = test::make_array<std::int32_t, 2, L, E>({m, n});
  quern::matmul(E(), as_int, va, vb);
  EXPECT_EQ(expected, test::contents(as_int));
  const auto as_double = test::make_array<double, 2, L, E>({m, n});
  quern::matmul(E(), as_double, va, vb);
  EXPECT_EQ(std::vector<double>(expected.begin(), expected.end()), test::contents(as_double));
}

// Sums of 20 and of 300 products, by both kernels, and their factors.
TYPED_TEST(Products, IntegersWrapAround) {
  using E = TypeParam;
  constexpr int large = std::numeric_limits<int>::max();
  for (const std::int64_t k : {20, 300}) {
    const auto a = test::make_array<int, 2, Kokkos::LayoutRight, E>({70, k}, std::vector<int>(70 * k, large)),
               b = test::make_array<int, 2, Kokkos::LayoutRight, E>({k, 90}, std::vector<int>(90 * k, 2)),
               c = test::make_array<int, 2, Kokkos::LayoutRight, E>({70, 90}, std::vector<int>(70 * 90, large));
    quern::matmul(E(), c, a, b, {.alpha = large, .beta = 3});  // 2 k + 3 (2^31 - 1)
    const int expected = static_cast<int>(2 * k - 3 - large - 1);
    EXPECT_EQ(std::vector<int>(70 * 90, expected), test::contents(c));
    const auto y = test::make_array<int, 1, Kokkos::LayoutRight, E>({70}),
               x = test::make_array<int, 1, Kokkos::LayoutRight, E>({k}, std::vector<int>(k, 2));
    quern::matvec(E(), y, a, x);
    EXPECT_EQ(std::vector<int>(70, static_cast<int>(-2 * k)), test::contents(y));
  }
}

// 300 ones add up in float: half numbers would stop at 256 (bfloat16) or round.
TYPED_TEST(Products, HalfTypesAddUpInFloat) {
  using E = TypeParam;
  using T = Kokkos::Experimental::bhalf_t;
  const Kokkos::View<T**, Kokkos::LayoutRight, typename E::memory_space> a("a", 40, 300), b("b", 300, 50),
      c("c", 40, 50);
  Kokkos::deep_copy(a, T(1.0f));
  Kokkos::deep_copy(b, T(1.0f));
  quern::matmul(E(), c, a, b);
  const auto host = quern::to_host(c);
  EXPECT_EQ(300.0f, static_cast<float>(host(39, 49)));
  EXPECT_EQ(300.0f, static_cast<float>(host(0, 0)));
}

TYPED_TEST(Products, Outer) {
  using E = TypeParam;
  using T = Kokkos::complex<double>;
  const auto x = test::samples<T>(9, 1), y = test::samples<T>(14, 2);
  const auto vx = test::make_array<T, 1, Kokkos::LayoutStride, E>({9}, x);
  const auto vy = test::make_array<T, 1, Kokkos::LayoutRight, E>({14}, y);
  const auto c = test::make_array<T, 2, Kokkos::LayoutLeft, E>({9, 14});
  quern::outer(E(), c, vx, vy);
  EXPECT_EQ(product<T>(9, 1, 14, x, y), test::contents(c));
  Kokkos::deep_copy(c, T(0));
  quern::outer(c, vx, vy);
  EXPECT_EQ(product<T>(9, 1, 14, x, y), test::contents(c));
  test::expect_error("quern::outer: c has extents (9, 14), expected (14, 9)", [&] { quern::outer(E(), c, vy, vx); });
}

TYPED_TEST(Products, Vdot) {
  using E = TypeParam;
  using T = Kokkos::complex<double>;
  const auto x = test::samples<T>(35, 1), y = test::samples<T>(35, 2);
  T expected(0), plain(0);
  for (int i = 0; i < 35; ++i) {
    expected += Kokkos::conj(x[i]) * y[i];
    plain += x[i] * y[i];
  }
  ASSERT_NE(expected, plain);
  const auto vx = test::make_array<T, 2, Kokkos::LayoutLeft, E>({5, 7}, x);
  const auto vy = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 7}, y);
  EXPECT_EQ(expected, quern::vdot(E(), vx, vy));
  const Kokkos::View<T, E> out("out");
  quern::vdot(E(), out, vx, vy);
  EXPECT_EQ(expected, test::value(out));
  const auto i = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, E>({3}, {1, 2, 3});
  EXPECT_EQ(14, quern::vdot(i, i));
}

TYPED_TEST(MatmulForms, ReportsMisuse) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto array = [](std::int64_t m, std::int64_t n) {
    return test::make_array<T, 2, Kokkos::LayoutRight, E>({m, n});
  };
  const auto a = array(3, 4), b = array(4, 5), c = array(3, 5), square = array(4, 4);
  test::expect_error("quern::matmul: a has extents (3, 4), which do not fit b with extents (3, 5)",
                     [&] { quern::matmul(E(), c, a, c); });
  const auto pair = test::make_array<T, 3, Kokkos::LayoutRight, E>({2, 3, 4});
  const auto three = test::make_array<T, 3, Kokkos::LayoutRight, E>({3, 4, 5});
  test::expect_error("quern::matmul: a has extents (2, 3, 4), which do not fit b with extents (3, 4, 5)",
                     [&] { quern::matmul(E(), three, pair, three); });
  test::expect_error("quern::matmul: c has extents (3, 5), expected (2, 3, 5)",
                     [&] { quern::matmul(E(), c, pair, b); });
  test::expect_error("quern::matmul: c has extents (4, 5), expected (3, 5)", [&] { quern::matmul(E(), b, a, b); });
  test::expect_error("quern::matmul: out and a share memory", [&] { quern::matmul(E(), square, square, square); });
}

}  // namespace
