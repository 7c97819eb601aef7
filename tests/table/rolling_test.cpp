// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of windows of a table's rows, beside those of pandas.

#include <table/frozen_table.hpp>

namespace {

using quern::aggregation;
using quern::statistic;
using quern::Table;
using quern::value_window;
using quern::window;
using test::expect_table;
using test::frozen_table;
using test::message_of;

template <class Exec>
struct RollingTables : testing::Test {};
TYPED_TEST_SUITE(RollingTables, typename test::as_types<test::spaces>::type);

/// All that windows have, of two columns, one of which has missing values.
std::vector<aggregation> every_statistic() {
  std::vector<aggregation> all;
  for (const auto s : {statistic::sum, statistic::mean, statistic::median, statistic::var, statistic::stddev,
                       statistic::min, statistic::max, statistic::count})
    for (const std::string column : {"x", "i"}) all.emplace_back(column, s);
  return all;
}

// pandas adds to a sum what comes into a window and subtracts what leaves it.
constexpr double tolerance = 1e-9;

TYPED_TEST(RollingTables, WindowsOfRowsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input").head(101);
  expect_table("rolling/three", t.rolling(window{3}, every_statistic()), tolerance);
  expect_table("rolling/center", t.rolling(window{.count = 4, .center = true, .min_periods = 1}, every_statistic()),
               tolerance);
  expect_table("rolling/step", t.rolling(window{.count = 5, .min_periods = 2, .step = 4}, every_statistic()),
               tolerance);
  expect_table("rolling/bools", t.rolling(window{3}, {{"b", "b", statistic::sum}}));
}

TYPED_TEST(RollingTables, WindowsOfPartsOfAColumnAreThoseOfPandas) {
  auto t = frozen_table<TypeParam>("input").head(101);
  t.insert("t", test::column_view<TypeParam>(test::pandas.values<std::int64_t>("rolling/seconds")));
  expect_table("rolling/by_value", t.rolling("t", value_window{5}, every_statistic()), tolerance);
}

TYPED_TEST(RollingTables, TheColumnOfWindowsTakesTheirSteps) {
  Table<TypeParam> t;
  t.insert("t", test::column_view<TypeParam>(std::vector<float>{0, 1, 1.5F, 4, 5}));
  t.insert("x", test::column_view<TypeParam>(std::vector<double>{1, 2, 3, 4, 5}));
  const auto every_second = t.rolling("t", value_window{.width = 2, .step = 2}, {{"x", statistic::sum}});
  EXPECT_EQ((std::vector<float>{0, 1.5F, 5}), test::values_of<float>(every_second, "t"));
  EXPECT_EQ((std::vector<double>{1, 6, 9}), test::values_of<double>(every_second, "x_sum"));
  const auto first = t.rolling("t", value_window{.width = 2, .step = 7}, {});
  EXPECT_EQ((std::vector<float>{0}), test::values_of<float>(first, "t"));
}

TYPED_TEST(RollingTables, TablesWithoutRowsHaveNoWindows) {
  Table<TypeParam> t;
  t.insert("x", test::column_view<TypeParam>(std::vector<double>{}));
  EXPECT_EQ((std::vector<std::string>{"x_mean"}), t.rolling(window{3}, {{"x", statistic::mean}}).names());
  EXPECT_EQ(0, t.rolling(window{3}, {{"x", statistic::mean}}).rows());
  EXPECT_EQ(0, t.rolling("x", value_window{3}, {{"x", statistic::mean}}).rows());
}

TYPED_TEST(RollingTables, ImpossibleWindowsAreErrors) {
  const auto t = frozen_table<TypeParam>("input");
  const auto problem = [&](const window& w, const std::vector<aggregation>& results) {
    return message_of([&] { t.rolling(w, results); });
  };
  const std::string here = "quern::Table::rolling: ";
  EXPECT_EQ(here + "there is no column 'u'; the columns are 'k', 's', 'x', 'y', 'i', 'b'",
            problem({3}, {{"u", statistic::mean}}));
  EXPECT_EQ(here + "the column 's' holds text, expected numbers", problem({3}, {{"s", statistic::max}}));
  EXPECT_EQ(here + "windows have no first", problem({3}, {{"x", statistic::first}}));
  EXPECT_EQ(here + "the name 'x_mean' occurs twice", problem({3}, {{"x", statistic::mean}, {"x", statistic::mean}}));
  EXPECT_EQ(here + "a step of 0, expected at least 1", problem({.count = 3, .step = 0}, {{"x", statistic::mean}}));
  const std::vector<std::vector<aggregation>> lists = {{{"x", statistic::mean}}, {}};
  for (const auto& results : lists) {
    EXPECT_EQ(here + "a window of 0 elements, expected at least 1", problem({0}, results));
    EXPECT_EQ(here + "min_periods of 4 for windows of 3 elements", problem({.count = 3, .min_periods = 4}, results));
    EXPECT_EQ(here + "a window of width 0.000000, expected more than 0",
              message_of([&] { t.rolling("i", value_window{0}, results); }));
  }
  const auto on = [&](const std::string& column, const std::string& name) {
    return message_of([&] { t.rolling(column, value_window{3}, {{name, "i", statistic::mean}}); });
  };
  EXPECT_EQ(here + "the column 's' holds text, expected numbers", on("s", "mean"));
  EXPECT_EQ(here + "the column 'b' holds bool, expected numbers", on("b", "mean"));
  EXPECT_EQ(here + "the column 'x' has missing values", on("x", "mean"));
  EXPECT_EQ(here + "the column 'k' is not in ascending order", on("k", "mean"));
  EXPECT_EQ(here + "the name 'k' occurs twice", on("k", "k"));
}

}  // namespace
