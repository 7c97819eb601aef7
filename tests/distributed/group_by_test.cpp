// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of groups of the rows of all ranks beside those of one table with all rows.

#include <distributed/table_parts.hpp>
#include <quern/distributed/group_by.hpp>

namespace {

using quern::aggregation;
using quern::statistic;
using test::nan;
using test::table;

std::optional<std::string> text_of_row(std::int64_t i) {
  const std::string texts[] = {"ash", "birch", "", "cedar", "ash tree", "\xc3\xa9rable", "fir"};
  if (i % 11 == 4) return {};
  return texts[(i * i + i / 13) % 7];
}
/// The rows from `first` on: keys of all types, of which some are missing, and values, of which one group has none.
table rows(std::int64_t first, std::int64_t last) {
  const auto make = [&]<class T>(T, const auto& f) { return test::values_from<T>(first, last, f); };
  std::vector<std::optional<std::string>> texts, marks;
  for (std::int64_t i = first; i < last; ++i) {
    texts.push_back(text_of_row(i));
    marks.push_back(text_of_row(3 * i + 1));
  }
  table t;
  test::insert(t, "cell", make(std::int32_t(), [](std::int64_t i) { return (i * 7 + i / 5) % 10 - 3; }));
  test::insert(t, "id", make(std::int64_t(), [](std::int64_t i) { return (i % 4) * (std::int64_t{1} << 40); }));
  test::insert(t, "at", make(double(), [](std::int64_t i) {
                 const double at[] = {0.0, -0.0, 1.5, nan, -2.25, INFINITY};
                 return at[(i + i / 7) % 6];
               }));
  test::insert(t, "flag", make(bool(), [](std::int64_t i) { return i % 3 == 0; }));
  test::insert_texts(t, "name", texts);
  test::insert(t, "x", make(double(), [](std::int64_t i) {
                 return i % 7 == 3 || (i * 7 + i / 5) % 10 == 8 ? nan : 1e3 + test::sample(i);
               }));
  test::insert(t, "y", make(float(), [](std::int64_t i) { return test::sample(i, 3); }));
  test::insert(t, "k", make(std::int32_t(), [](std::int64_t i) { return (i * 7919) % 1000 - 500; }));
  test::insert(t, "n", make(std::int64_t(), [](std::int64_t i) { return i * i - 50 * i; }));
  test::insert_texts(t, "mark", marks);
  return t;
}
const std::vector<std::vector<std::string>> every_keys = {
    {"cell"}, {"id"}, {"at"}, {"flag"}, {"name"}, {"name", "cell"}, {"at", "flag", "id"}};

/// f(all rows, this rank's, keys) for several numbers of rows and all keys, each with another distribution of rows.
template <class F>
void for_each_cut(const F& f) {
  const auto& comm = test::world();
  const auto rank = static_cast<std::size_t>(comm.rank());
  std::size_t distribution = 0;
  for (const std::int64_t n : {1, 60, 1009}) {
    const table all = rows(0, n);
    for (const auto& keys : every_keys) {
      const auto cut = test::cuts(n, comm.size())[distribution++ % 3];
      SCOPED_TRACE(std::to_string(n) + " rows, of which this rank has those from " + std::to_string(cut[rank]));
      f(all, rows(cut[rank], cut[rank + 1]), keys);
    }
  }
}
/// What all ranks have found, in the order of its keys.
table in_order(const table& part, const std::vector<std::string>& keys) {
  return test::gathered(test::world(), part).sort_by(std::vector<quern::sort_key>(keys.begin(), keys.end()));
}

TEST(DistributedGroupBy, StatisticsAreThoseOfAllRows) {
  std::vector<aggregation> exact;
  for (const auto s :
       {statistic::min, statistic::max, statistic::first, statistic::last, statistic::count, statistic::size})
    for (const char* column : {"x", "y", "k", "n", "flag", "mark"})
      exact.emplace_back(std::string("of ") + column + std::string(name_of(s)), column, s);
  for (const char* column : {"k", "n", "flag"}) exact.emplace_back(std::string("of ") + column, column, statistic::sum);
  for_each_cut([&](const table& all, const table& part, const auto& keys) {
    const auto found = quern::distributed::group_by(test::world(), part, keys).aggregate(exact);
    test::expect_same_rows(all.group_by(keys).aggregate(exact), in_order(found, keys));
  });
}

/// Values of x are so far from 0 that their mean is rounded by more than their distances from it.
double rounding_of(const std::string& name, double expected) {
  const double of_mean = name[0] == 'x' ? 1e-12 : 0;
  if (name.ends_with("_var")) return 1e-14 * expected + of_mean * std::sqrt(expected);
  if (name.ends_with("_std")) return 1e-14 * expected + of_mean;
  return 2e-15 * std::abs(expected);
}

TEST(DistributedGroupBy, MomentsDifferByRoundings) {
  std::vector<aggregation> moments;
  for (const auto s : {statistic::mean, statistic::var, statistic::stddev})
    for (const char* column : {"x", "y", "k", "n", "flag"}) moments.emplace_back(column, s);
  for (const char* column : {"x", "y"}) moments.emplace_back(column, statistic::sum);
  for_each_cut([&](const table& all, const table& part, const auto& keys) {
    const auto found = quern::distributed::group_by(test::world(), part, keys).aggregate(moments);
    test::expect_same_rows(all.group_by(keys).aggregate(moments), in_order(found, keys), rounding_of);
  });
}

/// Alone, and among others; twice of one column.
TEST(DistributedGroupBy, Medians) {
  const std::vector<aggregation> medians = {{"x", statistic::median}, {"again", "x", statistic::median}},
                                 mixed = {{"low", "x", statistic::min},
                                          {"half", "n", statistic::median},
                                          {"high", "x", statistic::max},
                                          {"k", statistic::median}};
  for_each_cut([&](const table& all, const table& part, const auto& keys) {
    for (const auto& results : {medians, mixed}) {
      const auto found = quern::distributed::group_by(test::world(), part, keys).aggregate(results);
      test::expect_same_rows(all.group_by(keys).aggregate(results), in_order(found, keys));
    }
  });
}

/// Every rank has its groups in order, and groups of equal keys of two calls are on one rank.
TEST(DistributedGroupBy, TheRankOfAGroupIsThatOfItsKey) {
  const auto& comm = test::world();
  const table of_rank = rows(100 * comm.rank(), 100 * comm.rank() + 100);
  table other;  // with keys of other types, and texts of other categories
  test::insert(other, "id", test::values_from<std::int64_t>(0, 10, [](std::int64_t i) { return i - 3; }));
  test::insert(other, "real", test::values_from<double>(0, 10, [](std::int64_t i) {
                 return i == 3 ? -0.0 : static_cast<double>(i - 3);
               }));
  std::vector<std::optional<std::string>> texts;
  for (std::int64_t i = 0; i < 7; ++i) texts.push_back("new " + std::to_string(i));
  for (std::int64_t i = 0; i < 3; ++i) texts.push_back(text_of_row(i));
  test::insert_texts(other, "name", texts);
  const auto cells = quern::distributed::group_by(comm, of_rank, "cell").aggregate({}),
             ids = quern::distributed::group_by(comm, other, "id").aggregate({});
  const auto found = test::contents(cells.column<std::int32_t>("cell"));
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()), test::contents(ids.column<std::int64_t>("id")));
  const auto reals = quern::distributed::group_by(comm, other, "real").aggregate({});
  EXPECT_EQ(std::vector<double>(found.begin(), found.end()), test::contents(reals.column<double>("real")));
  const auto names = quern::distributed::group_by(comm, of_rank, "name").aggregate({}),
             more = quern::distributed::group_by(comm, other, "name").aggregate({});
  const auto has = [](const table& t, const std::string& text) {
    for (const auto code : test::contents(t.column<std::int32_t>("name")))
      if (t.categories("name")[static_cast<std::size_t>(code)] == text) return true;
    return false;
  };
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(has(names, *text_of_row(i)), has(more, *text_of_row(i))) << i;
}

