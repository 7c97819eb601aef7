// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Newton's method and ordinary differential equations for many small systems.
#include <cmath>
#include <limits>
#include <numbers>
#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Solvers : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Solvers, cases);

/// x^2 + y^2 = a, x - y = b.
struct circle_and_line {
  template <class A, class P>
  KOKKOS_FUNCTION A operator()(const A& x, const P& a, const P& b) const {
    return {x[0] * x[0] + x[1] * x[1] - a, x[0] - x[1] - b};
  }
};

TYPED_TEST(Solvers, NewtonFindsTheRootOfEachItem) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const std::int64_t n = 501;
  std::vector<T> squares(n), differences(n);
  for (std::int64_t i = 0; i < n; ++i) {
    squares[i] = static_cast<T>(1 + 0.01 * static_cast<double>(i));
    differences[i] = static_cast<T>(0.5 - 0.001 * static_cast<double>(i));
  }
  const auto a = test::make_array<T, 1, L, E>({n}, squares), b = test::make_array<T, 1, L, E>({n}, differences);
  const auto x = test::make_array<T, 2, L, E>({n, 2});
  const Kokkos::View<int*, E> status("status", n);
  quern::fill(exec, x, T(1));
  quern::newton<2>(exec, quern::outputs(x, status), circle_and_line(), a, b);
  EXPECT_EQ(std::vector<int>(n, quern::newton_status::converged), test::contents(status));
  const auto check = [&] {
    const auto found = test::contents(x);
    for (std::int64_t i = 0; i < n; ++i) {
      const double d = differences[i], root = std::sqrt(2.0 * squares[i] - d * d);
      ASSERT_NEAR((d + root) / 2, found[2 * i], 20 * std::numeric_limits<T>::epsilon()) << i;
      ASSERT_NEAR((root - d) / 2, found[2 * i + 1], 20 * std::numeric_limits<T>::epsilon()) << i;
    }
  };
  check();
  quern::fill(exec, x, T(3));
  quern::newton<2>(x, circle_and_line(), a, b);  // waits
  check();
}

struct arctangent {
  template <class A, class P>
  KOKKOS_FUNCTION A operator()(const A& x, const P& p) const {
    return {atan(x[0]) * p};
  }
};

template <class Exec>
struct SolversOn : testing::Test {};
TYPED_TEST_SUITE(SolversOn, test::all_spaces);

TYPED_TEST(SolversOn, NewtonReportsWhatFails) {
  using E = TypeParam;
  using status_of = quern::newton_status;
  const E exec{};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // From 3 the iterates of the arctangent grow until their slope vanishes; a factor of 0 has no inverse.
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, E>({5, 1}, {0.5, 3.0, nan, 0.5, -1.0});
  const auto p = test::make_array<double, 1, Kokkos::LayoutRight, E>({5}, {1, 1, 1, 0, 2});
  const auto start = test::contents(x);
  const Kokkos::View<int*, E> status("status", 5);
  quern::newton<1>(exec, quern::outputs(x, status), arctangent(), p);
  const auto found = test::contents(status);
  EXPECT_EQ(status_of::converged, found[0]);
  EXPECT_NE(status_of::converged, found[1]);
  EXPECT_EQ(status_of::not_finite, found[2]);
  EXPECT_EQ(status_of::singular_jacobian, found[3]);
  EXPECT_EQ(status_of::converged, found[4]);
  EXPECT_EQ(0, test::contents(x)[0]);
  EXPECT_EQ(0.5, test::contents(x)[3]) << "its last iterate";
  Kokkos::deep_copy(x, 0.5);
  try {
    quern::newton<1>(exec, x, arctangent(), quern::max_iterations{50}, p);
    FAIL() << "no error";
  } catch (const quern::ConvergenceError& e) {
    EXPECT_EQ(3, e.item());
    EXPECT_STREQ("quern::newton: item 3: the Jacobian is singular", e.what());
  }
  Kokkos::deep_copy(x, 0.5);
  quern::newton<1>(exec, quern::outputs(x, status), arctangent(), quern::max_iterations{1}, p);
  EXPECT_EQ(status_of::iteration_limit, test::contents(status)[0]);
  test::expect_error("quern::newton: out has extents (5, 1), expected 2 along the last axis",
                     [&] { quern::newton<2>(exec, x, arctangent(), p); });
}

