// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel of devices for extremes of windows along two axes, by threads of the host, beside what hosts compute.

#include <limits>
#include <quern/stencil.hpp>
#include <quern/stencil/device_filters.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

using quern::boundary;
using host = Kokkos::DefaultHostExecutionSpace;

template <class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutRight, host>;
template <class T>
matrix<T> sampled(int rows, int columns) {
  const matrix<T> x("x", rows, columns);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      x(j, i) = static_cast<T>(100 + 90 * test::sample(static_cast<std::uint64_t>(j) * columns + i));
  return x;
}

template <class Rule, class T>
matrix<T> on_threads(const matrix<T>& in, const std::array<int, 2>& size, const boundary& edge, int moved) {
  using quern::impl::window_sum;
  const matrix<T> out("out", in.extent(0), in.extent(1));
  quern::impl::with_filter("filter", host(), out, edge, in, [&](const auto& call) {
    using S = T;
    const quern::impl::window_cells<2> window("filter", {size[0], size[1]}, quern::origin(moved));
    const auto line = [&]<int D>(std::integral_constant<int, D> axis) {
      return window_sum<2, S, quern::impl::equal_weights, quern::impl::line_window<2, D>, quern::impl::op::identity,
                        Rule>{{}, window.along(axis)};
    };
    const auto rows = line(std::integral_constant<int, 0>());
    const auto columns = line(std::integral_constant<int, 1>());
    quern::impl::window_extents cells;
    cells.set(0, rows.offsets.from, rows.offsets.cells);
    cells.set(2, columns.offsets.from, columns.offsets.cells);
    const auto tiles =
        call.template tiles<quern::impl::strip_rows<S>>(window.reach(), cells, call.edges, call.out, call.in);
    using tiles_type = std::remove_const_t<decltype(tiles)>;
    const quern::impl::tiled_lines<tiles_type, S, std::remove_const_t<decltype(rows)>,
                                   std::remove_const_t<decltype(columns)>>
        kernel(tiles, rows, columns);
    EXPECT_TRUE(kernel.by_parts && kernel.usable());
    test::run_teams(kernel, kernel.teams(), tiles_type::tune::team, 1,
                    static_cast<std::size_t>(kernel.scratch_bytes()));
  });
  return out;
}

/// Windows that go by strips, by halves of these, cell by cell, by both along different axes; of more columns than a
/// narrow team has.
template <class T>
void expect_extremes(int rows, int columns, const boundary& edge, bool with_nan = false) {
  const auto in = sampled<T>(rows, columns);
  if constexpr (std::is_floating_point_v<T>)
    if (with_nan) in(rows / 2, columns / 3) = std::numeric_limits<T>::quiet_NaN();
  const matrix<T> expected("expected", rows, columns);
  const std::pair<std::array<int, 2>, int> windows[] = {{{3, 3}, 0},  {{8, 9}, -1},  {{31, 31}, 3}, {{15, 16}, 2},
                                                        {{16, 7}, 1}, {{5, 33}, -2}, {{20, 1}, 0}};
  for (const auto& [size, moved] : windows) {
    if (size[1] == 1 && moved != 0) continue;
    quern::minimum_filter(host(), expected, in, {size[0], size[1]}, edge, quern::origin(moved));
    const auto least = on_threads<quern::impl::extreme_of<-1>>(in, size, edge, moved);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) {
        const T a = expected(j, i), b = least(j, i);
        ASSERT_TRUE(a == b || (a != a && b != b)) << size[0] << " x " << size[1] << " at " << j << ", " << i << ": "
                                                  << static_cast<double>(a) << ", " << static_cast<double>(b);
      }
  }
}

TEST(ExtremeTiles, OfFloats) { expect_extremes<float>(50, 150, boundary::reflect); }
TEST(ExtremeTiles, OfFloatsWithNaN) { expect_extremes<float>(33, 99, boundary::constant(20), true); }
TEST(ExtremeTiles, OfBytes) { expect_extremes<std::uint8_t>(65, 257, boundary::wrap); }
TEST(ExtremeTiles, OfDoubles) { expect_extremes<double>(40, 130, boundary::nearest); }

}  // namespace
