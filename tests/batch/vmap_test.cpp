// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functors for the items of a batch, by a thread and by a team, beside loops.

#include <quern/batch/vmap.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Vmap : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed) {
    std::int64_t size = 1;
    for (const auto e : extents) size *= e;
    return test::make_array<T, Rank, L, E>(extents, test::samples<T>(size, seed));
  }
};
using cases = test::covering<float, double, std::int32_t>;
TYPED_TEST_SUITE(Vmap, cases);

constexpr std::int64_t batch = 13, m = 5, n = 7;

template <class Y, class A, class X>
KOKKOS_FUNCTION void multiply_row(const Y& y, const A& a, const X& x, std::size_t i) {
  typename Y::value_type sum(0);
  for (std::size_t k = 0; k < a.extent(1); ++k) sum += a(i, k) * x(k);
  y(i) = sum;
}
/// y = A x, by a thread and by a team.
struct by_thread {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const A& a, const X& x) const {
    for (std::size_t i = 0; i < a.extent(0); ++i) multiply_row(y, a, x, i);
  }
};
struct by_team {
  template <class Team, class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Team& team, const Y& y, const A& a, const X& x) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.extent(0)), [&](std::size_t i) { multiply_row(y, a, x, i); });
  }
};

/// The products, from contents in the order (b, i, k), or (i, k) where all items share a.
template <class T>
std::vector<T> products(const std::vector<T>& a, const std::vector<T>& x) {
  const bool many = static_cast<std::int64_t>(a.size()) != m * n;
  std::vector<T> y(batch * m, T(0));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t k = 0; k < n; ++k) y[b * m + i] += a[(many ? b * m * n : 0) + i * n + k] * x[b * n + k];
  return y;
}

TYPED_TEST(Vmap, AppliesAFunctorToEveryItem) {
  using T = typename TestFixture::T;
  const auto a = this->template array<3>({batch, m, n}, 1);
  const auto x = this->template array<2>({batch, n}, 2), y = this->template array<2>({batch, m}, 3);
  const auto expected = products<T>(test::contents(a), test::contents(x));
  quern::vmap(typename TestFixture::E(), y, by_thread(), a, x);
  EXPECT_EQ(expected, test::contents(y));
  const auto by_teams = this->template array<2>({batch, m}, 3);
  quern::vmap(by_teams, by_team(), a, x);
  EXPECT_EQ(expected, test::contents(by_teams));
}

// Strided Views of the same numbers with their axes in other orders.
TYPED_TEST(Vmap, TakesItemsAlongAnyAxis) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto one = this->template array<2>({m, n}, 1), x = this->template array<2>({n, batch}, 2);
  const auto y = this->template array<2>({m, batch}, 3);
  std::vector<T> items(batch * n), results(batch * m);
  const auto in = test::contents(x);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t k = 0; k < n; ++k) items[b * n + k] = in[k * batch + b];
  const auto expected = products<T>(test::contents(one), items);
  for (const bool team : {false, true}) {
    Kokkos::deep_copy(y, T(77));
    if (team)
      quern::vmap(E(), quern::batched(y, quern::axis{1}), by_team(), quern::unbatched(one),
                  quern::batched(x, quern::axis{-1}));
    else
      quern::vmap(E(), quern::batched(y, quern::axis{-1}), by_thread(), quern::unbatched(one),
                  quern::batched(x, quern::axis{1}));
    const auto out = test::contents(y);
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < m; ++i) results[b * m + i] = out[i * batch + b];
    EXPECT_EQ(expected, results) << team;
  }
}

/// The sum and the last element of a vector; adds 1 to each.
struct sum_and_last {
  template <class S, class X>
  KOKKOS_FUNCTION void operator()(const S& sum, const S& last, const X& changed, const X&) const {
    sum() = 0;
    for (std::size_t k = 0; k < changed.extent(0); ++k) sum() += changed(k);
    last() = changed(changed.extent(0) - 1);
    for (std::size_t k = 0; k < changed.extent(0); ++k) changed(k) += 1;
  }
  template <class S, class X, class Const>
  KOKKOS_FUNCTION void operator()(const S& sum, const S& last, const X& changed, const Const&) const {
    (*this)(sum, last, changed, changed);
  }
};

TYPED_TEST(Vmap, SeveralOutputsAndItemsInPlace) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto x = this->template array<2>({batch, n}, 2);
  const auto sum = this->template array<1>({batch}, 3), last = this->template array<1>({batch}, 4);
  const auto before = test::contents(x);
  quern::vmap(E(), quern::outputs(sum, last, x), sum_and_last(), x);
  const auto sums = test::contents(sum), lasts = test::contents(last), after = test::contents(x);
  for (std::int64_t b = 0; b < batch; ++b) {
    T expected(0);
    for (std::int64_t k = 0; k < n; ++k) expected += before[b * n + k];
    EXPECT_EQ(expected, sums[b]);
    EXPECT_EQ(before[b * n + n - 1], lasts[b]);
  }
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(before[i] + T(1), after[i]);
}

TYPED_TEST(Vmap, NoItems) {
  const auto a = this->template array<3>({0, m, n}, 1);
  const auto x = this->template array<2>({0, n}, 2), y = this->template array<2>({0, m}, 3);
  quern::vmap(y, by_thread(), a, x);
  quern::vmap(y, by_team(), a, x);
}

struct nothing {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y&, const Y&, const X&) const {}
};

TYPED_TEST(Vmap, ReportsMisuse) {
  const auto a = this->template array<3>({batch, m, n}, 1), fewer = this->template array<3>({batch - 1, m, n}, 1);
  const auto x = this->template array<2>({batch, n}, 2), y = this->template array<2>({batch, m}, 3);
  test::expect_error("quern::vmap: in 1 has 12 items, expected 13", [&] { quern::vmap(y, by_thread(), fewer, x); });
  test::expect_error("quern::vmap: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::vmap(y, by_thread(), a, quern::batched(x, quern::axis{2})); });
  const auto part = Kokkos::subview(x, Kokkos::ALL, Kokkos::pair<int, int>(0, m));
  test::expect_error("quern::vmap: out and in 2 share memory and are not the same View",
                     [&] { quern::vmap(part, by_thread(), a, x); });
  test::expect_error("quern::vmap: out and out 1 share memory",
                     [&] { quern::vmap(quern::outputs(y, y), nothing(), x); });
}

}  // namespace