TEST(DistributedGroupBy, ADifferenceOfInfinitiesIsNoMissingSum) {
  const auto& comm = test::world();
  table t;
  test::insert(t, "key", std::vector<std::int32_t>{1, 1});
  test::insert(t, "x", comm.rank() == 0 ? std::vector<double>{INFINITY, -INFINITY} : std::vector<double>{1, 2});
  const auto found =
      test::gathered(comm, quern::distributed::group_by(comm, t, "key")
                               .aggregate({{"x", statistic::sum}, {"x", statistic::mean}, {"x", statistic::var}}));
  for (const char* name : {"x_sum", "x_mean", "x_var"})
    EXPECT_TRUE(std::isnan(test::numbers_of(found, name)[0])) << name;
}

/// Squares of which 16 digits are lost where means are not subtracted first.
TEST(DistributedGroupBy, VariancesOfDistantValues) {
  const auto& comm = test::world();
  table t;
  test::insert(t, "key", std::vector<std::int32_t>{4, 4});
  const double r = comm.rank(), p = comm.size();
  test::insert(t, "x", std::vector<double>{1e9 + 2 * r, 1e9 + 2 * r + 1});
  const auto found =
      test::gathered(comm, quern::distributed::group_by(comm, t, "key").aggregate({{"x", statistic::var}}));
  EXPECT_DOUBLE_EQ(2 * p * (2 * p + 1) / 12, test::numbers_of(found, "x_var")[0]);
}

