// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions among the outputs of maps, beside plain loops.
#include <algorithm>
#include <limits>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/plain_statistics.hpp>
#include <support/small_functors.hpp>
#include <support/testing.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutRight;
using quern::on_host, quern::outputs, quern::reduced;

/// One step of conjugate gradients: x += alpha p, r -= alpha w, and the square of r.
struct advance {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x, const T& r, const T& p, const T& w, const T& alpha) const {
    const T next = static_cast<T>(x + alpha * p), rest = static_cast<T>(r - alpha * w);
    return quern::values(next, rest, static_cast<T>(rest * rest));
  }
};

/// Sums of the same values in two orders.
template <class T, class S>
void expect_sum(const std::vector<T>& values, const S& sum) {
  const auto magnitude = [](const auto& v) {
    if constexpr (quern::impl::is_complex<std::remove_cvref_t<decltype(v)>>) return Kokkos::abs(v);
    else return std::abs(static_cast<double>(v));
  };
  using wide = std::conditional_t<std::is_same_v<S, float>, double, S>;  // in which a plain loop is accurate enough
  wide expected(0);
  double scale = 0;
  for (const T& v : values) {
    expected += static_cast<wide>(v);
    scale += static_cast<double>(magnitude(v));
  }
  EXPECT_LE(static_cast<double>(magnitude(static_cast<wide>(expected - static_cast<wide>(sum)))),
            4 * test::eps<T>() * scale);
}

template <class Case>
struct Reduced : testing::Test {};
using cases = test::covering<double, float, std::int32_t, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Reduced, cases);

TYPED_TEST(Reduced, OfEveryExtent) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using S = quern::impl::sum_type<T>;
  const E exec{};
  const Kokkos::View<S, E> total("total");
  const Kokkos::View<T, E> alpha("alpha");
  Kokkos::deep_copy(alpha, T(2));
  for (const auto& n :
       {std::array<std::int64_t, 2>{1, 1}, {3, 5}, {16, 64}, {33, 1025}, {1, 40'001}, {257, 255}, {0, 7}}) {
    auto x = test::samples<T>(n[0] * n[1], 1), r = test::samples<T>(n[0] * n[1], 2);
    const auto p = test::samples<T>(n[0] * n[1], 3), w = test::samples<T>(n[1], 4);
    const auto vx = test::make_array<T, 2, L, E>(n, x), vr = test::make_array<T, 2, L, E>(n, r);
    const auto vp = test::make_array<T, 2, LayoutRight, E>(n, p);
    const auto vw = test::make_array<T, 1, L, E>({n[1]}, w);  // broadcasts
    quern::map(exec, outputs(vx, vr, reduced<op::sum>(total)), advance(), vx, vr, vp, vw, alpha);
    std::vector<T> squares;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto step = advance()(x[i], r[i], p[i], w[i % n[1]], T(2));
      x[i] = quern::impl::value_part<0>(step);
      r[i] = quern::impl::value_part<1>(step);
      squares.push_back(quern::impl::value_part<2>(step));
    }
    EXPECT_EQ(x, test::contents(vx));
    EXPECT_EQ(r, test::contents(vr));
    expect_sum(squares, test::value(total));
    // Without exec, and to the host.
    const auto copy = test::make_array<T, 2, L, E>(n, x), other = test::make_array<T, 2, L, E>(n, r);
    const S first = quern::map(outputs(copy, other, reduced<op::sum>(on_host)), advance(), vx, vr, vp, vw, alpha);
    const S again = quern::map(exec, outputs(copy, other, reduced<op::sum>(on_host)), advance(), vx, vr, vp, vw, alpha);
    EXPECT_EQ(first, again);
  }
}

struct statistics {
  KOKKOS_FUNCTION auto operator()(double x, float y) const {
    const double product = x * y;
    return quern::values(product, x, product, y, product, product > 0);
  }
};

template <class Exec>
struct ReducedOn : testing::Test {};
TYPED_TEST_SUITE(ReducedOn, test::all_spaces);

