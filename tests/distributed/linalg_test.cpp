// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tall matrices whose rows are distributed.
#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/linalg.hpp>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class T>
std::vector<T> matrix(std::int64_t m, std::int64_t n, double scale_of_columns = 1) {
  std::vector<T> a(m * n);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double x =
          std::sin(3.7 * static_cast<double>(i * n + j) + static_cast<double>(j)) + (i % (n + 3) == j ? 1 : 0);
      const double scaled = x * std::pow(scale_of_columns, static_cast<double>(j));
      if constexpr (quern::impl::is_complex<T>) a[i * n + j] = T(scaled, std::cos(2.9 * i + j));
      else a[i * n + j] = static_cast<T>(scaled);
    }
  return a;
}

template <class T>
double size_of(const T& x) {
  if constexpr (quern::impl::is_complex<T>) return Kokkos::abs(x);
  else return std::fabs(static_cast<double>(x));
}

/// The product of matrices in the order of the last index fastest, the first one's adjoint where asked for.
template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::int64_t m, std::int64_t k, std::int64_t n,
                       bool adjoint = false) {
  std::vector<T> c(m * n, T(0));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] += (adjoint ? quern::impl::conjugate(a[l * m + i]) : a[i * k + l]) * b[l * n + j];
  return c;
}
template <class T>
void expect_near(const std::vector<T>& expected, const std::vector<T>& found, double tolerance, const char* what) {
  ASSERT_EQ(expected.size(), found.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, size_of<T>(found[i] - expected[i]));
  EXPECT_LE(worst, tolerance) << what;
}
template <class T>
std::vector<T> identity(std::int64_t n) {
  std::vector<T> a(n * n, T(0));
  for (std::int64_t i = 0; i < n; ++i) a[i * n + i] = T(1);
  return a;
}

/// The whole array on every rank.
template <class U>
auto whole_of(const U& u) {
  using E = typename U::execution_space;
  using T = typename U::value_type;
  const auto w = test::make_array<T, 2, LayoutRight, E>({u.extents().extent[0], u.extents().extent[1]});
  distributed::to_global(E(), w, u);
  return test::contents(w);
}

template <class Case>
struct DistributedLinalg : testing::Test {};
using linalg_cases = test::covering<double, float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedLinalg, linalg_cases);

TYPED_TEST(DistributedLinalg, QrAndSvdOfTallMatrices) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using R = quern::impl::real_type<T>;
  const E exec{};
  const auto comm = test::world();
  const double eps = test::eps<T>();
  for (const auto& [m, n, scale] : {std::tuple<std::int64_t, std::int64_t, double>{1000, 12, 1},
                                    {611, 3, 1e-4},
                                    {520, 1, 1},
                                    {40, 7, 1},
                                    {3, 3, 1},
                                    {3, 1, 1}}) {
    const auto values = matrix<T>(m, n, scale);
    const Decomposition d(comm, {m, n}, {.grid = {comm.size(), 1}});
    const auto a = test::distribute<T, 2, LayoutRight, E>(d, values);
    const quern::DistributedView<T, 2, LayoutRight, typename E::memory_space> q("q", d);
    const auto r = test::make_array<T, 2, typename TypeParam::layout, E>({n, n});
    quern::qr(exec, q, r, a);
    const auto basis = whole_of(q);
    const double bound = 60 * eps * std::sqrt(static_cast<double>(m)) * static_cast<double>(n);
    expect_near(identity<T>(n), product(basis, basis, n, m, n, true), bound, "q^H q");
    expect_near(values, product(basis, test::contents(r), m, n, n), bound, "q r");
    const quern::DistributedView<T, 2, Kokkos::LayoutLeft, typename E::memory_space> u("u", d);
    const auto s = test::make_array<R, 1, LayoutRight, E>({n});
    const auto vt = test::make_array<T, 2, typename TypeParam::layout, E>({n, n});
    quern::svd(exec, u, s, vt, a);
    const auto left = whole_of(u), right = test::contents(vt);
    const auto sigma = test::contents(s);
    expect_near(identity<T>(n), product(left, left, n, m, n, true), bound, "u^H u");
    std::vector<T> scaled = right;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) scaled[i * n + j] *= sigma[i];
    expect_near(values, product(left, scaled, m, n, n), bound * std::max<double>(sigma[0], 1), "u s vt");
    EXPECT_TRUE(std::is_sorted(sigma.rbegin(), sigma.rend()));
    // The small matrices are the same on every rank.
    const auto same = [&](const auto& x) {
      const std::string bits(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(x[0]));
      EXPECT_NO_THROW(quern::impl::check_same(comm, "test", "bits", bits));
    };
    same(right);
    same(sigma);
  }
}

