// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/eigh.hpp>
#include <quern/linalg/qr.hpp>
#include <quern/linalg/svd.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using test::matrix;

template <class Case>
struct Orthogonal : testing::Test {
  using T = typename Case::value;
  using R = quern::impl::real_type<T>;
  using L = typename Case::layout;
  using E = typename Case::exec;
  const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<R>);

  static auto array(const std::array<std::int64_t, 3>& extents, const std::vector<T>& values) {
    return test::make_array<T, 3, L, E>(extents, values);
  }
  static auto array(const std::array<std::int64_t, 3>& extents) { return test::make_array<T, 3, L, E>(extents); }

  /// Q has orthonormal columns, R is upper triangular, and their product is A.
  void check_qr(const std::vector<T>& a, int items, int m, int n, int k) {
    const auto va = array({items, m, n}, a), vq = array({items, m, k}), vr = array({items, k, n});
    quern::qr(E(), vq, vr, va);
    const auto q = test::contents(vq), r = test::contents(vr);
    for (int item = 0; item < items; ++item) {
      const auto ai = test::part(a, item, m, n), qi = test::part(q, item, m, k), ri = test::part(r, item, k, n);
      EXPECT_LE(test::loss_of_orthogonality(qi), 8 * m * eps) << m << ' ' << n << ' ' << k;
      EXPECT_LE(test::distance(test::product(qi, ri), ai), 8 * m * eps * std::max(test::norm(ai), 1e-300));
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < std::min(i, n); ++j) EXPECT_EQ(T(0), ri(i, j));
    }
  }

  /// U and V have orthonormal columns, S descends, and their product is A. Gives S.
  std::vector<R> check_svd(const std::vector<T>& a, int items, int m, int n) {
    const int k = std::min(m, n);
    const auto va = array({items, m, n}, a), vu = array({items, m, k}), vv = array({items, k, n});
    const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> vs("s", items, k), alone("alone", items, k);
    quern::svd(vu, vs, vv, va);
    quern::svdvals(E(), alone, va);
    const auto u = test::contents(vu), vt = test::contents(vv);
    const auto s = reals(vs);
    EXPECT_EQ(s, reals(alone));
    for (int item = 0; item < items; ++item) {
      const auto ai = test::part(a, item, m, n), v = test::part(vt, item, k, n);
      auto ui = test::part(u, item, m, k);
      EXPECT_LE(test::loss_of_orthogonality(ui), 16 * m * eps) << m << ' ' << n;
      EXPECT_LE(test::loss_of_orthogonality(test::adjoint(v)), 16 * n * eps) << m << ' ' << n;
      for (int j = 0; j < k; ++j) {
        EXPECT_GE(s[item * k + j], 0);
        EXPECT_TRUE(j == 0 || s[item * k + j] <= s[item * k + j - 1]);
        for (int i = 0; i < m; ++i) ui(i, j) *= s[item * k + j];
      }
      EXPECT_LE(test::distance(test::product(ui, v), ai), 16 * (m + n) * eps * std::max(test::norm(ai), 1e-300));
    }
    return s;
  }

  static void append(std::vector<T>& a, int m, int n, const auto& element) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) a.push_back(test::number<T>(element(i, j), 0));
  }

  /// One batch of n x n matrices of rank one to three.
  void check_svd_of_parallel_columns(int n) {
    std::vector<T> a;
    append(a, n, n, [](int, int) { return 1; });
    append(a, n, n, [](int, int) { return 0.1; });
    append(a, n, n, [](int i, int j) { return i * j; });
    append(a, n, n, [](int i, int j) { return (i + 1) * (j + 1); });
    append(a, n, n, [&](int i, int j) { return 1 + (i < n / 2) + 3 * (j < n / 3); });
    append(a, n, n, [](int i, int j) { return i + j; });
    check_svd(a, 6, n, n);
    if (n == 5 || n == 16) {  // in packs
      const auto few = a;
      for (int k = 1; k < 6; ++k) a.insert(a.end(), few.begin(), few.end());
      check_svd(a, 36, n, n);
    }
  }

  /// Hermitian matrices with the eigenvalues given, times a random unitary one.
  static std::vector<T> hermitian(int items, int n, const std::vector<double>& values) {
    const auto bases = test::matrices<T>(items, n, "condition", 0);  // unitary
    std::vector<T> all;
    for (int item = 0; item < items; ++item) {
      const auto u = test::part(bases, item, n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          test::wide sum(0);
          for (int k = 0; k < n; ++k)
            sum += test::widened(u(i, k)) * Kokkos::conj(test::widened(u(j, k))) * test::wide(values[k]);
          all.push_back(test::number<T>(static_cast<double>(sum.real()), static_cast<double>(sum.imag())));
        }
    }
    return all;
  }
  static std::vector<R> reals(const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space>& w) {
    return test::contents(w);
  }

  void check_eigh(int items, int n, std::vector<double> values) {
    auto a = hermitian(items, n, values);
    const auto full = a;
    for (int item = 0; item < items; ++item)  // the upper triangle is not read
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) a[(item * n + i) * n + j] = T(77);
    const auto va = array({items, n, n}, a), vv = array({items, n, n});
    const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> w("w", items, n), alone("alone", items, n);
    quern::eigh(E(), w, vv, va);
    quern::eigvalsh(alone, va);
    const auto vectors = test::contents(vv);
    const auto found = reals(w);
    std::sort(values.begin(), values.end());
    double size = 0;
    for (const double x : values) size = std::max(size, std::fabs(x));
    if (quern::impl::is_device<E> || n < quern::impl::linalg_tuning<E>::template vendor_eigh_rows<T>) {
      EXPECT_EQ(found, reals(alone));
    } else {  // LAPACK has another algorithm for values alone
      const auto values_alone = reals(alone);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], values_alone[i], 8 * n * eps * size) << n;
    }
    for (int item = 0; item < items; ++item) {
      const auto ai = test::part(full, item, n, n), v = test::part(vectors, item, n, n);
      EXPECT_LE(test::loss_of_orthogonality(v), 16 * n * eps) << n;
      matrix<T> scaled = v;
      for (int j = 0; j < n; ++j) {
        EXPECT_NEAR(values[j], found[item * n + j], 8 * n * eps * size);
        for (int i = 0; i < n; ++i) scaled(i, j) *= found[item * n + j];
      }
      EXPECT_LE(test::distance(test::product(ai, v), scaled), 16 * n * eps * std::max(n * size, 1e-300)) << n;
    }
  }
};
using cases = test::covering<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Orthogonal, cases);

