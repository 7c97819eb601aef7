// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comma-separated values in chunks, beside the whole tables of pandas.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <quern/files/array_info.hpp>
#include <ranges>
#include <table/frozen_table.hpp>

namespace {

using quern::chunk_rows;
using quern::column_type;
using quern::csv_chunks;
using quern::parse_csv;
using quern::read_csv_options;
using quern::Table;
using test::values_of;
using numbers = std::vector<std::int64_t>;
using strings = std::vector<std::string>;

static_assert(std::ranges::input_range<const quern::TableChunks<>&>);

template <class Exec>
struct CsvChunks : testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("quern-chunks-" + std::to_string(::getpid()));
  CsvChunks() { std::filesystem::create_directory(folder); }
  ~CsvChunks() override { std::filesystem::remove_all(folder); }

  /// The chunks of a text in a file.
  auto chunks(const std::string& text, std::int64_t rows, const read_csv_options& options = {}) const {
    std::ofstream(folder / "t.csv", std::ios::binary) << text;
    return csv_chunks(Exec(), folder / "t.csv", chunk_rows{rows}, options);
  }
  std::vector<Table<Exec>> parts(const std::string& text, std::int64_t rows,
                                 const read_csv_options& options = {}) const {
    std::vector<Table<Exec>> all;
    for (const auto& part : chunks(text, rows, options)) all.push_back(part);
    return all;
  }
  std::string problem(const std::string& text, std::int64_t rows, const read_csv_options& options = {}) const {
    return message([&] { parts(text, rows, options); });
  }
  template <class F>
  std::string message(const F& f) const {
    std::string text = "nothing was thrown";
    try {
      f();
    } catch (const quern::files::FileError& e) {
      text = e.what();
    } catch (const quern::Error& e) {
      text = e.what();
    }
    const std::string path = (folder / "t.csv").string();
    if (const auto at = text.find(path); at != std::string::npos) text.replace(at, path.size(), "the file");
    return text;
  }
};
TYPED_TEST_SUITE(CsvChunks, typename test::as_types<test::spaces>::type);

template <class Tables>
numbers rows_of(const Tables& tables) {
  numbers rows;
  for (const auto& t : tables) rows.push_back(t.rows());
  return rows;
}

TYPED_TEST(CsvChunks, BelowEachOtherAreTheTablesOfPandas) {
  int found = 0;
  for (const auto& name : test::pandas.names()) {
    if (!name.starts_with("csv/")) continue;
    ++found;
    const auto text = test::frozen_text(name);
    const auto whole = parse_csv(TypeParam(), text);
    read_csv_options options;
    for (const auto& column : whole.names()) options.types.emplace_back(column, whole.type(column));
    for (const std::int64_t rows : {1, 2, 3, 1000}) {
      SCOPED_TRACE(name + " by " + std::to_string(rows));
      const auto parts = this->parts(text, rows, options);
      for (std::size_t k = 0; k + 1 < parts.size(); ++k) EXPECT_EQ(rows, parts[k].rows());
      test::expect_table("csv_table/" + name.substr(4), Table<TypeParam>::concat(parts));
    }
  }
  EXPECT_EQ(15, found);
}

TYPED_TEST(CsvChunks, LinesAreWhole) {
  const std::string text = "\xef\xbb\xbf\"a\nb\",c\r\n\n\"1\r\n\"\"2\"\"\",x\r\n \t\r\n3,\"y\n\n\"\r\n\r\n4,z";
  const auto parts = this->parts(text, 1);
  ASSERT_EQ((numbers{1, 1, 1}), rows_of(parts));
  EXPECT_EQ((strings{"a\nb", "c"}), parts[0].names());
  EXPECT_EQ((strings{"1\r\n\"2\""}), test::texts_of(parts[0], "a\nb"));
  EXPECT_EQ((strings{"y\n\n"}), test::texts_of(parts[1], "c"));
  EXPECT_EQ((strings{"4"}), test::texts_of(parts[2], "a\nb"));
  EXPECT_EQ(quern::to_csv(parse_csv(TypeParam(), text)), quern::to_csv(Table<TypeParam>::concat(parts)));
  EXPECT_EQ((numbers{2, 1}), rows_of(this->parts("1,2\r3\n4,5\n6,7\r", 2, {.header = false})));
}

