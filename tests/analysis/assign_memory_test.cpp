// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a team of a device shares while it assigns points to clusters, and the kernel itself by threads of a host.
#include <cmath>
#include <limits>
#include <quern/analysis/kmeans_kernels.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

using quern::impl::assign_memory;

/// Elements that the kernel indexes: of its tile, the best of its threads, labels, and of sums and counts if they are
/// there.
template <class T, int Across>
void expect_room_for_what_is_indexed(std::int64_t columns, std::int64_t clusters, int groups, std::int64_t room) {
  using tile = quern::impl::device_row_tile<T, Across>;
  using plan = assign_memory<tile, T>;
  const plan m(columns, clusters, groups, room);
  const std::string text = "columns " + std::to_string(columns) + ", clusters " + std::to_string(clusters) +
                           ", groups " + std::to_string(groups) + ", room " + std::to_string(room);
  const std::int64_t best = tile::points / plan::passes * tile::threads_across;
  EXPECT_LE(tile::x_values * static_cast<std::int64_t>(sizeof(T)), m.best) << text;
  EXPECT_LE(tile::values * static_cast<std::int64_t>(sizeof(T)), m.labels) << text;
  EXPECT_LE(m.best + best * static_cast<std::int64_t>(sizeof(T) + sizeof(std::int32_t)), m.labels) << text;
  EXPECT_LE(m.labels + tile::points * static_cast<std::int64_t>(sizeof(std::int32_t)), m.sums) << text;
  const std::int64_t sums = groups * clusters * columns * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t counts = (clusters + 1) * static_cast<std::int64_t>(sizeof(std::uint32_t));
  EXPECT_LE(m.sums + (m.has_sums ? sums : 0), m.counts) << text;
  EXPECT_LE(m.counts + (m.has_counts ? counts : 0), m.end) << text;
  EXPECT_LE(m.end + plan::alignment, m.bytes()) << text;
  EXPECT_EQ(0u, m.labels % sizeof(std::int32_t)) << text;
  EXPECT_EQ(0u, m.sums % sizeof(T)) << text;
  EXPECT_EQ(0u, m.counts % sizeof(std::uint32_t)) << text;
  EXPECT_FALSE(m.has_sums && groups == 0) << text;
  // Whatever is left out does not fit; a tile must.
  const plan least(columns, clusters, 0, 0);
  EXPECT_FALSE(least.has_counts) << text;
  EXPECT_TRUE(m.bytes() <= room || m.bytes() == least.bytes()) << text;
  EXPECT_TRUE(m.has_sums || groups == 0 || least.bytes() + sums > room) << text;
  EXPECT_TRUE(m.has_counts || m.bytes() + counts > room) << text;
}

template <class T>
void expect_room_for_few_columns(std::int64_t columns, std::int64_t clusters, int groups, std::int64_t room) {
  using plan = quern::impl::few_columns_memory<T>;
  const plan m(columns, clusters, groups, room), least(columns, clusters, groups, 0);
  const std::string text = "columns " + std::to_string(columns) + ", clusters " + std::to_string(clusters) +
                           ", groups " + std::to_string(groups) + ", room " + std::to_string(room);
  const std::int64_t bytes = sizeof(T), loaded = plan::padded(std::min<std::int64_t>(clusters, plan::rows_at_once));
  EXPECT_LE(columns, m.pitch) << text;
  EXPECT_LE(columns, m.row_pitch) << text;
  EXPECT_LE(plan::rows + loaded * m.row_pitch * bytes, m.half_squares) << text;
  EXPECT_LE(m.half_squares + loaded * bytes, m.order) << text;
  EXPECT_LE(m.order + (groups > 0 ? quern::impl::tile_order<plan::team, plan::points>::bytes : 0), m.sums) << text;
  EXPECT_LE(m.sums + (m.has_sums ? groups * clusters * m.pitch * bytes : 0), m.counts) << text;
  EXPECT_LE(m.counts + (m.has_counts ? clusters * 4 : 0), m.end) << text;
  const std::int32_t of_packs[] = {plan::rows, m.half_squares, m.order, m.sums};
  for (const std::int32_t packs : of_packs) EXPECT_EQ(0, packs % 16) << text;
  EXPECT_EQ(0, m.counts % 4) << text;
  EXPECT_TRUE(m.bytes() <= room || m.bytes() == least.bytes()) << text;
  EXPECT_TRUE(m.has_sums || groups == 0 || least.bytes() + groups * clusters * m.pitch * bytes > room) << text;
  EXPECT_LE(least.bytes(), 20480) << text << ": there is room for four teams";
}

