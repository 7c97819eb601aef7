// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of devices for separable filters, by threads of the host, beside what hosts compute: the pass along the
// slowest of three axes, and both passes along two.

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

template <class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutRight, host>;
template <class T>
std::vector<T> list_of(int size) {
  std::vector<T> weights(size);
  for (int k = 0; k < size; ++k) weights[k] = static_cast<T>((3 * k + size) % 5 - 1);
  return weights;
}
template <class T, int D>
auto line_of(const std::vector<T>& weights) {
  const int size = static_cast<int>(weights.size());
  return quern::impl::window_sum<2, T, quern::impl::weight_list<T>, quern::impl::line_window<2, D>>{
      {{}, weights.data()}, {quern::impl::first_offset(size, false), size}};
}
template <class T>
matrix<T> by_tiles(const matrix<T>& in, const std::vector<T>& down, const std::vector<T>& across,
                   const boundary& edge) {
  const matrix<T> out("out", in.extent(0), in.extent(1));
  quern::impl::with_filter("filter", host(), out, edge, in, [&](const auto& call) {
    const auto rows = line_of<T, 0>(down);
    const auto columns = line_of<T, 1>(across);
    quern::impl::window_extents window;
    window.set(0, rows.offsets.from, rows.offsets.cells);
    window.set(2, columns.offsets.from, columns.offsets.cells);
    const std::array<int, 2> sizes{rows.offsets.cells, columns.offsets.cells};
    const auto tiles = call.template tiles<quern::impl::strip_rows<T>>(quern::impl::reach_of("filter", sizes), window,
                                                                       call.edges, call.out, call.in);
    using tiles_type = std::remove_const_t<decltype(tiles)>;
    const quern::impl::tiled_lines<tiles_type, T, std::remove_const_t<decltype(rows)>,
                                   std::remove_const_t<decltype(columns)>>
        kernel(tiles, rows, columns);
    EXPECT_TRUE(kernel.usable());
    EXPECT_TRUE(test::run_teams(kernel, kernel.teams(), tiles_type::tune::team, 1,
                                static_cast<std::size_t>(kernel.scratch_bytes())));
  });
  return out;
}
/// Windows that are narrow and wide across, and wider than a narrow team.
template <class T>
void expect_products(int rows, int columns, const boundary& edge) {
  const matrix<T> in("in", rows, columns), expected("expected", rows, columns);
  for (int i = 0; i < rows * columns; ++i) in.data()[i] = static_cast<T>(std::round(4 * test::sample(i)));
  for (const auto& [high, wide] : {std::pair(3, 7), {1, 8}, {13, 13}, {4, 33}}) {
    const auto down = list_of<T>(high), across = list_of<T>(wide);
    const Kokkos::View<const T*, host> w0(down.data(), high), w1(across.data(), wide);
    quern::correlate(host(), expected, in, quern::separable(w0, w1), edge);
    const auto sums = by_tiles(in, down, across, edge);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i)
        ASSERT_EQ(expected(j, i), sums(j, i)) << high << " x " << wide << " cells, at " << j << ", " << i;
  }
}

TEST(LineTiles, OfFloats) { expect_products<float>(50, 150, boundary::reflect); }
TEST(LineTiles, OfDoubles) { expect_products<double>(40, 300, boundary::constant(2)); }

TEST(ColumnTiles, OfFloatsByRows) { expect_sums<float, Kokkos::LayoutRight>({37, 3, 131}, boundary::reflect); }
TEST(ColumnTiles, OfFloatsByColumns) { expect_sums<float, Kokkos::LayoutLeft>({130, 2, 33}, boundary::wrap); }
TEST(ColumnTiles, OfDoubles) { expect_sums<double, Kokkos::LayoutRight>({16, 2, 70}, boundary::constant(3)); }
TEST(ColumnTiles, OfDoublesOfOneStrip) { expect_sums<double, Kokkos::LayoutRight>({13, 1, 1}, boundary::nearest); }

}  // namespace
