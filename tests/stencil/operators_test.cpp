// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Differential operators on periodic grids against the exact derivatives, and steps in time.

#include <cmath>
#include <numbers>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;
constexpr double pi = std::numbers::pi;

/// Values of f(x...) at the points 2 pi i / n of a periodic grid, the last axis fastest.
template <int Rank, class F>
std::vector<double> on_grid(const std::array<std::int64_t, Rank>& n, const F& f) {
  std::int64_t size = 1;
  for (const auto e : n) size *= e;
  std::vector<double> values(size);
  for (std::int64_t k = 0; k < size; ++k) {
    std::array<double, Rank> x;
    std::int64_t rest = k;
    for (int d = Rank - 1; d >= 0; --d) {
      x[d] = 2 * pi * static_cast<double>(rest % n[d]) / static_cast<double>(n[d]);
      rest /= n[d];
    }
    values[k] = f(x);
  }
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

/// Each doubling of the points divides the error by 2^order.
template <class Error>
void expect_order(int order, const Error& error) {
  double before = error(16);
  for (int n = 32; n <= 64; n *= 2) {
    const double now = error(n);
    EXPECT_NEAR(order, std::log2(before / now), 0.1) << n;
    before = now;
  }
}

template <class Case>
struct Operators : testing::Test {};
using cases = test::full_product<double>;
TYPED_TEST_SUITE(Operators, cases);

template <int Order, int Rank, class L, class E>
double laplacian_error(int m) {
  std::array<std::int64_t, Rank> n;
  quern::per_axis<double> spacing = 0.0;
  if constexpr (Rank == 1) n = {m};
  else if constexpr (Rank == 2) n = {m, m / 4 * 5};
  else n = {m, m / 4 * 5, m / 4 * 3};
  const auto h = [&](int d) { return 2 * pi / static_cast<double>(n[d]); };
  if constexpr (Rank == 1) spacing = h(0);
  else if constexpr (Rank == 2) spacing = {h(0), h(1)};
  else spacing = {h(0), h(1), h(2)};
  // sin(x) + cos(y) + sin(x) cos(z): every axis has a second derivative of its own.
  const auto u = [](const std::array<double, Rank>& x) {
    double v = std::sin(x[0]);
    if constexpr (Rank > 1) v += std::cos(x[1]);
    if constexpr (Rank > 2) v += std::sin(x[0]) * std::cos(x[2]);
    return v;
  };
  const auto exact = [](const std::array<double, Rank>& x) {
    double v = -std::sin(x[0]);
    if constexpr (Rank > 1) v -= std::cos(x[1]);
    if constexpr (Rank > 2) v -= 2 * std::sin(x[0]) * std::cos(x[2]);
    return v;
  };
  const auto in = test::make_array<double, Rank, L, E>(n, on_grid<Rank>(n, u));
  const auto out = test::make_array<double, Rank, L, E>(n);
  quern::laplacian<Order>(E(), out, in, spacing, boundary::wrap);
  return largest_difference(on_grid<Rank>(n, exact), test::contents(out));
}

TYPED_TEST(Operators, LaplacianConverges) {
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  expect_order(2, laplacian_error<2, 1, L, E>);
  expect_order(2, laplacian_error<2, 2, L, E>);
  expect_order(2, laplacian_error<2, 3, L, E>);
  expect_order(4, laplacian_error<4, 1, L, E>);
  expect_order(4, laplacian_error<4, 2, L, E>);
  expect_order(4, laplacian_error<4, 3, L, E>);
}

/// The errors of a gradient and of the divergence of (sin x, y-wave, ...) in two dimensions with unequal spacings.
template <int Order, class L, class E>
double first_derivative_error(int m) {
  const std::array<std::int64_t, 2> n{m, m / 4 * 5};
  const quern::per_axis<double> spacing{2 * pi / static_cast<double>(n[0]), 2 * pi / static_cast<double>(n[1])};
  using X = std::array<double, 2>;
  const auto u = on_grid<2>(n, [](const X& x) { return std::sin(x[0]) * std::cos(x[1]); });
  const auto along_0 = on_grid<2>(n, [](const X& x) { return std::cos(x[0]) * std::cos(x[1]); });
  const auto along_1 = on_grid<2>(n, [](const X& x) { return -std::sin(x[0]) * std::sin(x[1]); });
  const auto div = on_grid<2>(n, [](const X& x) { return -2 * std::sin(x[0]) * std::cos(x[1]); });
  const auto array = [&](const std::vector<double>& v) { return test::make_array<double, 2, L, E>(n, v); };
  const auto in = array(u), g0 = array(u), g1 = array(u), d = array(u);
  quern::gradient<Order>(E(), quern::outputs(g0, g1), in, spacing, boundary::wrap);
  quern::divergence<Order>(E(), d, quern::components(array(along_0), array(along_1)), spacing, boundary::wrap);
  return largest_difference(along_0, test::contents(g0)) + largest_difference(along_1, test::contents(g1)) +
         largest_difference(div, test::contents(d));
}

TYPED_TEST(Operators, GradientAndDivergenceConverge) {
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  expect_order(2, first_derivative_error<2, L, E>);
  expect_order(4, first_derivative_error<4, L, E>);
}

TEST(OperatorsDefault, OneDimensionIntegersAndDefaultSpace) {
  using E = Kokkos::DefaultExecutionSpace;
  using L = Kokkos::LayoutRight;
  const auto in = test::make_array<int, 1, L, E>({5}, {0, 1, 4, 9, 16});
  const auto out = test::make_array<double, 1, L, E>({5}, {7, 7, 7, 7, 7});
  const auto is = [&](const std::vector<double>& expected) { EXPECT_EQ(expected, test::contents(out)); };
  quern::gradient(out, in, 0.5, boundary::keep);
  is({7, 4, 8, 12, 7});
  quern::laplacian(out, in, 0.5, boundary::keep);
  is({7, 8, 8, 8, 7});
  quern::divergence(out, in, 2.0, boundary::keep);
  is({7, 1, 2, 3, 7});
  for (const double bad : {0.0, std::nan("")})
    test::expect_error("quern::laplacian: the spacing along axis 0 is zero or not finite",
                       [&] { quern::laplacian(out, in, bad, boundary::keep); });
}

// Differences of float are multiplied by a float.
TEST(OperatorsDefault, SpacingsAreCheckedInTheTypeOfTheDifferences) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto in = test::make_array<float, 1, Kokkos::LayoutRight, E>({3}, {0, 1, 4}),
             out = test::make_array<float, 1, Kokkos::LayoutRight, E>({3}, {7, 7, 7});
  const auto fails = [&](const std::string& name, double spacing, const std::string& text, const auto& call) {
    test::expect_error("quern::" + name + ": the spacing along axis 0, " + text +
                           ", is too small or too large for the type of the differences",
                       [&] { call(spacing); });
  };
  const auto laplacian = [&](double h) { quern::laplacian(out, in, h, boundary::keep); };
  const auto gradient = [&](double h) { quern::gradient(out, in, h, boundary::keep); };
  const auto divergence = [&](double h) { quern::divergence(out, in, h, boundary::keep); };
  fails("laplacian", std::ldexp(1.0, -70), "8.4703294725430034e-22", laplacian);
  fails("laplacian", -std::ldexp(1.0, 80), "-1.2089258196146292e+24", laplacian);
  fails("gradient", std::ldexp(1.0, -140), "7.1746481373430634e-43", gradient);
  fails("divergence", std::ldexp(1.0, 160), "1.4615016373309029e+48", divergence);
  EXPECT_EQ((std::vector<float>{7, 7, 7}), test::contents(out));
  gradient(0.5e20);
  EXPECT_EQ((std::vector<float>{7, 4e-20F, 7}), test::contents(out));
}