TYPED_TEST(DistributedLinalg, LeastSquaresAndComponents) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using R = quern::impl::real_type<T>;
  const E exec{};
  const auto comm = test::world();
  const double eps = test::eps<T>();
  for (const std::int64_t m : {700, 30}) {
    const std::int64_t n = 5;
    const auto values = matrix<T>(m, n);
    const auto right = matrix<T>(m, 2, 3);
    const Decomposition d(comm, {m, n}, {.grid = {comm.size(), 1}}), e(comm, {m, 2}, {.grid = {comm.size(), 1}});
    const auto a = test::distribute<T, 2, LayoutRight, E>(d, values);
    const auto b = test::distribute<T, 2, LayoutRight, E>(e, right);
    const auto x = test::make_array<T, 2, LayoutRight, E>({n, 2});
    EXPECT_EQ(n, quern::lstsq(exec, x, a, b));
    // The residual is orthogonal to the columns.
    auto rest = product(values, test::contents(x), m, n, 2);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= right[i];
    expect_near(std::vector<T>(2 * n, T(0)), product(values, rest, n, m, 2, true), 200 * eps * static_cast<double>(m),
                "a^H (a x - b)");
    const auto va = test::make_array<T, 2, LayoutRight, E>({m, n}, values);
    const auto mean = test::make_array<T, 1, LayoutRight, E>({n}),
               expected_mean = test::make_array<T, 1, LayoutRight, E>({n});
    const auto components = test::make_array<T, 2, LayoutRight, E>({3, n}),
               expected_components = test::make_array<T, 2, LayoutRight, E>({3, n});
    const auto variance = test::make_array<R, 1, LayoutRight, E>({3}),
               expected_variance = test::make_array<R, 1, LayoutRight, E>({3});
    quern::pca(exec, expected_mean, expected_components, expected_variance, va);
    quern::pca(exec, mean, components, variance, a);
    expect_near(test::contents(expected_mean), test::contents(mean), 20 * eps, "mean");
    expect_near(test::contents(expected_variance), test::contents(variance), 200 * eps, "variance");
    const auto c = test::contents(components);
    std::vector<T> gram(9, T(0));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < n; ++k) gram[3 * i + j] += quern::impl::conjugate(c[i * n + k]) * c[j * n + k];
    expect_near(identity<T>(3), gram, 100 * eps, "components");
  }
}

// A third of the observations are one more than a mean whose last digit is a quarter.
TYPED_TEST(DistributedLinalg, PrincipalComponentsBesideLargeMeans) {
  using T = typename TypeParam::value;
  using R = quern::impl::real_type<T>;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  const std::int64_t m = 900;
  const R large = R(0.25) / std::numeric_limits<R>::epsilon();
  std::vector<T> values(m, T(large));
  for (std::int64_t i = 0; i < m; i += 3) values[i] = T(large + R(1));
  const Decomposition d(comm, {m, 1}, {.grid = {comm.size(), 1}});
  const auto a = test::distribute<T, 2, LayoutRight, E>(d, values);
  const auto mean = test::make_array<T, 1, LayoutRight, E>({1});
  const auto components = test::make_array<T, 2, LayoutRight, E>({1, 1});
  const auto variance = test::make_array<R, 1, LayoutRight, E>({1});
  quern::pca(exec, mean, components, variance, a);
  const double expected = 2.0 / 9 * m / (m - 1);
  EXPECT_NEAR(expected, test::contents(variance)[0], 100 * test::eps<T>() * expected);
  EXPECT_LE(Kokkos::abs(test::contents(mean)[0] - T(large)), R(0.5));
}

TYPED_TEST(DistributedLinalg, RankDeficientAndExtreme) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  const std::int64_t m = 600, n = 6;
  const double eps = test::eps<T>();
  const Decomposition d(comm, {m, n}, {.grid = {comm.size(), 1}});
  const quern::DistributedView<T, 2, LayoutRight, typename E::memory_space> q("q", d);
  const auto r = test::make_array<T, 2, LayoutRight, E>({n, n});
  auto values = matrix<T>(m, n);
  for (std::int64_t i = 0; i < m; ++i) values[i * n + 4] = values[i * n + 1];  // rank 5
  for (const double scale : {1.0, sizeof(quern::impl::real_type<T>) == 8 ? 1e155 : 1e25}) {
    auto scaled = values;
    for (auto& x : scaled) x *= static_cast<quern::impl::real_type<T>>(scale);
    const auto a = test::distribute<T, 2, LayoutRight, E>(d, scaled);
    quern::qr(exec, q, r, a);
    const auto basis = whole_of(q);
    expect_near(identity<T>(n), product(basis, basis, n, m, n, true), 2000 * eps, "q^H q");
    const auto back = product(basis, test::contents(r), m, n, n);
    expect_near(scaled, back, 2000 * eps * scale, "q r");
  }
  values[7] = T(std::nan(""));
  quern::qr(exec, q, r, test::distribute<T, 2, LayoutRight, E>(d, values));
  EXPECT_NE(test::contents(r)[0], test::contents(r)[0]);
}

