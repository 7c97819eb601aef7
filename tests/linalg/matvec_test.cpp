// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/matvec.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Matvec : testing::Test {};
using cases = test::covering<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Matvec, cases);

constexpr std::int64_t batch = 10, m = 15, n = 17;

// Exact arithmetic, as for matmul. Batched arguments have a stride, others repeat.
template <class T>
std::vector<T> products(std::int64_t count, const std::vector<T>& a, bool many_a, const std::vector<T>& x,
                        bool many_x) {
  std::vector<T> y(count * m, T(0));
  for (std::int64_t b = 0; b < count; ++b)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t k = 0; k < n; ++k)
        y[b * m + i] += a[(many_a ? b * m * n : 0) + i * n + k] * x[(many_x ? b * n : 0) + k];
  return y;
}

TYPED_TEST(Matvec, EveryBatchForm) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  const auto a = test::samples<T>(batch * m * n, 1), x = test::samples<T>(batch * n, 2);
  const std::vector<T> a1(a.begin(), a.begin() + m * n), x1(x.begin(), x.begin() + n);
  const auto many_a = test::make_array<T, 3, L, E>({batch, m, n}, a);
  const auto one_a = test::make_array<T, 2, L, E>({m, n}, a1);
  const auto many_x = test::make_array<T, 2, L, E>({batch, n}, x);
  const auto one_x = test::make_array<T, 1, L, E>({n}, x1);
  const auto many_y = test::make_array<T, 2, L, E>({batch, m});
  const auto one_y = test::make_array<T, 1, L, E>({m});
  quern::matvec(E(), one_y, one_a, one_x);
  EXPECT_EQ(products(1, a1, false, x1, false), test::contents(one_y));
  quern::matvec(E(), many_y, one_a, many_x);
  EXPECT_EQ(products(batch, a1, false, x, true), test::contents(many_y));
  quern::matvec(E(), many_y, many_a, many_x);
  EXPECT_EQ(products(batch, a, true, x, true), test::contents(many_y));
  quern::matvec(many_y, many_a, one_x);
  EXPECT_EQ(products(batch, a, true, x1, false), test::contents(many_y));
}

// Of every length around those whose loops are known when compiled; on hosts longer ones go another way.
TYPED_TEST(Matvec, ShortRows) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  constexpr int count = 7;
  for (int rows : {1, 3, 8})
    for (int terms = 0; terms <= 18; ++terms) {
      const auto a = test::samples<T>(count * rows * terms, 1), x = test::samples<T>(count * terms, 2);
      const auto y = test::samples<T>(count * rows, 3);
      auto expected = y;
      for (int i = 0; i < count * rows; ++i) {
        expected[i] *= T(3);
        for (int k = 0; k < terms; ++k) expected[i] += T(2) * a[i * terms + k] * x[i / rows * terms + k];
      }
      const auto out = test::make_array<T, 2, L, E>({count, rows}, y);
      quern::matvec(E(), out, test::make_array<T, 3, L, E>({count, rows, terms}, a),
                    test::make_array<T, 2, L, E>({count, terms}, x), {.alpha = T(2), .beta = T(3)});
      EXPECT_EQ(expected, test::contents(out)) << rows << ' ' << terms;
    }
}

struct itself {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& v) const {
    return v;
  }
};

TYPED_TEST(Matvec, LazyOperands) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  using quern::lazy;
  const auto a = test::samples<T>(batch * m * n, 1), x = test::samples<T>(batch * n, 2);
  const std::vector<T> a1(a.begin(), a.begin() + m * n), x1(x.begin(), x.begin() + n);
  const auto many_a = test::make_array<T, 3, L, E>({batch, m, n}, a);
  const auto one_a = test::make_array<T, 2, L, E>({m, n}, a1);
  const auto many_x = test::make_array<T, 2, L, E>({batch, n}, x);
  const auto one_x = test::make_array<T, 1, L, E>({n}, x1);
  const auto many_y = test::make_array<T, 2, L, E>({batch, m});
  const auto one_y = test::make_array<T, 1, L, E>({m});
  quern::matvec(E(), one_y, lazy(itself(), one_a), one_x);
  EXPECT_EQ(products(1, a1, false, x1, false), test::contents(one_y));
  quern::matvec(E(), many_y, one_a, lazy(itself(), many_x));
  EXPECT_EQ(products(batch, a1, false, x, true), test::contents(many_y));
  quern::matvec(E(), many_y, lazy(itself(), many_a), lazy(itself(), many_x));
  EXPECT_EQ(products(batch, a, true, x, true), test::contents(many_y));
  quern::matvec(many_y, many_a, lazy(itself(), one_x), {.alpha = T(0), .beta = T(1)});
  EXPECT_EQ(products(batch, a, true, x, true), test::contents(many_y));
}

// Long enough that several threads share an element, and that a device's BLAS takes it.
TYPED_TEST(Matvec, LongRows) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  for (const auto& [rows, columns] : {std::array<std::int64_t, 2>{3, 1001}, {700, 1001}, {1001, 3}}) {
    const auto a = test::samples<T>(rows * columns, 1), x = test::samples<T>(columns, 2), y = test::samples<T>(rows, 3);
    const auto va = test::make_array<T, 2, L, E>({rows, columns}, a);
    const auto vx = test::make_array<T, 1, L, E>({columns}, x);
    const auto vy = test::make_array<T, 1, L, E>({rows}, y);
    quern::matvec(E(), vy, va, vx, {.alpha = T(2), .beta = T(-1)});
    std::vector<T> expected(rows, T(0));
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t k = 0; k < columns; ++k) expected[i] += a[i * columns + k] * x[k];
      expected[i] = T(2) * expected[i] - y[i];
    }
    EXPECT_EQ(expected, test::contents(vy));
  }
}

TYPED_TEST(Matvec, ReportsMisuse) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  Kokkos::View<T**, E> a("a", 3, 4);
  Kokkos::View<T*, E> x("x", 4), y("y", 3);
  test::expect_error("quern::matvec: x has extents (3), which do not fit a with extents (3, 4)",
                     [&] { quern::matvec(E(), x, a, y); });
  test::expect_error("quern::matvec: y has extents (4), expected (3)", [&] { quern::matvec(E(), x, a, x); });
  Kokkos::View<T**, E> square("square", 4, 4);
  test::expect_error("quern::matvec: out and a share memory",
                     [&] { quern::matvec(E(), Kokkos::subview(square, 1, Kokkos::ALL), square, x); });
}

}  // namespace
