// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comma-separated values beside those of pandas, and what is wrong with files.

#include <unistd.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <quern/files/array_info.hpp>
#include <table/frozen_table.hpp>

namespace {

using quern::column_type;
using quern::parse_csv;
using quern::read_csv_options;
using quern::Table;
using test::expect_table;
using test::frozen_text;

template <class Exec>
struct Csv : testing::Test {
  static Table<Exec> parsed(const std::string& text, const read_csv_options& options = {}) {
    return parse_csv(Exec(), text, options);
  }
  static std::string problem(const std::string& text, const read_csv_options& options = {}) {
    try {
      parsed(text, options);
    } catch (const quern::files::FileError& e) {
      return e.what();
    } catch (const quern::Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
};
TYPED_TEST_SUITE(Csv, typename test::as_types<test::spaces>::type);

TYPED_TEST(Csv, TablesAreThoseOfPandas) {
  int found = 0;
  for (const auto& name : test::pandas.names()) {
    if (!name.starts_with("csv/")) continue;
    ++found;
    SCOPED_TRACE(name);
    expect_table("csv_table/" + name.substr(4), TestFixture::parsed(frozen_text(name)));
  }
  EXPECT_EQ(15, found);
}

TYPED_TEST(Csv, TextsAreThoseOfPandas) {
  EXPECT_EQ(frozen_text("csv_written"), quern::to_csv(test::frozen_table<TypeParam>("written")));
  EXPECT_EQ(frozen_text("csv_written_one"), quern::to_csv(test::frozen_table<TypeParam>("written_one")));
}

TYPED_TEST(Csv, OptionsChooseNamesColumnsAndTypes) {
  const std::string text = "a;b;c\n1;x;3\n2;none;4\n";
  const auto t = TestFixture::parsed(
      text, {.delimiter = ';', .columns = {"c", "b"}, .types = {{"c", column_type::float32}}, .missing = {"none"}});
  EXPECT_EQ((std::vector<std::string>{"b", "c"}), t.names());
  EXPECT_EQ((std::vector<float>{3, 4}), test::values_of<float>(t, "c"));
  EXPECT_EQ((std::vector<std::string>{"x", "(missing)"}), test::texts_of(t, "b"));
  const auto named = TestFixture::parsed("1,2\n3,4\n", {.header = false, .names = {"u", "v"}});
  EXPECT_EQ((std::vector<std::int64_t>{2, 4}), test::values_of<std::int64_t>(named, "v"));
  EXPECT_EQ((std::vector<std::string>{"0", "1"}), TestFixture::parsed("1,2\n", {.header = false}).names());
  EXPECT_EQ((std::vector<std::string>{"u", "v"}), TestFixture::parsed("a,b\n1,2\n", {.names = {"u", "v"}}).names());
}

TYPED_TEST(Csv, MissingTextsMayBeNumbersAndBools) {
  const std::string text = "a,b,c\n1,True,x\n-999,False,7\n3,True,-999\n";
  const auto t = TestFixture::parsed(text, {.missing = {"-999", "False", "7"}});
  EXPECT_EQ("1.0,True,x\n,,\n3.0,True,\n", quern::to_csv(t, {.header = false}));
  const auto given = TestFixture::parsed(text, {.types = {{"a", column_type::float32}}, .missing = {"-999"}});
  EXPECT_TRUE(std::isnan(test::values_of<float>(given, "a")[1]));
  EXPECT_EQ("the text: line 3: field 1 ('a'): '-999' is not there, and a column of int32 has no missing values",
            TestFixture::problem(text, {.types = {{"a", column_type::int32}}, .missing = {"-999"}}));
}

TYPED_TEST(Csv, LinesOfBlanksAreNoRows) {
  const auto t = TestFixture::parsed(" \na,b\n1,2\n \t \r\n3,4\n  ");
  EXPECT_EQ("a,b\n1,2\n3,4\n", quern::to_csv(t));
  EXPECT_EQ("a\tb\nx\ty\n\t\n",
            quern::to_csv(TestFixture::parsed("a\tb\nx\ty\n\t\n", {.delimiter = '\t'}), {.delimiter = '\t'}));
  const std::string blanks = "\"\"\nx\n\" \"\n\"\"\n";  // written so that they come back
  EXPECT_EQ(blanks, quern::to_csv(TestFixture::parsed(blanks)));
}

TYPED_TEST(Csv, TextsMayEndInACarriageReturn) {
  EXPECT_EQ("a,b\n1,2\n", quern::to_csv(TestFixture::parsed("a,b\r\n1,2\r")));
  EXPECT_EQ("a\nx\n", quern::to_csv(TestFixture::parsed("a\n\"x\"\r")));
  EXPECT_EQ("a\n1\n", quern::to_csv(TestFixture::parsed("a\n1\n\r")));
}

TYPED_TEST(Csv, TypesMayBeGiven) {
  const auto t = TestFixture::parsed("a,b,c,d\n1,0.1,1,True\n-2,1e60,x,False\n", {.types = {{"a", column_type::int32},
                                                                                            {"b", column_type::float32},
                                                                                            {"c", column_type::text},
                                                                                            {"d", column_type::text}}});
  EXPECT_EQ((std::vector<std::int32_t>{1, -2}), test::values_of<std::int32_t>(t, "a"));
  EXPECT_EQ((std::vector<float>{0.1f, std::numeric_limits<float>::infinity()}), test::values_of<float>(t, "b"));
  EXPECT_EQ((std::vector<std::string>{"1", "x"}), test::texts_of(t, "c"));
  EXPECT_EQ((std::vector<std::string>{"True", "False"}), test::texts_of(t, "d"));
}

TYPED_TEST(Csv, NumbersThatAreTooLargeAreRealOrInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto t = TestFixture::parsed("a,b\n1,1e999\n9223372036854775808,-1e999\n");
  EXPECT_EQ((std::vector<double>{1, 9223372036854775808.0}), test::values_of<double>(t, "a"));
  EXPECT_EQ((std::vector<double>{infinity, -infinity}), test::values_of<double>(t, "b"));
}

TYPED_TEST(Csv, NumbersEndWithTheirFields) {
  const auto written = [](const std::string& text, const read_csv_options& options = {}) {
    return quern::to_csv(TestFixture::parsed(text, options));
  };
  EXPECT_EQ("a,b\n1,2.5\n-3,-100.0\n4,5.0\n6,7.0\n8,-inf\n9,inf\n10,0.5\n11,\n12,0.25\n13,0.5\n",
            written("a,b\r\n1,2.5\r\n-3,-1e2\n4,+5\n 6, 7 \n\"8\",-inf\n9,1e999\n10,.5\n11,\n12,\"0.25\"\n13,0.5\r"));
  EXPECT_EQ("a,b\n1,2\n1x,2\n1-2,3\n-,4\n", written("a,b\n1,2\n1x,2\n1-2,3\n-,4\n"));
  EXPECT_EQ("a,b\n1,2\n\"3\r4\",5\n", written("a,b\n1,2\n3\r4,5\n"));
  EXPECT_EQ("a,b\n\"1,5\",3.0\n2,0.5\n", written("a;b\n1,5;3\n2;0.5\n", {.delimiter = ';'}));
  EXPECT_EQ("the text: line 3: 3 fields, expected 2", TestFixture::problem("a,b\n1,2\n3,4,\n"));
  EXPECT_EQ("the text: line 3: a quotation mark in field 1, which does not begin with one",
            TestFixture::problem("a,b\n1.5,2\n2.5\"x\",2\n"));
}

TYPED_TEST(Csv, HeadersAloneAreColumnsWithoutRows) {
  const auto t = TestFixture::parsed("a,b");
  EXPECT_EQ((std::vector<std::string>{"a", "b"}), t.names());
  EXPECT_EQ(0, t.rows());
  EXPECT_EQ(column_type::float64, t.type("a"));
}

TYPED_TEST(Csv, BadLinesAreNamed) {
  const auto problem = [](const std::string& text, const read_csv_options& options = {}) {
    return TestFixture::problem(text, options);
  };
  EXPECT_EQ("the text: there is no line", problem(""));
  EXPECT_EQ("the text: there is no line", problem("\n\r\n"));
  EXPECT_EQ("the text: line 3: 1 field, expected 2", problem("a,b\n1,2\n3\n"));
  EXPECT_EQ("the text: line 4: 3 fields, expected 2; 2 lines are bad", problem("a,b\n\"1\n\",2\n3,4,5\n6\n"));
  EXPECT_EQ("the text: line 2: a quotation mark in field 2, which does not begin with one",
            problem("a,b\n1,5\" pipe\n"));
  EXPECT_EQ("the text: line 2: a quotation mark in field 1, which does not end there", problem("a,b\n\"1\"2,3\n"));
  EXPECT_EQ("the text: the file ends in a quoted field; line 2: field 2 has no closing quotation mark",
            problem("a,b\n1,\"2\n3,4\n", {.bad_lines = 9}));
  EXPECT_EQ("the text: line 1: a quotation mark in field 2 where none may be", problem("a,b\"\n"));
  EXPECT_EQ("the text: line 3: field 2 ('b'): 'x' is not of type int64",
            problem("a,b\n1,2\n3,x\n", {.types = {{"b", column_type::int64}}}));
  EXPECT_EQ("the text: line 2: field 1 ('a'): '' is not there, and a column of int32 has no missing values",
            problem("a,b\n,2\n", {.types = {{"a", column_type::int32}}}));
  EXPECT_EQ("the text: line 2: field 1 ('a'): '2147483648' is not of type int32",
            problem("a\n2147483648\n", {.types = {{"a", column_type::int32}}}));
}

TYPED_TEST(Csv, WrongOptionsAreNamed) {
  const auto problem = [](const std::string& text, const read_csv_options& options = {}) {
    return TestFixture::problem(text, options);
  };
  EXPECT_EQ("quern::read_csv: the name 'a' occurs twice in the text", problem("a,b,a\n"));
  EXPECT_EQ("quern::read_csv: the text has no column 'z'", problem("a,b\n", {.columns = {"z"}}));
  EXPECT_EQ("quern::read_csv: the text has no column 'z'", problem("a,b\n", {.types = {{"z", column_type::text}}}));
  EXPECT_EQ("quern::read_csv: 1 names, expected one for each of the 2 columns of the text",
            problem("a,b\n", {.names = {"z"}}));
  EXPECT_EQ("quern::read_csv: the delimiter is a quotation mark or an end of a line",
            problem("a,b\n", {.delimiter = '\n'}));
  EXPECT_EQ("quern::read_csv: the delimiter is e, which numbers and words have in them",
            problem("a,b\n", {.delimiter = 'e'}));
  EXPECT_EQ("quern::read_csv: bad_lines is -1, expected 0 or more", problem("a,b\n", {.bad_lines = -1}));
}

TYPED_TEST(Csv, SomeBadLinesAreLeftOut) {
  std::int64_t left_out = -1;
  const std::string text = "a,b\n1,x\nlong,field,here\n2,y\n5\" pipe,z\n3,w\nshort\n";
  const auto t = TestFixture::parsed(text, {.bad_lines = 3, .left_out = &left_out});
  EXPECT_EQ(3, left_out);
  EXPECT_EQ((std::vector<std::int64_t>{1, 2, 3}), test::values_of<std::int64_t>(t, "a"));
  EXPECT_EQ((std::vector<std::string>{"w", "x", "y"}), t.categories("b"));
  EXPECT_EQ("the text: line 3: 3 fields, expected 2; 3 lines are bad, at most 2 are left out",
            TestFixture::problem(text, {.bad_lines = 2}));
}

TYPED_TEST(Csv, ShortLinesAreFilled) {
  const read_csv_options fill{.fill_short_lines = true};
  test::expect_table("csv_short_table", TestFixture::parsed(test::frozen_text("csv_short"), fill));
  EXPECT_EQ("the text: line 3: 3 fields, expected 2", TestFixture::problem("a,b\n1\n1,2,3\n", fill));
  EXPECT_EQ("the text: line 2: field 2 ('b'): '' is not there, and a column of int64 has no missing values",
            TestFixture::problem("a,b\n1\n", {.types = {{"b", column_type::int64}}, .fill_short_lines = true}));
}

/// Numbers of all sizes, and texts with everything that needs quotation marks, in some megabytes.
template <class Exec>
Table<Exec> large_table(std::int64_t n) {
  std::vector<double> x(n);
  std::vector<float> y(n);
  std::vector<std::int64_t> i(n);
  std::vector<std::int32_t> s(n);
  const std::vector<std::string> texts = {"\"", ",", "a \"quoted\", text", "plain", "two\nlines", "wörter"};
  std::uint64_t random = 1;
  const auto next = [&] { return random = random * 6364136223846793005u + 1442695040888963407u; };
  for (std::int64_t k = 0; k < n; ++k) {
    x[k] = std::bit_cast<double>(next());
    y[k] = std::bit_cast<float>(static_cast<std::uint32_t>(next() >> 32));
    i[k] = static_cast<std::int64_t>(next());
    s[k] = static_cast<std::int32_t>((next() >> 40) % 7) - 1;
  }
  Table<Exec> t;
  t.insert("s", test::column_view<Exec>(s), texts).insert("x", test::column_view<Exec>(x));
  t.insert("y", test::column_view<Exec>(y)).insert("i", test::column_view<Exec>(i));
  return t;
}

TYPED_TEST(Csv, EveryBitComesBackThroughAFile) {
  const std::int64_t n = 60000;
  const auto t = large_table<TypeParam>(n);
  const auto folder = std::filesystem::temp_directory_path() / ("quern-csv-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "t.csv";
  quern::write_csv(path, t);
  EXPECT_LT(3u << 20, std::filesystem::file_size(path));  // of several chunks
  const auto back = quern::read_csv(TypeParam(), path, {.types = {{"y", column_type::float32}}});
  std::filesystem::remove_all(folder);
  ASSERT_EQ(t.names(), back.names());
  EXPECT_EQ(test::texts_of(t, "s"), test::texts_of(back, "s"));
  EXPECT_EQ(test::values_of<std::int64_t>(t, "i"), test::values_of<std::int64_t>(back, "i"));
  const auto same = [](const auto& a, const auto& b) {
    std::int64_t others = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      others += !(a[k] != a[k] && b[k] != b[k]) && (a[k] != b[k] || std::signbit(a[k]) != std::signbit(b[k]));
    return a.size() == b.size() ? others : -1;
  };
  EXPECT_EQ(0, same(test::values_of<double>(t, "x"), test::values_of<double>(back, "x")));
  EXPECT_EQ(0, same(test::values_of<float>(t, "y"), test::values_of<float>(back, "y")));
}

TYPED_TEST(Csv, BadLinesOfLargeFilesAreNamed) {
  const std::string text = quern::to_csv(large_table<TypeParam>(60000).drop("s"));
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;
  const auto line = std::count(text.begin(), text.begin() + middle, '\n') + 1;
  const std::string at = "the text: line " + std::to_string(line) + ": ";
  EXPECT_EQ(at + "2 fields, expected 3", TestFixture::problem(text.substr(0, middle) + "1,2\n" + text.substr(middle)));
  // A quotation mark makes what follows look quoted, up to the end of the file.
  const std::string stray = text.substr(0, middle) + "1,2\"2,3\n" + text.substr(middle);
  EXPECT_EQ(at + "a quotation mark in field 2, which does not begin with one", TestFixture::problem(stray));
  const auto rest = TestFixture::parsed(stray, {.bad_lines = 1});
  EXPECT_EQ(60000, rest.rows());
  EXPECT_EQ(column_type::int64, rest.type("i"));
}

TYPED_TEST(Csv, OpenQuotesOfLargeFilesAreNamed) {
  const std::string text = quern::to_csv(large_table<TypeParam>(60000).drop("s")) + "\"";
  EXPECT_EQ("the text: the file ends in a quoted field; line 60002: field 1 has no closing quotation mark",
            TestFixture::problem(text));
}

TYPED_TEST(Csv, FilesThatCannotBeReadAreNamed) {
  const auto problem = [](const std::string& path) -> std::string {
    try {
      quern::read_csv(TypeParam(), path);
    } catch (const quern::files::FileError& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ("/nonexistent/t.csv: cannot be read: No such file or directory", problem("/nonexistent/t.csv"));
  EXPECT_EQ("/: cannot be read: Is a directory", problem("/"));
  EXPECT_EQ("/dev/null: there is no line", problem("/dev/null"));
}

TYPED_TEST(Csv, FilesThatCannotBeWrittenAreNamed) {
  const auto t = test::frozen_table<TypeParam>("input");
  EXPECT_THROW(quern::write_csv("/dev/full", t), quern::files::FileError);
  EXPECT_THROW(quern::write_csv("/nonexistent/t.csv", t), quern::files::FileError);
}

}  // namespace
