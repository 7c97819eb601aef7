// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Re-indexed operands in operations that read element by element, outside of templates.

#include <quern/keyed.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer.hpp>
#include <views/numbered.hpp>

namespace {

using namespace test::numbered;

struct three_point_sum {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& u) const {
    return u(-1) + u(0) + u(1);
  }
};
struct add_row_number {
  template <class P>
  KOKKOS_FUNCTION double operator()(double a, const P& at) const {
    return a + 100.0 * static_cast<double>(at[0]);
  }
};

TEST(Reindexed, InMapsOfSeveralOperands) {
  const matrix x = make(3, 4), z = make(3, 4);
  quern::map(exec(), z, twice_plus(), quern::flip(x), quern::roll(x, 1, quern::axis{1}));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(2 * (11 - (4 * i + j)) + (4 * i + (j + 3) % 4), test::contents(z)[4 * i + j]) << i << ", " << j;
  quern::map(z, twice_plus(), quern::pad(quern::slice(x, {{0, 1}, {0, 2}}), {{1, 1}, {2, 0}}, -1.0), 0.5);
  EXPECT_EQ((std::vector<double>{-1.5, -1.5, -1.5, -1.5, -1.5, -1.5, 0.5, 2.5, -1.5, -1.5, -1.5, -1.5}),
            test::contents(z));
}

TEST(Reindexed, InReductions) {
  const matrix x = make(3, 4);
  EXPECT_EQ(66, quern::sum(exec(), quern::flip(x)));
  EXPECT_EQ(66, quern::sum(quern::roll(x, 5)));
  EXPECT_EQ(0 + 5 + 10, quern::sum(quern::diagonal(x)));
  EXPECT_EQ(11, quern::argmin(exec(), quern::flip(x)));
  EXPECT_EQ(2 * 66 + 24 * 6, quern::sum(quern::pad(quern::tile(x, {2, 1}), {{1, 1}}, 6)));
  const line sums("sums", 4);
  quern::sum(exec(), sums, quern::take(x, make_indices({2, -1, 0}), quern::axis{0}), quern::axis{0});
  EXPECT_EQ((std::vector<double>{16, 19, 22, 25}), test::contents(sums));
  quern::mean(exec(), quern::flip(sums), quern::repeat(x, 2, quern::axis{0}), quern::axis{0});
  EXPECT_EQ((std::vector<double>{7, 6, 5, 4}), test::contents(sums));
}

TEST(Reindexed, InScansStencilsAndKeyedOperations) {
  const line x = make({1, 2, 3, 4, 5}), out("out", 5);
  quern::cumsum(exec(), out, quern::flip(x));
  EXPECT_EQ((std::vector<double>{5, 9, 12, 14, 15}), test::contents(out));
  quern::cumsum(exec(), out, quern::roll(x, 2));
  EXPECT_EQ((std::vector<double>{4, 9, 10, 12, 15}), test::contents(out));
  quern::stencil<quern::star<1>>(exec(), out, three_point_sum(), quern::boundary::wrap, quern::roll(x, 1));
  EXPECT_EQ((std::vector<double>{10, 8, 6, 9, 12}), test::contents(out));
  const line wide("wide", 7);
  quern::stencil<quern::star<1>>(exec(), wide, three_point_sum(), quern::boundary::constant(0.0),
                                 quern::pad(x, 1, quern::pad_mode::edge));
  EXPECT_EQ((std::vector<double>{2, 4, 6, 9, 12, 14, 10}), test::contents(wide));
  quern::sort(exec(), out, quern::flip(x));
  EXPECT_EQ(test::contents(x), test::contents(out));
}

TEST(Reindexed, OfLazyArrays) {
  const matrix x = make(2, 3), z = make(2, 3);
  const auto numbered = quern::lazy(add_row_number(), x, quern::positions());
  quern::copy(exec(), z, quern::flip(numbered));
  EXPECT_EQ((std::vector<double>{105, 104, 103, 2, 1, 0}), test::contents(z));
  quern::copy(exec(), z, quern::roll(numbered, 1, quern::axis{0}));
  EXPECT_EQ((std::vector<double>{103, 104, 105, 0, 1, 2}), test::contents(z));
  const matrix wide = make(3, 5);
  quern::copy(exec(), wide, quern::pad(numbered, {{1, 0}, {1, 1}}, -2));
  EXPECT_EQ((std::vector<double>{-2, -2, -2, -2, -2, -2, 0, 1, 2, -2, -2, 103, 104, 105, -2}), test::contents(wide));
  // Inputs of a lazy array broadcast before they are re-indexed.
  const line row = make({10, 20, 30});
  quern::copy(exec(), z, quern::flip(quern::lazy(twice_plus(), row, x), quern::axis{1}));
  EXPECT_EQ((std::vector<double>{62, 41, 20, 65, 44, 23}), test::contents(z));
}