TYPED_TEST(ReducedOn, SeveralAtOnce) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {1, 2, 31, 1000, 65'537, 300'001}) {
    const auto x = test::samples<double>(n, 5);
    const auto y = test::samples<float>(n, 6);
    const auto vx = test::make_array<double, 1, LayoutRight, E>({n}, x);
    const auto vy = test::make_array<float, 1, LayoutRight, E>({n}, y);
    const auto narrow = test::make_array<float, 1, LayoutRight, E>({n}),
               products = test::make_array<float, 1, LayoutRight, E>({n});
    const Kokkos::View<double, E> mean("mean");
    const Kokkos::View<std::int64_t, E> at("at");
    const auto [least, positive] = quern::map(exec,
                                              outputs(products, reduced<op::mean>(mean), reduced<op::argmax>(at),
                                                      narrow, reduced<op::min>(on_host), reduced<op::count>(on_host)),
                                              statistics(), vx, vy);
    std::vector<double> all;
    std::int64_t count = 0;
    const auto written = test::contents(products);
    for (std::int64_t i = 0; i < n; ++i) {
      all.push_back(x[i] * static_cast<double>(y[i]));
      count += all.back() > 0 ? 1 : 0;
      ASSERT_EQ(static_cast<float>(all.back()), written[i]);
    }
    EXPECT_EQ(y, test::contents(narrow));
    EXPECT_EQ(*std::min_element(all.begin(), all.end()), least);  // in double, whatever the type of the output
    EXPECT_EQ(std::max_element(all.begin(), all.end()) - all.begin(), test::value(at));
    EXPECT_EQ(count, positive);
    EXPECT_EQ(quern::mean(exec, vx), test::value(mean));
  }
}

TYPED_TEST(ReducedOn, OthersThanSums) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {2, 33, 4097}) {
    auto x = test::samples<double>(n, 7);
    for (double& v : x) v = 1 + v / 64;  // so that products stay in range
    const auto vx = test::make_array<double, 1, LayoutRight, E>({n}, x),
               out = test::make_array<double, 1, LayoutRight, E>({n});
    const auto [product, variance, deviation, length, range, both] =
        quern::map(exec,
                   outputs(out, reduced<op::prod>(on_host), reduced<op::var>(on_host, quern::ddof{1}),
                           reduced<op::stddev>(on_host), reduced<op::norm>(on_host), reduced<op::minmax>(on_host),
                           reduced<op::mean_var>(on_host)),
                   test::repeated<7>(), vx);
    EXPECT_EQ(x, test::contents(out));
    const auto near = [n](double a, double b) {
      return std::fabs(a - b) <= 1e-15 * static_cast<double>(n) * std::fabs(b);
    };
    const test::plain_statistics plain(x);
    EXPECT_PRED2(near, product, plain.product);
    EXPECT_PRED2(near, variance, plain.var(1));
    EXPECT_PRED2(near, deviation, std::sqrt(plain.var()));
    EXPECT_PRED2(near, length, plain.norm);
    EXPECT_EQ(plain.least, range.min);
    EXPECT_EQ(plain.greatest, range.max);
    EXPECT_PRED2(near, both.mean, plain.mean);
    EXPECT_PRED2(near, both.var, plain.var());
  }
}

struct products_of_both {
  KOKKOS_FUNCTION auto operator()(double x, double y) const { return quern::values(x + y, x * y, x * y, x); }
};

TYPED_TEST(ReducedOn, WorkspacesHaveTheirScratchMemory) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {1, 1000, 300'001}) {
    const auto x = test::make_array<double, 1, LayoutRight, E>({n}, test::samples<double>(n, 5)),
               y = test::make_array<double, 1, LayoutRight, E>({n}, test::samples<double>(n, 6)),
               sums = test::make_array<double, 1, LayoutRight, E>({n});
    const Kokkos::View<double, E> dot("dot"), greatest("greatest"), total("total");
    const auto call = [&] {
      quern::map(exec,
                 outputs(sums, reduced<op::sum>(dot, quern::reproducible), reduced<op::max>(greatest),
                         reduced<op::sum>(total)),
                 products_of_both(), x, y);
      return std::tuple(test::value(dot), test::value(greatest), test::value(total));
    };
    const auto expected = call();
    EXPECT_EQ(quern::dot(exec, x, y, quern::reproducible), std::get<0>(expected));
    quern::Workspace<E> work;
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (const auto& view : {dot, greatest, total}) Kokkos::deep_copy(view, -1.0);
      const quern::WorkspaceScope scope(work);
      EXPECT_EQ(expected, call()) << repeat;
    }
  }
}