TEST(AssignMemory, HasRoomForAllThatIsIndexed) {
  for (const std::int64_t columns : {1, 2, 3, 16, 17, 40, 1000, 70000})
    for (const std::int64_t clusters : {1, 2, 15, 16, 17, 64, 65, 1000, 10000})
      for (const int groups : {0, 1, 2, 16})
        for (const std::int64_t room : {0, 20000, 23456, 33333, 47080, 65536, 101376, 232448}) {
          expect_room_for_what_is_indexed<float, 2>(columns, clusters, groups, room);
          expect_room_for_what_is_indexed<float, 8>(columns, clusters, groups, room);
          expect_room_for_what_is_indexed<double, 2>(columns, clusters, groups, room);
          expect_room_for_what_is_indexed<double, 8>(columns, clusters, groups, room);
          if (columns > 16) continue;
          expect_room_for_few_columns<float>(columns, clusters, groups, room);
          expect_room_for_few_columns<double>(columns, clusters, groups, room);
        }
}

#ifndef KOKKOS_ENABLE_CUDA  // nvcc rejects calls of the member of hosts in the kernel

template <class Kernel, class T, class Plan>
Kernel kernel_of(const quern::impl::assign_points<T>& a, const Plan& memory) {
  if constexpr (std::is_aggregate_v<Kernel>) return {a, memory, quern::impl::has_row_packs(a.points)};
  else return Kernel(a, memory);
}
/// Whether all that was written is inside the memory that a team asks for.
template <class Kernel>
bool run_kernel(const Kernel& kernel) {
  return test::run_teams(kernel, static_cast<int>(kernel.of.plan.parts), Kernel::team, 1,
                         static_cast<std::size_t>(kernel.memory.bytes()));
}

/// Points about clusters that are far from each other, and what a kernel finds for them.
template <class T, class Kernel>
struct assigned_points {
  static constexpr T far = 64;  // exact, as all values and sums are
  using kernel = Kernel;
  std::int64_t n, columns, clusters;
  std::vector<T> x, rows, half_squares, origin;
  std::vector<std::int32_t> labels;
  std::vector<T> sums;
  std::vector<std::uint64_t> counts;
  quern::impl::kmeans_parts plan;

  assigned_points(std::int64_t points, std::int64_t d, std::int64_t k)
      : n(points),
        columns(d),
        clusters(k),
        x(n * d),
        rows(k * d),
        half_squares(k),
        origin(d, T(1)),
        labels(n, -2),
        counts(k + 1),
        plan(n, k * d * static_cast<std::int64_t>(sizeof(T)), k) {
    for (std::int64_t j = 0; j < k; ++j) {
      rows[j * d + j % d] = far * static_cast<T>(1 + j / d);
      half_squares[j] = rows[j * d + j % d] * rows[j * d + j % d] / 2;
    }
    for (std::int64_t e = 0; e < n * d; ++e)
      x[e] = rows[label(e / d) * d + e % d] + origin[e % d] + static_cast<T>(e % 5 - 2);
    sums.resize(plan.parts * between(), T(-1));
  }
  std::int64_t label(std::int64_t i) const { return i * 7 % clusters; }
  std::int64_t between() const { return clusters * columns * plan.groups; }

  /// Whether all that was written is inside the memory that a team asks for.
  bool assign(bool with_sums, std::int64_t room) {
    const quern::impl::strided<const T> points{x.data(), quern::shape{n, columns}, {columns, 1}};
    const quern::impl::assign_points<T> a{{points, origin.data()},
                                          {rows.data(), half_squares.data(), clusters},
                                          plan,
                                          labels.data(),
                                          with_sums ? sums.data() : nullptr,
                                          between(),
                                          counts.data()};
    const typename kernel::plan memory(columns, clusters, with_sums ? plan.groups : 0, room);
    return run_kernel(kernel_of<kernel>(a, memory));
  }
  void expect_right_labels() const {
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(label(i), labels[i]) << i;
    EXPECT_EQ(static_cast<std::uint64_t>(n), counts[clusters]) << "labels that changed";
    std::uint64_t all = 0;
    for (std::int64_t j = 0; j < clusters; ++j) all += counts[j];
    EXPECT_EQ(static_cast<std::uint64_t>(n), all);
  }
  void expect_right_sums() const {
    std::vector<T> expected(clusters * columns), found(clusters * columns);
    for (std::int64_t e = 0; e < n * columns; ++e)
      expected[label(e / columns) * columns + e % columns] += x[e] - origin[e % columns];
    for (std::int64_t v = 0; v < plan.parts; ++v)
      for (std::int64_t e = 0; e < clusters * columns; ++e) found[e] += sums[v * between() + e];
    EXPECT_EQ(expected, found);
  }
};

template <class T, class Kernel>
void check_in_memory_of_any_size(std::int64_t n, std::int64_t columns, std::int64_t clusters) {
  for (const std::int64_t room : {0, 1 << 16}) {
    assigned_points<T, Kernel> without(n, columns, clusters), with(n, columns, clusters);
    EXPECT_TRUE(without.assign(false, room)) << columns << ' ' << clusters << ' ' << room;
    without.expect_right_labels();
    EXPECT_TRUE(with.assign(true, room)) << columns << ' ' << clusters << ' ' << room;
    with.expect_right_labels();
    with.expect_right_sums();
  }
}