TYPED_TEST(CsvChunks, TypesAreThoseOfTheFirstOne) {
  const auto parts = this->parts("a,b,c,d\n1,True,x,\n2,False,5,NA\n3,True,,1\n", 2);
  ASSERT_EQ(2u, parts.size());
  for (const auto& t : parts) {
    EXPECT_EQ(column_type::int64, t.type("a"));
    EXPECT_EQ(column_type::boolean, t.type("b"));
    EXPECT_EQ(column_type::text, t.type("c"));
    EXPECT_EQ(column_type::float64, t.type("d"));  // without a value in the first chunk
  }
  EXPECT_EQ((strings{"(missing)"}), test::texts_of(parts[1], "c"));
  EXPECT_EQ((std::vector<double>{1}), values_of<double>(parts[1], "d"));
  const std::string text = "a,b\n1,True\n2,False\n\n2.5,True\n";
  EXPECT_EQ("the file: line 5: field 1 ('a'): '2.5' is not of type int64, which the lines before are of; give its type",
            this->problem(text, 2));
  EXPECT_EQ((numbers{2, 1}), rows_of(this->parts(text, 2, {.types = {{"a", column_type::float32}}})));
  EXPECT_EQ((numbers{3}), rows_of(this->parts(text, 3)));
  EXPECT_EQ(
      "the file: line 3: field 2 ('b'): '' is not there, and a column of bool has no missing values, which the lines "
      "before are of; give its type",
      this->problem("a,b\n1,True\n2,\n", 1));
  EXPECT_EQ("the file: line 3: field 1 ('a'): 'x' is not of type float64, which the lines before are of; give its type",
            this->problem("a,b\n,1\nx,2\n", 1, {.bad_lines = 9}));
}

TYPED_TEST(CsvChunks, CategoriesAreThoseOfTheChunk) {
  const auto parts = this->parts("s\nb\nd\na\nb\n", 2);
  ASSERT_EQ(2u, parts.size());
  EXPECT_EQ((strings{"b", "d"}), parts[0].categories("s"));
  EXPECT_EQ((strings{"a", "b"}), parts[1].categories("s"));
  EXPECT_EQ((std::vector<std::int32_t>{0, 1}), values_of<std::int32_t>(parts[1], "s"));
  const auto all = Table<TypeParam>::concat(parts);
  EXPECT_EQ((strings{"a", "b", "d"}), all.categories("s"));
  EXPECT_EQ((strings{"b", "d", "a", "b"}), test::texts_of(all, "s"));
}

TYPED_TEST(CsvChunks, BadLinesAreCountedOverAll) {
  std::int64_t left_out = -1;
  const std::string text = "a,b\n1,x\n1,2,3\n5\" pipe,z\n2,y\nshort\n3,w\n";
  const auto parts = this->parts(text, 2, {.bad_lines = 3, .left_out = &left_out});
  EXPECT_EQ((numbers{1, 1, 1}), rows_of(parts));
  EXPECT_EQ(3, left_out);
  EXPECT_EQ((strings{"w"}), test::texts_of(parts[2], "b"));
  EXPECT_EQ("the file: line 3: 3 fields, expected 2; 3 lines are bad, at most 2 are left out",
            this->problem(text, 2, {.bad_lines = 2}));
  EXPECT_EQ("the file: line 3: 3 fields, expected 2", this->problem(text, 2));
  const auto late = this->parts("a\n1,1\n2,2\n3\n4\n", 2, {.bad_lines = 2});  // no row in the first lines
  EXPECT_EQ((numbers{2}), rows_of(late));
  EXPECT_EQ(column_type::int64, late[0].type("a"));
  // A line that is bad by a type that was given is no value of a wrong type.
  const auto given = this->parts("a,b\n1,1\nx,y\n2,2\n", 1, {.types = {{"b", column_type::int64}}, .bad_lines = 1});
  EXPECT_EQ((numbers{1, 1}), rows_of(given));
  EXPECT_EQ("the file: the file ends in a quoted field; line 3: field 1 has no closing quotation mark",
            this->problem("a\n1\n\"2\n3\n", 1, {.bad_lines = 9}));
}

