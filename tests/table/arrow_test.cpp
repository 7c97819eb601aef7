// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables from and to Arrow's C data interface.

#include <cmath>
#include <limits>
#include <table/arrow_arrays.hpp>
#include <table/frozen_table.hpp>

namespace {

using quern::column_type;
using quern::Table;
using test::arrow_buffer;
using test::arrow_field;
using test::batch;
using test::codes;
using test::numbers;
using test::texts;
using test::values_of;
using test::with_missing;

template <class Exec>
struct ArrowTables : testing::Test {
  static constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;
  test::arrow_releases released;

  Table<Exec> table_of(const arrow_field& f) {
    auto schema = test::exported<ArrowSchema>(f, &released.schemas);
    auto array = test::exported<ArrowArray>(f, &released.arrays);
    return quern::from_arrow(Exec(), &schema, &array);
  }
  Table<Exec> table_of_columns(std::vector<arrow_field> columns) { return table_of(batch(std::move(columns))); }
  /// What is wrong with a field, whose structs are released once all the same.
  std::string problem_of(const arrow_field& f) {
    released = {};
    const std::string message = test::message_of([&] { table_of(f); });
    EXPECT_EQ(1, released.schemas) << message;
    EXPECT_EQ(1, released.arrays) << message;
    return message;
  }
  std::string problem_of_column(arrow_field f) { return problem_of(batch({std::move(f)})); }
};
TYPED_TEST_SUITE(ArrowTables, typename test::as_types<test::spaces>::type);

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TYPED_TEST(ArrowTables, ShareTheMemoryOfArraysUntilTheLastColumnIsGone) {
  {
    auto t = this->table_of_columns({numbers<double>("g", "x", {1, 2, 3}), numbers<std::int32_t>("i", "n", {4, 5, 6})});
    EXPECT_EQ(1, this->released.schemas);
    EXPECT_EQ(TestFixture::on_host ? 0 : 1, this->released.arrays);
    const auto x = t.tail(2).template column<double>("x");
    t = Table<TypeParam>();
    EXPECT_EQ(TestFixture::on_host ? 0 : 1, this->released.arrays);
    EXPECT_EQ(2, x.extent(0));
  }
  EXPECT_EQ(1, this->released.arrays);
  EXPECT_EQ(1, this->released.schemas);
}

TYPED_TEST(ArrowTables, ColumnsAreInTheArraysOwnBuffers) {
  if (!TestFixture::on_host) GTEST_SKIP() << "devices have copies";
  arrow_field all = batch({numbers<double>("g", "x", {0, 1, 2, 3}), numbers<float>("f", "y", {0, 1, 2, 3}),
                           numbers<std::int64_t>("l", "l", {0, 1, 2, 3}), numbers<std::int32_t>("i", "i", {0, 1, 2, 3}),
                           codes<std::int32_t>("i", "s", {0, 1, 0, 1}, texts<std::int32_t>("u", "", {"a", "b"}))});
  all.length = 2;
  all.offset = 1;
  auto schema = test::exported<ArrowSchema>(all, nullptr);
  auto array = test::exported<ArrowArray>(all, nullptr);
  std::vector<const std::byte*> data;
  for (int k = 0; k < 5; ++k) data.push_back(static_cast<const std::byte*>(array.children[k]->buffers[1]));
  const auto t = quern::from_arrow(TypeParam(), &schema, &array);
  EXPECT_EQ(nullptr, schema.release);
  EXPECT_EQ(nullptr, array.release);
  const auto at = [](const auto& view) { return reinterpret_cast<const std::byte*>(view.data()); };
  EXPECT_EQ(data[0] + 8, at(t.template column<double>("x")));
  EXPECT_EQ(data[1] + 4, at(t.template column<float>("y")));
  EXPECT_EQ(data[2] + 8, at(t.template column<std::int64_t>("l")));
  EXPECT_EQ(data[3] + 4, at(t.template column<std::int32_t>("i")));
  EXPECT_EQ(data[4] + 4, at(t.template column<std::int32_t>("s")));
  EXPECT_EQ((std::vector<std::string>{"b", "a"}), test::texts_of(t, "s"));
}

TYPED_TEST(ArrowTables, NumbersOfOtherTypesAreWidened) {
  const auto t = this->table_of_columns(
      {numbers<std::int8_t>("c", "c", {-128, 127}), numbers<std::uint8_t>("C", "C", {0, 255}),
       numbers<std::int16_t>("s", "s", {-32768, 32767}), numbers<std::uint16_t>("S", "S", {0, 65535}),
       numbers<std::uint32_t>("I", "I", {0, 0xffffffffU}), numbers<std::uint64_t>("L", "L", {0, 0x7fffffffffffffffU}),
       numbers<std::uint16_t>("e", "e", {0x3c00, 0xfc00}), numbers<std::uint16_t>("e", "tiny", {0x8001, 0x3555})});
  EXPECT_EQ((std::vector<std::int32_t>{-128, 127}), values_of<std::int32_t>(t, "c"));
  EXPECT_EQ((std::vector<std::int32_t>{0, 255}), values_of<std::int32_t>(t, "C"));
  EXPECT_EQ((std::vector<std::int32_t>{-32768, 32767}), values_of<std::int32_t>(t, "s"));
  EXPECT_EQ((std::vector<std::int32_t>{0, 65535}), values_of<std::int32_t>(t, "S"));
  EXPECT_EQ((std::vector<std::int64_t>{0, 0xffffffffLL}), values_of<std::int64_t>(t, "I"));
  EXPECT_EQ((std::vector<std::int64_t>{0, 0x7fffffffffffffffLL}), values_of<std::int64_t>(t, "L"));
  EXPECT_EQ((std::vector<float>{1, -std::numeric_limits<float>::infinity()}), values_of<float>(t, "e"));
  EXPECT_EQ((std::vector<float>{-0x1p-24F, 0x1.554p-2F}), values_of<float>(t, "tiny"));
  EXPECT_EQ(1, this->released.arrays) << "all columns are copies";
}

/// Bits and numbers are found behind the offsets of a column and of the batch.
TYPED_TEST(ArrowTables, MissingValuesAreThoseOfPandas) {
  const std::vector<int> there = {0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0};
  std::vector<arrow_field> columns = {
      with_missing(numbers<double>("g", "x", {0, 0, 0, 0, 0, 0, 0, 1.5, 0, 3.5, 4.5, 0}), there),
      with_missing(numbers<float>("f", "y", {0, 0, 0, 0, 0, 0, 0, 1.5, 0, 3.5, 4.5, 0}), there),
      with_missing(numbers<std::int64_t>("l", "l", {9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9}), there),
      with_missing(numbers<std::int8_t>("c", "c", {9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9}), there),
      with_missing({"b", "b", 12, {arrow_buffer(), test::bits_of({0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0})}}, there),
      with_missing(texts<std::int32_t>("u", "u", {"", "", "", "", "", "", "", "b", "z", "a", "", ""}), there),
      with_missing(
          codes<std::int8_t>("c", "d", {9, 9, 9, 9, 9, 9, 9, 1, -5, 0, 1, 9}, texts<std::int64_t>("U", "", {"z", "a"})),
          there)};
  for (auto& c : columns) c.offset = 5, c.length = 6;
  arrow_field all = batch(std::move(columns));
  all.offset = 2;
  all.length = 4;
  const auto t = this->table_of(all);
  const auto expect = [&]<class T>(const std::string& name, const std::vector<T>& expected) {
    const auto found = values_of<T>(t, name);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(test::agree<T>(expected[i], found[i], 0)) << name << ", row " << i << ": " << found[i];
  };
  expect("x", std::vector<double>{1.5, nan, 3.5, 4.5});
  expect("y", std::vector<float>{1.5F, NAN, 3.5F, 4.5F});
  expect("l", std::vector<double>{1, nan, 3, 4});
  expect("c", std::vector<double>{1, nan, 3, 4});
  expect("b", std::vector<double>{1, nan, 0, 1});
  EXPECT_EQ((std::vector<std::string>{"b", "(missing)", "a", ""}), test::texts_of(t, "u"));
  EXPECT_EQ((std::vector<std::string>{"", "a", "b"}), t.categories("u"));
  EXPECT_EQ((std::vector<std::string>{"a", "(missing)", "z", "a"}), test::texts_of(t, "d"));
}

TYPED_TEST(ArrowTables, ABitmapWithoutMissingValuesCopiesNothing) {
  const auto t = this->table_of_columns({with_missing(numbers<std::int64_t>("l", "l", {1, 2}), {1, 1})});
  EXPECT_EQ(column_type::int64, t.type("l"));
  EXPECT_EQ(TestFixture::on_host ? 0 : 1, this->released.arrays);
}

TYPED_TEST(ArrowTables, UnalignedNumbersAreCopied) {
  auto x = numbers<double>("g", "x", {1, 2});
  x.shift = 3;
  const auto t = this->table_of_columns({x});
  EXPECT_EQ((std::vector<double>{1, 2}), values_of<double>(t, "x"));
  EXPECT_EQ(1, this->released.arrays);
}

TYPED_TEST(ArrowTables, BoolsAndNullsAreColumns) {
  arrow_field yes{"b", "yes", 3, {arrow_buffer(), test::bits_of({0, 1, 0, 1})}, 1};
  const auto t = this->table_of_columns({yes, {"n", "none", 3}});
  EXPECT_EQ((std::vector<bool>{true, false, true}), values_of<bool>(t, "yes"));
  const auto none = values_of<double>(t, "none");
  EXPECT_TRUE(none.size() == 3 && std::isnan(none[0]) && std::isnan(none[1]) && std::isnan(none[2]));
}

/// A text of at most 12 bytes is in its view, others are in buffers.
TYPED_TEST(ArrowTables, TextViewsAreTexts) {
  const std::string first = "twelve bytes", second = "more than twelve";
  std::vector<std::int32_t> views(12);
  views[0] = 12;
  std::memcpy(&views[1], first.data(), 12);
  views[4] = 0;
  views[8] = 16;
  views[10] = 1;  // the buffer
  views[11] = 2;
  const std::string bytes = "##" + second;
  arrow_field v{"vu",
                "v",
                3,
                {arrow_buffer(), test::buffer_of(views), test::buffer_of(std::vector<char>{'!'}),
                 test::buffer_of(std::vector<char>(bytes.begin(), bytes.end())),
                 test::buffer_of(std::vector<std::int64_t>{1, 18})}};
  EXPECT_EQ((std::vector<std::string>{first, "", second}), test::texts_of(this->table_of_columns({v}), "v"));
  views[11] = 3;
  v.buffers[1] = test::buffer_of(views);
  EXPECT_EQ("quern::from_arrow: the column 'v' has a text beyond its buffers in row 2", this->problem_of_column(v));
  views[8] = -1;
  v.buffers[1] = test::buffer_of(views);
  EXPECT_EQ("quern::from_arrow: the column 'v' has a text of length -1 in row 2", this->problem_of_column(v));
}

TYPED_TEST(ArrowTables, DictionariesMayBeUnsortedAndHaveTextsTwiceOrMissing) {
  const auto dictionary = with_missing(texts<std::int32_t>("u", "", {"b", "a", "?", "b"}), {1, 1, 0, 1});
  const auto t = this->table_of_columns({codes<std::uint64_t>("L", "L", {3, 0, 1, 2}, dictionary),
                                         codes<std::int16_t>("s", "s", {1, 1, 1, 1}, dictionary)});
  EXPECT_EQ((std::vector<std::string>{"b", "b", "a", "(missing)"}), test::texts_of(t, "L"));
  EXPECT_EQ((std::vector<std::string>{"a", "a", "a", "a"}), test::texts_of(t, "s"));
  EXPECT_EQ((std::vector<std::string>{"a", "b"}), t.categories("s"));
}

TYPED_TEST(ArrowTables, ArraysWithoutRowsOrColumnsAreTables) {
  const auto t = this->table_of_columns({numbers<double>("g", "x", {}), texts<std::int32_t>("u", "s", {})});
  EXPECT_EQ(0, t.rows());
  EXPECT_EQ((std::vector<std::string>{"x", "s"}), t.names());
  EXPECT_TRUE(t.categories("s").empty());
  arrow_field no_memory{"g", "x", 0, {arrow_buffer(), arrow_buffer()}};
  EXPECT_EQ(0, this->table_of_columns({no_memory}).rows());
  EXPECT_TRUE(this->table_of_columns({}).names().empty());
}

TYPED_TEST(ArrowTables, WhatIsNoTableIsReleasedAndSaid) {
  const std::string here = "quern::from_arrow: ";
  EXPECT_EQ(here + "the array is of Arrow's format 'g', expected '+s', one of structs",
            this->problem_of(numbers<double>("g", "x", {1})));
  const std::string expected = "', expected numbers, bools or texts";
  for (const std::string format :
       {"+l", "+s", "+m", "+w:3", "+us:0,1", "tdD", "tsn:UTC", "d:19,10", "w:4", "z", "", "gg"})
    EXPECT_EQ(here + "the column 'x' is of Arrow's format '" + format + expected,
              this->problem_of_column(numbers<double>(format, "x", {1})));
  EXPECT_EQ(here + "the column 'x' is of Arrow's format 'g', expected indices of integers",
            this->problem_of_column(codes<double>("g", "x", {1}, texts<std::int32_t>("u", "", {"a"}))));
  EXPECT_EQ(here + "the column 'x' is of Arrow's format 'g', expected texts in its dictionary",
            this->problem_of_column(codes<std::int32_t>("i", "x", {0}, numbers<double>("g", "", {1}))));
  EXPECT_EQ(here + "the column 'x' has the index 2 in row 1, of a dictionary of 2",
            this->problem_of_column(codes<std::int32_t>("i", "x", {0, 2}, texts<std::int32_t>("u", "", {"a", "b"}))));
  EXPECT_EQ(here + "the column 'x' has the index -1 in row 0, of a dictionary of 1",
            this->problem_of_column(codes<std::int8_t>("c", "x", {-1}, texts<std::int32_t>("u", "", {"a"}))));
  EXPECT_EQ(here + "the column 'x' has 9223372036854775808 in row 1, which int64 does not hold",
            this->problem_of_column(numbers<std::uint64_t>("L", "x", {0, 1ULL << 63})));
  EXPECT_EQ(here + "the name 'x' occurs twice",
            this->problem_of(batch({numbers<double>("g", "x", {1}), numbers<double>("g", "x", {1})})));
}

TYPED_TEST(ArrowTables, MalformedArraysAreSaid) {
  const std::string column = "quern::from_arrow: the column 'x' ";
  const auto x = numbers<double>("g", "x", {1, 2});
  auto f = batch({x});
  f.length = 3;
  EXPECT_EQ(column + "has 2 rows, expected 3", this->problem_of(f));
  f.length = 2;
  f.offset = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ("quern::from_arrow: the array has the offset 9223372036854775807 and the length 2", this->problem_of(f));
  f.offset = f.length = -1;
  EXPECT_EQ("quern::from_arrow: the array has the offset -1 and the length -1", this->problem_of(f));
  f = batch({x});
  f.null_count = 1;
  f.buffers[0] = test::bits_of({1, 0});
  EXPECT_EQ("quern::from_arrow: the row 1 is missing as a whole", this->problem_of(f));
  const auto changed = [&](const auto& change) {
    auto y = x;
    change(y);
    return this->problem_of_column(y);
  };
  EXPECT_EQ(column + "has the offset -1 and the length 2", changed([](auto& y) { y.offset = -1; }));
  EXPECT_EQ(column + "has the offset 9223372036854775807 and the length 2",
            changed([](auto& y) { y.offset = std::numeric_limits<std::int64_t>::max(); }));
  EXPECT_EQ(column + "has 1 missing values, and no bitmap of them", changed([](auto& y) { y.null_count = 1; }));
  EXPECT_EQ(column + "has 1 buffers, expected 2", changed([](auto& y) { y.buffers.pop_back(); }));
  EXPECT_EQ(column + "has no buffer 1", changed([](auto& y) { y.buffers[1].reset(); }));
  auto s = texts<std::int32_t>("u", "x", {"a", "b"});
  s.buffers[1] = test::buffer_of(std::vector<std::int32_t>{0, 2, 1});
  EXPECT_EQ(column + "has a text from byte 2 to 1 in row 1", this->problem_of_column(s));
  s.buffers[1] = test::buffer_of(std::vector<std::int32_t>{-2, 1, 1});
  EXPECT_EQ(column + "has a text from byte -2 to 1 in row 0", this->problem_of_column(s));
}

TYPED_TEST(ArrowTables, NullAndReleasedStructsAreErrors) {
  const auto field = batch({numbers<double>("g", "x", {1})});
  int schemas = 0, arrays = 0;
  auto schema = test::exported<ArrowSchema>(field, &schemas);
  EXPECT_EQ("quern::from_arrow: the schema or the array is null",
            test::message_of([&] { quern::from_arrow(TypeParam(), &schema, nullptr); }));
  EXPECT_EQ(1, schemas);
  auto array = test::exported<ArrowArray>(field, &arrays);
  EXPECT_EQ("quern::from_arrow: the schema or the array was released",
            test::message_of([&] { quern::from_arrow(TypeParam(), &schema, &array); }));
  EXPECT_EQ(1, schemas);
  EXPECT_EQ(1, arrays);
  schema = test::exported<ArrowSchema>(field, &schemas);
  array = test::exported<ArrowArray>(field, &arrays);
  array.children[0]->release(array.children[0]);
  EXPECT_EQ("quern::from_arrow: the column 'x' was released",
            test::message_of([&] { quern::from_arrow(TypeParam(), &schema, &array); }));
  EXPECT_EQ(2, schemas);
  EXPECT_EQ(2, arrays);
}

/// The table that structs hold, which are released.
template <class Exec>
Table<Exec> back(ArrowSchema& schema, ArrowArray& array) {
  return quern::from_arrow(Exec(), &schema, &array);
}

TYPED_TEST(ArrowTables, TablesComeBackAsTheyWere) {
  ArrowSchema schema;
  ArrowArray array;
  quern::to_arrow(test::frozen_table<TypeParam>("input"), &schema, &array);
  test::expect_table("input", back<TypeParam>(schema, array));
  const auto t = test::frozen_table<TypeParam>("input");
  quern::to_arrow(t.head(0), &schema, &array);
  EXPECT_EQ(t.names(), back<TypeParam>(schema, array).names());
  quern::to_arrow(Table<TypeParam>(), &schema, &array);
  EXPECT_EQ(0, back<TypeParam>(schema, array).rows());
}

TYPED_TEST(ArrowTables, ExportedArraysAreOfTheColumnsMemory) {
  ArrowSchema schema;
  ArrowArray array;
  Table<TypeParam> t;
  const auto x = test::column_view<TypeParam>(std::vector<double>{1, nan, 3});
  t.insert("x", x)
      .insert("yes", test::column_view<TypeParam>(std::vector<bool>{true, false, true}))
      .insert("s", test::column_view<TypeParam>(std::vector<std::int32_t>{1, -1, 0}), {"a", "bc"});
  quern::to_arrow(t, &schema, &array);
  EXPECT_STREQ("+s", schema.format);
  ASSERT_EQ(3, schema.n_children);
  ASSERT_EQ(3, array.n_children);
  EXPECT_EQ(3, array.length);
  EXPECT_STREQ("x", schema.children[0]->name);
  EXPECT_STREQ("g", schema.children[0]->format);
  EXPECT_EQ(ARROW_FLAG_NULLABLE, schema.children[0]->flags);
  EXPECT_STREQ("b", schema.children[1]->format);
  EXPECT_STREQ("i", schema.children[2]->format);
  EXPECT_STREQ("u", schema.children[2]->dictionary->format);
  const ArrowArray &of_x = *array.children[0], &yes = *array.children[1], &s = *array.children[2];
  EXPECT_EQ(1, of_x.null_count);
  EXPECT_EQ(5, *static_cast<const std::uint8_t*>(of_x.buffers[0]));
  EXPECT_EQ(TestFixture::on_host, static_cast<const void*>(x.data()) == of_x.buffers[1]);
  EXPECT_EQ(3, static_cast<const double*>(of_x.buffers[1])[2]);
  EXPECT_EQ(0, yes.null_count);
  EXPECT_EQ(nullptr, yes.buffers[0]);
  EXPECT_EQ(5, *static_cast<const std::uint8_t*>(yes.buffers[1]));
  EXPECT_EQ(1, s.null_count);
  EXPECT_EQ(5, *static_cast<const std::uint8_t*>(s.buffers[0]));
  EXPECT_EQ(2, s.dictionary->length);
  EXPECT_EQ(1, static_cast<const std::int32_t*>(s.dictionary->buffers[1])[1]);
  EXPECT_EQ(0, std::memcmp("abc", s.dictionary->buffers[2], 3));
  schema.release(&schema);
  array.release(&array);
  EXPECT_EQ(nullptr, schema.release);
  EXPECT_EQ(nullptr, array.release);
}

TYPED_TEST(ArrowTables, ExportedColumnsLiveOnTheirOwn) {
  ArrowSchema schema;
  ArrowArray array;
  const auto x = test::column_view<TypeParam>(std::vector<double>{1, 2, 3});
  const auto y = test::column_view<TypeParam>(std::vector<double>{4, 5, 6});
  const int users = TestFixture::on_host ? 2 : 1;
  {
    Table<TypeParam> t;
    t.insert("x", x).insert("y", y);
    quern::to_arrow(t, &schema, &array);
  }
  EXPECT_EQ(users, x.use_count());
  ArrowArray moved = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  schema.release(&schema);
  EXPECT_EQ(users, x.use_count());
  EXPECT_EQ(1, y.use_count());
  EXPECT_EQ(3, static_cast<const double*>(moved.buffers[1])[2]);
  moved.release(&moved);
  EXPECT_EQ(1, x.use_count());
}

TYPED_TEST(ArrowTables, StridedColumnsArePacked) {
  ArrowSchema schema;
  ArrowArray array;
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> rows("rows", 3, 2);
  Kokkos::deep_copy(Kokkos::subview(rows, Kokkos::ALL, 1), 7.0);
  Table<TypeParam> t;
  t.insert("second", Kokkos::subview(rows, Kokkos::ALL, 1));
  quern::to_arrow(t, &schema, &array);
  EXPECT_EQ((std::vector<double>{7, 7, 7}), values_of<double>(back<TypeParam>(schema, array), "second"));
  EXPECT_EQ("quern::to_arrow: a struct to write is null",
            test::message_of([&] { quern::to_arrow(t, &schema, nullptr); }));
}

}  // namespace
