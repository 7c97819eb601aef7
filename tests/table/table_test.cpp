// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of tables, rows of them, descriptions and texts, beside those of pandas.

#include <algorithm>
#include <iostream>
#include <limits>
#include <support/labels.hpp>
#include <table/frozen_table.hpp>

namespace {

using quern::Table;
using test::expect_table;
using test::frozen_table;
using test::message_of;

template <class Exec>
struct Tables : testing::Test {
  using E = Exec;
  template <class T>
  static auto view(const std::vector<T>& values) {
    return test::column_view<Exec>(values);
  }
  static Table<Exec> two_columns() {
    Table<Exec> t;
    t.insert("a", view<double>({1, 2, 3})).insert("b", view<std::int64_t>({4, 5, 6}));
    return t;
  }
};
TYPED_TEST_SUITE(Tables, typename test::as_types<test::spaces>::type);

TYPED_TEST(Tables, ColumnsAreTheViewsThatWereInserted) {
  const auto u = TestFixture::template view<float>({1, 2, 3});
  Table<TypeParam> t;
  t.insert("u", u);
  EXPECT_EQ(u.data(), t.template column<float>("u").data());
  EXPECT_EQ(3, t.rows());
  EXPECT_EQ(quern::column_type::float32, t.type("u"));
  EXPECT_EQ("float32", quern::name_of(t.type("u")));
  EXPECT_TRUE(t.contains("u"));
  EXPECT_FALSE(t.contains("v"));
}

TYPED_TEST(Tables, KeepTheMemoryOfTheirColumns) {
  Table<TypeParam> t;
  {
    const auto u = TestFixture::template view<double>({1, 2, 3});
    EXPECT_EQ(1, u.use_count());
    t.insert("u", u);
    EXPECT_EQ(2, u.use_count());
  }
  const auto kept = t.template column<double>("u");
  t = Table<TypeParam>();
  EXPECT_EQ(1, kept.use_count());
  EXPECT_EQ(3, kept.extent(0));
}

TYPED_TEST(Tables, ColumnsMayBeStrided) {
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> rows("rows", 4, 3);
  const auto all = TestFixture::template view<double>({0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
  Kokkos::deep_copy(rows, Kokkos::View<double**, Kokkos::LayoutRight, TypeParam>(all.data(), 4, 3));
  Table<TypeParam> t;
  t.insert("middle", Kokkos::subview(rows, Kokkos::ALL, 1))
      .insert("yes", TestFixture::template view<bool>({true, false, true, false}));
  EXPECT_EQ((std::vector<double>{1, 11, 21, 31}), test::values_of<double>(t, "middle"));
  EXPECT_EQ((std::vector<double>{1, 21}), test::values_of<double>(t.where("yes"), "middle"));
  EXPECT_EQ((std::vector<double>{21, 31}), test::values_of<double>(t.tail(2), "middle"));
}

TYPED_TEST(Tables, SelectDropAndRenameShareMemory) {
  const auto t = frozen_table<TypeParam>("input");
  const auto some = t.select({"x", "k"});
  EXPECT_EQ((std::vector<std::string>{"x", "k"}), some.names());
  EXPECT_EQ(t.template column<double>("x").data(), some.template column<double>("x").data());
  EXPECT_EQ((std::vector<std::string>{"k", "x", "y", "b"}), t.drop({"s", "i"}).names());
  const auto renamed = t.rename("x", "position");
  EXPECT_EQ((std::vector<std::string>{"k", "s", "position", "y", "i", "b"}), renamed.names());
  EXPECT_EQ(t.template column<double>("x").data(), renamed.template column<double>("position").data());
  EXPECT_EQ(203, t.select("k").rows());
}

TYPED_TEST(Tables, RowsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  expect_table("input", t);
  expect_table("where", t.where("b"));
  expect_table("where", t.where(t.template column<bool>("b")));
  expect_table("take", t.take(TestFixture::template view<std::int64_t>({5, 5, 202, 0})));
  expect_table("where", t.where("b").head(1000));
}

TYPED_TEST(Tables, HeadAndTailCountFromEitherEnd) {
  const auto t = TestFixture::two_columns();
  EXPECT_EQ((std::vector<double>{1, 2}), test::values_of<double>(t.head(2), "a"));
  EXPECT_EQ((std::vector<double>{1}), test::values_of<double>(t.head(-2), "a"));
  EXPECT_EQ((std::vector<std::int64_t>{5, 6}), test::values_of<std::int64_t>(t.tail(2), "b"));
  EXPECT_EQ((std::vector<std::int64_t>{6}), test::values_of<std::int64_t>(t.tail(-2), "b"));
  EXPECT_EQ(3, t.tail(10).rows());
  EXPECT_EQ(0, t.tail(std::numeric_limits<std::int64_t>::min()).rows());
  EXPECT_EQ(0, t.head(0).rows());
  EXPECT_EQ(0, t.head(-7).rows());
}

TYPED_TEST(Tables, DescriptionsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  expect_table("describe", t.describe(), 1e-14);
  expect_table("describe_few", t.head(1).describe({0.125, 0.5, 1}), 1e-15);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Table<TypeParam> missing;
  missing.insert("x", TestFixture::template view<double>({nan, nan}));
  expect_table("describe_missing", missing.describe());
}

TYPED_TEST(Tables, TextsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  EXPECT_EQ(test::frozen_text("text/head"), t.head(20).to_string());
  EXPECT_EQ(test::frozen_text("text/cut"), t.to_string());
  EXPECT_EQ(test::frozen_text("text/sixty"), t.head(60).to_string());
  int found = 0;
  for (const auto& name : test::pandas.names()) {
    if (!name.starts_with("printed/")) continue;
    ++found;
    Table<TypeParam> one;
    one.insert("a", TestFixture::template view<double>(test::pandas.values(name)));
    EXPECT_EQ(test::frozen_text("text/" + name.substr(8)), one.to_string()) << name;
  }
  EXPECT_EQ(11, found);
}

TYPED_TEST(Tables, NarrowColumnsAreCut) {
  Table<TypeParam> t;
  t.insert("", TestFixture::template view<std::int32_t>(std::vector<std::int32_t>(61)), {""});
  const std::string text = t.to_string();
  EXPECT_EQ("4    \n.. ..\n56   ", text.substr(text.find("\n4 ") + 1, 17));  // as pandas
}

TYPED_TEST(Tables, ReadsOfOtherInstancesMemoryAreRecorded) {
  const auto instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  if (instances[0] == instances[1]) GTEST_SKIP() << "one instance is all that there is";
  using numbers = Kokkos::View<std::int32_t*, typename TypeParam::memory_space>;
  const auto waits = [&](const auto& use) {
    use(quern::pool_view<numbers>(instances[0], 1000));
    const auto fences = test::fences_of([&] { quern::pool_view<numbers>(instances[0], 1000); });
    return std::count(fences.begin(), fences.end(), "quern::pool: a use that was recorded");
  };
  EXPECT_EQ(0, waits([](const numbers&) {}));
  EXPECT_EQ(1, waits([&](const numbers& x) { Table<TypeParam>(instances[1]).insert("x", x); }));
  EXPECT_EQ(1, waits([&](const numbers& x) {
              Kokkos::deep_copy(x, 0);
              Table<TypeParam>(instances[1]).insert("x", x, {"a"});
            }));
  EXPECT_EQ(1, waits([&](const numbers& x) {
              Table<TypeParam> a(instances[1]), b(instances[0]);
              a.insert("y", TestFixture::template view<std::int32_t>({1}));
              b.insert("y", x);
              Table<TypeParam>::concat({a, b});
            }));
}

TYPED_TEST(Tables, LengthsBeyondAllMemoryAreErrors) {
  static const bool yes = true;
  const Kokkos::View<const bool*, Kokkos::LayoutStride, TypeParam> mask(&yes, Kokkos::LayoutStride(1L << 61, 0));
  Table<TypeParam> t;
  t.insert("yes", mask);
  EXPECT_THROW(t.where(mask), quern::MemoryError);
}

TYPED_TEST(Tables, PrintWritesALine) {
  testing::internal::CaptureStdout();
  TestFixture::two_columns().print();
  EXPECT_EQ("     a  b\n0  1.0  4\n1  2.0  5\n2  3.0  6\n", testing::internal::GetCapturedStdout());
}

TYPED_TEST(Tables, EmptyTablesAreTables) {
  const Table<TypeParam> none;
  EXPECT_EQ(0, none.rows());
  EXPECT_EQ("Empty Table\nColumns: []", none.to_string());
  const auto t = TestFixture::two_columns().head(0);
  EXPECT_EQ("Empty Table\nColumns: [a, b]", t.to_string());
  EXPECT_EQ(0, t.where(TestFixture::template view<bool>({})).rows());
  EXPECT_EQ(0, t.take(TestFixture::template view<std::int64_t>({})).rows());
  EXPECT_EQ(0.0, test::values_of<double>(t.describe(), "a")[0]);
}

TYPED_TEST(Tables, WrongColumnsAreNamed) {
  auto t = TestFixture::two_columns();
  const auto three = TestFixture::template view<double>({1, 2, 3}),
             four = TestFixture::template view<double>({1, 2, 3, 4});
  EXPECT_EQ("quern::Table::insert: there is a column 'a' already", message_of([&] { t.insert("a", three); }));
  EXPECT_EQ("quern::Table::insert: the column 'c' has 4 rows, expected the table's 3",
            message_of([&] { t.insert("c", four); }));
  EXPECT_EQ("quern::Table::column: there is no column 'c'; the columns are 'a', 'b'",
            message_of([&] { t.template column<double>("c"); }));
  EXPECT_EQ("quern::Table::column: the column 'b' holds int64, expected float64",
            message_of([&] { t.template column<double>("b"); }));
  EXPECT_EQ("quern::Table::select: the name 'a' occurs twice", message_of([&] { t.select({"a", "b", "a"}); }));
  EXPECT_EQ("quern::Table::drop: there is no column 'c'; the columns are 'a', 'b'", message_of([&] { t.drop("c"); }));
  EXPECT_EQ("quern::Table::rename: there is a column 'b' already", message_of([&] { t.rename("a", "b"); }));
  EXPECT_EQ("quern::Table::type: there is no column 'a'; the table has none",
            message_of([&] { Table<TypeParam>().type("a"); }));
}

TYPED_TEST(Tables, WrongRowsAreNamed) {
  const auto t = TestFixture::two_columns();
  EXPECT_EQ("quern::Table::where: the mask has 2 elements, expected one for each of the 3 rows",
            message_of([&] { t.where(TestFixture::template view<bool>({true, false})); }));
  EXPECT_EQ("quern::Table::take: the rows are from -1 to 1, of a table of 3",
            message_of([&] { t.take(TestFixture::template view<std::int64_t>({1, -1})); }));
  EXPECT_EQ("quern::Table::slice: the rows are from 2 to before 4, of 3", message_of([&] { t.slice(2, 4); }));
  EXPECT_EQ("quern::Table::describe: a quantile is 1.5, expected 0 to 1", message_of([&] { t.describe({1.5}); }));
  EXPECT_EQ("quern::Table::describe: the name '50%' occurs twice", message_of([&] { t.describe({0.5, 0.5 + 1e-9}); }));
  EXPECT_EQ("quern::Table::describe: the name 'statistic' occurs twice",
            message_of([&] { t.rename("a", "statistic").describe(); }));
}

TYPED_TEST(Tables, WrongTextsAreNamed) {
  Table<TypeParam> t;
  const auto codes = TestFixture::template view<std::int32_t>({0, -1, 2});
  EXPECT_EQ("quern::Table::insert: the category 'b' of the column 's' is not before the next one, 'a'",
            message_of([&] { t.insert("s", codes, {"b", "a", "c"}); }));
  EXPECT_EQ("quern::Table::insert: the codes of the column 's' are from -1 to 2, expected -1 to 1",
            message_of([&] { t.insert("s", codes, {"a", "b"}); }));
  t.insert("s", codes, {"a", "b", "c"});
  EXPECT_EQ((std::vector<std::string>{"a", "(missing)", "c"}), test::texts_of(t, "s"));
  EXPECT_EQ("quern::Table::describe: there is no column of numbers", message_of([&] { t.describe(); }));
}

}  // namespace
