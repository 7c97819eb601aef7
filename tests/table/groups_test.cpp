// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of rows, and statistics of their groups, beside those of pandas.

#include <limits>
#include <table/frozen_table.hpp>

namespace {

using quern::aggregation;
using quern::sort_order;
using quern::statistic;
using quern::Table;
using test::expect_table;
using test::frozen_table;
using test::message_of;

template <class Exec>
struct TableGroupsOn : testing::Test {};
TYPED_TEST_SUITE(TableGroupsOn, typename test::as_types<test::spaces>::type);

constexpr auto down = sort_order::descending;

TYPED_TEST(TableGroupsOn, RowsAreSortedAsByPandas) {
  const auto t = frozen_table<TypeParam>("input");
  expect_table("sorted/x", t.sort_by("x"));
  expect_table("sorted/x_down", t.sort_by({{"x", down}}));
  expect_table("sorted/s", t.sort_by("s"));
  expect_table("sorted/s_down", t.sort_by({{"s", down}}));
  expect_table("sorted/b_down", t.sort_by({{"b", down}}));
  expect_table("sorted/i", t.sort_by({"i"}));
  expect_table("sorted/y_k_s", t.sort_by({"y", {"k", down}, "s"}));
  expect_table("sorted/b_s_y", t.sort_by({"b", {"s", down}, {"y", down}}));
}

TYPED_TEST(TableGroupsOn, StatisticsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  const std::vector<statistic> all = {statistic::sum,    statistic::mean,  statistic::median, statistic::var,
                                      statistic::stddev, statistic::count, statistic::size};
  const std::vector<statistic> ends = {statistic::min, statistic::max, statistic::first, statistic::last};
  const std::vector<std::vector<std::string>> every_keys = {{"k"}, {"s"}, {"b"}, {"y"}, {"k", "s"}, {"s", "y", "b"}};
  for (const auto& keys : every_keys) {
    std::string name;
    for (const auto& key : keys) name += (name.empty() ? "" : "_") + key;
    std::vector<aggregation> computed, found;
    for (const std::string column : {"x", "y", "i", "k", "b"}) {
      if (std::find(keys.begin(), keys.end(), column) != keys.end()) continue;
      for (const auto s : all)
        if (column != "b" || (s != statistic::median && s != statistic::var && s != statistic::stddev))
          computed.emplace_back(column, s);
      for (const auto s : ends) found.emplace_back(column, s);
    }
    const auto groups = t.group_by(keys);
    expect_table("grouped/" + name, groups.aggregate(computed), 2e-14);
    expect_table("ends/" + name, groups.aggregate(found));
  }
}

TYPED_TEST(TableGroupsOn, TextsHaveEndsAndCounts) {
  const auto t = frozen_table<TypeParam>("input");
  expect_table("grouped/text_ends",
               t.group_by("k").aggregate(
                   {{"s", statistic::min}, {"s", statistic::max}, {"s", statistic::first}, {"s", statistic::last}}));
  expect_table("grouped/texts",
               t.group_by("i").aggregate(
                   {{"s", statistic::first}, {"s", statistic::last}, {"s", statistic::count}, {"s", statistic::size}}));
}

TYPED_TEST(TableGroupsOn, GroupsKnowTheirKeys) {
  const auto t = frozen_table<TypeParam>("input");
  const auto groups = t.group_by({"s", "b"});
  EXPECT_EQ(10, groups.size());
  EXPECT_EQ((std::vector<std::string>{"s", "b"}), groups.keys().names());
  EXPECT_EQ("electron", test::texts_of(groups.keys(), "s").front());
  const auto total = groups.aggregate({{"rows", "x", statistic::size}});
  EXPECT_EQ((std::vector<std::string>{"s", "b", "rows"}), total.names());
}

TYPED_TEST(TableGroupsOn, ManyGroupsAreSortedOnes) {
  // More keys than a hash table holds on some devices, of one row or two.
  const std::int64_t n = 300000;
  std::vector<std::int64_t> keys(n);
  std::vector<double> values(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = (i * 7919) % (n / 2 + 1);
    values[i] = static_cast<double>(i);
  }
  Table<TypeParam> t;
  t.insert("k", test::column_view<TypeParam>(keys)).insert("v", test::column_view<TypeParam>(values));
  const auto sums = t.group_by("k").aggregate({{"v", statistic::sum}, {"v", statistic::median}});
  ASSERT_EQ(n / 2 + 1, sums.rows());
  std::vector<double> expected(n / 2 + 1), rows(n / 2 + 1);
  for (std::int64_t i = 0; i < n; ++i) {
    expected[keys[i]] += values[i];
    rows[keys[i]] += 1;
  }
  EXPECT_EQ(expected, test::values_of<double>(sums, "v_sum"));
  for (std::size_t g = 0; g < rows.size(); ++g) expected[g] /= rows[g];  // the median of two
  EXPECT_EQ(expected, test::values_of<double>(sums, "v_median"));
}

TYPED_TEST(TableGroupsOn, EmptyTablesHaveNoGroups) {
  const auto none = frozen_table<TypeParam>("input").head(0);
  EXPECT_EQ(0, none.sort_by({"x", "s"}).rows());
  const auto groups = none.group_by({"s", "k"});
  EXPECT_EQ(0, groups.size());
  const auto t = groups.aggregate({{"x", statistic::sum}, {"x", statistic::median}, {"i", statistic::max}});
  EXPECT_EQ(0, t.rows());
  EXPECT_EQ(5u, t.names().size());
}

TYPED_TEST(TableGroupsOn, OfMissingKeysAloneThereAreNoGroups) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Table<TypeParam> t;
  t.insert("k", test::column_view<TypeParam>(std::vector<double>{nan, nan}));
  EXPECT_EQ(0, t.group_by("k").size());
  EXPECT_EQ(0, t.group_by("k").aggregate({{"n", "k", statistic::size}}).rows());
}

TYPED_TEST(TableGroupsOn, WrongCallsAreNamed) {
  const auto t = frozen_table<TypeParam>("input");
  EXPECT_EQ("quern::Table::sort_by: there is no column 'z'; the columns are 'k', 's', 'x', 'y', 'i', 'b'",
            message_of([&] { t.sort_by("z"); }));
  EXPECT_EQ("quern::Table::sort_by: the name 'x' occurs twice", message_of([&] { t.sort_by({"x", {"x", down}}); }));
  EXPECT_EQ("quern::Table::sort_by: there is no key", message_of([&] { t.sort_by(quern::sort_keys{}); }));
  EXPECT_EQ("quern::Table::group_by: there is no key", message_of([&] { t.group_by(quern::column_names()); }));
  EXPECT_EQ("quern::TableGroups::aggregate: the name 'k' occurs twice",
            message_of([&] { t.group_by("k").aggregate({{"k", "x", statistic::sum}}); }));
  EXPECT_EQ("quern::TableGroups::aggregate: the column 's' holds text, which has no mean",
            message_of([&] { t.group_by("k").aggregate({{"s", statistic::mean}}); }));
}

}  // namespace