struct twice_and_itself {
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> operator()(const T& x) const {
    return {static_cast<T>(x + x), x};
  }
};

TYPED_TEST(Reduced, AlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using S = quern::impl::sum_type<T>;
  const E exec{};
  for (const auto& n : {std::array<std::int64_t, 2>{5, 7}, {1, 9}, {300, 3}, {3, 300}, {70, 129}, {4, 0}}) {
    const auto x = test::make_array<T, 2, L, E>(n, test::samples<T>(n[0] * n[1], 7));
    const auto twice = test::make_array<T, 2, L, E>(n);
    for (const int axis : {0, 1}) {
      const auto out = test::make_array<S, 1, LayoutRight, E>({n[1 - axis]});
      quern::map(exec, outputs(twice, reduced<op::sum>(out, quern::axis{axis})), twice_and_itself(), x);
      const auto both = test::contents(twice), once = test::contents(x);
      const auto sums = test::contents(out);
      std::vector<std::vector<T>> values(sums.size());
      for (std::size_t i = 0; i < once.size(); ++i) {
        ASSERT_EQ(static_cast<T>(once[i] + once[i]), both[i]);
        values[axis == 0 ? i % n[1] : i / n[1]].push_back(once[i]);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) expect_sum(values[i], sums[i]);
    }
  }
}

struct several_copies {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    return quern::values(static_cast<T>(v + v), v, v, v, v, v);
  }
};

// Along each axis of three and along two of them, beside plain loops over the lines.
TYPED_TEST(Reduced, SeveralAlongAxesOfThree) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  if constexpr (!quern::impl::is_complex<T>) {
    const E exec{};
    for (const auto& n : {std::array<std::int64_t, 3>{5, 7, 12}, {2, 130, 3}, {40, 1, 9}, {3, 4, 300}}) {
      const auto x = test::make_array<T, 3, L, E>(n, test::samples<T>(n[0] * n[1] * n[2], 5));
      const auto twice = test::make_array<T, 3, L, E>(n);
      const auto values = test::contents(x);
      const auto line_of = [&](std::int64_t i, int axis) {
        const std::int64_t at[] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        return axis == 0 ? at[1] * n[2] + at[2] : axis == 1 ? at[0] * n[2] + at[2] : at[0] * n[1] + at[1];
      };
      for (const int axis : {0, 1, 2}) {
        const quern::axis along{axis};
        const std::array<std::int64_t, 2> rest{n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]};
        std::vector<std::vector<T>> lines(rest[0] * rest[1]);
        for (std::size_t i = 0; i < values.size(); ++i) lines[line_of(i, axis)].push_back(values[i]);
        const auto sums = test::make_array<double, 2, L, E>(rest), means = test::make_array<double, 2, L, E>(rest),
                   variances = test::make_array<double, 2, L, E>(rest);
        const auto least = test::make_array<T, 2, L, E>(rest);
        const auto places = test::make_array<std::int64_t, 2, L, E>(rest);
        quern::map(exec,
                   outputs(twice, reduced<op::sum>(sums, along), reduced<op::mean>(means, along),
                           reduced<op::var>(variances, along), reduced<op::min>(least, along),
                           reduced<op::argmax>(places, along)),
                   several_copies(), x);
        const auto sum = test::contents(sums), mean = test::contents(means), variance = test::contents(variances);
        const auto min = test::contents(least);
        const auto place = test::contents(places);
        for (std::size_t i = 0; i < lines.size(); ++i) {
          const test::plain_statistics plain(lines[i]);
          const double eps = 20 * test::eps<std::conditional_t<std::is_integral_v<T>, double, T>>(),
                       size = static_cast<double>(plain.norm * plain.norm + 1);
          EXPECT_NEAR(static_cast<double>(plain.mean * plain.count), sum[i], eps * size) << axis << ' ' << i;
          EXPECT_NEAR(static_cast<double>(plain.mean), mean[i], eps * size) << axis << ' ' << i;
          EXPECT_NEAR(static_cast<double>(plain.var()), variance[i], eps * size) << axis << ' ' << i;
          EXPECT_EQ(*std::min_element(lines[i].begin(), lines[i].end()), min[i]) << axis << ' ' << i;
          EXPECT_EQ(std::max_element(lines[i].begin(), lines[i].end()) - lines[i].begin(), place[i])
              << axis << ' ' << i;
        }
      }
      const auto middle = test::make_array<T, 1, L, E>({n[1]});
      quern::map(exec, outputs(twice, reduced<op::max>(middle, quern::axes{0, 2})), twice_and_itself(), x);
      std::vector<T> expected(n[1], std::numeric_limits<T>::lowest());
      for (std::size_t i = 0; i < values.size(); ++i) {
        T& most = expected[static_cast<std::int64_t>(i) / n[2] % n[1]];
        most = std::max(most, values[i]);
      }
      EXPECT_EQ(expected, test::contents(middle));
    }
  }
}