/// A linear system.
struct linear_system {
  template <class A, class M, class B>
  KOKKOS_FUNCTION A operator()(const A& x, const M& m, const B& b) const {
    A f;
    for (int i = 0; i < 3; ++i) {
      f[i] = m(i, 0) * x[0] - b(i);
      for (int j = 1; j < 3; ++j) f[i] += m(i, j) * x[j];
    }
    return f;
  }
};
TYPED_TEST(Solvers, NewtonSolvesSystemsOfLargeCondition) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const std::int64_t n = 200;
  const double condition = std::is_same_v<T, double> ? 1e9 : 1e4;
  std::vector<T> matrix(9 * n), right(3 * n), solution(3 * n);
  for (std::int64_t k = 0; k < n; ++k) {
    // R(a) diag(1, 0.1, 1 / condition) R(b), with rotations that differ from item to item.
    const double a = 0.7 + 0.3 * static_cast<double>(k), b = 1.1 + 0.17 * static_cast<double>(k);
    const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b);
    const double left[3][3] = {{ca * cb, -sa, ca * sb}, {sa * cb, ca, sa * sb}, {-sb, 0, cb}};
    const double scale[3] = {1, 0.1, 1 / condition};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int c = 0; c < 3; ++c) sum += left[i][c] * scale[c] * left[(j + 1) % 3][c];
        matrix[9 * k + 3 * i + j] = static_cast<T>(sum);
      }
    for (int i = 0; i < 3; ++i) {
      long double sum = 0;
      for (int j = 0; j < 3; ++j) sum += static_cast<long double>(matrix[9 * k + 3 * i + j]) * (j + 1) / 3;
      right[3 * k + i] = static_cast<T>(sum);
    }
  }
  const auto m = test::make_array<T, 3, Kokkos::LayoutRight, E>({n, 3, 3}, matrix);
  const auto b = test::make_array<T, 2, Kokkos::LayoutRight, E>({n, 3}, right);
  const auto x = test::make_array<T, 2, Kokkos::LayoutRight, E>({n, 3});
  const Kokkos::View<int*, E> status("status", n);
  Kokkos::deep_copy(x, T(1));
  quern::newton<3>(E(), quern::outputs(x, status), linear_system(), m, b);
  EXPECT_EQ(std::vector<int>(n, quern::newton_status::converged), test::contents(status));
  const auto found = test::contents(x);
  for (std::int64_t k = 0; k < n; ++k)  // the residual is rounding, whatever the condition
    for (int i = 0; i < 3; ++i) {
      double f = -right[3 * k + i], size = 0;
      for (int j = 0; j < 3; ++j) {
        f += double(matrix[9 * k + 3 * i + j]) * double(found[3 * k + j]);
        size += std::fabs(double(matrix[9 * k + 3 * i + j]) * double(found[3 * k + j]));
      }
      EXPECT_LE(std::fabs(f), 24 * std::numeric_limits<T>::epsilon() * size) << k << ' ' << i;
    }
}

/// Functions without a zero that Newton's method finds, by number.
struct hopeless {
  template <class A, class P>
  KOKKOS_FUNCTION A operator()(const A& x, const P& which) const {
    const auto& v = x[0];
    if (which == 0) return {exp(v)};
    if (which == 1) return {v * v + 1};
    if (which == 2) return {atan(v)};
    return {v * v * v - 2 * v + 2};
  }
};
TYPED_TEST(Solvers, NewtonDoesNotTakeFailuresForSolutions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto which = test::make_array<T, 1, Kokkos::LayoutRight, E>({4}, {0, 1, 2, 3});
  const auto x = test::make_array<T, 2, Kokkos::LayoutRight, E>({4, 1}, {0, 2, 2, T(-0.5)});
  const Kokkos::View<int*, E> status("status", 4);
  quern::newton<1>(E(), quern::outputs(x, status), hopeless(), which);
  for (const int s : test::contents(status)) EXPECT_NE(quern::newton_status::converged, s);
  test::expect_error("quern::newton: a tolerance is negative or NaN",
                     [&] { quern::newton<1>(E(), x, hopeless(), quern::tolerance{.absolute = -1}, which); });
  test::expect_error("quern::newton: a tolerance is negative or NaN",
                     [&] { quern::newton<1>(E(), x, hopeless(), quern::tolerance{.relative = std::nan("")}, which); });
}

