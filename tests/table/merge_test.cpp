// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables side by side and below each other, beside those of pandas.
#include <table/frozen_table.hpp>

namespace {

using quern::asof_direction;
using quern::merge_how;
using quern::merge_options;
using quern::Table;
using test::expect_table;
using test::frozen_table;
using test::message_of;

template <class Exec>
struct Merge : testing::Test {};
TYPED_TEST_SUITE(Merge, typename test::as_types<test::spaces>::type);

TYPED_TEST(Merge, TablesAreThoseOfPandas) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  const std::pair<std::string, merge_options> every_keys[] = {
      {"k", {.on = "k"}},
      {"s", {.on = "s"}},
      {"x", {.on = "x"}},
      {"k_s", {.on = {"k", "s"}}},
      {"s_x_k", {.on = {"s", "x", "k"}}},
      {"x_k", {.left_on = "x", .right_on = "k"}},
      {"s_and_k_x", {.left_on = {"s", "k"}, .right_on = {"s", "x"}}}};
  const std::pair<std::string, merge_how> every_how[] = {
      {"inner", merge_how::inner}, {"left", merge_how::left}, {"right", merge_how::right}, {"outer", merge_how::full}};
  for (const auto& [keys, options] : every_keys)
    for (const auto& [name, how] : every_how) {
      merge_options all = options;
      all.how = how;
      all.suffixes = {"_l", "_r"};
      expect_table("merged/" + keys + "/" + name, left.merge(right, all));
    }
}

TYPED_TEST(Merge, KeysAreTheCommonNames) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  expect_table("merged/all", left.select({"k", "s", "b"}).merge(right.select({"s", "k", "w"})));
}

TYPED_TEST(Merge, SemiAndAntiKeepLeftRows) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  expect_table("merged/semi", left.merge(right, {.on = "k", .how = merge_how::semi}));
  expect_table("merged/anti", left.merge(right, {.on = "k", .how = merge_how::anti}));
}

TYPED_TEST(Merge, TypesStayWhereNothingIsMissing) {
  const auto left = frozen_table<TypeParam>("left");
  Table<TypeParam> squares;
  std::vector<std::int64_t> k(12), n(12);
  std::vector<bool> yes(12);
  for (std::int64_t i = 0; i < 12; ++i) {
    k[i] = i;
    n[i] = i * i;
    yes[i] = i > 5;
  }
  squares.insert("k", test::column_view<TypeParam>(k))
      .insert("n", test::column_view<TypeParam>(n))
      .insert("yes", test::column_view<TypeParam>(yes));
  expect_table("merged/every_partner", left.merge(squares, {.on = "k", .how = merge_how::left}));
}

TYPED_TEST(Merge, EmptyTablesHaveNoPartners) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  const merge_options all{.on = {"k", "s"}, .how = merge_how::full};
  EXPECT_EQ(0, left.head(0).merge(right.head(0), all).rows());
  EXPECT_EQ(32, left.merge(right.head(0), all).rows());
  EXPECT_EQ(15, left.head(0).merge(right, all).rows());
  EXPECT_EQ(0, left.merge(right.head(0), {.on = "k"}).rows());
  EXPECT_EQ(0, left.merge(right.head(0), {.on = "k", .how = merge_how::semi}).rows());
  EXPECT_EQ(32, left.merge(right.head(0), {.on = "x", .how = merge_how::anti}).rows());
}

TYPED_TEST(Merge, KeysMayBeBoolsAndParts) {
  const auto left = frozen_table<TypeParam>("left");
  const auto last = left.tail(7);
  EXPECT_EQ(7, last.merge(last.select({"b"}).head(1), {.on = "b", .how = merge_how::left}).rows());
  EXPECT_EQ(test::texts_of(last, "s"),
            test::texts_of(last.merge(left.select({"k"}), {.on = "k", .how = merge_how::semi}), "s"));
}

TYPED_TEST(Merge, WrongCallsAreNamed) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  EXPECT_EQ("quern::Table::merge: there is no column 'z'; the columns are 'k', 's', 'x', 'b', 'v'",
            message_of([&] { left.merge(right, {.on = "z"}); }));
  EXPECT_EQ("quern::Table::merge_asof: the key is named by on, or by left_on and right_on",
            message_of([&] { left.merge_asof(right, {.on = "k", .left_on = "k"}); }));
  EXPECT_EQ("quern::Table::merge: keys are named by on, or by as many names of left_on and of right_on",
            message_of([&] { left.merge(right, {.left_on = {"k", "s"}, .right_on = "k"}); }));
  EXPECT_EQ("quern::Table::merge: there is no key, and no name that both tables have",
            message_of([&] { left.select({"b"}).merge(right); }));
  EXPECT_EQ("quern::Table::merge: the column 'k' holds int64 and text",
            message_of([&] { left.merge(right, {.left_on = "k", .right_on = "s"}); }));
  EXPECT_EQ("quern::Table::merge: the name 's' occurs twice",
            message_of([&] { left.merge(right, {.on = "k", .suffixes = {"", ""}}); }));
}

