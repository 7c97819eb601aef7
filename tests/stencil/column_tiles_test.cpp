// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel of devices for the pass of a separable filter along the slowest of three axes, by threads of the host,
// beside what hosts compute of a window of one column.

#include <quern/stencil.hpp>
#include <quern/stencil/device_filters.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>
#include <vector>

namespace {

using quern::boundary;
using host = Kokkos::DefaultHostExecutionSpace;

template <class T, class Layout>
using box = Kokkos::View<T***, Layout, host>;

/// The axis that is slowest.
template <class Layout>
constexpr int slowest = std::is_same_v<Layout, Kokkos::LayoutRight> ? 0 : 2;

template <class T, class Layout>
box<T, Layout> on_threads(const box<T, Layout>& in, const std::vector<T>& weights, const boundary& edge) {
  constexpr int axis = slowest<Layout>, cells = 0;  // of the grid
  const box<T, Layout> out("out", in.extent(0), in.extent(1), in.extent(2));
  quern::impl::with_filter("filter", host(), out, edge, in, [&](const auto& call) {
    const int size = static_cast<int>(weights.size());
    const quern::impl::window_sum<3, T, quern::impl::weight_list<T>, quern::impl::line_window<3, axis>> line{
        {{}, weights.data()}, {quern::impl::first_offset(size, false), size}};
    std::array<int, 3> sizes{1, 1, 1};
    sizes[axis] = size;
    quern::impl::window_extents window;
    window.set(cells, line.offsets.from, line.offsets.cells);
    const auto tiles = call.template tiles<quern::impl::strip_rows<T>, cells>(quern::impl::reach_of("filter", sizes),
                                                                              window, call.edges, call.out, call.in);
    using tiles_type = std::remove_const_t<decltype(tiles)>;
    const quern::impl::tiled_columns<tiles_type, T, std::remove_const_t<decltype(line)>> kernel(tiles, line);
    EXPECT_TRUE(kernel.usable());
    EXPECT_TRUE(test::run_teams(kernel, kernel.teams(), tiles_type::tune::team, 1,
                                static_cast<std::size_t>(kernel.scratch_bytes())));
  });
  return out;
}

/// Whole numbers, whose sums are exact in every order.
template <class T, class Layout>
void expect_sums(const std::array<int, 3>& extents, const boundary& edge) {
  const box<T, Layout> in("in", extents[0], extents[1], extents[2]),
      expected("expected", extents[0], extents[1], extents[2]);
  std::uint64_t at = 0;
  for (int i = 0; i < extents[0]; ++i)
    for (int j = 0; j < extents[1]; ++j)
      for (int k = 0; k < extents[2]; ++k) in(i, j, k) = static_cast<T>(std::round(4 * test::sample(at++)));
  for (int size : {1, 2, 5, 13}) {
    std::vector<T> weights(size);
    for (int k = 0; k < size; ++k) weights[k] = static_cast<T>(k % 5 - 1);
    std::array<int, 3> sizes{1, 1, 1};
    sizes[slowest<Layout>] = size;
    const Kokkos::View<T***, Layout, host> window("window", sizes[0], sizes[1], sizes[2]);
    std::copy(weights.begin(), weights.end(), window.data());
    quern::correlate(host(), expected, in, window, edge);
    const auto sums = on_threads<T, Layout>(in, weights, edge);
    for (int i = 0; i < extents[0]; ++i)
      for (int j = 0; j < extents[1]; ++j)
        for (int k = 0; k < extents[2]; ++k)
          ASSERT_EQ(expected(i, j, k), sums(i, j, k)) << size << " cells, at " << i << ", " << j << ", " << k;
  }
}

TEST(ColumnTiles, OfFloatsByRows) { expect_sums<float, Kokkos::LayoutRight>({37, 3, 131}, boundary::reflect); }
TEST(ColumnTiles, OfFloatsByColumns) { expect_sums<float, Kokkos::LayoutLeft>({130, 2, 33}, boundary::wrap); }
TEST(ColumnTiles, OfDoubles) { expect_sums<double, Kokkos::LayoutRight>({16, 2, 70}, boundary::constant(3)); }
TEST(ColumnTiles, OfDoublesOfOneStrip) { expect_sums<double, Kokkos::LayoutRight>({13, 1, 1}, boundary::nearest); }

}  // namespace