/// Counts where it is called with 0, which no array of these tests holds.
struct inverse {
  Kokkos::View<int, exec> of_zero;
  KOKKOS_FUNCTION double operator()(double a) const {
    if (a == 0) Kokkos::atomic_inc(of_zero.data());
    return 8 / a;
  }
};

TEST(Reindexed, FunctionsOfLazyArraysAreNotCalledWherePadPutsValues) {
  const inverse f{Kokkos::View<int, exec>("of zero")};
  const line out("out", 6);
  quern::copy(exec(), out, quern::pad(quern::lazy(f, make({1, 2, 4})), {{1, 2}}, -1));
  EXPECT_EQ((std::vector<double>{-1, 8, 4, 2, -1, -1}), test::contents(out));
  quern::copy(exec(), out, quern::pad(quern::lazy(f, make(std::vector<double>{})), 3, 7.5));
  EXPECT_EQ(std::vector<double>(6, 7.5), test::contents(out));
  EXPECT_EQ(14 - 4, quern::sum(exec(), quern::flip(quern::pad(quern::lazy(f, make({1, 2, 4})), 2, -1))));
  EXPECT_EQ(0, test::value(f.of_zero));
}

TEST(Reindexed, RowsOfAView) {
  const Kokkos::View<double* [3], exec> points("points", 4), moved("moved", 4);
  quern::copy(exec(), points, quern::reshape(make(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), {4, 3}));
  quern::copy(exec(), quern::rows<3>(moved), quern::roll(quern::rows<3>(points), 1));
  EXPECT_EQ((std::vector<double>{9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8}), test::contents(moved));
  quern::copy(exec(), quern::flip(quern::rows<3>(moved)), quern::rows<3>(points));
  EXPECT_EQ((std::vector<double>{9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2}), test::contents(moved));
}

TEST(Reindexed, KeepTheirMemoryAlive) {
  const line out("out", 5);
  const auto last = quern::flip(make({1, 2, 3, 4, 5}));
  const auto next = quern::take(quern::roll(make({1, 2, 3, 4, 5}), 1), make_indices({4, 3, 2, 1, 0}), quern::axis{0});
  const line others = make({9, 9, 9, 9, 9}), more = make({8, 8, 8, 8, 8});
  quern::copy(exec(), out, last);
  EXPECT_EQ((std::vector<double>{5, 4, 3, 2, 1}), test::contents(out));
  quern::copy(exec(), out, next);
  EXPECT_EQ((std::vector<double>{4, 3, 2, 1, 5}), test::contents(out));
}

TEST(Reindexed, OfMemoryInASpace) {
  const line x = make({1, 2, 3, 4, 5, 6}), out("out", 3);
  const auto columns = quern::as_view<exec::memory_space>(x.data(), {3, 2}, {2, 1});
  static_assert(std::is_same_v<decltype(columns)::memory_space, exec::memory_space>);
  quern::sum(exec(), out, quern::flip(columns, quern::axis{0}), quern::axis{1});
  EXPECT_EQ((std::vector<double>{11, 7, 3}), test::contents(out));
}

// Elements that are found by maps of indices in blocks and rows of all lengths, beside those of memory.
TEST(Reindexed, InRunsOfAnyLength) {
  for (const std::int64_t n : {1, 7, 9, 63, 130, 5000})
    for (const std::int64_t m : {1, 6, 65, 3001}) {
      const matrix x = make(n, m), z = make(n, m);
      quern::map(exec(), z, twice_plus(), quern::roll(x, {3, 5}, quern::axes{0, 1}), x);
      const auto found = test::contents(z);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j) {
          const std::int64_t from = ((i - 3) % n + n) % n * m + ((j - 5) % m + m) % m;
          wrong += found[i * m + j] != static_cast<double>(2 * from + i * m + j);
        }
      EXPECT_EQ(0, wrong) << n << " x " << m;
    }
}