struct decay {
  template <class A, class T, class R>
  KOKKOS_FUNCTION A operator()(const A& y, const T&, const R& rate) const {
    return {-rate * y[0]};
  }
};
TYPED_TEST(Solvers, OdeintOfDecayAtAnyTimes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const std::int64_t n = 33, m = 41;
  std::vector<T> rates(n), times(m);
  for (std::int64_t i = 0; i < n; ++i) rates[i] = static_cast<T>(0.1 + 0.05 * static_cast<double>(i));
  for (std::int64_t k = 0; k < m; ++k) times[k] = static_cast<T>(0.15 * static_cast<double>(k));
  const auto rate = test::make_array<T, 1, L, E>({n}, rates), t = test::make_array<T, 1, L, E>({m}, times);
  const auto y0 = test::make_array<T, 2, L, E>({n, 1}, std::vector<T>(n, T(2)));
  const auto y = test::make_array<T, 3, L, E>({n, m, 1});
  const Kokkos::View<int*, E> status("status", n);
  const double tolerance = std::is_same_v<T, double> ? 1e-10 : 1e-5;
  quern::odeint<1>(exec, quern::outputs(y, status), decay(),
                   quern::tolerance{.relative = tolerance, .absolute = tolerance * 1e-3}, y0, t, rate);
  EXPECT_EQ(std::vector<int>(n, quern::odeint_status::finished), test::contents(status));
  const auto found = test::contents(y);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < m; ++k)
      ASSERT_NEAR(2 * std::exp(-double(rates[i]) * double(times[k])), found[i * m + k], 20 * tolerance)
          << i << ' ' << k;
}

struct oscillator {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& y, const T&) const {
    return {y[1], -y[0]};
  }
};
/// The slope is the time alone.
struct parabola {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A&, const T& t) const {
    return {3 * t * t};
  }
};
TYPED_TEST(SolversOn, OdeintIsOfOrderFiveInBothDirections) {
  using E = TypeParam;
  const E exec{};
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 2}, {1, 0});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({1, 3, 2});
  double before = 0;
  for (const double end : {6.0, -6.0}) {
    const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {0, 0.47 * end, end});
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      quern::odeint<2>(exec, y, oscillator(), quern::tolerance{.relative = tolerance, .absolute = tolerance}, y0, t);
      const auto found = test::contents(y);
      const double error = std::fabs(found[4] - std::cos(end)) + std::fabs(found[5] + std::sin(end)) +
                           std::fabs(found[2] - std::cos(0.47 * end));
      EXPECT_LT(error, 30 * tolerance);
      if (tolerance < 1e-4) {
        EXPECT_LT(error, 0.1 * before);
      }
      before = error;
    }
  }
  const auto one = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {1});
  const auto line = test::make_array<double, 3, Kokkos::LayoutRight, E>({1, 5, 1});
  const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({5}, {1, 1, 2, 2.5, 3});
  const auto zero = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {0});
  quern::odeint<1>(exec, line, parabola(), quern::tolerance{.relative = 1e-6, .absolute = 0}, zero, t);
  EXPECT_NEAR(26, test::contents(line)[4], 1e-4) << "from zero, with no absolute tolerance";
  quern::odeint<1>(line, parabola(), one, t);
  const auto found = test::contents(line);
  const double expected[] = {1, 1, 8, 15.625, 27};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(expected[k], found[k], 1e-12);
}

