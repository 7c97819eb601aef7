// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of Views as elements, of all operations that take them.
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer.hpp>
#include <support/plain_statistics.hpp>
#include <support/testing.hpp>

namespace {

template <class T, std::size_t K = 3>
using vector = Kokkos::Array<T, K>;

template <class T>
struct kick {
  T dt;
  KOKKOS_FUNCTION vector<T> operator()(const vector<T>& v, const vector<T>& f, const T& mass) const {
    vector<T> result;
    for (int c = 0; c < 3; ++c) result[c] = static_cast<T>(v[c] + dt * f[c] * mass);
    return result;
  }
};
/// Velocities, then positions.
template <class T>
struct leapfrog {
  T dt;
  KOKKOS_FUNCTION vector<vector<T>, 2> operator()(const vector<T>& x, const vector<T>& v, const vector<T>& f,
                                                  const T& mass) const {
    vector<vector<T>, 2> result;
    result[0] = kick<T>{dt}(v, f, mass);
    for (int c = 0; c < 3; ++c) result[1][c] = static_cast<T>(x[c] + dt * result[0][c]);
    return result;
  }
};
struct square {
  template <class T, std::size_t K>
  KOKKOS_FUNCTION double operator()(const vector<T, K>& v) const {
    double sum = 0;
    for (std::size_t c = 0; c < K; ++c) sum += static_cast<double>(v[c]) * static_cast<double>(v[c]);
    return sum;
  }
};
struct kinetic {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& mass, const vector<T>& v) const {
    return static_cast<double>(mass) * square()(v);
  }
};
struct identity {
  template <class V>
  KOKKOS_FUNCTION V operator()(const V& v) const {
    return v;
  }
};

/// A part of wider rows, whose values follow each other and whose rows do not, or the other way round.
template <class T, class L, class E>
auto padded_rows(std::int64_t n, const std::vector<T>& values) {
  const auto wide = test::make_array<T, 2, L, E>({n + 2, 5});
  const auto part = Kokkos::subview(wide, std::pair<std::int64_t, std::int64_t>(1, n + 1), std::pair<int, int>(1, 4));
  const auto whole = test::make_array<T, 2, L, E>({n, 3}, values);
  quern::copy(part, whole);
  return part;
}

template <class Case>
struct Rows : testing::Test {};
using cases = test::covering<double, float, int>;
TYPED_TEST_SUITE(Rows, cases);

TYPED_TEST(Rows, AreOutputsOfReductions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const std::int64_t n = 67, m = 5;
  const auto values = test::samples<T>(3 * m * n, 1);
  const auto a = test::make_array<T, 3, L, E>({m, n, 3}, values);
  std::vector<double> by_row(3 * m), by_column(3 * n);
  std::vector<T> least(3 * m, std::numeric_limits<T>::max());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (int c = 0; c < 3; ++c) {
        const T value = values[(i * n + j) * 3 + c];
        by_row[3 * i + c] += static_cast<double>(value);
        by_column[3 * j + c] += static_cast<double>(value);
        least[3 * i + c] = std::min(least[3 * i + c], value);
      }
  const auto check = [&](const auto& out, const std::vector<double>& expected) {
    const auto found = test::contents(out);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], static_cast<double>(found[i]), 1e-4);
  };
  using quern::rows, quern::axis;
  const auto rows_of = test::make_array<double, 2, L, E>({m, 3}), columns = test::make_array<double, 2, L, E>({n, 3});
  const auto padded = padded_rows<double, L, E>(m, std::vector<double>(3 * m));
  quern::sum(exec, rows<3>(rows_of), rows<3>(a), axis{1});
  check(rows_of, by_row);
  quern::sum(exec, rows<3>(padded), rows<3>(a), axis{1});
  check(padded, by_row);
  quern::sum(rows<3>(columns), rows<3>(a), axis{0});
  check(columns, by_column);
  const auto lowest = test::make_array<T, 2, L, E>({m, 3});
  quern::min(exec, rows<3>(lowest), rows<3>(a), axis{1});
  EXPECT_EQ(least, test::contents(lowest));
  const auto total = test::make_array<double, 1, L, E>({3});
  quern::sum(exec, rows<3>(total), rows<3>(a));
  const auto found = test::contents(total);
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(by_row[c] + by_row[3 + c] + by_row[6 + c] + by_row[9 + c] + by_row[12 + c], found[c], 1e-3);
  test::expect_error("quern::sum: out has extents (67), expected (5)",
                     [&] { quern::sum(exec, rows<3>(columns), rows<3>(a), axis{1}); });
  test::expect_error("quern::min: out and in 1 share memory", [&] {
    quern::min(exec, rows<3>(Kokkos::subview(a, Kokkos::ALL, 0, Kokkos::ALL)), rows<3>(a), axis{1});
  });
}