// Elements that hosts gather, since no more than a few of them are at equal distances.
TEST(Reindexed, InRunsOfAFewElements) {
  using bytes = Kokkos::View<std::int8_t*, exec>;
  const auto expect = [](const auto& operand, const std::string& what, const auto& at) {
    const std::int64_t n = quern::extents_of(operand).extent[0];
    const bytes copied("copied", n);
    const line sums("sums", n);
    quern::copy(exec(), copied, operand);
    quern::map(exec(), sums, twice_plus(), operand, quern::roll(operand, 3));
    const auto numbers = test::contents(copied);
    const auto found = test::contents(sums);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i)
      wrong += numbers[i] != at(i) || found[i] != 2 * at(i) + at((i + 3 * n - 3) % n);
    EXPECT_EQ(0, wrong) << what;
  };
  for (const std::int64_t n : {1, 3, 8, 77, 300}) {
    std::vector<std::int8_t> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<std::int8_t>(i % 125));
    const bytes x = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, exec>({n}, values);
    const auto columns = quern::repeat(quern::reshape(x, {n, 1}), 1, quern::axis{1});
    expect(quern::reshape(columns, {n}), "columns of " + std::to_string(n), [&](std::int64_t i) { return values[i]; });
    for (const std::int64_t times : {1, 2, 7, 8, 9, 40, 130}) {
      const std::string what = std::to_string(n) + " times " + std::to_string(times);
      expect(quern::repeat(x, times), "repeat " + what, [&](std::int64_t i) { return values[i / times]; });
      expect(quern::tile(x, {times}), "tile " + what, [&](std::int64_t i) { return values[i % n]; });
      expect(quern::roll(quern::repeat(x, times), 5), "roll " + what,
             [&](std::int64_t i) { return values[(i + 5 * n * times - 5) % (n * times) / times]; });
      expect(quern::pad(quern::repeat(quern::flip(x), times), {{2, 9}}, 5), "pad " + what,
             [&](std::int64_t i) { return i < 2 || i >= n * times + 2 ? 5 : values[n - 1 - (i - 2) / times]; });
    }
  }
}

// Copies of rows of m elements that follow each other or are repeated and taken, of repeated elements and of borders,
// to rows with and without gaps.
void expect_copies(std::int64_t m) {
  using bytes = Kokkos::View<std::int8_t*, exec>;
  constexpr std::int64_t n = 7;
  std::vector<std::int8_t> values(n * m);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i % 119);
  const auto x = test::make_array<std::int8_t, 2, Kokkos::LayoutRight, exec>({n, m}, values);
  const auto expect = [](const auto& operand, const auto& at, const std::string& what) {
    const quern::shape extents = quern::extents_of(operand);
    const std::int64_t rows = extents.extent[0], columns = extents.extent[1];
    for (const std::int64_t gap : {0, 5}) {
      const std::int64_t distance = columns + gap;
      const bytes memory("memory", 2 * distance + rows * distance);
      Kokkos::deep_copy(memory, std::int8_t{-1});
      const auto size = [](std::int64_t k) { return static_cast<std::size_t>(k); };
      const auto out = quern::as_view<exec::memory_space>(memory.data() + distance, {size(rows), size(columns)},
                                                          {size(distance), 1});
      quern::copy(exec(), out, operand);
      const auto found = test::contents(memory);
      std::int64_t wrong = 0;
      for (std::int64_t k = 0; k < std::ssize(found); ++k) {
        const std::int64_t i = k / distance - 1, j = k % distance;
        wrong += found[k] != (i < 0 || i >= rows || j >= columns ? -1 : at(i, j));
      }
      EXPECT_EQ(0, wrong) << what << " of " << columns << " columns, gap " << gap;
    }
  };
  const auto value = [&](std::int64_t i, std::int64_t j) { return values[i * m + j]; };
  for (const std::int64_t times : {1, 3, 16, 21}) {
    const std::string of = " " + std::to_string(times);
    expect(quern::repeat(x, times, quern::axis{1}), [&](auto i, auto j) { return value(i, j / times); }, "repeat" + of);
    expect(quern::repeat(x, times, quern::axis{0}), [&](auto i, auto j) { return value(i / times, j); }, "rows" + of);
    expect(quern::tile(x, {times, 2}), [&](auto i, auto j) { return value(i % n, j % m); }, "tile" + of);
    expect(
        quern::roll(x, times, quern::axis{0}), [&](auto i, auto j) { return value((i + 3 * n - times) % n, j); },
        "roll" + of);
  }
  const std::vector<std::int64_t> some{3, -1, 0, 6, 6, -7, 2, 4, 4};
  expect(
      quern::take(x, test::make_array<std::int64_t, 1, Kokkos::LayoutRight, exec>({9}, some), quern::axis{0}),
      [&](auto i, auto j) { return value((some[i] + n) % n, j); }, "take");
  expect(
      quern::pad(x, {{2, 3}, {40, 1}}, 9),
      [&](auto i, auto j) { return i < 2 || i >= n + 2 || j < 40 || j >= m + 40 ? 9 : value(i - 2, j - 40); }, "pad");
}
TEST(Reindexed, CopiesWriteNoOtherElements) {
  for (const std::int64_t m : {1, 2, 7, 8, 15, 16, 23, 32, 37, 64, 100, 512, 700}) expect_copies(m);
}