TYPED_TEST(Reduced, RepeatsBitByBit) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using S = quern::impl::sum_type<T>;
  const E exec{};
  const Kokkos::View<T, E> alpha("alpha");
  Kokkos::deep_copy(alpha, T(3));
  for (const auto& n : {std::array<std::int64_t, 2>{33, 1025}, {1, 40'001}, {257, 255}}) {
    const auto values = [&](std::uint64_t seed) { return test::rounding_samples<T>(n[0] * n[1], seed); };
    const auto x = test::make_array<T, 2, L, E>(n, values(1)), r = test::make_array<T, 2, L, E>(n, values(2));
    const auto p = test::make_array<T, 2, LayoutRight, E>(n, values(3));
    const auto w = test::make_array<T, 1, L, E>({n[1]}, test::rounding_samples<T>(n[1], 4));
    const auto u = test::make_array<T, 2, L, E>(n), rest = test::make_array<T, 2, L, E>(n);
    test::expect_repeats(
        [&] { return quern::map(exec, outputs(u, rest, reduced<op::sum>(on_host)), advance(), x, r, p, w, alpha); });
    for (const int axis : {0, 1}) {
      const auto sums = test::make_array<S, 1, LayoutRight, E>({n[1 - axis]});
      test::expect_repeats([&] {
        quern::map(exec, outputs(u, reduced<op::sum>(sums, quern::axis{axis})), twice_and_itself(), x);
        return test::contents(sums);
      });
    }
  }
}

struct product_and_shift {
  KOKKOS_FUNCTION auto operator()(double x, double y, const Kokkos::Array<std::int64_t, 1>& at) const {
    return quern::values(x + static_cast<double>(at[0]), x * y, x, y);
  }
};
struct larger {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};
struct square {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};

TYPED_TEST(ReducedOn, ReproducibleOwnFunctorsAndLazyInputs) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {1, 100, 50'003}) {
    const auto x = test::make_array<double, 1, LayoutRight, E>({n}, test::samples<double>(n, 8));
    const auto y = test::make_array<double, 1, LayoutRight, E>({n}, test::samples<double>(n, 9));
    const auto u = test::make_array<double, 1, LayoutRight, E>({n});
    const auto [dot, largest, deviation] =
        quern::map(exec,
                   outputs(u, reduced<op::sum>(on_host, quern::reproducible), reduced(on_host, larger(), -1e300),
                           reduced<op::stddev>(on_host, quern::ddof{0})),
                   product_and_shift(), x, quern::lazy(square(), y), quern::positions());
    const auto columns = test::make_array<double, 2, LayoutRight, E>({n, 1}),
               twice = test::make_array<double, 2, LayoutRight, E>({n, 1});
    const auto largest_of_rows = test::make_array<double, 1, LayoutRight, E>({n});
    quern::map(exec, columns, quern::impl::op::identity(), 3.0);
    quern::map(outputs(twice, reduced(largest_of_rows, larger(), -1e300, quern::axis{1})), twice_and_itself(), columns);
    EXPECT_EQ(std::vector<double>(n, 3.0), test::contents(largest_of_rows));
    const auto squares = test::make_array<double, 1, LayoutRight, E>({n});
    quern::map(exec, squares, square(), y);
    EXPECT_EQ(quern::dot(exec, x, squares, quern::reproducible), dot);
    EXPECT_EQ(quern::max(exec, x), largest);
    EXPECT_NEAR(quern::stddev(exec, squares), deviation, 1e-12 * deviation);
    const auto shifted = test::contents(u), values = test::contents(x);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(values[i] + static_cast<double>(i), shifted[i]);
  }
}

