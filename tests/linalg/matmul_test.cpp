// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/matmul.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Matmul : testing::Test {};
using cases = test::full_product<float, double, std::int32_t, Kokkos::complex<double>>;
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

TYPED_TEST(Matmul, ReportsMisuse) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto array = [](std::int64_t m, std::int64_t n) {
    return test::make_array<T, 2, Kokkos::LayoutRight, E>({m, n});
  };
  const auto a = array(3, 4), b = array(4, 5), c = array(3, 5), square = array(4, 4);
  test::expect_error("quern::matmul: a has extents (3, 4), which do not fit b with extents (3, 5)",
                     [&] { quern::matmul(E(), c, a, c); });
  test::expect_error("quern::matmul: c has extents (4, 5), expected (3, 5)", [&] { quern::matmul(E(), b, a, b); });
  test::expect_error("quern::matmul: out and a share memory", [&] { quern::matmul(E(), square, square, square); });
}

}  // namespace