TYPED_TEST(CsvChunks, FilesWithoutRowsHaveOne) {
  for (const std::string text : {"a,b", "a,b\r\n", "\n\na,b\n \n\n"}) {
    const auto parts = this->parts(text, 3);
    ASSERT_EQ(1u, parts.size());
    EXPECT_EQ((strings{"a", "b"}), parts[0].names());
    EXPECT_EQ(0, parts[0].rows());
  }
  EXPECT_EQ((numbers{0}), rows_of(this->parts("a\n1,1\n2,2\n3,3\n", 2, {.bad_lines = 9})));
  for (const std::string text : {"", "\n\r\n", "\xef\xbb\xbf"}) {
    EXPECT_EQ("the file: there is no line", this->problem(text, 2));
    EXPECT_EQ("the file: there is no line", this->problem(text, 2, {.header = false}));
  }
}

TYPED_TEST(CsvChunks, FilesAreReadAgain) {
  const auto chunks = this->chunks("a\n1\n2\n3\n", 2);
  for (int k = 0; k < 2; ++k) EXPECT_EQ((numbers{2, 1}), rows_of(chunks));
  auto at = chunks.begin();
  EXPECT_EQ((numbers{1, 2}), values_of<std::int64_t>(*at, "a"));
  EXPECT_EQ((numbers{2, 1}), rows_of(chunks));  // another reading
  EXPECT_EQ((numbers{3}), values_of<std::int64_t>(*++at, "a"));
  EXPECT_TRUE(++at == chunks.end());
}

TYPED_TEST(CsvChunks, PipesAreReadOnce) {
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  ASSERT_EQ(8, ::write(ends[1], "a\n1\n2\n3\n", 8));
  ::close(ends[1]);
  const auto path = "/proc/self/fd/" + std::to_string(ends[0]);
  const auto chunks = csv_chunks(TypeParam(), path, chunk_rows{2});
  EXPECT_EQ((numbers{2, 1}), rows_of(chunks));
  EXPECT_EQ(path + ": is no file that can be read a second time", this->message([&] { rows_of(chunks); }));
  ::close(ends[0]);
}

TYPED_TEST(CsvChunks, LargeFilesAreReadInBlocks) {
  std::string text = "id,text,x\n";
  for (int k = 0; text.size() < (9u << 20); ++k) {
    text +=
        std::to_string(k) + ",\"line " + std::to_string(k * 37 % 101) + "\n" + std::string(k * 7919 % 300, '.') + "\",";
    text += std::to_string(k) + ".25\n";
  }
  const auto whole = parse_csv(TypeParam(), text);
  const auto parts = this->parts(text, 9973);
  EXPECT_EQ((whole.rows() + 9972) / 9973, static_cast<std::int64_t>(parts.size()));
  EXPECT_EQ(quern::to_csv(whole), quern::to_csv(Table<TypeParam>::concat(parts)));
  const auto line = std::to_string(std::count(text.begin(), text.end(), '\n') + 1);
  EXPECT_EQ("the file: line " + line + ": 1 field, expected 3", this->problem(text + "1\n", 9973));
}

TYPED_TEST(CsvChunks, WrongOptionsAreNamed) {
  EXPECT_EQ("quern::csv_chunks: chunk_rows is 0, expected 1 or more", this->problem("a\n", 0));
  EXPECT_EQ("quern::csv_chunks: bad_lines is -1, expected 0 or more", this->problem("a\n", 1, {.bad_lines = -1}));
  EXPECT_EQ("quern::csv_chunks: the file has no column 'z'", this->problem("a\n", 1, {.columns = {"z"}}));
  EXPECT_EQ("/nonexistent: cannot be read: No such file or directory",
            this->message([&] { csv_chunks(TypeParam(), "/nonexistent", chunk_rows{1}).begin(); }));
  const auto chosen = this->parts("a;b\n1;2\n3;4\n", 1, {.delimiter = ';', .names = {"u", "v"}, .columns = "v"});
  ASSERT_EQ(2u, chosen.size());
  EXPECT_EQ((strings{"v"}), chosen[1].names());
  EXPECT_EQ((numbers{4}), values_of<std::int64_t>(chosen[1], "v"));
}

}  // namespace
