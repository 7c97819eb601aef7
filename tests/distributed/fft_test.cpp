// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transforms beside those of the whole array on one rank.
#include <distributed/world.hpp>
#include <quern/distributed/fft.hpp>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedFft : testing::Test {};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(DistributedFft, cases);

template <class T>
void expect_near(const std::vector<T>& expected, const std::vector<T>& found, double bound) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(0, Kokkos::abs(expected[i] - found[i]), bound) << i;
}

/// On every grid, there and back, of real and of complex numbers.
template <class E, class R, int Rank>
void check(const shape& extents) {
  using C = Kokkos::complex<R>;
  const E exec{};
  const auto comm = test::world();
  std::array<std::int64_t, Rank> whole;
  std::copy_n(extents.extent.begin(), Rank, whole.begin());
  auto halved = extents;
  halved.extent[Rank - 1] = extents.extent[Rank - 1] / 2 + 1;
  auto whole_halved = whole;
  whole_halved[Rank - 1] = halved.extent[Rank - 1];
  const auto values = test::samples<C>(extents.size(), 5);
  const auto reals = test::samples<R>(extents.size(), 6);
  const auto x = test::make_array<C, Rank, LayoutRight, E>(whole, values);
  const auto y = test::make_array<C, Rank, LayoutRight, E>(whole);
  const auto r = test::make_array<R, Rank, LayoutRight, E>(whole, reals);
  const auto s = test::make_array<C, Rank, LayoutRight, E>(whole_halved);
  quern::fftn(exec, y, x);
  quern::rfftn(exec, s, r);
  const double bound = 100 * test::eps<R>() * static_cast<double>(extents.size());
  for (const auto& grid : test::grids(comm.size(), Rank)) {
    const Decomposition d(comm, extents, {.grid = grid}), e(comm, halved, {.grid = {grid.rbegin(), grid.rend()}});
    const auto u = test::distribute<C, Rank, LayoutRight, E>(d, values);
    const quern::DistributedView<C, Rank, E> v("v", d), spectrum("spectrum", e);
    quern::fftn(exec, v, u);
    expect_near(test::part_of(test::contents(y), extents, d.local()), test::contents(v.local()), bound);
    quern::ifftn(exec, v, v);
    expect_near(test::part_of(values, extents, d.local()), test::contents(v.local()), bound);
    const auto w = test::distribute<R, Rank, LayoutRight, E>(d, reals);
    const quern::DistributedView<R, Rank, E> back("back", d);
    quern::rfftn(exec, spectrum, w, quern::fft_norm::forward);
    quern::irfftn(exec, back, spectrum, quern::fft_norm::forward);
    expect_near(test::part_of(reals, extents, d.local()), test::contents(back.local()), bound);
    quern::rfftn(spectrum, w);
    expect_near(test::part_of(test::contents(s), halved, e.local()), test::contents(spectrum.local()), bound);
    quern::irfftn(back, spectrum);
    expect_near(test::part_of(reals, extents, d.local()), test::contents(back.local()), bound);
    quern::fftn(v, u);
    quern::ifftn(v, v);
    expect_near(test::part_of(values, extents, d.local()), test::contents(v.local()), bound);
  }
}

TYPED_TEST(DistributedFft, IsThatOfOneDevice) {
  using R = typename TypeParam::value;
  using E = typename TypeParam::exec;
  check<E, R, 2>(shape{6, 9});
  check<E, R, 3>(shape{5, 4, 6});
  check<E, R, 3>(shape{2, 3, 10});  // of four ranks in pencils
  check<E, R, 3>(shape{1, 1, 7});   // with ranks that have nothing
}