/// All extrema, positions and sums of values that are written, by an exec.
template <class E, class V>
auto all_of_values(const E& exec, const V& out, const V& x) {
  const auto ordered = quern::map(exec,
                                  outputs(out, reduced<op::min>(on_host), reduced<op::max>(on_host),
                                          reduced<op::argmin>(on_host), reduced<op::argmax>(on_host)),
                                  test::repeated<5>(), x);
  const auto without_nan = quern::map(exec,
                                      outputs(out, reduced<op::nanmin>(on_host), reduced<op::nanmax>(on_host),
                                              reduced<op::nanargmin>(on_host), reduced<op::nanargmax>(on_host)),
                                      test::repeated<5>(), x);
  return std::pair(ordered, without_nan);
}

TYPED_TEST(ReducedOn, InfinitiesAndNaN) {
  using E = TypeParam;
  const E exec{};
  using T = double;
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const std::int64_t n : {3, 70, 5003})
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      const auto out = test::make_array<T, 1, LayoutRight, E>({n});
      const std::int64_t other = (at + 1) % n;
      std::vector<T> x(n, T(1));
      const auto view = [&] { return test::make_array<T, 1, LayoutRight, E>({n}, x); };
      const auto sums = [&](const auto& v) {
        const auto [sum, exact, some] =
            quern::map(exec,
                       outputs(out, reduced<op::sum>(on_host), reduced<op::sum>(on_host, quern::reproducible),
                               reduced<op::nansum>(on_host)),
                       test::repeated<4>(), v);
        EXPECT_TRUE(same(static_cast<T>(sum), static_cast<T>(exact))) << sum << ' ' << exact;
        return std::pair(static_cast<T>(sum), static_cast<T>(some));
      };
      x[at] = inf;
      x[other] = -1;
      auto v = view();
      EXPECT_EQ(std::pair(inf, inf), sums(v));
      EXPECT_EQ(std::pair(std::tuple(T(-1), inf, other, at), std::tuple(T(-1), inf, other, at)),
                all_of_values(exec, out, v));
      x[other] = -inf;
      v = view();
      EXPECT_TRUE(std::isnan(sums(v).first));
      EXPECT_EQ(std::pair(std::tuple(-inf, inf, other, at), std::tuple(-inf, inf, other, at)),
                all_of_values(exec, out, v));
      x[other] = 5;
      x[at] = nan;
      v = view();
      EXPECT_TRUE(std::isnan(sums(v).first));
      EXPECT_EQ(static_cast<T>(n + 3), sums(v).second);
      const auto [ordered, without_nan] = all_of_values(exec, out, v);
      EXPECT_TRUE(std::isnan(std::get<0>(ordered)) && std::isnan(std::get<1>(ordered)));
      EXPECT_EQ(std::pair(at, at), std::pair(std::get<2>(ordered), std::get<3>(ordered)));
      EXPECT_EQ(std::pair(T(1), T(5)), std::pair(std::get<0>(without_nan), std::get<1>(without_nan)));
      EXPECT_EQ(other, std::get<3>(without_nan));
      // Infinities are all that there is, or NaN.
      x.assign(n, -inf);
      v = view();
      EXPECT_EQ(std::pair(std::tuple(-inf, -inf, std::int64_t{0}, std::int64_t{0}),
                          std::tuple(-inf, -inf, std::int64_t{0}, std::int64_t{0})),
                all_of_values(exec, out, v));
      x.assign(n, nan);
      const auto [of_nan, of_none] = all_of_values(exec, out, view());
      EXPECT_TRUE(std::isnan(std::get<0>(of_none)) && std::isnan(std::get<1>(of_none)));
      EXPECT_EQ(std::pair(std::int64_t{0}, std::int64_t{-1}), std::pair(std::get<2>(of_nan), std::get<2>(of_none)));
    }
}