struct moved_and_momentum {
  template <class V, class T>
  KOKKOS_FUNCTION auto operator()(const V& x, const V& v, const T& mass) const {
    V next, momentum;
    for (int c = 0; c < 3; ++c) {
      next[c] = static_cast<T>(x[c] + v[c]);
      momentum[c] = static_cast<T>(mass * v[c]);
    }
    return quern::values(next, momentum);
  }
};

// A sum of vectors among the outputs of a step: total momentum, and that of each part.
TYPED_TEST(Rows, AreReducedAmongOutputs) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using vector = Kokkos::Array<T, 3>;
  using quern::outputs, quern::reduced, quern::rows;
  namespace op = quern::op;
  const E exec{};
  for (const std::int64_t n : {1, 3, 64, 1026, 40'001}) {
    const auto xs = test::samples<T>(3 * n, 1), vs = test::samples<T>(3 * n, 2), masses = test::samples<T>(n, 3);
    const auto x = test::make_array<T, 2, L, E>({n, 3}, xs), v = test::make_array<T, 2, L, E>({n, 3}, vs);
    const auto mass = test::make_array<T, 1, L, E>({n}, masses);
    const auto total = quern::map(exec, outputs(rows<3>(x), reduced<op::sum>(quern::on_host)), moved_and_momentum(),
                                  rows<3>(x), rows<3>(v), mass);
    std::vector<T> moved = xs;
    std::array<double, 3> momentum{};
    for (std::int64_t i = 0; i < 3 * n; ++i) {
      moved[i] = static_cast<T>(xs[i] + vs[i]);
      momentum[i % 3] += static_cast<double>(static_cast<T>(masses[i / 3] * vs[i]));
    }
    EXPECT_EQ(moved, test::contents(x)) << n;
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(momentum[c], static_cast<double>(total[c]), 1e-5 * static_cast<double>(n))
          << n << ", component " << c;
  }
  const std::int64_t n = 7, m = 130;
  const auto xs = test::samples<T>(3 * n * m, 1), vs = test::samples<T>(3 * n * m, 2), masses = test::samples<T>(m, 3);
  const auto x = test::make_array<T, 3, L, E>({n, m, 3}, xs), v = test::make_array<T, 3, L, E>({n, m, 3}, vs);
  const auto mass = test::make_array<T, 1, L, E>({m}, masses);
  using sum_of = typename quern::impl::sum_type<vector>;
  const Kokkos::View<sum_of*, E> of_parts("of_parts", n);
  quern::map(exec, outputs(rows<3>(x), reduced<op::sum>(of_parts, quern::axis{1})), moved_and_momentum(), rows<3>(x),
             rows<3>(v), mass);
  exec.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_parts);
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) {
      double momentum = 0;
      for (std::int64_t j = 0; j < m; ++j)
        momentum += static_cast<double>(static_cast<T>(masses[j] * vs[(i * m + j) * 3 + c]));
      EXPECT_NEAR(momentum, static_cast<double>(found(i)[c]), 1e-3) << i << ' ' << c;
    }
}

