// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements by indices of any rank, and as often as counts say, outside of the families of mapped_test.cpp.

#include <quern/reduce.hpp>
#include <views/reading.hpp>

namespace {

using quern::axis;

template <class Case>
struct ByIndices : test::Reindexed<Case> {
  using E = typename Case::exec;
  /// Indices or counts of a layout and a type of their own.
  template <class I, int Rank>
  static auto numbers(const std::string& name) {
    const auto found = test::re_indexed.extents(name);
    std::array<std::int64_t, Rank> extents;
    std::copy_n(found.begin(), Rank, extents.begin());
    std::vector<I> values;
    for (const auto n : test::re_indexed.values<std::int64_t>(name)) values.push_back(static_cast<I>(n));
    return test::make_array<I, Rank, typename Case::layout, E>(extents, values);
  }
};
using types = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ByIndices, types);

TYPED_TEST(ByIndices, TakesGrids) {
  const auto grid = this->template numbers<std::int32_t, 2>("grid");
  this->expect("take_x_0_grid", quern::take(this->x(), grid, axis{0}));
  this->expect("take_y_1_grid", quern::take(this->y(), grid, axis{-2}));
  this->expect("take_flip_v_grid",
               quern::take(quern::flip(this->v()), quern::permute_dims(grid, quern::axes{1, 0}), axis{0}));
  const auto cube = this->template numbers<std::int8_t, 3>("cube");
  this->expect("take_x_1_cube", quern::take(this->x(), cube, axis{1}, quern::index_mode::wrap));
}

TYPED_TEST(ByIndices, RepeatsByCounts) {
  const auto counts = this->template numbers<std::uint64_t, 1>("counts");
  const auto x = this->x();
  this->expect("repeat_x_0_counts", quern::repeat(x, counts, axis{0}));
  this->expect("repeat_xt_1_counts", quern::repeat(quern::permute_dims(x, quern::axes{1, 0}), counts, axis{-1}));
}

TYPED_TEST(ByIndices, RemovesSome) {
  const auto removed = this->template numbers<std::int16_t, 1>("removed");
  this->expect("remove_x_1_removed", quern::remove_at(this->x(), removed, axis{1}));
  this->expect("remove_x_0_removed", quern::remove_at(typename TypeParam::exec(), this->x(), removed, axis{-2}));
  this->expect("remove_flip_y_1_removed", quern::remove_at(quern::flip(this->y(), axis{0}), removed, axis{1}));
}

using exec = Kokkos::DefaultExecutionSpace;
template <class T>
auto on_exec(const std::vector<T>& values) {
  return test::line<exec>(values);
}
std::vector<double> read(const auto& operand) {
  const Kokkos::View<double*, exec> out("out", static_cast<std::size_t>(quern::extents_of(operand).extent[0]));
  quern::copy(exec(), out, operand);
  return test::contents(out);
}
const std::vector<double> five{10, 11, 12, 13, 14};

TEST(Take, OfIndicesOfRank0DropsTheAxis) {
  const Kokkos::View<double**, exec> x("x", 2, 3);
  quern::copy(x, quern::reshape(on_exec(std::vector<double>{0, 1, 2, 3, 4, 5}), {2, 3}));
  const Kokkos::View<int, exec> last("last");
  Kokkos::deep_copy(last, -1);
  EXPECT_EQ((std::vector<double>{3, 4, 5}), read(quern::take(x, last, axis{0})));
  EXPECT_EQ((std::vector<double>{2, 5}), read(quern::take(x, last, axis{1})));
  EXPECT_EQ(quern::shape{3}, quern::extents_of(quern::take(x, last, axis{0})));
  EXPECT_EQ(quern::shape{2}, quern::extents_of(quern::take(x, last, axis{1})));
}

TEST(Take, OfAGridChecksAndCountsItsIndices) {
  const auto x = on_exec(five);
  const Kokkos::View<int**, Kokkos::LayoutLeft, exec> grid("grid", 2, 3);
  quern::copy(grid, quern::reshape(on_exec(std::vector<int>{0, 1, 2, 3, 9, -6}), {2, 3}));
  try {
    quern::sum(exec(), quern::take(x, grid, axis{0}));
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(4, e.position());  // by rows, whatever the layout
    EXPECT_STREQ("quern::sum: index 9 at position 4 is out of range for an extent of 5; so is another", e.what());
  }
  const Kokkos::View<std::int64_t, exec> outside("outside");
  EXPECT_EQ(10 + 11 + 12 + 13 + 14 + 10, quern::sum(exec(), quern::take(x, grid, axis{0}, outside)));
  EXPECT_EQ(2, test::value(outside));
}

TEST(Take, OfEmptyGrids) {
  const Kokkos::View<int**, exec> none("none", 0, 3);
  const auto taken = quern::take(on_exec(five), none, axis{0});
  EXPECT_EQ((quern::shape{0, 3}), quern::extents_of(taken));
  EXPECT_EQ(0, quern::sum(exec(), taken));
}