// What devices read of rows in memory at once is what is read one by one; of a row that is not aligned, too.
TEST(Reindexed, InPacks) {
  std::vector<float> values;
  for (int i = 0; i < 7 * 24; ++i) values.push_back(static_cast<float>(i));
  const Kokkos::View<float[7][24], Kokkos::LayoutRight, Kokkos::HostSpace> x("x");
  for (int i = 0; i < 7 * 24; ++i) x.data()[i] = values[i];
  const Kokkos::View<int[3], Kokkos::HostSpace> rows("rows");
  rows(1) = 6;
  const auto compare = [](const auto& v, bool packs) {
    const auto operand = quern::impl::mapped_leaf<Kokkos::DefaultHostExecutionSpace>(v).at_step(1);
    EXPECT_EQ(packs, operand.together % 4 == 0);
    for (std::int64_t i = 0; i < v.extents.extent[0]; ++i)
      for (std::int64_t j = 0; j + 4 <= v.extents.extent[1]; ++j) {
        const auto p = operand.template load_pack<4>(i * v.stride[0] + j);
        for (int k = 0; k < 4; ++k) EXPECT_EQ(operand.load(i * v.stride[0] + j + k), p[k]) << i << ", " << j;
      }
  };
  compare(quern::take(x, rows, quern::axis{0}), true);
  compare(quern::pad(x, {{2, 1}, {0, 0}}, -1), false);  // its last axis is mapped, too
  compare(quern::pad(quern::roll(x, 1, quern::axis{0}), {{2, 1}, {3, 2}}, quern::pad_mode::wrap), false);
  compare(quern::roll(x, 3, quern::axis{0}), true);
  compare(quern::roll(quern::slice(x, {{}, {4, 20}}), 3, quern::axis{0}), true);
  compare(quern::roll(quern::slice(x, {{}, {3, 20}}), 3, quern::axis{0}), false);
  compare(quern::repeat(quern::roll(x, 1, quern::axis{0}), 2, quern::axis{0}), true);
}

TEST(Reindexed, MayBeWrittenWhereTheyAreRead) {
  const line x = make({1, 2, 3, 4, 5});
  quern::map(exec(), quern::flip(x), twice_plus(), quern::flip(x), 1.0);  // the same elements
  EXPECT_EQ((std::vector<double>{3, 5, 7, 9, 11}), test::contents(x));
}

TEST(ReindexedErrors, IndicesOutOfRange) {
  const line x = make({1, 2, 3, 4, 5}), out = make({7, 7, 7});
  const auto bad = make_indices({0, 5, -6});
  try {
    quern::copy(exec(), out, quern::take(x, bad, quern::axis{0}));
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(1, e.position());
    EXPECT_STREQ("quern::copy: index 5 at position 1 is out of range for an extent of 5; so is another", e.what());
  }
  EXPECT_EQ((std::vector<double>{7, 7, 7}), test::contents(out));
  EXPECT_THROW(quern::sum(exec(), quern::flip(quern::take(x, bad, quern::axis{0}))), quern::ElementError);
  quern::copy(exec(), out, quern::take(x, bad, quern::axis{0}, quern::index_mode::clip));
  EXPECT_EQ((std::vector<double>{1, 5, 1}), test::contents(out));
}

TEST(ReindexedErrors, IndicesOutOfRangeAreCounted) {
  const line x = make({1, 2, 3, 4, 5}), out("out", 4);
  const Kokkos::View<std::int64_t, exec> outside("outside");
  quern::copy(exec(), out, quern::take(x, make_indices({0, 5, -6, -1}), quern::axis{0}, outside));
  EXPECT_EQ(2, test::value(outside));
  EXPECT_EQ((std::vector<double>{1, 5, 1, 5}), test::contents(out));
  quern::copy(exec(), out, quern::take(x, make_indices({0, 1, 2, -1}), quern::axis{0}, outside));
  EXPECT_EQ(0, test::value(outside));
}