struct predator_and_prey {
  template <class A, class T, class P>
  KOKKOS_FUNCTION A operator()(const A& u, const T&, const P& p) const {
    return {u[0] * (p(0) - p(1) * u[1]), u[1] * (p(2) * u[0] - p(3))};
  }
};
struct rates {
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& at) const {
    constexpr double base[] = {1.1, 0.4, 0.1, 0.4};
    return base[at[1]] * (1 + 0.002 * static_cast<double>(at[0]));
  }
};
TYPED_TEST(SolversOn, OdeintKeepsTheInvariantOfPredatorAndPrey) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 64;
  const auto p = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 4});
  quern::map(exec, p, rates(), quern::positions());
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({n, 2});
  Kokkos::deep_copy(y0, 10.0);
  const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({2}, {0, 30});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({n, 2, 2});
  quern::odeint<2>(exec, y, predator_and_prey(), quern::tolerance{.relative = 1e-10, .absolute = 1e-10}, y0, t, p);
  const auto found = test::contents(y), parameters = test::contents(p);
  for (std::int64_t i = 0; i < n; ++i) {
    const double* c = &parameters[4 * i];
    const auto invariant = [&](const double* u) {
      return c[2] * u[0] - c[3] * std::log(u[0]) + c[1] * u[1] - c[0] * std::log(u[1]);
    };
    EXPECT_NEAR(invariant(&found[4 * i]), invariant(&found[4 * i + 2]), 1e-7) << i;
    EXPECT_GT(std::fabs(found[4 * i] - found[4 * i + 2]), 0.1);
  }
}

struct explosion {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& y, const T&) const {
    return {y[0] * y[0]};
  }
};
TYPED_TEST(SolversOn, OdeintReportsWhatFails) {
  using E = TypeParam;
  using status_of = quern::odeint_status;
  const E exec{};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // y = 1 / (1 / y0 - t) ends at t = 1 / y0.
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({3, 1}, {0.1, 1.0, nan});
  const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {0, 0.5, 2});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({3, 3, 1});
  const Kokkos::View<int*, E> status("status", 3);
  quern::odeint<1>(exec, quern::outputs(y, status), explosion(), y0, t);
  const auto states = test::contents(status);
  EXPECT_EQ(status_of::finished, states[0]);
  EXPECT_EQ(status_of::step_underflow, states[1]);
  EXPECT_EQ(status_of::not_finite, states[2]);
  const auto found = test::contents(y);
  EXPECT_NEAR(0.125, found[2], 1e-6);
  EXPECT_NEAR(2.0, found[4], 1e-4) << "before the end";
  EXPECT_TRUE(std::isnan(found[5]));
  EXPECT_TRUE(std::isnan(found[6]));
  try {
    quern::odeint<1>(exec, y, explosion(), y0, t);
    FAIL() << "no error";
  } catch (const quern::ConvergenceError& e) {
    EXPECT_EQ(1, e.item());
    EXPECT_STREQ("quern::odeint: item 1: the step size underflows", e.what());
  }
  quern::odeint<1>(exec, quern::outputs(y, status), explosion(), quern::max_steps{2}, y0, t);
  EXPECT_EQ(status_of::step_limit, test::contents(status)[1]);
  test::expect_error("quern::odeint: y0 has extents (3, 1), expected (3, 2)", [&] {
    quern::odeint<2>(exec, test::make_array<double, 3, Kokkos::LayoutRight, E>({3, 3, 2}), oscillator(), y0, t);
  });
}