TYPED_TEST(Orthogonal, QrOfEveryShape) {
  using T = typename TestFixture::T;
  for (const auto& [m, n] :
       {std::array<int, 2>{1, 1}, {2, 1}, {1, 3}, {5, 5}, {8, 3}, {4, 9}, {33, 20}, {64, 64}, {64, 1}}) {
    std::vector<T> a(3 * m * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = test::any<T>(i, m);
    this->check_qr(a, 3, m, n, std::min(m, n));
    this->check_qr(a, 3, m, n, m);
  }
}

// Orthogonality does not depend on the condition, nor on columns that repeat or are zero.
TYPED_TEST(Orthogonal, QrOfEveryCondition) {
  using T = typename TestFixture::T;
  for (int digits = 0; digits <= 15; digits += 3)
    this->check_qr(test::matrices<T>(4, 12, "condition", digits), 4, 12, 12, 12);
  std::vector<T> repeated(2 * 6 * 4);
  for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = i % 4 == 2 ? T(0) : test::any<T>(i / 4, 1);
  this->check_qr(repeated, 2, 6, 4, 4);
}

TYPED_TEST(Orthogonal, EighFindsTheSpectrum) {
  for (const int n : {1, 2, 3, 8, 15, 32, 33, 64}) {
    std::vector<double> values(n);
    for (int i = 0; i < n; ++i) values[i] = std::cos(3.0 * i) * 5;
    this->check_eigh(3, n, values);
    if (n < 20) this->check_eigh(45, n, values);
  }
  this->check_eigh(2, 9, std::vector<double>(9, 2.5));                  // all the same
  this->check_eigh(2, 6, {0, 0, 0, 1, 1, -1});                          // multiple, and a null space
  this->check_eigh(2, 7, {1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, -1e-15});  // small beside large
  this->check_eigh(2, 4, {0, 0, 0, 0});
}

// More than the vendor's library takes at once: diagonal matrices, of which each has values of its own.
TYPED_TEST(Orthogonal, EighOfManyMatrices) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  if constexpr (std::is_same_v<T, float>) {
    constexpr int items = 100'000, n = quern::impl::linalg_tuning<E>::template vendor_eigh_rows<T>;
    std::vector<T> a(std::size_t{items} * n * n);
    const auto value = [](int item, int i) { return static_cast<R>((item + 5 * i) % 31); };
    for (int item = 0; item < items; ++item)
      for (int i = 0; i < n; ++i) a[(std::size_t(item) * n + i) * n + i] = value(item, i);
    const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> w("w", items, n);
    quern::eigvalsh(w, TestFixture::array({items, n, n}, a));
    const auto found = TestFixture::reals(w);
    for (int item = 0; item < items; item += 97) {
      std::vector<R> values(n);
      for (int i = 0; i < n; ++i) values[i] = value(item, i);
      std::sort(values.begin(), values.end());
      for (int i = 0; i < n; ++i) ASSERT_NEAR(values[i], found[std::size_t(item) * n + i], 31 * n * this->eps) << item;
    }
  } else {
    GTEST_SKIP() << "in float alone";
  }
}

