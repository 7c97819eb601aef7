// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of pairs of keys, beside those of pandas.

#include <limits>
#include <table/frozen_table.hpp>

namespace {

using quern::statistic;
using quern::Table;
using test::expect_table;
using test::frozen_table;
using test::message_of;

template <class Exec>
struct PivotedTables : testing::Test {};
TYPED_TEST_SUITE(PivotedTables, typename test::as_types<test::spaces>::type);

TYPED_TEST(PivotedTables, AreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  expect_table("pivot/mean", t.pivot({.index = "k", .columns = "s", .values = "x"}), 2e-14);
  expect_table("pivot/whole", t.pivot({.index = "b", .columns = "k", .values = "i", .aggregate = statistic::sum}));
  expect_table("pivot/missing", t.pivot({.index = "i", .columns = "b", .values = "x", .aggregate = statistic::max}));
  expect_table("pivot/two_keys",
               t.pivot({.index = {"s", "b"}, .columns = "k", .values = "x", .aggregate = statistic::count}));
  expect_table("pivot/reals", t.pivot({.index = "k", .columns = "y", .values = "x", .aggregate = statistic::sum}),
               2e-14);
  expect_table("pivot/texts", t.pivot({.index = "k", .columns = "b", .values = "s", .aggregate = statistic::max}));
}

TYPED_TEST(PivotedTables, KeysAndPairsWithoutValuesAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Table<TypeParam> t;
  t.insert("row", test::column_view<TypeParam>(std::vector<double>{1, 1, 2, nan, 3}));
  t.insert("column", test::column_view<TypeParam>(std::vector<std::int32_t>{0, 1, 1, 0, -1}), {"a", "b"});
  t.insert("x", test::column_view<TypeParam>(std::vector<double>{5, 6, nan, 7, 8}));
  const auto found = t.pivot({.index = "row", .columns = "column", .values = "x"});
  EXPECT_EQ("   row    a    b\n0  1.0  5.0  6.0", found.to_string());
}

TYPED_TEST(PivotedTables, WithoutRowsAreTheirKeys) {
  const auto found = frozen_table<TypeParam>("input").head(0).pivot({.index = "k", .columns = "s", .values = "x"});
  EXPECT_EQ((std::vector<std::string>{"k"}), found.names());
  EXPECT_EQ(0, found.rows());
}

TYPED_TEST(PivotedTables, ValuesMayBeKeys) {
  const auto t = frozen_table<TypeParam>("input");
  const auto found = t.pivot({.index = "b", .columns = "s", .values = "b", .aggregate = statistic::size});
  EXPECT_EQ((std::vector<std::string>{"b", "electron", "kaon", "muon", "pion", "µ"}), found.names());
  EXPECT_EQ(quern::column_type::int64, found.type("pion"));
}

TYPED_TEST(PivotedTables, ImpossibleOnesAreErrors) {
  const auto t = frozen_table<TypeParam>("input");
  const std::string here = "quern::Table::pivot: ";
  EXPECT_EQ(here + "there is no key", message_of([&] { t.pivot({.columns = "k", .values = "x"}); }));
  EXPECT_EQ(here + "the name 'k' occurs twice",
            message_of([&] { t.pivot({.index = "k", .columns = "k", .values = "x"}); }));
  const std::string columns = "; the columns are 'k', 's', 'x', 'y', 'i', 'b'";
  EXPECT_EQ(here + "there is no column 'u'" + columns,
            message_of([&] { t.pivot({.index = "k", .columns = "u", .values = "x"}); }));
  EXPECT_EQ(here + "there is no column 'u'" + columns,
            message_of([&] { t.pivot({.index = "k", .columns = "b", .values = "u"}); }));
  EXPECT_EQ(here + "the name 'pion' occurs twice",
            message_of([&] { t.rename("k", "pion").pivot({.index = "pion", .columns = "s", .values = "x"}); }));
}

}  // namespace
