// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descriptions and groups of tables that follow each other, beside those of pandas of one table.

#include <algorithm>
#include <limits>
#include <numeric>
#include <table/frozen_table.hpp>
#include <utility>

namespace {

using quern::aggregation;
using quern::statistic;
using quern::Table;
using quern::TableChunks;
using test::frozen_table;
using test::message_of;
using test::values_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The rows of a table in slices, with one without rows at each end.
template <class Exec>
TableChunks<Exec> sliced(const Table<Exec>& t, std::int64_t rows, int* readings = nullptr) {
  return TableChunks<Exec>([=] {
    if (readings != nullptr) ++*readings;
    std::vector<Table<Exec>> parts = {t.head(0)};
    for (std::int64_t at = 0; at < t.rows(); at += rows) parts.push_back(t.slice(at, std::min(at + rows, t.rows())));
    parts.push_back(t.head(0));
    return [parts, k = std::size_t(0)]() mutable -> std::optional<Table<Exec>> {
      if (k == parts.size()) return {};
      return parts[k++];
    };
  });
}
template <class Exec>
Table<Exec> table_of(const std::vector<std::int64_t>& keys, const std::vector<double>& values) {
  Table<Exec> t;
  return t.insert("k", test::column_view<Exec>(keys)).insert("v", test::column_view<Exec>(values));
}

template <class Exec>
struct TableChunksOn : testing::Test {};
TYPED_TEST_SUITE(TableChunksOn, typename test::as_types<test::spaces>::type);

TYPED_TEST(TableChunksOn, DescriptionsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  const auto whole = t.describe();
  for (const std::int64_t rows : {1, 7, 50, 203}) {
    SCOPED_TRACE(rows);
    int readings = 0;
    const auto found = sliced(t, rows, &readings).describe();
    EXPECT_EQ(2, readings);
    test::expect_table("describe", found, 2e-14);
    for (const std::string name : {"x", "y", "k", "i"})
      for (const std::size_t row : {0, 3, 4, 5, 6, 7})  // all but mean and std have the same bits
        EXPECT_EQ(values_of<double>(whole, name)[row], values_of<double>(found, name)[row]) << name << row;
  }
  test::expect_table("describe_few", sliced(t.head(1), 1).describe({0.125, 0.5, 1}), 1e-15);
  test::expect_table("describe_missing",
                     sliced(table_of<TypeParam>({1, 2}, {nan, nan}).rename("v", "x").select({"x"}), 1).describe());
}

TYPED_TEST(TableChunksOn, WithoutQuantilesTheChunksAreReadOnce) {
  int readings = 0;
  const auto t = frozen_table<TypeParam>("input");
  const auto found = sliced(t, 50, &readings).describe({});
  EXPECT_EQ(1, readings);
  EXPECT_EQ(5, found.rows());
  EXPECT_EQ(values_of<double>(t.describe({}), "x")[4], values_of<double>(found, "x")[4]);
}

TYPED_TEST(TableChunksOn, QuantilesAreExact) {
  // Equal values, neighbours of double, both zeros, denormals, infinities and NaN.
  std::vector<double> v = {0.0,      -0.0,      1,      1,       1,     std::nextafter(1, 2),
                           infinity, -infinity, 5e-324, -5e-324, 1e308, -1e308,
                           nan,      2,         3,      nan,     1e-300};
  const auto t = table_of<TypeParam>(std::vector<std::int64_t>(v.size(), 9007199254740993), v);
  const std::vector<double> quantiles = {0, 0.01, 0.1, 0.25, 0.4, 0.5, 0.55, 0.6, 0.7, 0.9, 0.95, 1};
  const auto whole = t.describe(quantiles);
  for (const std::int64_t rows : {1, 2, 5}) {
    const auto found = sliced(t, rows).describe(quantiles);
    for (const std::string name : {"k", "v"})
      for (std::size_t row = 3; row < quantiles.size() + 5; ++row)
        EXPECT_TRUE(test::agree(values_of<double>(whole, name)[row], values_of<double>(found, name)[row], 0))
            << name << " " << row << " " << values_of<double>(whole, name)[row] << " "
            << values_of<double>(found, name)[row];
  }
}

TYPED_TEST(TableChunksOn, QuantilesAmongManyValuesTakeMoreReadings) {
  const std::int64_t most = 1 << 20, n = most + 5;  // that are gathered
  std::vector<double> equal(n), close(n);
  for (std::int64_t i = 0; i < n; ++i) {
    equal[i] = i <= most ? 0.1 : static_cast<double>(i - n + 2);
    close[i] = 1 + static_cast<double>(i * 7919 % n) * 0x1p-34;  // with the same first 16 bits
  }
  Table<TypeParam> t;
  t.insert("equal", test::column_view<TypeParam>(equal)).insert("close", test::column_view<TypeParam>(close));
  const std::vector<double> quantiles = {0, 1e-6, 0.3, 0.5, 1};
  const auto compare = [&](const Table<TypeParam>& table, int expected_readings) {
    int readings = 0;
    const auto found = sliced(table, 300000, &readings).describe(quantiles), expected = table.describe(quantiles);
    EXPECT_EQ(expected_readings, readings);
    for (const auto& name : table.names())
      for (std::size_t row = 3; row < quantiles.size() + 5; ++row)
        EXPECT_EQ(values_of<double>(expected, name)[row], values_of<double>(found, name)[row]) << name << row;
  };
  compare(t, 4);
  compare(t.select("close"), 3);
  compare(t.select("close").head(most), 2);
  int reading = 0;
  const TableChunks<TypeParam> other([&] {
    return [part = std::optional(t.head(reading++ < 1 ? n : n - 1))]() mutable { return std::exchange(part, {}); };
  });
  EXPECT_EQ("quern::TableChunks::describe: the chunks have other values than at the first reading",
            message_of([&] { other.describe(); }));
}

TYPED_TEST(TableChunksOn, StatisticsAreThoseOfPandas) {
  const auto t = frozen_table<TypeParam>("input");
  const std::vector<statistic> all = {statistic::sum,    statistic::mean,  statistic::var,
                                      statistic::stddev, statistic::count, statistic::size};
  const std::vector<statistic> ends = {statistic::min, statistic::max, statistic::first, statistic::last};
  const std::vector<std::vector<std::string>> every_keys = {{"k"}, {"s"}, {"b"}, {"y"}, {"s", "y", "b"}};
  for (const auto& keys : every_keys) {
    std::string name;
    for (const auto& key : keys) name += (name.empty() ? "" : "_") + key;
    std::vector<aggregation> computed, found;
    for (const std::string column : {"x", "y", "i", "k", "b"}) {
      if (std::find(keys.begin(), keys.end(), column) != keys.end()) continue;
      for (const auto s : all)
        if (column != "b" || (s != statistic::var && s != statistic::stddev)) computed.emplace_back(column, s);
      for (const auto s : ends) found.emplace_back(column, s);
    }
    for (const std::int64_t rows : {7, 203}) {
      SCOPED_TRACE(name + " by " + std::to_string(rows));
      const auto groups = sliced(t, rows).group_by(keys);
      const auto statistics = groups.aggregate(computed);
      for (const auto& column : statistics.names())
        test::expect_column("grouped/" + name + "/" + column, statistics, column, 2e-14);
      test::expect_table("ends/" + name, groups.aggregate(found));
    }
  }
}

TYPED_TEST(TableChunksOn, TextsHaveEndsAndCounts) {
  const auto t = frozen_table<TypeParam>("input");
  // Each chunk with categories of its own.
  const auto chunks = TableChunks<TypeParam>([&] {
    return [&, k = std::int64_t(0)]() mutable -> std::optional<Table<TypeParam>> {
      if (k == t.rows()) return {};
      const auto part = t.slice(k, k + 29);
      k += 29;
      return quern::parse_csv(TypeParam(), quern::to_csv(part.select({"k", "s", "i"})),
                              {.types = {{"s", quern::column_type::text}, {"i", quern::column_type::int32}}});
    };
  });
  const std::vector<aggregation> ends = {
      {"s", statistic::min}, {"s", statistic::max}, {"s", statistic::first}, {"s", statistic::last}};
  test::expect_table("grouped/text_ends", chunks.group_by("k").aggregate(ends));
  const std::vector<aggregation> counts = {{"n", "i", statistic::size}, {"sum", "i", statistic::sum}};
  const auto by_text = chunks.group_by("s").aggregate(counts), whole = t.group_by("s").aggregate(counts);
  EXPECT_EQ(test::texts_of(whole, "s"), test::texts_of(by_text, "s"));
  EXPECT_EQ(values_of<std::int64_t>(whole, "n"), values_of<std::int64_t>(by_text, "n"));
  EXPECT_EQ(values_of<std::int64_t>(whole, "sum"), values_of<std::int64_t>(by_text, "sum"));
}

TYPED_TEST(TableChunksOn, TextsThatNoGroupHasAreForgotten) {
  std::vector<std::string> texts;
  std::vector<std::int32_t> codes;
  std::vector<std::int64_t> keys;
  for (int i = 0; i < 100; ++i) {
    texts.push_back(std::to_string(1000 + i));
    codes.push_back(i % 7 == 0 ? -1 : i);
    keys.push_back(i % 3);
  }
  Table<TypeParam> t;
  t.insert("s", test::column_view<TypeParam>(codes), texts).insert("k", test::column_view<TypeParam>(keys));
  const std::vector<aggregation> ends = {{"s", statistic::first}, {"s", statistic::max}, {"s", statistic::count}};
  const auto whole = t.group_by("k").aggregate(ends);
  for (const std::int64_t rows : {9, 100}) {
    const auto found = sliced(t, rows).group_by("k").aggregate(ends);
    EXPECT_EQ((std::vector<std::string>{"1001", "1002", "1003"}), found.categories("s_first"));
    EXPECT_EQ(test::texts_of(whole, "s_first"), test::texts_of(found, "s_first"));
    EXPECT_EQ(test::texts_of(whole, "s_max"), test::texts_of(found, "s_max"));
    EXPECT_EQ(values_of<std::int64_t>(whole, "s_count"), values_of<std::int64_t>(found, "s_count"));
  }
}

TYPED_TEST(TableChunksOn, InfinitiesAndMissingValuesAreThoseOfOneTable) {
  const double most = std::numeric_limits<double>::max();
  const auto t = table_of<TypeParam>(
      {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 7, 8, 8, 8},
      {infinity, -infinity, infinity, 1, nan, nan, nan, 2, most, -most, 7, nan, infinity, 0.1, 0.1, 0.1});
  const std::vector<aggregation> all = {{"v", statistic::sum}, {"v", statistic::mean},  {"v", statistic::var},
                                        {"v", statistic::min}, {"v", statistic::first}, {"v", statistic::last}};
  const auto whole = t.group_by("k").aggregate(all);
  for (const std::int64_t rows : {1, 3, 16}) {
    const auto found = sliced(t, rows).group_by("k").aggregate(all);
    for (const auto& name : whole.names()) {
      if (name == "k") continue;
      const auto expected = values_of<double>(whole, name), values = values_of<double>(found, name);
      ASSERT_EQ(expected.size(), values.size());
      for (std::size_t g = 0; g < values.size(); ++g)
        EXPECT_TRUE(test::agree(expected[g], values[g], std::isfinite(expected[g]) && name == "v_sum" ? 1e-15 : 0))
            << name << " of " << g + 1 << " by " << rows << ": " << expected[g] << " and " << values[g];
    }
  }
}

TYPED_TEST(TableChunksOn, ManyGroupsAreMergedOnTheWay) {
  const std::int64_t n = 400000, groups = 90001;
  std::vector<std::int64_t> keys(n);
  std::vector<double> values(n), sums(groups);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = (i * 7919) % groups;
    values[i] = static_cast<double>(i);
    sums[keys[i]] += values[i];
  }
  const auto found = sliced(table_of<TypeParam>(keys, values), 37000)
                         .group_by("k")
                         .aggregate({{"v", statistic::sum}, {"v", statistic::last}, {"n", "v", statistic::size}});
  EXPECT_EQ(sums, values_of<double>(found, "v_sum"));
  const auto sizes = values_of<std::int64_t>(found, "n");
  EXPECT_EQ(n, std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  std::vector<double> last(groups);
  for (std::int64_t i = 0; i < n; ++i) last[keys[i]] = values[i];
  EXPECT_EQ(last, values_of<double>(found, "v_last"));
}

TYPED_TEST(TableChunksOn, TablesAreTransformedWhenTheyAreGoneThrough) {
  const auto t = frozen_table<TypeParam>("input");
  int readings = 0, calls = 0;
  const auto chosen = sliced(t, 50, &readings).transform([&](const Table<TypeParam>& part) {
    ++calls;
    return part.where("b").select({"k", "x"});
  });
  EXPECT_EQ(0, readings + calls);
  const std::vector<aggregation> sums = {{"x", statistic::sum}, {"x", statistic::count}};
  const auto found = chosen.group_by("k").aggregate(sums), expected = t.where("b").group_by("k").aggregate(sums);
  EXPECT_EQ(1, readings);
  EXPECT_EQ(7, calls);  // two of them for tables without rows
  EXPECT_EQ(values_of<std::int64_t>(expected, "x_count"), values_of<std::int64_t>(found, "x_count"));
  EXPECT_EQ((std::vector<std::string>{"statistic", "k", "x"}), chosen.describe().names());
}

TYPED_TEST(TableChunksOn, NamesOfKeysMayBeAny) {
  const auto t = table_of<TypeParam>({2, 1, 2}, {1, 2, 3}).rename("k", "0");
  const auto found = sliced(t, 1).group_by("0").aggregate({{"1", "v", statistic::sum}, {"v", "0", statistic::max}});
  EXPECT_EQ((std::vector<std::string>{"0", "1", "v"}), found.names());
  EXPECT_EQ((std::vector<double>{2, 4}), values_of<double>(found, "1"));
  EXPECT_EQ((std::vector<std::int64_t>{1, 2}), values_of<std::int64_t>(found, "v"));
  EXPECT_EQ((std::vector<std::string>{"0"}), sliced(t, 1).group_by("0").aggregate({}).names());
  EXPECT_EQ(0, sliced(t.head(0), 1).group_by("0").aggregate({{"v", statistic::mean}}).rows());
}

TYPED_TEST(TableChunksOn, WrongCallsAreNamed) {
  const auto t = frozen_table<TypeParam>("input");
  const auto chunks = sliced(t, 50);
  const std::string groups = "quern::TableChunkGroups::aggregate: ";
  const auto aggregated = [&](const quern::column_names& keys, const std::vector<aggregation>& results) {
    return message_of([&] { chunks.group_by(keys).aggregate(results); });
  };
  EXPECT_EQ(groups + "the median of 'x' needs all rows of a group at once, which parts of them do not have",
            aggregated("k", {{"x", statistic::sum}, {"x", statistic::median}}));
  EXPECT_EQ(groups + "the name 'k' occurs twice", aggregated("k", {{"k", "x", statistic::sum}}));
  EXPECT_EQ(groups + "there is no key", aggregated({}, {}));
  EXPECT_EQ(groups + "the column 's' holds text, which has no std", aggregated("k", {{"s", statistic::stddev}}));
  EXPECT_EQ(groups + "there is no column 'z'; the columns are 'k', 's', 'x', 'y', 'i', 'b'",
            aggregated("z", {{"x", statistic::sum}}));
  EXPECT_EQ("quern::TableChunks::describe: a quantile is 1.5, expected 0 to 1",
            message_of([&] { chunks.describe({1.5}); }));
  EXPECT_EQ("quern::TableChunks::describe: there is no column of numbers",
            message_of([&] { sliced(t.select({"s"}), 50).describe(); }));
}

TYPED_TEST(TableChunksOn, WrongChunksAreNamed) {
  using tables = std::vector<Table<TypeParam>>;
  int reading = 0;
  const auto of = [&](const std::vector<tables>& readings) {
    return TableChunks<TypeParam>([&] {
      return [parts = readings[reading++], k = std::size_t(0)]() mutable -> std::optional<Table<TypeParam>> {
        if (k == parts.size()) return {};
        return parts[k++];
      };
    });
  };
  const auto t = table_of<TypeParam>({1, 2}, {3, 4});
  const std::string describe = "quern::TableChunks::describe: ";
  EXPECT_EQ(describe + "there is no chunk", message_of([&] { of({{}}).describe(); }));
  reading = 0;
  EXPECT_EQ("quern::TableChunkGroups::aggregate: there is no chunk",
            message_of([&] { of({{}}).group_by("k").aggregate({}); }));
  reading = 0;
  EXPECT_EQ(describe + "chunk 1 has the columns 'v' of float64, expected 'k' of int64, 'v' of float64",
            message_of([&] { of({{t, t.select("v")}}).describe(); }));
  reading = 0;
  EXPECT_EQ(describe + "the chunks have other values than at the first reading",
            message_of([&] { of({{t, t}, {t}}).describe(); }));
  reading = 0;
  EXPECT_EQ(describe + "the chunks have other values than at the first reading",
            message_of([&] { of({{t, t}, {t, table_of<TypeParam>({1, 2}, {30, 40})}}).describe(); }));
}

}  // namespace