TEST(ReindexedErrors, ArgumentsThatDoNotFit) {
  const matrix x = make(3, 4);
  const auto rejects = [](const std::string& message, const auto& call) {
    test::expect_error("quern::" + message, call);
  };
  rejects("reshape: x has extents (3, 4), which do not become (5, -1)", [&] { quern::reshape(x, {5, -1}); });
  rejects("reshape: two extents of (-1, -1) are -1", [&] { quern::reshape(x, {-1, -1}); });
  rejects("slice: a step of 0 along axis 1", [&] { quern::slice(x, {{}, {0, 2, 0}}); });
  rejects("slice: 3 ranges for an array of extents (3, 4)", [&] { quern::slice(x, {{}, {}, {}}); });
  rejects("squeeze: axis 0 of extents (3, 4) does not have the extent 1", [&] { quern::squeeze(x, quern::axis{0}); });
  rejects("broadcast_to: x has extents (3, 4), which do not broadcast to (3, 5)",
          [&] { quern::broadcast_to(x, {3, 5}); });
  rejects("permute_dims: axis 0 is repeated", [&] { quern::permute_dims(x, quern::axes{0, 0}); });
  rejects("flip: axis 2 is out of range, expected one of an array of rank 2", [&] { quern::flip(x, quern::axis{2}); });
  rejects("roll: 2 shifts along 1 axes", [&] { quern::roll(x, {1, 2}, quern::axes{0}); });
  rejects("pad: -1 and 0 elements around axis 1, expected 0 or more", [&] { quern::pad(x, {{0, 0}, {-1, 0}}); });
  rejects("pad: 3 pairs of widths for an array of rank 2", [&] { quern::pad(x, {{0, 0}, {1, 0}, {1, 1}}); });
  rejects("pad: 1 and 1 elements around axis 0, which is empty: only a value can be put there",
          [&] { quern::pad(make({}), 1, quern::pad_mode::wrap); });
  rejects("repeat: -1 repetitions, expected 0 or more", [&] { quern::repeat(x, -1, quern::axis{0}); });
  rejects("remove_at: index 4 is out of range for an extent of 4", [&] { quern::remove_at(x, 4, quern::axis{1}); });
  rejects("remove_at: axis 2 is out of range, expected one of an array of rank 2",
          [&] { quern::remove_at(x, {0, 1}, quern::axis{2}); });
  rejects("remove_at: a step of 0 along axis 1", [&] { quern::remove_at(x, {0, 1, 0}, quern::axis{1}); });
  rejects("take: axis 0 is empty, and there are indices",
          [&] { quern::take(make({}), make_indices({0}), quern::axis{0}); });
}

TEST(ReindexedErrors, RowsWithGapsThatStridesDoNotReshape) {
  const Kokkos::View<double**, Kokkos::LayoutRight, exec> x("x", 3, 4);
  const auto part = Kokkos::subview(x, Kokkos::ALL, std::pair(0, 2));
  if (!std::is_same_v<decltype(part)::array_layout, Kokkos::LayoutRight>) return;  // as of some Kokkos
  test::expect_error(
      "quern::reshape: x has extents (3, 2) with gaps between its rows, so that no strides lead to (2, 3); "
      "reshape(slice(x, {}), ...) finds the elements by their indices",
      [&] { quern::reshape(part, {2, 3}); });
  EXPECT_EQ(0, quern::sum(exec(), quern::reshape(quern::slice(part, {}), {2, 3})));
}

TEST(KeepAxes, OfResultsThatBroadcast) {
  const matrix x = make(3, 4), centred = make(3, 4), means("means", 3, 1), all("all", 1, 1);
  quern::mean(exec(), means, x, quern::axis{1}, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{1.5, 5.5, 9.5}), test::contents(means));
  quern::subtract(exec(), centred, x, means);
  EXPECT_EQ(-1.5, test::contents(centred)[4]);
  quern::sum(all, x, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{66}), test::contents(all));
  quern::max(exec(), all, x, quern::axes{0, 1}, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{11}), test::contents(all));
  quern::median(exec(), means, x, quern::keep_axes, quern::axis{-1});
  EXPECT_EQ((std::vector<double>{1.5, 5.5, 9.5}), test::contents(means));
  const matrix variances("variances", 3, 1);
  quern::mean_var(exec(), quern::outputs(means, variances), x, quern::axis{1}, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{1.25, 1.25, 1.25}), test::contents(variances));
  const matrix largest("largest", 1, 1);
  quern::minmax(exec(), quern::outputs(all, largest), x, quern::axes{0, 1}, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{0, 11}), (std::vector<double>{test::contents(all)[0], test::contents(largest)[0]}));
  test::expect_error("quern::sum: axis 0 of extents (3, 1) does not have the extent 1",
                     [&] { quern::sum(exec(), means, x, quern::axis{0}, quern::keep_axes); });
}

}  // namespace