/// y' = sqrt(t1 - t), which exists up to t1 alone; NaN outside of [t0, t1] shows each call there.
struct root_of_time {
  double first, last;
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A&, const T& t) const {
    const T least = static_cast<T>(Kokkos::min(first, last)), most = static_cast<T>(Kokkos::max(first, last));
    if (!(t >= least && t <= most)) return {Kokkos::Experimental::quiet_NaN_v<T>};
    return {Kokkos::sqrt(Kokkos::abs(static_cast<T>(last) - t))};
  }
};
TYPED_TEST(Solvers, OdeintStaysWithinItsTimes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto y0 = test::make_array<T, 2, Kokkos::LayoutRight, E>({1, 1}, {1});
  const auto y = test::make_array<T, 3, Kokkos::LayoutRight, E>({1, 4, 1});
  for (const auto& [first, last] : std::vector<std::pair<double, double>>{
           {0, 1}, {1, 0}, {-3, 0.1}, {1000, 1001}, {0, 1e-3}, {-1000, -1001}, {1, 1 + 1e-4}}) {
    const T a = static_cast<T>(first), b = static_cast<T>(last);
    const double length = double(b) - double(a);
    const std::vector<T> times{a, static_cast<T>(a + (b - a) / 3), static_cast<T>(a + (b - a) / 2), b};
    const auto t = test::make_array<T, 1, Kokkos::LayoutRight, E>({4}, times);
    for (const double step : {0.0, 10.0}) {
      const Kokkos::View<int*, E> status("status", 1);
      const double tolerance = std::is_same_v<T, double> ? 1e-8 : 1e-5;
      quern::odeint<1>(E(), quern::outputs(y, status), root_of_time{double(a), double(b)},
                       quern::tolerance{.relative = tolerance, .absolute = tolerance}, quern::first_step{step}, y0, t);
      EXPECT_EQ(quern::odeint_status::finished, test::contents(status)[0]) << first << ' ' << last;
      const double exact = 1 + (length > 0 ? 1 : -1) * 2.0 / 3 * std::pow(std::fabs(length), 1.5);
      EXPECT_NEAR(exact, test::contents(y)[3], 200 * tolerance) << first << ' ' << last;
    }
  }
}

/// y' = -y, and counts its calls.
template <class E>
struct counted_decay {
  Kokkos::View<int, E> calls;
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& y, const T&) const {
    Kokkos::atomic_inc(&calls());
    return {-y[0]};
  }
};
/// dy/dt = rate y^2, which ends at 1 / (rate y).
struct growth {
  template <class A, class T, class P>
  KOKKOS_FUNCTION A operator()(const A& y, const T&, const P& rate) const {
    return {rate * y[0] * y[0], y[0]};
  }
};
// Whatever other systems beside it do, fail, or take few steps or many.
TYPED_TEST(SolversOn, OdeintOfASystemAmongOthersIsThatOfOneAlone) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 101, m = 6;
  std::vector<double> rates(n), first(2 * n), times(m);
  for (std::int64_t i = 0; i < n; ++i) {
    rates[i] = i % 7 == 3 ? 0.6 : 0.05 * static_cast<double>(i % 9);
    first[2 * i] = i % 11 == 5 ? NAN : 1 + 0.001 * static_cast<double>(i);
  }
  for (const double direction : {1.0, -1.0})
    for (const std::int64_t most : {20, 100'000}) {
      for (std::int64_t k = 0; k < m; ++k) times[k] = direction * 0.4 * static_cast<double>(k + (k > 3));
      const auto solve = [&](std::int64_t from, std::int64_t items, std::vector<int>& status) {
        const auto part = [&](const std::vector<double>& v, std::int64_t width) {
          return std::vector<double>(v.begin() + from * width, v.begin() + (from + items) * width);
        };
        const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({items, m, 2});
        const Kokkos::View<int*, E> found("status", items);
        quern::odeint<2>(exec, quern::outputs(y, found), growth(), quern::max_steps{most},
                         test::make_array<double, 2, Kokkos::LayoutRight, E>({items, 2}, part(first, 2)),
                         test::make_array<double, 1, Kokkos::LayoutRight, E>({m}, times),
                         test::make_array<double, 1, Kokkos::LayoutRight, E>({items}, part(rates, 1)));
        status = test::contents(found);
        return test::contents(y);
      };
      std::vector<int> statuses, status;
      const auto all = solve(0, n, statuses);
      for (std::int64_t i = 0; i < n; ++i) {
        const auto one = solve(i, 1, status);
        EXPECT_EQ(status[0], statuses[i]) << i;
        for (std::int64_t k = 0; k < 2 * m; ++k) {
          const double value = all[2 * m * i + k];
          if (std::isnan(one[k])) EXPECT_TRUE(std::isnan(value)) << i << ' ' << k;
          else EXPECT_NEAR(one[k], value, 1e-9 * (1 + std::fabs(one[k]))) << i << ' ' << k;
        }
      }
    }
}