/// Transforms along some of the axes, beside those of the whole array.
template <class E, class R>
void check_axes(const shape& extents) {
  using C = Kokkos::complex<R>;
  const E exec{};
  const auto comm = test::world();
  const std::array<std::int64_t, 3> whole{extents.extent[0], extents.extent[1], extents.extent[2]};
  const shape halved{whole[0], whole[1], whole[2] / 2 + 1};
  const auto values = test::samples<C>(extents.size(), 5);
  const auto reals = test::samples<R>(extents.size(), 6);
  const auto x = test::make_array<C, 3, LayoutRight, E>(whole, values);
  const auto y = test::make_array<C, 3, LayoutRight, E>(whole);
  const auto r = test::make_array<R, 3, LayoutRight, E>(whole, reals);
  const auto s = test::make_array<C, 3, LayoutRight, E>({whole[0], whole[1], whole[2] / 2 + 1});
  const double bound = 100 * test::eps<R>() * static_cast<double>(extents.size());
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid}), e(comm, halved, {.grid = {grid.rbegin(), grid.rend()}});
    const auto u = test::distribute<C, 3, LayoutRight, E>(d, values);
    const auto w = test::distribute<R, 3, LayoutRight, E>(d, reals);
    const quern::DistributedView<C, 3, E> v("v", d), spectrum("spectrum", e);
    const quern::DistributedView<R, 3, E> back("back", d);
    for (const quern::axes& along : {quern::axes{0}, {1}, {2}, {0, 2}, {1, 0}, {-1, -2}}) {
      const auto norm = quern::fft_norm::ortho;
      quern::fftn(exec, y, x, along, norm);
      quern::fftn(exec, v, u, along, norm);
      expect_near(test::part_of(test::contents(y), extents, d.local()), test::contents(v.local()), bound);
      quern::ifftn(exec, v, v, along, norm);
      expect_near(test::part_of(values, extents, d.local()), test::contents(v.local()), bound);
      quern::fftn(exec, y, r, along, norm);  // of real numbers to all n complex ones
      quern::fftn(exec, v, w, along, norm);
      expect_near(test::part_of(test::contents(y), extents, d.local()), test::contents(v.local()), bound);
    }
    for (int axis = 0; axis < 3; ++axis) {
      quern::fft(exec, y, x, quern::axis(axis));
      quern::fft(exec, v, u, quern::axis(axis));
      expect_near(test::part_of(test::contents(y), extents, d.local()), test::contents(v.local()), bound);
      quern::ifft(v, v, quern::axis(axis));
      expect_near(test::part_of(values, extents, d.local()), test::contents(v.local()), bound);
    }
    for (const quern::axes& along : {quern::axes{2}, {0, 2}, {0, 1, 2}}) {
      quern::rfftn(exec, s, r, along);
      quern::rfftn(exec, spectrum, w, along);
      expect_near(test::part_of(test::contents(s), halved, e.local()), test::contents(spectrum.local()), bound);
      quern::irfftn(exec, back, spectrum, along);
      expect_near(test::part_of(reals, extents, d.local()), test::contents(back.local()), bound);
    }
    quern::fft2(y, x);
    quern::fft2(v, u);
    expect_near(test::part_of(test::contents(y), extents, d.local()), test::contents(v.local()), bound);
    quern::rfft(spectrum, w);
    quern::irfft(back, spectrum);
    expect_near(test::part_of(reals, extents, d.local()), test::contents(back.local()), bound);
  }
}

// The precision is that of the output, as in memory.
TYPED_TEST(DistributedFft, ConvertsItsInput) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  const auto values = test::samples<Kokkos::complex<float>>(24, 5);
  const auto in = test::make_array<Kokkos::complex<float>, 2, LayoutRight, E>({6, 4}, values);
  const auto out = test::make_array<double, 2, LayoutRight, E>({6, 7});
  quern::irfftn(exec, out, in);
  const Decomposition d(comm, {6, 4}), e(comm, {6, 7});
  const auto u = test::distribute<Kokkos::complex<float>, 2, LayoutRight, E>(d, values);
  const quern::DistributedView<double, 2, E> v("v", e);
  quern::irfftn(exec, v, u);
  expect_near(test::part_of(test::contents(out), shape{6, 7}, e.local()), test::contents(v.local()), 1e-13);
}

TYPED_TEST(DistributedFft, AlongSomeAxes) {
  using R = typename TypeParam::value;
  using E = typename TypeParam::exec;
  check_axes<E, R>(shape{5, 4, 6});
  check_axes<E, R>(shape{2, 3, 9});
}

TYPED_TEST(DistributedFft, ReportsMisuse) {
  using C = Kokkos::complex<typename TypeParam::value>;
  using E = typename TypeParam::exec;
  const auto comm = test::world();
  const quern::DistributedView<C, 2, E> u("u", Decomposition(comm, {4, 6})), v("v", Decomposition(comm, {4, 5}));
  test::expect_error("quern::fftn: out has extents (4, 5), expected (4, 6) for this transform of in",
                     [&] { quern::fftn(E(), v, u); });
  const quern::DistributedView<C, 2, E> longer("longer", Decomposition(comm, {4, 8}));
  test::expect_error("quern::fft: in has extents (4, 6), expected (4, 8): over ranks lengths are those of the arrays",
                     [&] { quern::fft(E(), longer, u, quern::fft_lengths{8}); });
  const quern::DistributedView<typename TypeParam::value, 2, E> r("r", Decomposition(comm, {4, 6}));
  const quern::DistributedView<C, 2, E> s("s", Decomposition(comm, {3, 6}));
  test::expect_error("quern::rfftn: over ranks real transforms are halved along the last axis of the array",
                     [&] { quern::rfftn(E(), s, r, quern::axes{1, 0}); });
  test::expect_error(
      "quern::irfftn: in has extents (3, 6), expected (4, 4): over ranks lengths are those of the arrays",
      [&] { quern::irfftn(E(), r, s, quern::fft_lengths{4, 6}); });
}

}  // namespace
