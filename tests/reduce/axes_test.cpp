// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <quern/reduce.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("reduce/data/numpy.npz");

/// What a plain loop makes of row-major contents along the axes that `reduced` marks: for each result, the values that
/// belong to it in row-major order.
template <class T, std::size_t Rank>
std::vector<std::vector<T>> groups(const std::array<std::int64_t, Rank>& extents, const std::vector<bool>& reduced,
                                   const std::vector<T>& values) {
  std::int64_t results = 1;
  for (std::size_t d = 0; d < Rank; ++d)
    if (!reduced[d]) results *= extents[d];
  std::vector<std::vector<T>> all(results);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t rest = i, result = 0, weight = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      if (!reduced[d]) {
        result += rest % extents[d] * weight;
        weight *= extents[d];
      }
      rest /= extents[d];
    }
    all[result].push_back(values[i]);
  }
  return all;
}

template <class T>
T total(const std::vector<T>& v) {
  T s(0);
  for (const T& x : v) s += x;
  return s;
}

template <class Case>
struct Axes : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  /// The sum and the first position of the largest, along the marked axes; `Kept` is their number of results' axes.
  template <int Kept, int Rank>
  void check(const std::array<std::int64_t, Rank>& extents, const quern::axes& along) {
    const auto values =
        test::samples<T>(std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()));
    const auto x = test::make_array<T, Rank, layout, exec>(extents, values);
    std::vector<bool> reduced(Rank, false);
    for (int i = 0; i < along.count; ++i) reduced[(along.number[i] + Rank) % Rank] = true;
    std::array<std::int64_t, Kept> kept{};
    for (int d = 0, k = 0; d < Rank; ++d)
      if (!reduced[d]) kept[k++] = extents[d];

    const auto sums = test::make_array<T, Kept, layout, exec>(kept);
    const auto places = test::make_array<std::int64_t, Kept, layout, exec>(kept);
    quern::sum(e, sums, x, along);
    quern::argmax(e, places, x, along);
    const auto all = groups(extents, reduced, values);
    const auto s = test::contents(sums);
    const auto p = test::contents(places);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(total(all[i]), s[i]) << "result " << i;
      ASSERT_EQ(std::max_element(all[i].begin(), all[i].end()) - all[i].begin(), p[i]) << "result " << i;
    }
  }
};
using cases = test::covering<double, float, std::int32_t>;
TYPED_TEST_SUITE(Axes, cases);

TYPED_TEST(Axes, EverySubsetOfThree) {
  for (const std::array<std::int64_t, 3>& extents : {std::array<std::int64_t, 3>{5, 7, 9}, {16, 4, 64}, {2, 300, 3}}) {
    this->template check<2, 3>(extents, quern::axis{0});
    this->template check<2, 3>(extents, quern::axis{1});
    this->template check<2, 3>(extents, quern::axis{-1});
    this->template check<1, 3>(extents, quern::axes{0, 1});
    this->template check<1, 3>(extents, quern::axes{-1, 0});
    this->template check<1, 3>(extents, quern::axes{1, 2});
    this->template check<0, 3>(extents, quern::axes{0, 1, 2});
    this->template check<3, 3>(extents, quern::axes{});
  }
}

TYPED_TEST(Axes, FourAxes) {
  this->template check<2, 4>({3, 4, 5, 6}, {0, 2});
  this->template check<2, 4>({3, 4, 5, 6}, {1, 3});
  this->template check<3, 4>({3, 4, 5, 6}, {2});
  this->template check<1, 4>({3, 4, 5, 6}, {0, 1, 3});
}