// Whatever the size and the spectrum of others that are decomposed beside it.
TYPED_TEST(Orthogonal, EighOfAMatrixAmongOthersIsThatOfOneAlone) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  const int items = 50, n = 5;
  std::vector<T> a;
  for (int i = 0; i < items; ++i) {
    const double x = i % 5;
    auto one = TestFixture::hermitian(1, n, {x, x + 1e-3, 2, -3 * x, 4});
    const auto size = static_cast<R>(i % 4 == 0 ? 1e-18 : i % 4 == 1 ? 1e18 : 1);
    for (T& value : one) value *= size;
    if (i % 13 == 6) one[n] = T(std::numeric_limits<R>::quiet_NaN());
    if (i % 13 == 7) one = std::vector<T>(n * n, T(0));
    a.insert(a.end(), one.begin(), one.end());
  }
  const auto decompose = [&](int from, int count) {
    const std::vector<T> part(a.begin() + from * n * n, a.begin() + (from + count) * n * n);
    const auto v = TestFixture::array({count, n, n}, part);
    const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> w("w", count, n);
    const Kokkos::View<int*, typename E::memory_space> info("info", count);
    quern::eigh(E(), w, v, v, info);
    EXPECT_EQ(std::vector<int>(count, 0), test::contents(info));
    return TestFixture::reals(w);
  };
  const auto all = decompose(0, items);
  for (int i = 0; i < items; ++i) {
    const auto one = decompose(i, 1);
    for (int j = 0; j < n; ++j) {
      if (i % 13 == 6) EXPECT_TRUE(std::isnan(one[j]) && std::isnan(all[i * n + j])) << i;
      else EXPECT_NEAR(one[j], all[i * n + j], 8 * n * this->eps * std::fabs(one[n - 1] - one[0])) << i;
    }
  }
}

TYPED_TEST(Orthogonal, EighInPlaceNaNAndInfo) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  auto a = TestFixture::hermitian(3, 5, {1, 2, 3, 4, 5});
  a[25 + 10] = T(std::numeric_limits<R>::quiet_NaN());
  const auto va = TestFixture::array({3, 5, 5}, a);
  const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> w("w", 3, 5);
  const Kokkos::View<int*, typename E::memory_space> info("info", 3);
  Kokkos::deep_copy(info, 7);
  quern::eigh(w, va, va, info);
  const auto values = TestFixture::reals(w);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(i + 1, values[i], 200 * this->eps);
    EXPECT_NE(values[5 + i], values[5 + i]);
    EXPECT_NEAR(i + 1, values[10 + i], 200 * this->eps);
  }
  EXPECT_EQ((std::vector<int>{0, 0, 0}), test::contents(info));
}

// Few items one by one, and many in packs of 32, of which the last is not full.
TYPED_TEST(Orthogonal, SvdOfEveryShape) {
  using T = typename TestFixture::T;
  for (const auto& [m, n] : {std::array<int, 2>{1, 1},
                             {2, 1},
                             {1, 3},
                             {5, 5},
                             {8, 3},
                             {4, 9},
                             {16, 16},
                             {10, 25},
                             {33, 20},
                             {64, 64},
                             {64, 1}}) {
    for (const int items : {3, 45}) {
      if (items > 3 && m * n > 256) continue;
      std::vector<T> a(items * m * n);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = test::any<T>(i, m);
      this->check_svd(a, items, m, n);
    }
  }
}

