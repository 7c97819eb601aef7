// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of arrays with one short extent, along both axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class T>
bool is_nan(const T& x) {
  return x != x;
}
template <class T>
T larger(const T& a, const T& b) {
  return is_nan(a) || a > b ? a : is_nan(b) || b > a ? b : a;
}
template <class T>
T smaller(const T& a, const T& b) {
  return is_nan(a) || a < b ? a : is_nan(b) || b < a ? b : a;
}
/// Equal, where a NaN is any NaN.
template <class A, class B>
void expect_same(const std::vector<A>& expected, const std::vector<B>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!is_nan(expected[i]) || !is_nan(found[i])) {
      ASSERT_EQ(expected[i], found[i]) << what << " of " << i;
    }
}

template <class Case>
struct ShortRows : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  using S = quern::impl::sum_type<T>;
  exec e;

  /// Samples, some of which are NaN where there are any: in the first line, the last one, and some between.
  static std::vector<T> values(std::int64_t n, std::int64_t k) {
    auto v = test::samples<T>(n * k, k);
    if constexpr (!std::is_integral_v<T>)
      for (const std::int64_t i : {std::int64_t{0}, n * k / 3, n * k / 2, n * k - 1})
        v[i] = std::numeric_limits<T>::quiet_NaN();
    return v;
  }
  void check(std::int64_t n, std::int64_t k, int axis) {
    const auto v = values(n, k);
    const std::int64_t results = axis == 0 ? k : n;
    std::vector<S> sum(results, S(0));
    std::vector<T> min(results), max(results);
    std::vector<std::int64_t> at_max(results, 0), at_min(results, -1);  // the first NaN, and of numbers alone
    const auto of_line = [&](std::int64_t r, std::int64_t at) { return v[axis == 0 ? at * k + r : r * k + at]; };
    for (std::int64_t i = 0; i < n * k; ++i) {
      const std::int64_t r = axis == 0 ? i % k : i / k;
      const bool first = axis == 0 ? i < k : i % k == 0;
      sum[r] += v[i];
      min[r] = first ? v[i] : smaller(min[r], v[i]);
      max[r] = first ? v[i] : larger(max[r], v[i]);
      const std::int64_t at = axis == 0 ? i / k : i % k;
      const T largest = of_line(r, at_max[r]);
      if (v[i] > largest || (is_nan(v[i]) && !is_nan(largest))) at_max[r] = at;
      if (!is_nan(v[i]) && (at_min[r] < 0 || v[i] < of_line(r, at_min[r]))) at_min[r] = at;
    }
    const auto x = test::make_array<T, 2, layout, exec>({n, k}, v);
    const auto of_x = test::make_array<T, 1, layout, exec>({results});
    const auto sums = test::make_array<S, 1, layout, exec>({results});
    const auto places = test::make_array<std::int64_t, 1, layout, exec>({results});
    const std::string name = std::to_string(n) + " x " + std::to_string(k) + " along " + std::to_string(axis);
    quern::sum(e, sums, x, quern::axis{axis});
    expect_same(sum, test::contents(sums), "sum " + name);
    quern::max(e, of_x, x, quern::axis{axis});
    expect_same(max, test::contents(of_x), "max " + name);
    quern::min(e, of_x, x, quern::axis{axis});
    expect_same(min, test::contents(of_x), "min " + name);
    quern::argmax(e, places, x, quern::axis{axis});
    expect_same(at_max, test::contents(places), "argmax " + name);
    quern::nanargmin(e, places, x, quern::axis{axis});
    expect_same(at_min, test::contents(places), "nanargmin " + name);
  }
  void check_all() {
    for (std::int64_t k = 1; k <= 66; ++k)
      for (const int axis : {0, 1}) {
        check(211, k, axis);
        check(k, 211, axis);
      }
  }
};
using cases = test::covering<double, std::int32_t, float, std::uint64_t>;
TYPED_TEST_SUITE(ShortRows, cases);

TYPED_TEST(ShortRows, AlongBothAxes) { this->check_all(); }

TYPED_TEST(ShortRows, Padded) {
  const test::with_gaps padded(test::gaps::columns);
  this->check_all();
}

