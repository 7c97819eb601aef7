// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <quern/map/transpose_tile.hpp>
#include <quern/transfer.hpp>
#include <vector>

// Arrays that lie transposed are copied in tiles of 64 x 64 on hosts, of bytes by blocks of 8 x 8.

namespace {

unsigned char value_at(std::int64_t i, std::int64_t j) { return static_cast<unsigned char>(131 * i + 7 * j + i * j); }

template <class T>
void expect_extents_around_those_of_blocks() {
  for (std::int64_t rows = 0; rows <= 18; ++rows)
    for (std::int64_t columns = 0; columns <= 18; ++columns)
      for (const int sign : {1, -1}) {
        const std::int64_t to_row = columns + 3, from_row = rows + 5;
        std::vector<T> to((rows + 1) * to_row, T(222)), from((columns + 1) * from_row, T(111));
        T* const t = to.data() + (sign > 0 || rows == 0 ? 0 : (rows - 1) * to_row);
        T* const f = from.data() + (sign > 0 || columns == 0 ? 0 : (columns - 1) * from_row);
        auto expected = to;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            f[sign * j * from_row + i] = T(value_at(i, j));
            expected[t - to.data() + sign * i * to_row + j] = T(value_at(i, j));
          }
        quern::impl::transpose_tile(t, sign * to_row, f, sign * from_row, rows, columns, sizeof(T));
        EXPECT_EQ(expected, to) << rows << " x " << columns;  // and nothing between the rows
      }
}

TEST(TransposedCopies, OfAllExtentsAroundThoseOfBlocks) {
  expect_extents_around_those_of_blocks<unsigned char>();
  expect_extents_around_those_of_blocks<std::int16_t>();
  expect_extents_around_those_of_blocks<float>();
  expect_extents_around_those_of_blocks<double>();
  expect_extents_around_those_of_blocks<Kokkos::complex<double>>();
}

template <class T>
void expect_copied(int m, int n, int planes) {
  using space = Kokkos::HostSpace;
  const Kokkos::DefaultHostExecutionSpace exec;
  // Columns that lie side by side are copied to rows with a gap.
  const Kokkos::View<T***, Kokkos::LayoutRight, space> from("from", planes, n, m), room("room", planes, m, n + 3);
  for (int p = 0; p < planes; ++p)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) from(p, j, i) = static_cast<T>(value_at(i + p, j));
  Kokkos::deep_copy(room, T(1));
  const auto out = Kokkos::subview(room, Kokkos::ALL, Kokkos::ALL, Kokkos::pair(0, n));
  const Kokkos::LayoutStride strides(planes, n * m, m, 1, n, m);
  const Kokkos::View<const T***, Kokkos::LayoutStride, space> in(from.data(), strides);
  quern::copy(exec, out, in);
  exec.fence();
  int wrong = 0;
  for (int p = 0; p < planes; ++p)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n + 3; ++j) wrong += room(p, i, j) != (j < n ? static_cast<T>(value_at(i + p, j)) : T(1));
  EXPECT_EQ(0, wrong) << planes << ' ' << m << ' ' << n;
}

TEST(TransposedCopies, InTiles) {
  for (const int m : {16, 63, 64, 65, 200})
    for (const int n : {15, 33, 64, 71, 300})
      for (const int planes : {1, 3}) expect_copied<std::int8_t>(m, n, planes);
  expect_copied<bool>(130, 100, 2);
  for (const int m : {16, 63, 71}) {
    expect_copied<std::uint16_t>(m, 65, 2);
    expect_copied<float>(m, 18, 1);
    expect_copied<Kokkos::complex<double>>(m, 130, 3);
  }
}

}  // namespace
