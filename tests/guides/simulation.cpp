// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/simulation.md: of each section the plain loop and the call, which must give the same numbers.
// # 1
#include "guide.hpp"

namespace {

// # 4 types
// # 6 types
// # 10
// # 15 types

using column = Kokkos::View<double*>;
using vectors = Kokkos::View<double* [3]>;
using plane = Kokkos::View<double**>;
using number = Kokkos::View<double>;

template <class... V>
void start(const space& exec, const V&... v) {
  std::uint64_t seed = 0;
  (quern::random::uniform(exec, v, quern::random::key{++seed}, 0.5, 1.5), ...);
}

void expect_same(const std::vector<double>& expected, const std::vector<double>& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-13 * std::abs(expected[i])) << i;
}

void elementwise(const space& exec) {
  const int n = 1003;
  const double dt = 0.1;
  const column u("u", n), rate("rate", n);
  start(exec, u, rate);
  // # 2
  const auto expected = test::contents(u);
  start(exec, u, rate);
  // # 3
  expect_same(expected, test::contents(u));
  std::vector<double> values = test::contents(u);
  for (double& v : values) v = 1.05 * (v > 0 ? v : 1.67 * std::expm1(v));
  // # 4 statements
  expect_same(values, test::contents(u));
}

void reducing(const space& exec) {
  const int n = 1003;
  const column u("u", n), r("r", n), p("p", n), w("w", n);
  const number alpha("alpha"), rr("rr"), pw("pw");
  start(exec, u, r, p, w, alpha, pw);
  // # 5
  const auto expected_u = test::contents(u), expected_r = test::contents(r), expected_rr = test::contents(rr);
  const auto check = [&] {
    expect_same(expected_u, test::contents(u));
    expect_same(expected_r, test::contents(r));
    expect_same(expected_rr, test::contents(rr));
    start(exec, u, r, p, w, alpha, pw);
    quern::fill(exec, rr, -1.0);
  };
  start(exec, u, r, p, w, alpha, pw);
  quern::fill(exec, rr, -1.0);
  // # 6 statements
  check();
  // # 17
  check();
}

void coefficients(const space& exec) {
  const number alpha("alpha"), rr("rr"), pw("pw");
  start(exec, rr, pw);
  // # 7
  const auto expected = test::contents(alpha);
  quern::fill(exec, alpha, -1.0);
  // # 8
  expect_same(expected, test::contents(alpha));
}

void vectors_per_particle(const space& exec) {
  const int particles = 1003;
  const double dt = 0.1;
  const vectors x("x", particles), v("v", particles), f("f", particles);
  const column mass("mass", particles);
  const number kinetic("kinetic");
  start(exec, v, f, mass);
  quern::fill(exec, x, 3.0);
  // # 9
  const auto expected_v = test::contents(v), expected_kinetic = test::contents(kinetic);
  start(exec, v, f, mass);
  quern::fill(exec, kinetic, -1.0);
  // # 11
  expect_same(expected_v, test::contents(v));
  expect_same(expected_kinetic, test::contents(kinetic));
  EXPECT_NEAR(3.0, center[2], 1e-13);
}

void ghosts(const space& exec) {
  const int ny = 21, nx = 34;
  const plane u("u", ny + 2, nx + 2), w("w", ny, nx);
  const number pw("pw");
  start(exec, u);
  // # 12
  const auto filled = test::contents(u);
  start(exec, u);
  // # 13
  expect_same(filled, test::contents(u));

  // # 14
  const auto expected_w = test::contents(w), expected_pw = test::contents(pw);
  const auto check = [&] {
    const auto found = test::contents(w);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(expected_w[i], found[i], 1e-14);
    EXPECT_NEAR(expected_pw[0], test::contents(pw)[0], 1e-12 * std::abs(expected_pw[0]));
    quern::fill(exec, w, -1.0);
    quern::fill(exec, pw, -1.0);
  };
  quern::fill(exec, w, -1.0);
  quern::fill(exec, pw, -1.0);
  // # 15 statements
  check();
  const plane cells("cells", ny, nx);
  quern::copy(exec, cells, Kokkos::subview(u, std::pair(1, ny + 1), std::pair(1, nx + 1)));
  // # 16
  check();
}

}  // namespace

TEST(Guides, Simulation) {
  const space exec;
  elementwise(exec);
  reducing(exec);
  coefficients(exec);
  vectors_per_particle(exec);
  ghosts(exec);
}