/// An oscillation of an item's frequency, which counts its calls, and those with what is not a number.
template <class E>
struct counted_oscillation {
  Kokkos::View<std::int64_t*, E> calls;
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> operator()(const Kokkos::Array<T, 2>& y, T, double frequency) const {
    Kokkos::atomic_inc(&calls(0));
    if (!(y[0] + y[1] < 1e300)) Kokkos::atomic_inc(&calls(1));
    return {T(frequency) * y[1], -T(frequency) * y[0]};
  }
};

// What runs long beside others that are finished, or begins with NaN, does not call f for these.
TYPED_TEST(SolversOn, OdeintOfOneThatRunsLongerThanOthers) {
  using E = TypeParam;
  const std::int64_t items = 40 * E().concurrency();
  if (quern::impl::is_device<E>) GTEST_SKIP() << "devices have a thread for each";
  std::vector<double> frequency(items, 1), first(2 * items, 1);
  frequency[7] = 500;
  first[2 * items - 2] = NAN;
  const std::vector<float> times{0, 0.5, 1};
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({items, 3, 2});
  const Kokkos::View<int*, E> status("status", items);
  const Kokkos::View<std::int64_t*, E> calls("calls", 2);
  const auto solve = [&](std::int64_t from, std::int64_t to) {
    Kokkos::deep_copy(calls, 0);
    const std::pair<std::int64_t, std::int64_t> part(from, to);
    const auto all = Kokkos::ALL();
    quern::odeint<2>(E(), quern::outputs(Kokkos::subview(y, part, all, all), Kokkos::subview(status, part)),
                     counted_oscillation<E>{calls},
                     Kokkos::subview(test::make_array<double, 2, Kokkos::LayoutRight, E>({items, 2}, first), part, all),
                     test::make_array<float, 1, Kokkos::LayoutRight, E>({3}, times),
                     Kokkos::subview(test::make_array<double, 1, Kokkos::LayoutRight, E>({items}, frequency), part));
    return test::contents(calls);
  };
  const auto one = solve(7, 8), all = solve(0, items);
  EXPECT_EQ(0, all[1]);
  EXPECT_LT(all[0], 3 * one[0] + 1000 * items);
  const auto found = test::contents(y);
  EXPECT_NEAR(std::cos(500.0) + std::sin(500.0), found[7 * 6 + 4], 1e-2);
  EXPECT_NEAR(std::cos(1.0) + std::sin(1.0), found[8 * 6 + 4], 1e-5);
  EXPECT_TRUE(std::isnan(found.back()));
}

TYPED_TEST(SolversOn, OdeintTimesInBetweenShortenNoStep) {
  using E = TypeParam;
  const E exec{};
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {1});
  const auto calls_with = [&](int n) {
    std::vector<double> times(n);
    for (int i = 0; i < n; ++i) times[i] = 5.0 * i / (n - 1);
    const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({n}, times);
    const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({1, n, 1});
    const Kokkos::View<int, E> calls("calls");
    quern::odeint<1>(exec, y, counted_decay<E>{calls}, quern::tolerance{.relative = 1e-6, .absolute = 1e-6}, y0, t);
    int count = 0;
    Kokkos::deep_copy(count, calls);
    return count;
  };
  const int few = calls_with(2);
  EXPECT_GT(few, 6);
  EXPECT_EQ(few, calls_with(50));
}