// Whatever the size, the rank and the number of sweeps of others that are decomposed beside it.
TYPED_TEST(Orthogonal, SvdOfAMatrixAmongOthersIsThatOfOneAlone) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  const int items = 70, m = 4, n = 6;
  std::vector<T> a;
  for (int item = 0; item < items; ++item) {
    const double size = item % 4 == 0 ? 1e-18 : item % 4 == 1 ? 1e18 : 1;
    TestFixture::append(a, m, n, [&](int i, int j) {
      if (item % 13 == 6 && i == 1 && j == 2) return std::numeric_limits<double>::quiet_NaN();
      if (item % 13 == 7) return 0.0;
      return size * (item % 5 == 2 ? 0.1 * (i + 1) * (j + 1) : std::cos(7.0 * item + 3 * i + j * (i + 1)));
    });
  }
  const auto decompose = [&](int from, int count) {
    const std::vector<T> part(a.begin() + from * m * n, a.begin() + (from + count) * m * n);
    const auto va = TestFixture::array({count, m, n}, part), u = TestFixture::array({count, m, m});
    const auto vt = TestFixture::array({count, m, n});
    const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> s("s", count, m);
    const Kokkos::View<int*, typename E::memory_space> info("info", count);
    Kokkos::deep_copy(info, 7);
    quern::svd(E(), u, s, vt, va, info);
    EXPECT_EQ(std::vector<int>(count, 0), test::contents(info));
    if (count > 1) return TestFixture::reals(s);
    for (const T& x : test::contents(u)) EXPECT_EQ(from % 13 == 6, quern::impl::is_nan(x)) << from;
    return TestFixture::reals(s);
  };
  const auto all = decompose(0, items);
  for (int i = 0; i < items; ++i) {
    const auto one = decompose(i, 1);
    for (int j = 0; j < m; ++j) {
      if (i % 13 == 6) EXPECT_TRUE(std::isnan(one[j]) && std::isnan(all[i * m + j])) << i;
      else EXPECT_NEAR(one[j], all[i * m + j], 8 * n * this->eps * one[0]) << i;
    }
  }
}

TYPED_TEST(Orthogonal, SvdOfEveryCondition) {
  using T = typename TestFixture::T;
  constexpr int n = 12;
  for (int digits = 0; digits <= 15; digits += 3) {
    const auto s = this->check_svd(test::matrices<T>(4, n, "condition", digits), 4, n, n);
    for (int i = 0; i < 4 * n; ++i)
      EXPECT_NEAR(std::pow(10.0, -digits * (i % n) / (n - 1.0)), s[i], 8 * n * this->eps) << digits;
  }
}

// Columns that repeat or are zero, and nothing but zeros: the vectors are still orthonormal.
TYPED_TEST(Orthogonal, SvdOfDeficientRank) {
  using T = typename TestFixture::T;
  std::vector<T> repeated(2 * 6 * 5);
  for (std::size_t i = 0; i < repeated.size(); ++i)
    repeated[i] = i % 5 == 2 || i % 5 == 4 ? T(0) : test::any<T>(i / 5, 1);
  this->check_svd(repeated, 2, 6, 5);
  this->check_svd(repeated, 2, 5, 6);
  this->check_svd(std::vector<T>(2 * 6 * 4, T(0)), 2, 6, 4);
  this->check_svd(std::vector<T>(2 * 6 * 4, T(0)), 2, 4, 6);
  this->check_svd(std::vector<T>(40 * 6 * 4, T(0)), 40, 4, 6);
}

// What is left of columns that are parallel is rounding errors, and these may be parallel again.
TYPED_TEST(Orthogonal, SvdOfParallelColumns) {
  for (int n = 1; n <= 32; ++n) this->check_svd_of_parallel_columns(n);
  using T = typename TestFixture::T;
  for (const auto& [m, n] : {std::array<int, 2>{64, 5}, {7, 64}, {33, 32}, {3, 2}}) {
    std::vector<T> a;
    TestFixture::append(a, m, n, [](int, int) { return 7; });
    TestFixture::append(a, m, n, [](int i, int j) { return (i % 3) * (j % 2) + (i % 2) * (j % 5); });
    TestFixture::append(a, m, n, [](int i, int j) { return i == 0 ? 1e-10 * j : j == 1 ? 1e8 : 1; });
    this->check_svd(a, 3, m, n);
  }
}

TYPED_TEST(Orthogonal, SvdOfParallelColumnsOfLargeMatrices) {
  for (int n = 33; n <= 64; ++n) this->check_svd_of_parallel_columns(n);
}

// Squares of such elements overflow or vanish.
TYPED_TEST(Orthogonal, ElementsOfEverySize) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  constexpr int n = 4;
  const bool narrow = sizeof(R) == 4;
  const std::vector<double> sizes =
      narrow ? std::vector<double>{1e-22, 1e-36, 1e20, 5e36} : std::vector<double>{1e-170, 1e-305, 1e155, 1e306};
  for (const double size : sizes) {
    auto scaled = [&](std::vector<T> a) {
      for (T& x : a) x *= static_cast<R>(size);
      return a;
    };
    this->check_svd(scaled(test::matrices<T>(5, n, "any")), 5, n, n);
    this->check_qr(scaled(test::matrices<T>(5, n, "any")), 5, n, n, n);
    this->check_qr(scaled(test::matrices<T>(8, 2, "any")), 2, 8, 2, 8);
    this->check_eigh(5, n, {-size, 0.25 * size, 0.5 * size, size});
    this->check_eigh(18, n, {-size, 0.25 * size, 0.5 * size, size});
  }
  auto mixed = test::matrices<T>(2, n, "any");  // columns of very different sizes
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] *= static_cast<R>(i % 4 == 1 ? sizes[0] : i % 4 == 2 ? sizes[2] : 1);
  this->check_svd(mixed, 2, n, n);
  this->check_qr(mixed, 2, n, n, n);
}