TEST(DistributedGroupBy, NoRowsAtAll) {
  const auto& comm = test::world();
  const auto found = quern::distributed::group_by(comm, rows(0, 0), {"name", "at"})
                         .aggregate({{"x", statistic::mean}, {"n", statistic::median}, {"mark", statistic::first}});
  EXPECT_EQ(0, found.rows());
  EXPECT_EQ((std::vector<std::string>{"name", "at", "x_mean", "n_median", "mark_first"}), found.names());
}

/// Names that could be those of columns between.
TEST(DistributedGroupBy, AnyNames) {
  const auto& comm = test::world();
  table t;
  test::insert(t, "column x", std::vector<std::int32_t>{1, 2, 1});
  test::insert(t, "key 0", std::vector<double>{1, 2, 3});
  test::insert(t, "sum column x", std::vector<double>{10, 20, 30});
  const std::vector<aggregation> results = {{"key 1", "key 0", statistic::sum},
                                            {"column key 0", "sum column x", statistic::mean},
                                            {"in double key 0", "key 0", statistic::median}};
  const auto found = in_order(quern::distributed::group_by(comm, t, "column x").aggregate(results), {"column x"});
  EXPECT_EQ((std::vector<std::string>{"column x", "key 1", "column key 0", "in double key 0"}), found.names());
  EXPECT_EQ((std::vector<double>{4.0 * comm.size(), 2.0 * comm.size()}), test::numbers_of(found, "key 1"));
  EXPECT_EQ((std::vector<double>{20, 20}), test::numbers_of(found, "column key 0"));
  EXPECT_EQ((std::vector<double>{2, 2}), test::numbers_of(found, "in double key 0"));
}

/// What a rank cannot do alone, as for want of memory, keeps no other one waiting.
TEST(DistributedGroupBy, RanksFailTogether) {
  const auto& comm = test::world();
  const int last = comm.size() - 1;
  const auto run = [&](bool fails) {
    return quern::impl::succeed_together(comm, "operation", [&] {
      if (fails && comm.rank() == last) throw quern::CapacityError("inner", "no room", 5, 2);
      return 7;
    });
  };
  EXPECT_EQ(7, run(false));
  const quern::CapacityError inner("inner", "no room", 5, 2);
  test::expect_error("operation: on rank " + std::to_string(last) + ": " + inner.what(), [&] { run(true); });
}

TEST(DistributedGroupBy, Misuse) {
  const auto& comm = test::world();
  const table t = rows(0, 3);
  const std::string by = "quern::distributed::group_by: ", aggregate = "quern::distributed::TableGroups::aggregate: ";
  test::expect_error(by + "there is no key", [&] { quern::distributed::group_by(comm, t, quern::column_names()); });
  test::expect_error(by + "the name 'id' occurs twice", [&] { quern::distributed::group_by(comm, t, {"id", "id"}); });
  test::expect_error(by + "there is no column 'z'; the columns are 'cell', 'id'",
                     [&] { quern::distributed::group_by(comm, t.select({"cell", "id"}), "z"); });
  const auto groups = quern::distributed::group_by(comm, t.select({"id", "x", "mark"}), "id");
  test::expect_error(aggregate + "there is no column 'z'; the columns are 'id', 'x', 'mark'",
                     [&] { groups.aggregate({{"z", statistic::sum}}); });
  test::expect_error(aggregate + "the name 'id' occurs twice",
                     [&] { groups.aggregate({{"id", "x", statistic::sum}}); });
  test::expect_error(aggregate + "the column 'mark' holds text, which has no mean",
                     [&] { groups.aggregate({{"mark", statistic::mean}}); });
}

/// Also where calls are not checked, as what differs would be taken for something else, or awaited.
TEST(DistributedGroupBy, CallsThatDiffer) {
  const auto& comm = test::world();
  if (comm.size() == 1) return;
  const bool other = test::is_other(comm);
  const table t = rows(0, 3);
  const std::string by = "quern::distributed::group_by", aggregate = "quern::distributed::TableGroups::aggregate";
  test::expect_calls_differ(comm, by, by + " of id int64 by 'id'", by + " of cell int32 by 'cell'", [&] {
    const std::string key = other ? "cell" : "id";
    quern::distributed::group_by(comm, t.select({key}), key);
  });
  test::expect_calls_differ(comm, by, by + " of u float64 by 'u'", by + " of u float32 by 'u'", [&] {
    quern::distributed::group_by(comm, t.select({other ? "y" : "x"}).rename(other ? "y" : "x", "u"), "u");
  });
  const auto groups = quern::distributed::group_by(comm, t, "id");
  test::expect_calls_differ(comm, aggregate, aggregate + " of x_sum sum of x", aggregate + " of x_mean mean of x",
                            [&] { groups.aggregate({{"x", other ? statistic::mean : statistic::sum}}); });
}

}  // namespace