TYPED_TEST(SolversOn, OdeintReportsTimesThatAreNotInOrder) {
  using E = TypeParam;
  const E exec{};
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {1});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({1, 3, 1});
  const Kokkos::View<int*, E> status("status", 1);
  const auto solve = [&](std::vector<double> times) {
    const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, times);
    const auto [least, most] = std::minmax(times[0], times[2]);
    quern::odeint<1>(exec, quern::outputs(y, status), root_of_time{least, most}, y0, t);
    return test::contents(status)[0];
  };
  for (const auto& times : {std::vector<double>{0, 5, 1}, {0, -1, 1}, {0, 1, 0}, {3, 4, 1}, {3, 0, 1}}) {
    EXPECT_EQ(quern::odeint_status::unordered_times, solve(times));
    EXPECT_EQ(1, test::contents(y)[0]);
    EXPECT_TRUE(std::isnan(test::contents(y)[1]) && std::isnan(test::contents(y)[2]));
  }
  for (const auto& times : {std::vector<double>{0, 0, 1}, {0, 1, 1}, {1, 1, 0}, {2, 2, 2}})
    EXPECT_EQ(quern::odeint_status::finished, solve(times));
  const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {0, 5, 1});
  EXPECT_THROW(quern::odeint<1>(exec, y, root_of_time{0, 1}, y0, t), quern::ConvergenceError);
  const auto misuse = [&](const auto& option) {
    return [=] { quern::odeint<1>(exec, y, root_of_time{0, 1}, option, y0, t); };
  };
  test::expect_error("quern::odeint: a tolerance is negative or NaN", misuse(quern::tolerance{.relative = -1e-6}));
  test::expect_error("quern::odeint: a tolerance is negative or NaN",
                     misuse(quern::tolerance{.absolute = std::nan("")}));
  test::expect_error("quern::odeint: the first step is negative or NaN", misuse(quern::first_step{-1}));
}

/// Large slopes from zero, and a component that stays zero where no absolute error is allowed.
struct steep {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& y, const T&) const {
    return {0 * y[0], T(1e20) - y[1]};
  }
};
TYPED_TEST(Solvers, OdeintOfLargeSlopesAndZeros) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto t = test::make_array<T, 1, Kokkos::LayoutRight, E>({2}, {0, 1});
  const auto y = test::make_array<T, 3, Kokkos::LayoutRight, E>({1, 2, 2});
  const auto y0 = test::make_array<T, 2, Kokkos::LayoutRight, E>({1, 2}, {0, 1});
  quern::odeint<2>(E(), y, steep(), quern::tolerance{.relative = 1e-4, .absolute = 1e-9}, y0, t);
  EXPECT_EQ(0, test::contents(y)[2]);
  EXPECT_NEAR(1e20 * (1 - std::exp(-1.0)), test::contents(y)[3], 1e17);
  const auto start = test::make_array<T, 2, Kokkos::LayoutRight, E>({1, 2}, {0, T(1e19)});
  quern::odeint<2>(E(), y, steep(), quern::tolerance{.relative = 1e-4, .absolute = 0}, start, t);
  EXPECT_EQ(0, test::contents(y)[2]);
}

TYPED_TEST(SolversOn, NothingToSolve) {
  using E = TypeParam;
  const E exec{};
  const auto none = test::make_array<double, 2, Kokkos::LayoutRight, E>({0, 1});
  const auto p = test::make_array<double, 1, Kokkos::LayoutRight, E>({0});
  quern::newton<1>(exec, none, arctangent(), p);
  const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({0});
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 1}, {1, 2});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({2, 0, 1});
  const Kokkos::View<int*, E> status("status", 2);
  Kokkos::deep_copy(status, -1);
  quern::odeint<1>(exec, quern::outputs(y, status), explosion(), y0, t);
  EXPECT_EQ(std::vector<int>(2, quern::odeint_status::finished), test::contents(status));
}

TYPED_TEST(SolversOn, TimesThatAreNotFinite) {
  using E = TypeParam;
  const E exec{};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto y0 = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 1}, {0.1, 0.2});
  const auto y = test::make_array<double, 3, Kokkos::LayoutRight, E>({2, 3, 1});
  for (const auto& times : {std::vector<double>{0, nan, 1}, {nan, 0, 1}, {0, 1, inf}}) {
    const auto t = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, times);
    const Kokkos::View<int*, E> status("status", 2);
    quern::odeint<1>(exec, quern::outputs(y, status), explosion(), quern::max_steps{1000}, y0, t);
    EXPECT_EQ(std::vector<int>(2, quern::odeint_status::not_finite), test::contents(status));
    EXPECT_NE(test::contents(y)[2], test::contents(y)[2]);
  }
}

}  // namespace