template <class Exec>
struct DistributedLinalgOn : testing::Test {};
TYPED_TEST_SUITE(DistributedLinalgOn, test::all_spaces);

// As on one device, where some ranks have no rows.
TYPED_TEST(DistributedLinalgOn, MoreRanksThanRows) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const std::int64_t m : {3, 2}) {
    const auto rows = [&](std::int64_t n) { return Decomposition(comm, {m, n}, {.grid = {comm.size(), 1}}); };
    const auto values = matrix<double>(m, 2), right = matrix<double>(m, 3, 2);
    const auto whole = test::make_array<double, 2, LayoutRight, E>({m, 2}, values),
               whole_right = test::make_array<double, 2, LayoutRight, E>({m, 3}, right);
    const auto a = test::distribute<double, 2, LayoutRight, E>(rows(2), values),
               b = test::distribute<double, 2, LayoutRight, E>(rows(3), right);
    const auto array = [](std::int64_t rows_of_it, std::int64_t columns) {
      return test::make_array<double, 2, LayoutRight, E>({rows_of_it, columns});
    };
    const auto near = [](const auto& expected, const auto& found, const char* what) {
      expect_near(test::contents(expected), test::contents(found), 1e-12, what);
    };
    const auto factor = test::make_array<double, 2, LayoutRight, E>({2, 3}, matrix<double>(2, 3));
    const auto product_of_whole = array(m, 3);
    quern::matmul(exec, product_of_whole, whole, factor);
    const quern::DistributedView<double, 2, E> c("c", rows(3));
    quern::matmul(exec, c, a, factor);
    expect_near(test::contents(product_of_whole), whole_of(c), 1e-14, "a b");
    const auto x = array(2, 3), expected_x = array(2, 3);
    EXPECT_EQ(quern::lstsq(exec, expected_x, whole, whole_right), quern::lstsq(exec, x, a, b));
    near(expected_x, x, "x");
    const auto line = [](std::int64_t n) { return test::make_array<double, 1, LayoutRight, E>({n}); };
    const auto mean = line(2), expected_mean = line(2), variance = line(1), expected_variance = line(1);
    const auto components = array(1, 2), expected_components = array(1, 2);
    quern::pca(exec, expected_mean, expected_components, expected_variance, whole);
    quern::pca(exec, mean, components, variance, a);
    near(expected_mean, mean, "mean");
    near(expected_components, components, "components");
    near(expected_variance, variance, "variance");
  }
}

TYPED_TEST(DistributedLinalgOn, ProductsAndMisuse) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, {20, 4}, {.grid = {comm.size(), 1}}), e(comm, {20, 3}, {.grid = {comm.size(), 1}});
  const auto values = matrix<double>(20, 4), small = matrix<double>(4, 3);
  const auto a = test::distribute<double, 2, LayoutRight, E>(d, values);
  const quern::DistributedView<double, 2, E> c("c", e);
  const auto b = test::make_array<double, 2, LayoutRight, E>({4, 3}, small);
  quern::matmul(exec, c, a, b);
  expect_near(product(values, small, 20, 4, 3), whole_of(c), 1e-14, "a b");
  quern::matmul(c, a, b, {.alpha = 3, .beta = -2});
  expect_near(product(values, small, 20, 4, 3), whole_of(c), 1e-13, "3 a b - 2 a b");
  const Kokkos::View<double**, E> r("r", 4, 4);
  if (comm.size() > 1) {
    const Decomposition wrong(comm, {20, 4}, {.grid = {1, comm.size()}});
    const quern::DistributedView<double, 2, E> w("w", wrong);
    test::expect_error("quern::qr: a has a grid of " + std::to_string(comm.size()) +
                           " ranks along axis 1, expected 1: rows are distributed",
                       [&] { quern::qr(exec, w, r, w); });
  }
  const Decomposition wide(comm, {3, 4}, {.grid = {comm.size(), 1}});
  const quern::DistributedView<double, 2, E> w("w", wide);
  test::expect_error("quern::qr: a has extents (3, 4), expected no more columns than rows",
                     [&] { quern::qr(exec, w, r, w); });
  test::expect_error("quern::lstsq: over ranks the method is svd",
                     [&] { quern::lstsq(exec, Kokkos::View<double*, E>("x", 4), a, a, quern::least_squares::qr); });
}

}  // namespace