// Shapes for every way to share the work: a thread, a few, a team and several teams for a result; neighbours in memory
// of one result and of many; lengths that fill nothing evenly.
TYPED_TEST(Axes, LongAndShort) {
  for (const std::array<std::int64_t, 2>& extents : {std::array<std::int64_t, 2>{3, 200'003},
                                                     {200'003, 3},
                                                     {70, 1'025},
                                                     {1'025, 70},
                                                     {1, 5'000},
                                                     {5'000, 1},
                                                     {17, 33'333},
                                                     {33'333, 17},
                                                     {600, 600},
                                                     {100'000, 2},
                                                     {31, 4'097},
                                                     {2'100, 300}}) {
    this->template check<1, 2>(extents, quern::axis{0});
    this->template check<1, 2>(extents, quern::axis{1});
  }
}

TYPED_TEST(Axes, PartsOfArrays) {
  using E = typename TypeParam::exec;
  using value = typename TypeParam::value;
  const auto values = test::samples<value>(40 * 50);
  const auto whole = test::make_array<value, 2, typename TypeParam::layout, E>({40, 50}, values);
  const auto part = Kokkos::subview(whole, std::pair(3, 38), std::pair(1, 44));
  Kokkos::View<value*, E> rows("rows", 35), columns("columns", 43);
  quern::sum(this->e, rows, part, quern::axis{1});
  quern::sum(this->e, columns, part, quern::axis{0});
  std::vector<value> expected_rows(35), expected_columns(43);
  for (int i = 0; i < 35; ++i)
    for (int j = 0; j < 43; ++j) {
      expected_rows[i] += values[(i + 3) * 50 + j + 1];
      expected_columns[j] += values[(i + 3) * 50 + j + 1];
    }
  EXPECT_EQ(expected_rows, test::contents(rows));
  EXPECT_EQ(expected_columns, test::contents(columns));
}

/// Sums and first largest elements of rows of a table with an odd pitch, from any column on.
template <class Exec, class Layout, class T>
void check_rows_from_anywhere() {
  constexpr std::int64_t rows = 5, pitch = 2'101;
  const auto values = test::samples<T>(rows * pitch);
  const auto whole = test::make_array<T, 2, Layout, Exec>({rows, pitch}, values);
  const Kokkos::View<quern::impl::sum_type<T>*, Exec> sums("sums", rows);
  const Kokkos::View<std::int64_t*, Exec> places("places", rows);
  for (const std::int64_t first : {0, 1, 2, 3, 5, 15, 17})
    for (const std::int64_t n : {1, 31, 333, 777, 2'080}) {
      const auto part = Kokkos::subview(whole, Kokkos::ALL, std::pair(first, first + n));
      quern::sum(Exec(), sums, part, quern::axis{1});
      quern::argmax(Exec(), places, part, quern::axis{1});
      const auto s = test::contents(sums);
      const auto p = test::contents(places);
      for (std::int64_t j = 0; j < rows; ++j) {
        const auto begin = values.begin() + j * pitch + first, end = begin + n;
        ASSERT_EQ(std::accumulate(begin, end, quern::impl::sum_type<T>()), s[j]) << first << ' ' << n << ' ' << j;
        ASSERT_EQ(std::max_element(begin, end) - begin, p[j]) << first << ' ' << n << ' ' << j;
      }
    }
}
TYPED_TEST(Axes, RowsFromAnywhere) {
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  check_rows_from_anywhere<E, L, typename TypeParam::value>();
  check_rows_from_anywhere<E, L, std::int8_t>();
}

template <class Case>
struct AxesNumPy : testing::Test {
  template <int Rank, class T = double>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& v) {
    return test::make_array<T, Rank, typename Case::layout, typename Case::exec>(extents, v);
  }
  template <class V>
  static void equal(const V& expected, const V& v) {
    EXPECT_EQ(expected, v);
  }
  static void expect(const std::vector<double>& expected, const std::vector<double>& v, double scale = 4) {
    ASSERT_EQ(expected.size(), v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(v[i])) << i;
      else EXPECT_NEAR(expected[i], v[i], 8 * test::eps<double>() * scale) << i;
    }
  }
};
using double_cases = test::covering<double>;
TYPED_TEST_SUITE(AxesNumPy, double_cases);

/// Calls a named reduction into a new View and gives its contents.
#define RESULT(T, extents, call, ...)                                                                 \
  [&] {                                                                                               \
    const auto out = test::make_array<T, std::size(extents), typename TypeParam::layout, E>(extents); \
    quern::call(exec, out, __VA_ARGS__);                                                              \
    return test::contents(out);                                                                       \
  }()

TYPED_TEST(AxesNumPy, Family) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto t = this->template array<3>({3, 4, 5}, numpy.values("t"));
  constexpr std::array<std::int64_t, 2> no0{4, 5}, no1{3, 5}, no2{3, 4};
  constexpr std::array<std::int64_t, 1> only0{3}, only1{4};
  using quern::axes, quern::axis, quern::ddof;
  this->expect(numpy.values("t_sum_1"), RESULT(double, no1, sum, t, axis{1}));
  this->expect(numpy.values("t_prod_02"), RESULT(double, only1, prod, t, axes{0, 2}), 100);
  this->equal(numpy.values("t_min_0"), RESULT(double, no0, min, t, axis{0}));
  this->equal(numpy.values("t_max_2"), RESULT(double, no2, max, t, axis{2}));
  this->expect(numpy.values("t_mean_12"), RESULT(double, only0, mean, t, axes{1, 2}));
  this->expect(numpy.values("t_var_1_ddof_1"), RESULT(double, no1, var, t, axis{1}, ddof{1}));
  this->expect(numpy.values("t_std_0_ddof_2"), RESULT(double, no0, stddev, t, axis{0}, ddof{2}));
  this->expect(numpy.values("t_norm_1_axis_2"), RESULT(double, no2, template norm<1>, t, axis{2}));
  this->expect(numpy.values("t_norm_2_axis_1"), RESULT(double, no1, norm, t, axis{1}));
  this->equal(numpy.values("t_norm_inf_axis_0"),
              RESULT(double, no0, template norm<quern::norm_order::infinity>, t, axis{0}));
  this->equal(numpy.values<std::int64_t>("t_argmax_1"), RESULT(std::int64_t, no1, argmax, t, axis{-2}));
  this->equal(numpy.values("t_max_2"), RESULT(double, no2, reduce, quern::impl::extremum_op<1>(), -1e300, t, axis{2}));
}

TYPED_TEST(AxesNumPy, TwoInputsAndTruth) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto values = numpy.values("t");
  std::vector<double> turned, positive;
  for (int i = 2; i >= 0; --i) turned.insert(turned.end(), values.begin() + i * 20, values.begin() + (i + 1) * 20);
  for (const double v : values) positive.push_back(v > 0 ? 1 : 0);
  constexpr std::array<std::int64_t, 2> no1{3, 5};
  const auto t = this->template array<3>({3, 4, 5}, values), u = this->template array<3>({3, 4, 5}, turned);
  const auto p = this->template array<3>({3, 4, 5}, positive);
  this->expect(numpy.values("t_dot_1"), RESULT(double, no1, dot, t, u, quern::axis{1}));
  this->equal(numpy.values<std::int64_t>("t_count_1"), RESULT(std::int64_t, no1, count, p, quern::axis{1}));
  const auto any = RESULT(std::int64_t, no1, any, p, quern::axis{1});
  const auto all = RESULT(std::int64_t, no1, all, p, quern::axis{1});
  const auto counts = numpy.values<std::int64_t>("t_count_1");
  for (std::size_t i = 0; i < any.size(); ++i) {
    EXPECT_EQ(counts[i] > 0, any[i] == 1);
    EXPECT_EQ(counts[i] == 4, all[i] == 1);
  }
}

TYPED_TEST(AxesNumPy, Nan) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto t = this->template array<3>({3, 4, 5}, numpy.values("t_nan"));
  constexpr std::array<std::int64_t, 2> no0{4, 5}, no1{3, 5}, no2{3, 4};
  using quern::axis, quern::ddof;
  this->equal(numpy.values<std::int64_t>("t_nan_argmax_1"), RESULT(std::int64_t, no1, argmax, t, axis{1}));
  this->equal(numpy.values<std::int64_t>("t_nan_argmin_0"), RESULT(std::int64_t, no0, argmin, t, axis{0}));
  this->expect(numpy.values("t_nansum_1"), RESULT(double, no1, nansum, t, axis{1}));
  this->expect(numpy.values("t_nanmean_1"), RESULT(double, no1, nanmean, t, axis{1}));
  this->expect(numpy.values("t_nanvar_1"), RESULT(double, no1, nanvar, t, axis{1}));
  this->expect(numpy.values("t_nanvar_1_ddof_1"), RESULT(double, no1, nanvar, t, axis{1}, ddof{1}));
  this->expect(numpy.values("t_nanmin_1"), RESULT(double, no1, nanmin, t, axis{1}));
  this->expect(numpy.values("t_nanmax_1"), RESULT(double, no1, nanmax, t, axis{1}));
  this->equal(numpy.values<std::int64_t>("t_nanargmax_0"), RESULT(std::int64_t, no0, nanargmax, t, axis{0}));
  this->equal(numpy.values<std::int64_t>("t_nanargmin_2"), RESULT(std::int64_t, no2, nanargmin, t, axis{2}));
  this->equal(numpy.values<std::int64_t>("t_nancount_1"), RESULT(std::int64_t, no1, nancount, t, axis{1}));
  const test::reference_archive more("reduce/data/functions.npz");
  this->expect(more.values("t_nanstd_1"), RESULT(double, no1, nanstd, t, axis{1}));
  this->expect(more.values("t_nanstd_1_ddof_1"), RESULT(double, no1, nanstd, t, axis{1}, ddof{1}));
  this->expect(more.values("t_nanprod_1"), RESULT(double, no1, nanprod, t, axis{1}));
  this->expect(more.values("t_nan_ptp_0"), RESULT(double, no0, ptp, t, axis{0}));
  const auto numbers = this->template array<3>({3, 4, 5}, numpy.values("t"));
  this->expect(more.values("t_ptp_1"), RESULT(double, no1, ptp, numbers, axis{1}));
  // Where NumPy raises an error there is no position.
  this->equal(std::int64_t{-1}, RESULT(std::int64_t, no1, nanargmax, t, axis{1})[7]);
}

TYPED_TEST(AxesNumPy, FirstOfEquals) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto ties = this->template array<2>({6, 7}, numpy.values<std::int32_t>("ties"));
  constexpr std::array<std::int64_t, 1> no0{7}, no1{6};
  this->equal(numpy.values<std::int64_t>("ties_argmax_0"), RESULT(std::int64_t, no0, argmax, ties, quern::axis{0}));
  this->equal(numpy.values<std::int64_t>("ties_argmin_1"), RESULT(std::int64_t, no1, argmin, ties, quern::axis{1}));
  EXPECT_EQ(numpy.value<std::int64_t>("ties_argmax"), quern::argmax(exec, ties));
}

template <class Exec>
struct AxesEdges : testing::Test {};
TYPED_TEST_SUITE(AxesEdges, test::all_spaces);

// The largest value occurs often; only its first place counts, whoever finds another one first.
TYPED_TEST(AxesEdges, FirstPositionInALongArray) {
  const TypeParam exec;
  const std::int64_t n = 1'000'003;
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{77'777}, n - 1}) {
    std::vector<float> values(n, 1.0f);
    for (std::int64_t i = place; i < n; i += 1'000) values[i] = 2.0f;
    const auto x = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
    EXPECT_EQ(place, quern::argmax(exec, x));
    values[n - 1 - place] = NAN;
    const auto y = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
    EXPECT_EQ(n - 1 - place, quern::argmax(exec, y));
    EXPECT_EQ(n - 1 - place, quern::argmin(exec, y));
    EXPECT_EQ(place == n - 1 - place, quern::nanargmax(exec, y) != (values[place] == 2.0f ? place : place + 1'000));
  }
}

template <class T, class Exec>
void expect_first_position(const Exec& exec, std::int64_t n, std::int64_t place) {
  std::vector<T> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 7 % 61);
  values[place] = values[(place + n) / 2] = T(100);
  EXPECT_EQ(place, quern::argmax(exec, test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values)));
  for (T& v : values) v = static_cast<T>(-v);
  EXPECT_EQ(place, quern::argmin(exec, test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values)));
  if constexpr (std::is_floating_point_v<T>) {
    for (std::int64_t i = 0; i < n; ++i) values[i] = i < place ? T(1) : i % 2 == 0 ? T(0) : T(-0.0);
    EXPECT_EQ(place, quern::argmin(exec, test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values)));
  }
}
// Of all types, whose blocks have lengths of their own, and of zeros of either sign, which are equal.
TYPED_TEST(AxesEdges, FirstPositionOfEveryType) {
  const TypeParam exec;
  for (const std::int64_t n : {3, 64, 2'049, 5'000})
    for (std::int64_t place = 0; place < n; place += 1 + n / 29) {
      expect_first_position<std::int8_t>(exec, n, place);
      expect_first_position<std::int16_t>(exec, n, place);
      expect_first_position<std::int32_t>(exec, n, place);
      expect_first_position<std::int64_t>(exec, n, place);
      expect_first_position<float>(exec, n, place);
      expect_first_position<double>(exec, n, place);
    }
}

TYPED_TEST(AxesEdges, PositionsAreRowMajorInEveryLayout) {
  const TypeParam exec;
  std::vector<double> values(60, 0.0);
  values[17] = values[22] = values[41] = 5;
  EXPECT_EQ(17, quern::argmax(exec, test::make_array<double, 3, Kokkos::LayoutLeft, TypeParam>({3, 4, 5}, values)));
  EXPECT_EQ(17, quern::argmax(exec, test::make_array<double, 3, Kokkos::LayoutRight, TypeParam>({3, 4, 5}, values)));
}

TYPED_TEST(AxesEdges, Empty) {
  const TypeParam exec;
  const Kokkos::View<double**, TypeParam> x("x", 0, 3), y("y", 3, 0);
  Kokkos::View<double*, TypeParam> three("three", 3), none("none", 0);
  Kokkos::deep_copy(three, 7.0);
  quern::sum(exec, three, x, quern::axis{0});
  EXPECT_EQ(std::vector<double>(3, 0.0), test::contents(three));
  quern::prod(exec, three, y, quern::axis{1});
  EXPECT_EQ(std::vector<double>(3, 1.0), test::contents(three));
  quern::min(exec, none, x, quern::axis{1});  // no results: nothing to find
  quern::mean(exec, three, x, quern::axis{0});
  for (const double v : test::contents(three)) EXPECT_TRUE(std::isnan(v));
  test::expect_error("quern::min: in 1 has extents (0, 3), expected at least one element along the axes",
                     [&] { quern::min(exec, three, x, quern::axis{0}); });
  test::expect_error("quern::argmax: in 1 has extents (3, 0), expected at least one element",
                     [&] { quern::argmax(exec, y); });
}

TYPED_TEST(AxesEdges, DdofNotSmallerThanN) {
  const TypeParam exec;
  Kokkos::View<double*, TypeParam> x("x", 2);
  EXPECT_EQ(0.0, quern::var(exec, x, quern::ddof{1}));
  EXPECT_TRUE(std::isnan(quern::var(exec, x, quern::ddof{2})));
  EXPECT_TRUE(std::isnan(quern::stddev(exec, x, quern::ddof{3})));
  EXPECT_TRUE(std::isnan(quern::mean_var(exec, x, quern::ddof{2}).var));
  EXPECT_TRUE(std::isnan(quern::nanvar(exec, x, quern::ddof{2})));
}

TYPED_TEST(AxesEdges, ReportsMisuse) {
  const TypeParam exec;
  Kokkos::View<double**, TypeParam> x("x", 4, 5);
  Kokkos::View<double*, TypeParam> four("four", 4), five("five", 5);
  test::expect_error("quern::sum: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::sum(exec, four, x, quern::axis{2}); });
  test::expect_error("quern::sum: axis -3 is out of range, expected one of an array of rank 2",
                     [&] { quern::sum(exec, four, x, quern::axis{-3}); });
  test::expect_error("quern::sum: axis -1 is repeated", [&] { quern::sum(exec, four, x, quern::axes{1, -1}); });
  test::expect_error("quern::sum: out has extents (5), expected (4)",
                     [&] { quern::sum(exec, five, x, quern::axis{1}); });
  test::expect_error("quern::sum: out and in 1 share memory",
                     [&] { quern::sum(exec, Kokkos::subview(x, Kokkos::ALL, 0), x, quern::axis{1}); });
}

TYPED_TEST(AxesEdges, DefaultInstanceAndWorkspaces) {
  const TypeParam exec;
  Kokkos::View<float**, TypeParam> x("x", 300, 20);
  Kokkos::View<float*, TypeParam> out("out", 20);
  Kokkos::deep_copy(x, 0.5f);
  quern::sum(out, x, quern::axis{0});
  EXPECT_EQ(std::vector<float>(20, 150.0f), test::contents(out));
  quern::Workspace<TypeParam> work;
  for (int repeat = 0; repeat < 3; ++repeat) {
    Kokkos::deep_copy(out, 0.0f);
    const quern::WorkspaceScope scope(work);
    quern::sum(exec, out, x, quern::axis{0});
    EXPECT_EQ(std::vector<float>(20, 150.0f), test::contents(out));
  }
}

}  // namespace