TEST(Take, OfMoreAxesThanArraysHave) {
  const Kokkos::View<double****, exec> x("x", 1, 1, 1, 1);
  const Kokkos::View<int******, exec> indices("indices", 1, 1, 1, 1, 1, 1);
  test::expect_error("quern::take: the result has 9 axes; at most 8 are possible",
                     [&] { quern::take(x, indices, axis{0}); });
}

TEST(Repeat, ByCountsOfAllElementsAndByOneCount) {
  const auto counts = on_exec(std::vector<int>{2, 0, 3, 1, 1});
  EXPECT_EQ((std::vector<double>{10, 10, 12, 12, 12, 13, 14}), read(quern::repeat(on_exec(five), counts)));
  EXPECT_EQ((std::vector<double>{10, 10, 12, 12, 12, 13, 14}), read(quern::repeat(exec(), on_exec(five), counts)));
  EXPECT_EQ((std::vector<double>{10, 10, 11, 11, 12, 12, 13, 13, 14, 14}),
            read(quern::repeat(on_exec(five), on_exec(std::vector<int>{2}), axis{0})));
  const Kokkos::View<double**, Kokkos::LayoutLeft, exec> x("x", 2, 3);
  quern::copy(x, quern::reshape(on_exec(std::vector<double>{0, 1, 2, 3, 4, 5}), {2, 3}));
  EXPECT_EQ((std::vector<double>{0, 2, 2, 4, 4, 4, 4, 5}),
            read(quern::repeat(x, on_exec(std::vector<int>{1, 0, 2, 0, 4, 1}))));
}

TEST(Repeat, ByCountsOfNothing) {
  const auto zero = on_exec(std::vector<int>{0, 0, 0, 0, 0}), none = on_exec(std::vector<int>{});
  EXPECT_TRUE(read(quern::repeat(on_exec(five), zero)).empty());
  EXPECT_TRUE(read(quern::repeat(on_exec(std::vector<double>{}), none, axis{0})).empty());
}

// One count may be most of the result.
TEST(Repeat, ByCountsOfUnequalSizes) {
  std::vector<int> counts(1000);
  std::vector<double> values(1000), expected;
  for (int i = 0; i < 1000; ++i) {
    counts[i] = i == 637 ? 100000 : i % 3;
    values[i] = i;
    expected.insert(expected.end(), static_cast<std::size_t>(counts[i]), i);
  }
  EXPECT_EQ(expected, read(quern::repeat(on_exec(values), on_exec(counts))));
}

TEST(Repeat, KeepsWhatTheCountsWere) {
  const auto counts = on_exec(std::vector<int>{1, 0, 0, 0, 2});
  const auto repeated = quern::repeat(on_exec(five), counts);
  Kokkos::deep_copy(counts, 7);
  EXPECT_EQ((std::vector<double>{10, 14, 14}), read(repeated));
}

TEST(Repeat, RejectsCountsThatDoNotFit) {
  const auto x = on_exec(five);
  test::expect_error("quern::repeat: counts have extents (2), expected (5) or (1)",
                     [&] { quern::repeat(x, on_exec(std::vector<int>{1, 2})); });
  try {
    quern::repeat(x, on_exec(std::vector<std::int64_t>{1, 2, -1, 0, -7}));
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(2, e.position());
    EXPECT_STREQ("quern::repeat: the count at position 2 is negative", e.what());
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(quern::repeat(x, on_exec(std::vector<std::int64_t>{most, most, most, 1, 1})), quern::MemoryError);
  EXPECT_THROW(quern::repeat(x, on_exec(std::vector<std::uint64_t>{~0ull, 0, 0, 0, 0})), quern::MemoryError);
}

TEST(RemoveAt, IndicesOfNothingAndOfAll) {
  const auto x = on_exec(five), nothing = on_exec(std::vector<double>{});
  const auto none = on_exec(std::vector<int>{}), all = on_exec(std::vector<int>{4, 3, 2, 1, 0, -1});
  EXPECT_EQ(five, read(quern::remove_at(x, none, axis{0})));
  EXPECT_TRUE(read(quern::remove_at(x, all, axis{0})).empty());
  EXPECT_TRUE(read(quern::remove_at(nothing, none, axis{0})).empty());
}

TEST(RemoveAt, KeepsWhatTheIndicesWere) {
  const auto indices = on_exec(std::vector<std::uint64_t>{1, 3});
  const auto left = quern::remove_at(on_exec(five), indices, axis{0});
  Kokkos::deep_copy(indices, 0);
  EXPECT_EQ((std::vector<double>{10, 12, 14}), read(left));
}

TEST(RemoveAt, RejectsIndicesOutOfRange) {
  const auto x = on_exec(five);
  const auto wrong = on_exec(std::vector<int>{4, -5, -6, 5});
  try {
    quern::remove_at(x, wrong, axis{0});
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(2, e.position());
    EXPECT_STREQ("quern::remove_at: index -6 at position 2 is out of range for an extent of 5; so is another",
                 e.what());
  }
  test::expect_error("quern::remove_at: axis 1 is out of range, expected one of an array of rank 1",
                     [&] { quern::remove_at(x, wrong, axis{1}); });
}

}  // namespace