TYPED_TEST(Rows, AreOperandsAndOutputsOfMaps) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const T dt = 2;
  for (const std::int64_t n : {0, 1, 2, 3, 64, 341, 1026, 40'001}) {
    const auto xs = test::samples<T>(3 * n, 1), vs = test::samples<T>(3 * n, 2), fs = test::samples<T>(3 * n, 3),
               masses = test::samples<T>(n, 4);
    std::vector<T> moved(3 * n), kicked(3 * n);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = [&](const std::vector<T>& a) { return vector<T>{a[3 * i], a[3 * i + 1], a[3 * i + 2]}; };
      const auto both = leapfrog<T>{dt}(row(xs), row(vs), row(fs), masses[i]);
      for (int c = 0; c < 3; ++c) {
        kicked[3 * i + c] = both[0][c];
        moved[3 * i + c] = both[1][c];
      }
    }
    const auto mass = test::make_array<T, 1, L, E>({n}, masses);
    const auto f = test::make_array<T, 2, L, E>({n, 3}, fs);
    const auto check = [&](const auto& x, const auto& v) {
      using quern::rows;
      const auto out = test::make_array<T, 2, L, E>({n, 3});
      quern::map(exec, rows<3>(out), kick<T>{dt}, rows<3>(v), rows<3>(f), mass);
      EXPECT_EQ(kicked, test::contents(out)) << n;
      quern::map(exec, quern::outputs(rows<3>(v), rows<3>(x)), leapfrog<T>{dt}, rows<3>(x), rows<3>(v), rows<3>(f),
                 mass);
      EXPECT_EQ(kicked, test::contents(v)) << n;
      EXPECT_EQ(moved, test::contents(x)) << n;
    };
    check(test::make_array<T, 2, L, E>({n, 3}, xs), test::make_array<T, 2, L, E>({n, 3}, vs));
    check(padded_rows<T, L, E>(n, xs), padded_rows<T, L, E>(n, vs));
    check(test::make_array<T, 2, Kokkos::LayoutRight, E>({n, 3}, xs), padded_rows<T, Kokkos::LayoutLeft, E>(n, vs));
  }
}

TYPED_TEST(Rows, OfEveryWidthBroadcastAndConvert) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const auto check = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    constexpr auto k = static_cast<std::int64_t>(K);
    for (const std::int64_t n : {1, 6, 257}) {
      const auto values = test::samples<T>(3 * n * k, 7), one = test::samples<T>(k, 8);
      const auto a = test::make_array<T, 3, L, E>({3, n, k}, values);
      const auto b = test::make_array<double, 3, Kokkos::LayoutRight, E>({3, n, k});
      const auto squares = test::make_array<double, 2, L, E>({3, n});
      quern::map(exec, quern::rows<K>(b), identity(), quern::rows<K>(a));
      EXPECT_EQ(std::vector<double>(values.begin(), values.end()), test::contents(b));
      quern::map(exec, squares, square(), quern::rows<K>(a));
      const auto found = test::contents(squares);
      for (std::int64_t i = 0; i < 3 * n; ++i) {
        double expected = 0;
        for (std::int64_t c = 0; c < k; ++c) expected += double(values[i * k + c]) * double(values[i * k + c]);
        ASSERT_EQ(expected, found[i]);
      }
      // One row for all, as a View and as a scalar.
      const auto row = test::make_array<T, 1, L, E>({k}, one);
      quern::map(exec, quern::rows<K>(a), identity(), quern::rows<K>(row));
      std::vector<T> repeated;
      for (std::int64_t i = 0; i < 3 * n; ++i) repeated.insert(repeated.end(), one.begin(), one.end());
      EXPECT_EQ(repeated, test::contents(a));
      vector<T, K> zeros{};
      quern::fill(exec, quern::rows<K>(a), zeros);
      EXPECT_EQ(std::vector<T>(3 * n * k), test::contents(a));
    }
  };
  check(std::integral_constant<std::size_t, 1>());
  check(std::integral_constant<std::size_t, 2>());
  check(std::integral_constant<std::size_t, 4>());
  check(std::integral_constant<std::size_t, 7>());
}