TYPED_TEST(Orthogonal, QrOfNoColumns) {
  this->check_qr({}, 2, 4, 0, 4);
  this->check_qr({}, 2, 4, 0, 0);
}

TYPED_TEST(Orthogonal, InfinitiesGiveNaN) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  auto a = test::matrices<T>(2, 3, "any");
  a[4] = T(-std::numeric_limits<R>::infinity());
  const auto va = TestFixture::array({2, 3, 3}, a), vv = TestFixture::array({2, 3, 3});
  const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> s("s", 2, 3), w("w", 2, 3);
  quern::svdvals(s, va);
  quern::eigh(w, vv, va);
  for (const auto& values : {TestFixture::reals(s), TestFixture::reals(w)})
    for (int i = 0; i < 6; ++i) EXPECT_EQ(i < 3, values[i] != values[i]) << i;
}

TYPED_TEST(Orthogonal, SvdOfNaNAndInfo) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  auto a = test::matrices<T>(3, 4, "any");
  const auto fine = a;
  a[16 + 5] = T(std::numeric_limits<R>::quiet_NaN());
  const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> s("s", 3, 4), expected("expected", 3, 4);
  const Kokkos::View<int*, typename E::memory_space> info("info", 3);
  Kokkos::deep_copy(info, 7);
  quern::svdvals(s, TestFixture::array({3, 4, 4}, a), info);
  quern::svdvals(expected, TestFixture::array({3, 4, 4}, fine));
  const auto found = TestFixture::reals(s), right = TestFixture::reals(expected);
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(i / 4 == 1 ? found[i] != found[i] : found[i] == right[i]) << i;
  EXPECT_EQ((std::vector<int>{0, 0, 0}), test::contents(info));
}

TYPED_TEST(Orthogonal, ReportsMisuse) {
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  const auto a = TestFixture::array({3, 5, 4}), q = TestFixture::array({3, 5, 4}), r = TestFixture::array({3, 4, 4});
  const Kokkos::View<R**, typename E::memory_space> w("w", 3, 5);
  quern::qr(TestFixture::array({0, 5, 4}), TestFixture::array({0, 4, 4}), TestFixture::array({0, 5, 4}));
  test::expect_error("quern::qr: r has extents (3, 5, 4), expected (3, 4, 4)", [&] { quern::qr(E(), q, a, a); });
  test::expect_error("quern::qr: q has extents (3, 4, 4), expected (3, 5, 4)", [&] { quern::qr(E(), r, r, a); });
  test::expect_error("quern::qr: out and a share memory", [&] { quern::qr(E(), a, r, a); });
  // One block of memory for two outputs.
  const Kokkos::View<R**, Kokkos::LayoutRight, typename E::memory_space> s("s", 3, 4);
  const Kokkos::View<int*, typename E::memory_space> info("info", 3);
  if constexpr (std::is_same_v<R, typename TestFixture::T>) {
    const auto inside = Kokkos::subview(q, Kokkos::ALL, 0, Kokkos::ALL);
    test::expect_error("quern::svd: u and s share memory", [&] { quern::svd(q, inside, r, a); });
    const auto v = Kokkos::subview(r, Kokkos::ALL, 1, Kokkos::ALL);
    test::expect_error("quern::svd: s and vt share memory", [&] { quern::svd(q, v, r, a); });
    test::expect_error("quern::eigh: w and v share memory",
                       [&] { quern::eigh(E(), v, r, TestFixture::array({3, 4, 4})); });
  }
  const Kokkos::View<int*, typename E::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> over(
      reinterpret_cast<int*>(s.data()), 3);
  test::expect_error("quern::svdvals: info and another array share memory", [&] { quern::svdvals(s, a, over); });
  test::expect_error("quern::eigvalsh: a has extents (3, 5, 4), expected square matrices, (n, n) or (batch, n, n)",
                     [&] { quern::eigvalsh(E(), w, a); });
  test::expect_error("quern::eigvalsh: w has extents (3, 5), expected (3, 4)", [&] { quern::eigvalsh(E(), w, r); });
}

}  // namespace