TYPED_TEST(Merge, NearestRowsAreThoseOfPandas) {
  const auto left = frozen_table<TypeParam>("asof/left"), right = frozen_table<TypeParam>("asof/right");
  const std::pair<std::string, asof_direction> every_direction[] = {{"asof/backward", asof_direction::backward},
                                                                    {"asof/forward", asof_direction::forward},
                                                                    {"asof/nearest", asof_direction::nearest}};
  for (const auto& [name, direction] : every_direction) {
    expect_table(name, left.merge_asof(right, {.on = "t", .direction = direction}));
    expect_table(name + "_by", left.merge_asof(right, {.on = "t", .by = "g", .direction = direction}));
    expect_table(
        name + "_apart",
        left.merge_asof(
            right, {.on = "t", .by = "g", .direction = direction, .allow_exact_matches = false, .tolerance = 1.5}));
  }
}

TYPED_TEST(Merge, NearestRowsOfWholeNumbers) {
  const auto whole = frozen_table<TypeParam>("asof/whole");
  const auto left = whole.select({"t", "g", "v"});
  const auto right = frozen_table<TypeParam>("asof/right");
  Table<TypeParam> times;
  std::vector<std::int64_t> u;
  for (const double t : test::values_of<double>(right, "t")) u.push_back(static_cast<std::int64_t>(2 * t));
  times.insert("u", test::column_view<TypeParam>(u)).insert("b", right.template column<bool>("b"));
  expect_table("asof/whole", left.merge_asof(times, {.left_on = "t", .right_on = "u", .tolerance = 3}));
}

TYPED_TEST(Merge, NearestRowsOfNumbersThatDoubleRounds) {
  const std::int64_t large = std::int64_t(1) << 54;
  Table<TypeParam> left, right;
  left.insert("t", test::column_view<TypeParam>(std::vector<std::int64_t>{large + 1}));
  right.insert("t", test::column_view<TypeParam>(std::vector<std::int64_t>{0, 2 * large + 1}))
      .insert("v", test::column_view<TypeParam>(std::vector<std::int64_t>{1, 2}));
  const auto nearest = [&](double tolerance) {
    return quern::to_csv(
        left.merge_asof(right, {.on = "t", .direction = asof_direction::nearest, .tolerance = tolerance}).select("v"),
        {.header = false});
  };
  EXPECT_EQ("2\n", nearest(std::numeric_limits<double>::infinity()));
  EXPECT_EQ("2\n", nearest(static_cast<double>(large)));
  EXPECT_EQ("\"\"\n", nearest(static_cast<double>(large - 2)));
}

TYPED_TEST(Merge, WrongCallsForNearestRowsAreNamed) {
  const auto left = frozen_table<TypeParam>("asof/left"), right = frozen_table<TypeParam>("asof/right");
  EXPECT_EQ("quern::Table::merge_asof: the key 'g' holds text, expected numbers",
            message_of([&] { left.merge_asof(right, {.on = "g"}); }));
  EXPECT_EQ("quern::Table::merge_asof: the key 't' is not in ascending order",
            message_of([&] { left.merge_asof(right.sort_by("v"), {.on = "t"}); }));
  EXPECT_EQ("quern::Table::merge_asof: the tolerance is -1, expected 0 or more",
            message_of([&] { left.merge_asof(right, {.on = "t", .tolerance = -1}); }));
  EXPECT_EQ("quern::Table::merge_asof: the key is named by on, or by left_on and right_on",
            message_of([&] { left.merge_asof(right, {}); }));
  const auto numbers = frozen_table<TypeParam>("input");
  EXPECT_EQ("quern::Table::merge_asof: the key 'x' has missing values",
            message_of([&] { left.merge_asof(numbers, {.left_on = "t", .right_on = "x"}); }));
  EXPECT_EQ(0, left.head(0).merge_asof(right, {.on = "t"}).rows());
  EXPECT_EQ(30, left.merge_asof(right.head(0), {.on = "t", .by = "g"}).rows());
}

TYPED_TEST(Merge, TablesStandBelowEachOther) {
  const auto left = frozen_table<TypeParam>("left"), right = frozen_table<TypeParam>("right");
  const auto all = Table<TypeParam>::concat({left, right, left.drop({"v", "b"}).head(3)});
  EXPECT_EQ(quern::column_type::float64, all.type("b"));
  expect_table("concat/all", all.drop("b"));
  expect_table("concat/whole",
               Table<TypeParam>::concat({left.select({"k", "v"}), right.select({"k", "w"}).rename("w", "v")}));
  expect_table("concat/bools", Table<TypeParam>::concat({left.select("b"), left.select("b")}));
  EXPECT_EQ(32, Table<TypeParam>::concat({left.head(0), left}).rows());
  EXPECT_EQ("quern::Table::concat: there is no table", message_of([&] { Table<TypeParam>::concat({}); }));
  EXPECT_EQ("quern::Table::concat: the column 's' holds text and int64",
            message_of([&] { Table<TypeParam>::concat({left.select("s"), right.select("k").rename("k", "s")}); }));
}

}  // namespace