// More results than are in hand at a time.
TYPED_TEST(ShortRows, Many) {
  for (const std::int64_t k : {2, 3, 5, 7, 8, 17, 63}) {
    this->check(5'003, k, 1);
    this->check(k, 5'003, 0);
    this->check(5'003, k, 0);
  }
}

// More columns than are walked through together, of few rows and of more.
TYPED_TEST(ShortRows, OfThousandsOfColumns) {
  for (const std::int64_t n : {2, 5, 9, 15, 16, 40}) {
    this->check(n, 600, 0);
    this->check(n, 4'396, 0);
  }
}

// Rows and columns in the opposite order, a row that repeats, and rows that are found by maps of indices.
TYPED_TEST(ShortRows, ReIndexed) {
  using T = typename TypeParam::value;
  using S = quern::impl::sum_type<T>;
  const auto& e = this->e;
  for (const std::int64_t k : {1, 2, 3, 5, 8, 17, 40}) {
    const std::int64_t n = 300;
    const auto v = test::samples<T>(n * k, k);
    const auto x = test::make_array<T, 2, typename TypeParam::layout, typename TypeParam::exec>({n, k}, v);
    const auto of_columns = test::make_array<S, 1, typename TypeParam::layout, typename TypeParam::exec>({k});
    const auto largest = test::make_array<T, 1, typename TypeParam::layout, typename TypeParam::exec>({k});
    const auto of_rows = test::make_array<S, 1, typename TypeParam::layout, typename TypeParam::exec>({n});
    std::vector<S> columns(k, S(0)), rows(n, S(0)), rolled(k, S(0)), repeated(k, S(0));
    std::vector<T> max(v.begin(), v.begin() + k);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < k; ++j) {
        const T at = v[i * k + j];
        columns[k - 1 - j] += static_cast<S>(at);
        rolled[(j + 1) % k] += static_cast<S>(at);
        rows[n - 1 - i] += static_cast<S>(at);
        repeated[j] += static_cast<S>(v[j]);
        max[j] = std::max(max[j], at);
      }
    const std::string what = std::to_string(k) + " columns";
    const auto backwards = quern::flip(x, quern::axes{0, 1});
    quern::sum(e, of_columns, backwards, quern::axis{0});
    expect_same(columns, test::contents(of_columns), "sum of flipped columns, " + what);
    quern::sum(e, of_rows, backwards, quern::axis{1});
    expect_same(rows, test::contents(of_rows), "sum of flipped rows, " + what);
    const auto upside_down = quern::flip(x, quern::axis{0});
    quern::max(e, largest, upside_down, quern::axis{0});
    expect_same(max, test::contents(largest), "max of flipped columns, " + what);
    quern::sum(e, of_rows, upside_down, quern::axis{1});
    expect_same(rows, test::contents(of_rows), "sum of rows from the last one on, " + what);
    quern::sum(e, of_columns, quern::roll(x, 1, quern::axis{1}), quern::axis{0});
    expect_same(rolled, test::contents(of_columns), "sum of rolled columns, " + what);
    const auto first = Kokkos::subview(x, std::pair<int, int>(0, 1), Kokkos::ALL);
    quern::sum(e, of_columns, quern::broadcast_to(first, {n, k}), quern::axis{0});
    expect_same(repeated, test::contents(of_columns), "sum of a row that repeats, " + what);
  }
}

// Around the lengths of blocks, and of rows that are walked through together.
TYPED_TEST(ShortRows, OfSomeHundreds) {
  for (const std::int64_t k : {127, 128, 129, 255, 257, 511, 513, 1'025}) {
    this->check(101, k, 1);
    this->check(101, k, 0);
  }
}

template <class Exec>
struct ColumnsOn : testing::Test {};
TYPED_TEST_SUITE(ColumnsOn, test::all_spaces);

// Of many values to each of few columns, of which some lie far from 0.
TYPED_TEST(ColumnsOn, HaveTheirVariances) {
  constexpr std::int64_t n = 1'003;
  for (const std::int64_t k : {7, 8, 15, 16, 31, 32, 40}) {
    auto v = test::samples<float>(n * k, k);
    for (std::int64_t i = 0; i < n * k; ++i) v[i] += static_cast<float>(1'000 * (i % k % 3));
    const auto x = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({n, k}, v);
    const auto out = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({k});
    quern::var(TypeParam(), out, x, quern::axis{0});
    const auto found = test::contents(out);
    for (std::int64_t j = 0; j < k; ++j) {
      long double sum = 0, squares = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += v[i * k + j];
      for (std::int64_t i = 0; i < n; ++i) squares += (v[i * k + j] - sum / n) * (v[i * k + j] - sum / n);
      EXPECT_NEAR(static_cast<double>(squares / n), found[j], 1e-6 * static_cast<double>(squares / n)) << k << ' ' << j;
    }
  }
}

/// Sums of a few wide Arrays, of which registers hold parts.
template <class T, std::size_t N, class Exec>
void expect_sums_of_arrays(const Exec& exec) {
  using value = Kokkos::Array<T, N>;
  for (const int rows : {1, 2, 3, 4, 7})
    for (const int n : {1, 8, 65}) {
      const Kokkos::View<value**, Kokkos::LayoutRight, Exec> x("x", rows, n);
      const Kokkos::View<value*, Exec> out("out", n);
      const auto x_on_host = Kokkos::create_mirror_view(x);
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < n; ++i)
          for (std::size_t c = 0; c < N; ++c) x_on_host(j, i)[c] = T(100 * j + 10 * i) + T(static_cast<int>(c));
      Kokkos::deep_copy(x, x_on_host);
      quern::sum(exec, out, x, quern::axis{0});
      exec.fence();
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
      for (int i = 0; i < n; ++i)
        for (std::size_t c = 0; c < N; ++c)
          EXPECT_EQ(T(50 * rows * (rows - 1) + 10 * i * rows) + T(rows * static_cast<int>(c)), found(i)[c])
              << rows << ' ' << n << ' ' << c;
    }
}

template <class Exec>
struct WideArraysOn : testing::Test {};
TYPED_TEST_SUITE(WideArraysOn, test::all_spaces);

TYPED_TEST(WideArraysOn, OfFewRowsAddUp) {
  const TypeParam exec;
  expect_sums_of_arrays<double, 12>(exec);
  expect_sums_of_arrays<double, 16>(exec);
  if (quern::impl::is_device<TypeParam>) {  // states of a warp are too many for shared memory
    EXPECT_THROW((expect_sums_of_arrays<double, 257>(exec)), quern::Error);
  } else {
    expect_sums_of_arrays<double, 129>(exec);
  }
  expect_sums_of_arrays<float, 24>(exec);
  expect_sums_of_arrays<Kokkos::complex<double>, 6>(exec);
}

}  // namespace