TYPED_TEST(Rows, AreReducedByComponent) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using S = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  const E exec{};
  for (const std::int64_t n : {1, 2, 63, 64, 257, 3001, 70'003}) {
    std::vector<T> values(3 * n), masses(n);
    vector<double> sums{}, least{100, 100, 100}, most{-100, -100, -100};
    double energy = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      masses[i] = static_cast<T>(1 + i % 2);
      for (int c = 0; c < 3; ++c) {
        const auto v = static_cast<double>((7 * i + 3 * c) % 11 - 5);  // whole numbers, whose sums are exact
        values[3 * i + c] = static_cast<T>(v);
        sums[c] += v;
        energy += static_cast<double>(masses[i]) * v * v;
        least[c] = std::min(least[c], v);
        most[c] = std::max(most[c], v);
      }
    }
    const auto mass = test::make_array<T, 1, L, E>({n}, masses);
    const auto check = [&](const auto& v) {
      const auto r = quern::rows<3>(v);
      const vector<S> sum = quern::sum(exec, r), reproducible = quern::sum(exec, r, quern::reproducible);
      const auto mean = quern::mean(r);
      const vector<T> min = quern::min(exec, r), max = quern::max(exec, r);
      const auto both = quern::minmax(exec, r);
      for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(sums[c], double(sum[c])) << n;
        EXPECT_EQ(sums[c], double(reproducible[c])) << n;
        EXPECT_NEAR(sums[c] / double(n), double(mean[c]), 1e-6 * std::abs(sums[c] / double(n))) << n;
        EXPECT_EQ(least[c], double(min[c])) << n;
        EXPECT_EQ(most[c], double(max[c])) << n;
        EXPECT_EQ(least[c], double(both.min[c])) << n;
        EXPECT_EQ(most[c], double(both.max[c])) << n;
      }
      EXPECT_EQ(energy, quern::sum(exec, quern::lazy(kinetic(), mass, r))) << n;
      const Kokkos::View<vector<S>, E> total("total");
      quern::sum(exec, total, r);
      EXPECT_EQ(sums[1], double(test::value(total)[1]));
    };
    check(test::make_array<T, 2, L, E>({n, 3}, values));
    check(padded_rows<T, L, E>(n, values));
  }
}

TYPED_TEST(Rows, AlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using S = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  const E exec{};
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{3, 70}, {70, 3}, {40, 41}}) {
    std::vector<T> values(m * n * 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 5 % 13);
    const auto v = test::make_array<T, 3, L, E>({m, n, 2}, values);
    const Kokkos::View<vector<S, 2>*, E> by_row("by row", m), by_column("by column", n);
    quern::sum(exec, by_row, quern::rows<2>(v), quern::axis{1});
    quern::sum(exec, by_column, quern::rows<2>(v), quern::axis{0});
    const auto rows = test::contents(by_row), columns = test::contents(by_column);
    for (std::int64_t i = 0; i < m; ++i)
      for (int c = 0; c < 2; ++c) {
        S sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += static_cast<S>(values[(i * n + j) * 2 + c]);
        ASSERT_EQ(sum, rows[i][c]);
      }
    for (std::int64_t j = 0; j < n; ++j)
      for (int c = 0; c < 2; ++c) {
        S sum = 0;
        for (std::int64_t i = 0; i < m; ++i) sum += static_cast<S>(values[(i * n + j) * 2 + c]);
        ASSERT_EQ(sum, columns[j][c]);
      }
  }
}

struct second_difference {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    auto r = w(0);
    for (int c = 0; c < 3; ++c) r[c] = w(-1)[c] - r[c] - r[c] + w(1)[c];
    return r;
  }
};
struct is_far {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const vector<T>& v) const {
    return v[1] > 0;
  }
};

