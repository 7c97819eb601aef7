// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rolling windows of distributed arrays beside those of the whole array on one rank.
#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/rolling.hpp>
#include <quern/stencil.hpp>
#include <support/comparable.hpp>

namespace {

using quern::axis, quern::Decomposition, quern::shape, quern::window;
namespace op = quern::op;

template <class E>
struct DistributedRolling : testing::Test {
  using T = float;
  using L = Kokkos::LayoutLeft;
  /// Compares `call(out, in, window, axis)` over every grid of ranks with that of the whole array.
  template <class Call>
  static void agrees(const shape& extents, const window& w, int halo, const Call& call) {
    const auto comm = test::world();
    const std::array<std::int64_t, 2> n{extents.extent[0], extents.extent[1]};
    auto values = test::samples<T>(extents.size(), 3);
    values[values.size() / 2] = std::numeric_limits<T>::quiet_NaN();
    const std::vector<T> before(extents.size());
    const auto in = test::make_array<T, 2, L, E>(n, values), out = test::make_array<T, 2, L, E>(n, before);
    for (const int along : {0, 1}) {
      call(out, in, w, axis{along});
      const auto expected = test::contents(out);
      for (const auto& grid : test::grids(comm.size(), 2)) {
        std::array<int, 2> width{};
        width[along] = halo;  // none along the axis that windows do not lie along
        if (grid[along] > 1 && n[along] / grid[along] < halo) continue;
        const Decomposition d(comm, extents, {.grid = grid, .halo = {width[0], width[1]}});
        const auto u = test::distribute<T, 2, L, E>(d, values), v = test::distribute<T, 2, L, E>(d, before);
        for (int repeat = 0; repeat < 2; ++repeat) call(v, u, w, axis{along});
        EXPECT_EQ(test::comparable(test::part_of(expected, extents, d.local())),
                  test::comparable(test::contents(v.local())))
            << "rank " << comm.rank() << ", grid " << testing::PrintToString(grid) << ", along " << along;
      }
    }
  }
};
TYPED_TEST_SUITE(DistributedRolling, test::all_spaces);

TYPED_TEST(DistributedRolling, SumsAndMediansAreThoseOfOneDevice) {
  const TypeParam exec;
  const auto sum = [&](const auto& out, const auto& in, const window& w, const axis& along) {
    quern::rolling<op::sum>(exec, out, in, w, along);
  };
  TestFixture::agrees({24, 17}, window{4}, 3, sum);
  TestFixture::agrees({21, 16}, window{.count = 4, .center = true, .min_periods = 1}, 2, sum);
  TestFixture::agrees({24, 17}, window{.count = 3, .min_periods = 2}, 2,
                      [&](const auto& out, const auto& in, const window& w, const axis& along) {
                        quern::rolling<op::median>(exec, out, in, w, along);
                      });
}

TYPED_TEST(DistributedRolling, OfAWidthLieAlongAWholeAxis) {
  const auto comm = test::world();
  const TypeParam exec;
  using T = typename TestFixture::T;
  using L = typename TestFixture::L;
  const shape extents{24, 9};
  const auto values = test::samples<T>(extents.size(), 3);
  std::vector<int> positions(24);
  for (int i = 0; i < 24; ++i) positions[i] = 3 * i + i % 2;
  const auto all = test::make_array<int, 1, L, TypeParam>({24}, positions);
  const auto times = Kokkos::subview(all, std::pair(0, 9));
  const auto in = test::make_array<T, 2, L, TypeParam>({24, 9}, values),
             out = test::make_array<T, 2, L, TypeParam>({24, 9});
  const quern::value_window w{.width = 7};
  quern::rolling<op::sum>(exec, out, in, times, w);
  const Decomposition d(comm, extents, {.grid = {comm.size(), 1}});
  const auto u = test::distribute<T, 2, L, TypeParam>(d, values), v = test::distribute<T, 2, L, TypeParam>(d, values);
  quern::rolling<op::sum>(exec, v, u, times, w);
  EXPECT_EQ(test::part_of(test::contents(out), extents, d.local()), test::contents(v.local()));
  if (comm.size() > 1) {
    EXPECT_THROW(quern::rolling<op::sum>(v, u, all, w, axis{0}), quern::Error);
  }
}

// Also ranks that have no row throw, and all ranks go on.
TYPED_TEST(DistributedRolling, WrongAxesAreFoundOutOnAllRanks) {
  const auto comm = test::world();
  const TypeParam exec;
  using T = typename TestFixture::T;
  using L = typename TestFixture::L;
  const Decomposition d(comm, {1, 9}, {.grid = {comm.size(), 1}});
  const auto values = test::samples<T>(9, 3);
  const auto u = test::distribute<T, 2, L, TypeParam>(d, values), v = test::distribute<T, 2, L, TypeParam>(d, values);
  const quern::value_window w{.width = 2};
  const auto down = test::make_array<int, 1, L, TypeParam>({9}, {1, 2, 3, 4, 5, 6, 7, 6, 9}),
             few = test::make_array<int, 1, L, TypeParam>({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  test::expect_error("quern::rolling: the axis has extents (8), expected (9)",
                     [&] { quern::rolling<op::sum>(exec, v, u, few, w); });
  EXPECT_THROW(quern::rolling<op::sum>(exec, v, u, down, w, quern::checked), quern::UnsortedError);
  EXPECT_EQ(test::contents(u.local()), test::contents(v.local())) << "nothing is written";
}

TYPED_TEST(DistributedRolling, HalosAreAsWideAsTheWindows) {
  const auto comm = test::world();
  if (comm.size() == 1) return;
  using T = typename TestFixture::T;
  const Decomposition d(comm, {40, 5}, {.grid = {comm.size(), 1}, .halo = {1}});
  const auto values = test::samples<T>(200, 3);
  const auto u = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values),
             v = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values);
  EXPECT_THROW(quern::rolling<op::sum>(v, u, window{3}, axis{0}), quern::Error);
  quern::rolling<op::sum>(v, u, window{2}, axis{0});
  EXPECT_THROW(quern::rolling<op::sum>(v, u, window{.count = 2, .step = 2}, axis{0}), quern::Error);
}

// Where calls are checked, all ranks throw where the windows of one differ.
TYPED_TEST(DistributedRolling, CallsAreTheSameOnAllRanks) {
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  using T = typename TestFixture::T;
  const Decomposition d(comm, {60, 5}, {.grid = {comm.size(), 1}, .halo = {3}});
  const auto values = test::samples<T>(300, 3);
  const auto u = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values),
             v = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values);
  const bool other = test::is_other(comm);
  EXPECT_THROW(quern::rolling<op::sum>(v, u, window{other ? 3 : 4}, axis{0}), quern::Error);
  EXPECT_THROW(quern::rolling<op::sum>(v, u, window{.count = 3, .min_periods = other ? 1 : 2}, axis{0}), quern::Error);
  EXPECT_THROW(quern::rolling<op::sum>(v, u, window{other ? 0 : 3}, axis{0}), quern::Error);
}

}  // namespace
