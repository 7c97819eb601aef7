// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The halo of an output is memory beside it: operations do not write it.
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/sort.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/map/functions.hpp>
#ifdef QUERN_USES_FFT
#include <quern/distributed/fft.hpp>
#endif

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedGaps : testing::Test {};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(DistributedGaps, cases);

struct sum_of_row {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(0, -1) + w(0, 0) + w(0, 1);
  }
};

/// An array whose halo is watched.
template <class T, int Rank, class Layout, class Exec>
auto guarded(const Decomposition& d) {
  const quern::DistributedView<T, Rank, Layout, typename Exec::memory_space> u("guarded", d);
  test::guard_around(u.local_with_halo(), u.local());
  return u;
}

TYPED_TEST(DistributedGaps, HalosOfOutputsAreKept) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = std::conditional_t<std::is_same_v<typename TypeParam::layout, Kokkos::LayoutLeft>, Kokkos::LayoutLeft,
                               LayoutRight>;
  const E exec{};
  const auto comm = test::world();
  const shape extents{8, 10};
  const auto values = test::samples<T>(80);
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 2}});
    const auto in = test::distribute<T, 2, L, E>(d, values);
    const auto mine = test::part_of(values, extents, d.local());
    const auto whole = test::make_array<T, 2, LayoutRight, E>({8, 10}, values);  // with gaps until they are checked
    const auto out = guarded<T, 2, L, E>(d), turned = guarded<T, 2, L, E>(d);
    distributed::from_global(exec, out, whole);
    EXPECT_EQ(mine, test::contents(out.local()));
    quern::map(exec, turned, quern::impl::op::identity(), in);
    EXPECT_EQ(mine, test::contents(turned.local()));
    for (const int axis : {0, 1}) quern::inclusive_scan(exec, out, quern::impl::op::add(), T(0), in, quern::axis{axis});
    quern::stencil<quern::box<1>>(exec, turned, sum_of_row(), quern::boundary::wrap, in);
#ifdef QUERN_USES_FFT
    using C = Kokkos::complex<T>;
    const Decomposition halved(comm, {8, 6}, {.grid = {grid.rbegin(), grid.rend()}, .halo = {2, 1}});
    const auto spectrum = guarded<C, 2, L, E>(halved);
    quern::rfftn(exec, spectrum, in);
    quern::irfftn(exec, out, spectrum);
    const auto back = test::contents(out.local());
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], back[i], 100 * test::eps<T>());
#endif
    test::check_gaps();
  }
  const Decomposition line(comm, {40}, {.halo = {2}});
  const auto in = test::distribute<T, 1, LayoutRight, E>(line, test::samples<T>(40));
  const auto sorted = guarded<T, 1, LayoutRight, E>(line);
  quern::sort(exec, sorted, in);
  test::check_gaps();
}

}  // namespace