TYPED_TEST(Rows, GoThroughStencilsSortsAndCompaction) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  for (const std::int64_t n : {3, 70, 5003}) {
    const auto values = test::samples<T>(3 * n, 5);
    const auto v = test::make_array<T, 2, L, E>({n, 3}, values), w = test::make_array<T, 2, L, E>({n, 3});
    quern::stencil<quern::star<1>>(exec, quern::rows<3>(w), second_difference(), quern::boundary::wrap,
                                   quern::rows<3>(v));
    const auto differences = test::contents(w);
    const auto at = [&](std::int64_t i, int c) { return values[(i + n) % n * 3 + c]; };
    for (std::int64_t i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(static_cast<T>(at(i - 1, c) - at(i, c) - at(i, c) + at(i + 1, c)), differences[3 * i + c]);

    std::vector<T> far;
    for (std::int64_t i = 0; i < n; ++i)
      if (values[3 * i + 1] > 0) far.insert(far.end(), &values[3 * i], &values[3 * i] + 3);
    const auto count = quern::compact(exec, quern::rows<3>(w), quern::rows<3>(v), is_far());
    ASSERT_EQ(static_cast<std::int64_t>(far.size()), 3 * count);
    auto found = test::contents(w);
    found.resize(far.size());
    EXPECT_EQ(far, found);

    std::vector<int> keys(n);
    std::vector<std::int64_t> order(n);
    for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i * 37 % 101);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    std::vector<T> expected;
    for (const std::int64_t i : order) expected.insert(expected.end(), &values[3 * i], &values[3 * i] + 3);
    const auto padded = padded_rows<T, L, E>(n, values);
    quern::sort_by_key(exec, test::make_array<int, 1, L, E>({n}, keys), quern::rows<3>(v));
    quern::sort_by_key(exec, test::make_array<int, 1, L, E>({n}, keys), quern::rows<3>(padded));
    EXPECT_EQ(expected, test::contents(v));
    EXPECT_EQ(expected, test::contents(padded));
  }
}

/// Not an aggregate, but trivially copyable.
struct point {
  double x, y, z;
  KOKKOS_FUNCTION point() : x(0), y(0), z(0) {}
  KOKKOS_FUNCTION point(double a, double b, double c) : x(a), y(b), z(c) {}
};
struct add_points {
  KOKKOS_FUNCTION point operator()(const point& a, const point& b) const { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct turn {
  KOKKOS_FUNCTION point operator()(const point& p) const { return {p.z, p.x, p.y}; }
};
struct shifted {
  KOKKOS_FUNCTION point operator()(const point& p, const point& by) const { return add_points()(p, by); }
};

template <class Exec>
struct RowsOn : testing::Test {};
TYPED_TEST_SUITE(RowsOn, test::all_spaces);

TYPED_TEST(RowsOn, AreStructsWithConstructors) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 501;
  const auto values = test::samples<double>(3 * n, 5);
  const auto check = [&]<class L>(L) {
    const auto a = test::make_array<double, 2, L, E>({n, 3}, values);
    quern::map(exec, quern::rows<3, point>(a), turn(), quern::rows<3, point>(a));
    const auto turned = test::contents(a);
    for (std::int64_t i = 0; i < 3 * n; ++i) ASSERT_EQ(values[i / 3 * 3 + (i + 2) % 3], turned[i]);
    quern::map(exec, quern::rows<3, point>(a), shifted(), quern::rows<3, point>(a), point(1, 2, 3));
    EXPECT_EQ(turned[4] + 2, test::contents(a)[4]);
    quern::fill(exec, quern::rows<3, point>(a), point(1, 2, 3));
    const point sum = quern::reduce(exec, add_points(), point(), quern::rows<3, point>(a));
    EXPECT_EQ(n, sum.x);
    EXPECT_EQ(3 * n, sum.z);
  };
  check(Kokkos::LayoutRight());
  check(Kokkos::LayoutLeft());
  const Kokkos::View<point*, E> points("points", n);
  quern::fill(exec, points, point(1, 2, 3));
  EXPECT_EQ(2 * n, quern::reduce(exec, add_points(), point(), points).y);
}

struct twice {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x, x);
  }
};