template <class T, int Across>
void check_tiles(std::int64_t n, std::int64_t columns, std::int64_t clusters) {
  using kernel = quern::impl::device_assign<T, Across, test::thread_member>;
  check_in_memory_of_any_size<T, kernel>(n, columns, clusters);
}
template <class T>
void check_few_columns(std::int64_t n, std::int64_t columns, std::int64_t clusters) {
  check_in_memory_of_any_size<T, quern::impl::assign_few_columns<T, test::thread_member>>(n, columns, clusters);
}

// Without sums nothing is written where they would be.
TEST(AssignMemory, HoldsWhatTheKernelWrites) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  check_tiles<float, 2>(300, 3, 5);
  check_tiles<double, 2>(1100, 17, 1);
  check_tiles<float, 8>(257, 2, 100);
  check_tiles<double, 8>(300, 40, 33);
  check_tiles<float, 8>(600, 16, 64);
}
// Of each number of packs, with tiles that are whole and not, with one digit of keys and two, with rows in packs and
// not, and with more rows than are loaded at once.
TEST(AssignMemory, HoldsWhatTheKernelOfFewColumnsWrites) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  check_few_columns<float>(1, 1, 1);
  check_few_columns<float>(1500, 3, 5);
  check_few_columns<float>(1100, 16, 64);
  check_few_columns<float>(1300, 8, 300);
  check_few_columns<float>(700, 11, 65);
  check_few_columns<double>(600, 3, 1);
  check_few_columns<double>(1024, 16, 64);
  check_few_columns<double>(900, 10, 131);
}

/// Labels, counts and sums of parts of points anywhere, some of them not finite, in the bits of hosts.
template <class T, class kernel>
void expect_bits_of_hosts(std::int64_t n, std::int64_t columns, std::int64_t clusters) {
  const std::int64_t row_bytes = clusters * columns * static_cast<std::int64_t>(sizeof(T)), padded = clusters + 3;
  std::vector<T> x(n * columns), rows(padded * columns), half(padded, std::numeric_limits<T>::infinity()),
      origin(columns, T(0.3));
  for (std::int64_t e = 0; e < n * columns; ++e) x[e] = static_cast<T>(test::sample(e) + 0.1 * test::sample(e, 7));
  for (std::int64_t i = 5; i < n; i += 97) x[i * columns] = std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t j = 0; j < clusters; ++j) {
    T square = 0;
    for (std::int64_t t = 0; t < columns; ++t) {
      const T v = rows[j * columns + t] = static_cast<T>(test::sample(j * columns + t, 3));
      square += v * v;
    }
    half[j] = square / 2;
  }
  const quern::impl::kmeans_parts plan(n, row_bytes, clusters);
  const auto assign = [&](std::int64_t between, const auto& launch) {
    std::vector<std::int32_t> labels(n, -2);
    std::vector<T> sums(plan.parts * between), joined;
    std::vector<std::uint64_t> counts(clusters + 1);
    const quern::impl::strided<const T> points{x.data(), quern::shape{n, columns}, {columns, 1}};
    launch(quern::impl::assign_points<T>{{points, origin.data()},
                                         {rows.data(), half.data(), clusters},
                                         plan,
                                         labels.data(),
                                         sums.data(),
                                         between,
                                         counts.data()});
    for (std::int64_t v = 0; v < plan.parts; ++v)
      joined.insert(joined.end(), sums.begin() + v * between, sums.begin() + v * between + clusters * columns);
    return std::tuple(labels, joined, counts);
  };
  const auto expected = assign(clusters * columns, [](const auto& a) {
    quern::impl::launch_assign<true>("hosts", Kokkos::DefaultHostExecutionSpace(), a);
  });
  for (const std::int64_t room : {0, 1 << 16}) {
    const auto found = assign(clusters * columns * plan.groups, [&](const auto& a) {
      const typename kernel::plan memory(columns, clusters, plan.groups, room);
      EXPECT_TRUE(run_kernel(kernel_of<kernel>(a, memory)));
    });
    EXPECT_TRUE(expected == found) << columns << ' ' << clusters << ' ' << room;
  }
}
TEST(AssignMemory, KernelsHaveTheBitsOfHosts) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  using few_floats = quern::impl::assign_few_columns<float, test::thread_member>;
  using few_doubles = quern::impl::assign_few_columns<double, test::thread_member>;
  expect_bits_of_hosts<float, few_floats>(3100, 16, 64);
  expect_bits_of_hosts<float, few_floats>(1500, 3, 1);
  expect_bits_of_hosts<float, few_floats>(1700, 5, 13);
  expect_bits_of_hosts<double, few_doubles>(1900, 7, 70);
  expect_bits_of_hosts<double, few_doubles>(1300, 16, 3);
  expect_bits_of_hosts<float, quern::impl::device_assign<float, 8, test::thread_member>>(1500, 21, 70);
  expect_bits_of_hosts<double, quern::impl::device_assign<double, 2, test::thread_member>>(1100, 68, 5);
}

#endif

}  // namespace