TYPED_TEST(ReducedOn, LargestIntegers) {
  using E = TypeParam;
  const E exec{};
  const auto check = [&]<class T>(T) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    for (const std::int64_t n : {2, 70, 5003})
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        const auto out = test::make_array<T, 1, LayoutRight, E>({n});
        std::vector<T> x(n, T(1));
        const std::int64_t other = (at + 1) % n;
        x[at] = most;
        x[other] = least;
        const auto expected = std::tuple(least, most, other, at);
        EXPECT_EQ(std::pair(expected, expected),
                  all_of_values(exec, out, test::make_array<T, 1, LayoutRight, E>({n}, x)));
        EXPECT_EQ(x, test::contents(out));
        for (const T all : {least, most}) {
          x.assign(n, all);
          const auto of_equal = std::tuple(all, all, std::int64_t{0}, std::int64_t{0});
          EXPECT_EQ(std::pair(of_equal, of_equal),
                    all_of_values(exec, out, test::make_array<T, 1, LayoutRight, E>({n}, x)));
        }
        if constexpr (sizeof(T) == 1) {  // sums are of 64 bits
          x.assign(n, most);
          const auto [sum, count] =
              quern::map(exec, outputs(out, reduced<op::sum>(on_host), reduced<op::count>(on_host)),
                         test::repeated<3>(), test::make_array<T, 1, LayoutRight, E>({n}, x));
          EXPECT_EQ(n * most, static_cast<std::int64_t>(sum));
          EXPECT_EQ(n, count);
        }
      }
  };
  check(std::int64_t{});
  check(std::int8_t{});
  check(std::uint8_t{});
}

struct statistics_of_one {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(double x) const { return {x, x, x}; }
};

TYPED_TEST(ReducedOn, WrongCallsWriteNothing) {
  using E = TypeParam;
  const E exec{};
  const auto x = test::make_array<double, 2, LayoutRight, E>({3, 4}, test::samples<double>(12, 1));
  const auto u = test::make_array<double, 2, LayoutRight, E>({3, 4}, test::samples<double>(12, 2));
  const auto before = test::contents(u);
  const auto row = test::make_array<double, 1, LayoutRight, E>({4}),
             short_row = test::make_array<double, 1, LayoutRight, E>({3});
  const auto rejected = [&](const std::string& what, const auto&... out) {
    test::expect_error("quern::map: " + what, [&] { quern::map(exec, outputs(u, out...), twice_and_itself(), x); });
    EXPECT_EQ(before, test::contents(u)) << what;
  };
  rejected("a reduction's output has extents (3), expected (4)", reduced<op::sum>(short_row, quern::axis{0}));
  rejected("a reduction's output and another output share memory",
           reduced<op::sum>(Kokkos::subview(u, 0, Kokkos::ALL()), quern::axis{0}));
  rejected("a reduction's output and in 1 share memory", reduced<op::sum>(Kokkos::subview(x, 0, 0)));
  const Kokkos::View<double, E> total("total");
  test::expect_error("quern::map: a reduction's output and another reduction's output share memory", [&] {
    quern::map(exec, outputs(u, reduced<op::sum>(total), reduced<op::max>(total)), statistics_of_one(), x);
  });
  const auto many = test::make_array<std::int8_t, 1, LayoutRight, E>({200});
  const Kokkos::View<std::int8_t, E> narrow("narrow");
  test::expect_error("quern::map: positions to before 200 do not fit the type of out, of 8 bits",
                     [&] { quern::map(exec, outputs(many, reduced<op::argmax>(narrow)), twice_and_itself(), many); });
  rejected("axis 2 is out of range, expected one of an array of rank 2", reduced<op::sum>(row, quern::axis{2}));
  const auto none = test::make_array<double, 2, LayoutRight, E>({0, 4});
  test::expect_error("quern::map: in 1 has extents (0, 4), expected at least one element",
                     [&] { quern::map(exec, outputs(none, reduced<op::min>(on_host)), twice_and_itself(), none); });
}

}  // namespace