// Those of a column, except for roundings, which depend on the order of the elements.
TYPED_TEST(RowsOn, HaveProductsAndMomentsOfEachComponent) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {1, 2, 77, 3001}) {
    const auto values = test::samples<double>(3 * n, 5);
    const auto narrow_values = test::samples<std::int8_t>(3 * n, 6);
    const auto u = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 3}, values);
    const auto narrow = test::make_array<std::int8_t, 2, Kokkos::LayoutLeft, E>({n, 3}, narrow_values);
    const Kokkos::View<vector<double>*, E> arrays("arrays", n);
    quern::copy(exec, arrays, quern::rows<3>(u));
    const auto [mean, var] = quern::mean_var(exec, quern::rows<3>(u), quern::ddof{1});
    const auto deviation = quern::stddev(exec, arrays), of_narrow = quern::var(exec, quern::rows<3>(narrow)),
               chosen = quern::var(quern::rows<3>(u), quern::mask{true}), product = quern::prod(exec, arrays);
    const auto among =
        quern::map(exec, quern::outputs(arrays, quern::reduced<quern::op::var>(quern::on_host)), twice(), arrays);
    for (int c = 0; c < 3; ++c) {
      std::vector<double> column;
      std::vector<std::int8_t> narrow_column;
      for (std::int64_t i = 0; i < n; ++i) {
        column.push_back(values[3 * i + c]);
        narrow_column.push_back(narrow_values[3 * i + c]);
      }
      const test::plain_statistics plain(column);
      const auto is_near = [&](double expected, double found) {
        if (std::isnan(expected)) EXPECT_TRUE(std::isnan(found)) << n;
        else EXPECT_NEAR(expected, found, 1e-13 * std::abs(expected)) << n << " component " << c;
      };
      is_near(static_cast<double>(plain.var(1)), var[c]);
      const double of_all = static_cast<double>(plain.var()), middle = static_cast<double>(plain.mean);
      EXPECT_NEAR(middle, mean[c], 2e-15 * (std::abs(middle) + std::sqrt(of_all))) << n;
      is_near(std::sqrt(of_all), deviation[c]);
      is_near(of_all, chosen[c]);
      is_near(of_all, among[c]);
      is_near(static_cast<double>(test::plain_statistics(narrow_column).var()), of_narrow[c]);
      if (n > 100) continue;
      const double whole = static_cast<double>(plain.product);  // of n factors, and so with n roundings
      EXPECT_NEAR(whole, product[c], 3e-16 * double(n) * std::abs(whole)) << n;
    }
  }
}

TYPED_TEST(RowsOn, AreWrittenWhereAMaskSelects) {
  using E = TypeParam;
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 3}, test::samples<double>(12, 1)),
             out = test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 3}, std::vector<double>(12, 99));
  const auto chosen = test::make_array<bool, 1, Kokkos::LayoutRight, E>({4}, {true, false, false, true});
  quern::map(E(), quern::rows<3>(out), identity(), quern::mask{chosen}, quern::rows<3>(x));
  auto expected = test::contents(x);
  std::fill_n(expected.begin() + 3, 6, 99.0);
  EXPECT_EQ(expected, test::contents(out));
}

/// What rows change by, and a number of it.
struct change_and_first {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    Kokkos::Array<double, 3> change;
    for (int c = 0; c < 3; ++c) change[c] = w(1)[c] - w(0)[c];
    return quern::values(change, change[0] * change[1]);
  }
};