struct shift_right {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(-1);
  }
};

template <class Exec>
struct Iterate : testing::Test {};
TYPED_TEST_SUITE(Iterate, test::all_spaces);

TYPED_TEST(Iterate, LeavesTheNewestInTheFirst) {
  using L = Kokkos::LayoutRight;
  for (const int steps : {0, 1, 2, 7}) {
    auto now = test::make_array<int, 1, L, TypeParam>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    auto next = test::make_array<int, 1, L, TypeParam>({10});
    std::vector<std::int64_t> numbers;
    quern::iterate(
        TypeParam(), now, next,
        [&](const auto& exec, const auto& from, const auto& to, std::int64_t i) {
          quern::stencil<quern::box<1>>(exec, to, shift_right(), boundary::wrap, from);
          numbers.push_back(i);
        },
        steps);
    const auto found = test::contents(now);
    for (int i = 0; i < 10; ++i) EXPECT_EQ((i + 10 - steps) % 10, found[i]) << steps;
    ASSERT_EQ(steps, static_cast<int>(numbers.size()));
    for (int i = 0; i < steps; ++i) EXPECT_EQ(i, numbers[i]);
  }
}

TYPED_TEST(Iterate, ReportsMisuse) {
  auto now = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({4}), next = now;
  test::expect_error("quern::iterate: -1 steps",
                     [&] { quern::iterate(TypeParam(), now, next, [](const auto&, const auto&, const auto&) {}, -1); });
}

#ifdef KOKKOS_ENABLE_CUDA
TEST(IterateCuda, IsCapturedInAGraph) {
  using L = Kokkos::LayoutRight;
  const Kokkos::Cuda exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  auto now = test::make_array<int, 1, L, Kokkos::Cuda>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  auto next = test::make_array<int, 1, L, Kokkos::Cuda>({10});
  Kokkos::fence();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  quern::iterate(
      exec, now, next,
      [](const auto& on, const auto& from, const auto& to) {
        quern::stencil<quern::box<1>>(on, to, shift_right(), boundary::wrap, from);
      },
      4);
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&ready, graph, 0));
  EXPECT_EQ(0, test::contents(now)[0]);  // captured, not run
  for (int launch = 1; launch <= 2; ++launch) {
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(ready, exec.cuda_stream()));
    const auto found = test::contents(now);
    for (int i = 0; i < 10; ++i) EXPECT_EQ((i + 10 - 4 * launch) % 10, found[i]);
  }
  EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(ready));
  EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}
#endif

}  // namespace
