// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of files of comma-separated values as sources of operations in chunks.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <quern/chunked.hpp>
#include <quern/files/array_info.hpp>
#include <quern/table.hpp>
#include <quern/table/csv_source.hpp>
#include <support/testing.hpp>

namespace {

using quern::csv_source;

struct CsvSource : testing::Test {
  using space = Kokkos::DefaultExecutionSpace;
  const space exec{};
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("quern-source-" + std::to_string(::getpid()));
  CsvSource() { std::filesystem::create_directory(folder); }
  ~CsvSource() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string& text) const {
    std::ofstream(folder / "t.csv", std::ios::binary) << text;
    return folder / "t.csv";
  }
  /// All elements, in row-major order.
  template <class T, int Rank>
  std::vector<T> values(const quern::chunked::Source<T, Rank>& source) const {
    const auto& n = source.extents();
    const Kokkos::View<T**, Kokkos::LayoutRight> all("all", n.extent[0], Rank == 2 ? n.extent[1] : 1);
    if constexpr (Rank == 2) quern::copy(exec, all, source);
    else quern::copy(exec, Kokkos::subview(all, Kokkos::ALL, 0), source);
    return test::contents(all);
  }
  template <class F>
  std::string message(const F& f) const {
    std::string text = "nothing was thrown";
    try {
      f();
    } catch (const std::exception& e) {
      text = e.what();
    }
    const std::string path = (folder / "t.csv").string();
    while (text.find(path) != std::string::npos) text.replace(text.find(path), path.size(), "the file");
    return text;
  }
};

TEST_F(CsvSource, ElementsAreThoseOfRowsAndColumns) {
  const auto path = file("a,name,b,c\r\n1,x,2.5,7\r\n\r\n-3,\"y\nz\",,8\r\n5,w,0.1,9");
  const auto rows = csv_source<double, 2>(path, {"c", "a"});
  EXPECT_EQ("(3, 2)", rows.extents().str());
  EXPECT_EQ((std::vector<double>{7, 1, 8, -3, 9, 5}), values(rows));
  EXPECT_EQ((std::vector<float>{0.1f}), values(quern::slice(csv_source<float, 1>(path, "b"), {{2, 3}})));
  EXPECT_EQ((std::vector<std::int32_t>{1, -3, 5}), values(csv_source<std::int32_t, 1>(path, "a")));
  const auto b = values(csv_source<double, 1>(path, "b"));
  EXPECT_TRUE(std::isnan(b[1]));
  EXPECT_EQ((std::vector<std::int64_t>{2, 4}),
            values(csv_source<std::int64_t, 1>(file("1;2\n3;4\n"), "1", {.delimiter = ';', .header = false})));
  EXPECT_EQ("(0, 2)", (csv_source<double, 2>(file("a,b\n"), {"a", "b"}).extents().str()));
}

TEST_F(CsvSource, OperationsTakeIt) {
  const std::int64_t n = (1 << 18) + 1000;  // of two blocks
  std::string text = "id,x\n";
  for (std::int64_t i = 0; i < n; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 1000) + ".5\n";
    if (i % 70000 == 0) text += "\nbad,line,here\n";
  }
  std::int64_t left_out = 0;
  const quern::read_csv_options options{.bad_lines = 9, .left_out = &left_out};
  const auto path = file(text);
  const auto x = csv_source<double, 1>(path, "x", options);
  EXPECT_EQ(4, left_out);
  const auto whole = quern::read_csv(exec, path, options);
  EXPECT_EQ(quern::sum(exec, whole.column<double>("x")), quern::sum(exec, x));
  EXPECT_EQ(quern::median(exec, whole.column<double>("x")), quern::median(exec, x));
  const auto both = csv_source<double, 2>(path, {"x", "id"}, options);
  const Kokkos::View<double[2]> largest("largest");
  quern::max(exec, largest, both, quern::axis{0}, quern::chunking{.memory = 300000});
  EXPECT_EQ((std::vector<double>{999.5, static_cast<double>(n - 1)}), test::contents(largest));
  // From the end, as no file is read.
  const auto back = values(quern::flip(csv_source<std::int64_t, 1>(path, "id", options)));
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(n - 1 - i, back[i]);
}

TEST_F(CsvSource, WrongFilesAndColumnsAreNamed) {
  const auto of = [&](const std::string& text, const quern::column_names& columns,
                      const quern::read_csv_options& options = {}) {
    return message([&] { csv_source<std::int64_t, 1>(file(text), columns, options); });
  };
  EXPECT_EQ("quern::csv_source: the file has no column 'z'", of("a,b\n", "z"));
  EXPECT_EQ("quern::csv_source: there is no column", of("a,b\n", {}));
  EXPECT_EQ("quern::csv_source: 2 columns for a source of rank 1, expected one", of("a,b\n", {"a", "b"}));
  EXPECT_EQ("quern::csv_source: columns and their type are those of the source, and no options",
            of("a,b\n", "a", {.columns = "b"}));
  EXPECT_EQ("the file: line 3: field 2 ('b'): '' is not there, and a column of int64 has no missing values",
            of("a,b\n1,2\nx,\n", "b"));
  EXPECT_EQ("the file: line 3: field 1 ('a'): 'x' is not of type int64", of("a,b\n1,2\nx,\n", "a"));
  EXPECT_EQ("the file: there is no line", of("", "a"));
  EXPECT_EQ("/dev/null: is no file that can be read a second time",
            message([&] { csv_source<double, 1>("/dev/null", "a"); }));
}

TEST_F(CsvSource, FilesThatChangeAreNamed) {
  const auto x = csv_source<double, 1>(file("x\n1\n2\n"), "x");
  EXPECT_EQ(3, quern::sum(exec, x));
  const auto y = csv_source<double, 1>(folder / "t.csv", "x");
  file("x\n12\n");
  const auto problem = message([&] { quern::sum(exec, y); });
  EXPECT_NE(std::string::npos, problem.find("the file: changed after its rows were counted")) << problem;
}

}  // namespace