TYPED_TEST(RowsOn, AreBesideReductionsOfStencils) {
  using E = TypeParam;
  const std::int64_t n = 70;
  const auto values = test::samples<double>(3 * n, 1);
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 3}, values),
             out = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 3});
  const double sum = quern::stencil<quern::star<1>>(
      E(), quern::outputs(quern::rows<3>(out), quern::reduced<quern::op::sum>(quern::on_host)), change_and_first(),
      quern::boundary::wrap, quern::rows<3>(x));
  std::vector<double> changes(3 * n);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] = values[(i + 3) % changes.size()] - values[i];
  double expected = 0;  // of multiples of 1/16
  for (std::int64_t i = 0; i < n; ++i) expected += changes[3 * i] * changes[3 * i + 1];
  EXPECT_EQ(expected, sum);
  EXPECT_EQ(changes, test::contents(out));
}

TYPED_TEST(RowsOn, AreCopiedToAndFromArrays) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 77;
  const auto values = test::samples<double>(3 * n, 5);
  const auto right = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 3}, values);
  const auto left = test::make_array<float, 2, Kokkos::LayoutLeft, E>({n, 3});
  const Kokkos::View<vector<double>*, E> arrays("arrays", n);
  quern::copy(exec, arrays, quern::rows<3>(right));
  EXPECT_EQ(values[5], test::contents(arrays)[1][2]);
  EXPECT_EQ(quern::sum(exec, arrays)[1], quern::sum(exec, quern::rows<3>(right))[1]);
  EXPECT_EQ(quern::mean(arrays)[2], quern::mean(exec, quern::rows<3>(right))[2]);
  quern::copy(quern::rows<3>(left), arrays);
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), test::contents(left));
  quern::fill(exec, left, 0);
  quern::copy(exec, quern::rows<3>(left), quern::rows<3>(right));
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), test::contents(left));
  const auto on_host = test::make_array<double, 2, Kokkos::LayoutLeft, Kokkos::DefaultHostExecutionSpace>({n, 3});
  quern::copy(exec, quern::rows<3>(on_host), quern::rows<3>(right));
  exec.fence();
  EXPECT_EQ(values, test::contents(on_host));
  quern::copy(quern::rows<3>(right), quern::lazy(identity(), arrays));
  EXPECT_EQ(values, test::contents(right));
}

TYPED_TEST(RowsOn, ReportMisuse) {
  using E = TypeParam;
  const E exec{};
  const Kokkos::View<double**, Kokkos::LayoutRight, E> v("v", 6, 4), w("w", 6, 3), shorter("shorter", 5, 3);
  test::expect_error("quern::rows: k is 3, and not the last extent of (6, 4)", [&] { quern::rows<3>(v); });
  const auto low = Kokkos::subview(v, Kokkos::ALL, std::pair<int, int>(0, 3)),
             high = Kokkos::subview(v, Kokkos::ALL, std::pair<int, int>(1, 4));
  test::expect_error("quern::map: out and in 1 share memory and are not the same View",
                     [&] { quern::map(exec, quern::rows<3>(low), identity(), quern::rows<3>(high)); });
  const auto first = Kokkos::subview(w, Kokkos::ALL, 0);
  test::expect_error("quern::map: out and another output share memory", [&] {
    quern::map(exec, quern::outputs(quern::rows<3>(low), quern::rows<3>(high)), leapfrog<double>{1}, quern::rows<3>(w),
               quern::rows<3>(w), quern::rows<3>(w), first);
  });
  test::expect_error("quern::map: in 1 has extents (5), which do not broadcast to (6)",
                     [&] { quern::map(exec, quern::rows<3>(w), identity(), quern::rows<3>(shorter)); });
  test::expect_error("quern::stencil: out and in share memory", [&] {
    quern::stencil<quern::star<1>>(exec, quern::rows<3>(w), second_difference(), quern::boundary::wrap,
                                   quern::rows<3>(w));
  });
  // Columns between those of the rows are no overlap.
  const auto last = Kokkos::subview(v, Kokkos::ALL, 3);
  quern::map(exec, quern::rows<3>(low), kick<double>{1}, quern::rows<3>(low), quern::rows<3>(w), last);
  exec.fence();
}

}  // namespace
