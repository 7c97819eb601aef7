// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of two tables over ranks side by side, beside those of two tables with all rows.

#include <distributed/table_parts.hpp>
#include <quern/distributed/merge.hpp>

namespace {

using quern::merge_how;
using quern::merge_options;
using test::nan;
using test::table;

const merge_how every_how[] = {merge_how::inner, merge_how::left, merge_how::right,
                               merge_how::full,  merge_how::semi, merge_how::anti};

std::optional<std::string> name_of_number(std::int64_t k) {
  if (k % 9 == 5) return {};
  return "name " + std::to_string(k % 9);
}
/// Some have no partner, on either side, and some have several; of each kind of key some are missing.
table left_rows(std::int64_t first, std::int64_t last) {
  table t;
  std::vector<std::optional<std::string>> names;
  for (std::int64_t i = first; i < last; ++i) names.push_back(name_of_number(i * 5 + i / 7));
  test::insert(t, "row", test::values_from<std::int64_t>(first, last, [](std::int64_t i) { return i; }));
  test::insert(t, "id", test::values_from<std::int32_t>(first, last, [](std::int64_t i) { return (i * 7) % 40 - 8; }));
  test::insert(t, "at", test::values_from<double>(first, last, [](std::int64_t i) {
                 return i % 8 == 1 ? nan : i % 8 == 2 ? -0.0 : 0.5 * static_cast<double>(i % 8);
               }));
  test::insert_texts(t, "name", names);
  test::insert(t, "flag", test::values_from<bool>(first, last, [](std::int64_t i) { return i % 3 == 1; }));
  test::insert(t, "x", test::values_from<double>(first, last, [](std::int64_t i) { return test::sample(i); }));
  return t;
}
table right_rows(std::int64_t first, std::int64_t last) {
  table t;
  std::vector<std::optional<std::string>> names;
  for (std::int64_t i = first; i < last; ++i) names.push_back(i % 10 == 3 ? "other" : name_of_number(4 * i + 2));
  test::insert_texts(t, "name", names);
  test::insert(t, "x", test::values_from<float>(first, last, [](std::int64_t i) { return test::sample(i, 4); }));
  test::insert(t, "partner", test::values_from<std::int32_t>(first, last, [](std::int64_t i) { return 1000 + i; }));
  test::insert(t, "key", test::values_from<std::int64_t>(first, last, [](std::int64_t i) { return (i * 11) % 35; }));
  test::insert(t, "place", test::values_from<float>(first, last, [](std::int64_t i) {
                 return i % 9 == 4 ? static_cast<float>(nan) : 0.5F * static_cast<float>(i % 9);
               }));
  test::insert(t, "flag", test::values_from<bool>(first, last, [](std::int64_t i) { return i % 2 == 0; }));
  return t;
}

/// The rows of all ranks in an order that nothing else gives: by the numbers of both rows.
table in_order(const table& t) {
  std::vector<quern::sort_key> keys = {"row"};
  if (t.contains("partner")) keys.emplace_back("partner");
  return t.sort_by(keys);
}
/// That what all ranks find is what one finds, for several numbers of rows, each with another distribution of them.
void expect_merge(const merge_options& options) {
  const auto& comm = test::world();
  const auto rank = static_cast<std::size_t>(comm.rank());
  auto distribution = static_cast<std::size_t>(options.how);
  for (const auto& [n, m] : {std::pair{1, 7}, {50, 30}, {200, 0}, {0, 3}}) {
    const auto left = test::cuts(n, comm.size())[distribution % 3],
               right = test::cuts(m, comm.size())[++distribution % 3];
    SCOPED_TRACE(std::to_string(n) + " and " + std::to_string(m) + " rows, of which this rank has those from " +
                 std::to_string(left[rank]) + " and " + std::to_string(right[rank]));
    const table all = in_order(left_rows(0, n).merge(right_rows(0, m), options));
    const auto found = quern::distributed::merge(comm, left_rows(left[rank], left[rank + 1]),
                                                 right_rows(right[rank], right[rank + 1]), options);
    test::expect_same_rows(all, in_order(test::gathered(comm, found)));
  }
}

/// Of different integers, of which a double is exact; integers become double where values are missing on any rank.
TEST(DistributedMerge, ByNumbersOfDifferentTypes) {
  for (const auto how : every_how) {
    expect_merge({.left_on = "id", .right_on = "key", .how = how});
    expect_merge({.left_on = "at", .right_on = "place", .how = how});
    expect_merge({.left_on = "id", .right_on = "place", .how = how});
  }
}
/// Which have other categories on each rank and in each table.
TEST(DistributedMerge, ByTexts) {
  for (const auto how : every_how) expect_merge({.on = "name", .how = how});
}
TEST(DistributedMerge, BySeveralKeysWithSuffixes) {
  for (const auto how : every_how) {
    expect_merge({.on = {"name", "flag"}, .how = how, .suffixes = {"", " of the partner"}});
    expect_merge({.left_on = {"at", "name", "id"}, .right_on = {"place", "name", "key"}, .how = how});
  }
}

/// The keys are the names that both have. Rows with missing keys meet, as those with others do.
TEST(DistributedMerge, ByCommonNames) {
  const auto& comm = test::world();
  table left, right;
  test::insert(left, "u", std::vector<double>{nan, 1.0 * comm.rank()});
  test::insert(left, "row", std::vector<std::int64_t>{2 * comm.rank(), 2 * comm.rank() + 1});
  test::insert(right, "u", comm.rank() == 0 ? std::vector<double>{nan} : std::vector<double>{});
  test::insert(right, "v", comm.rank() == 0 ? std::vector<double>{7} : std::vector<double>{});
  const auto found = in_order(test::gathered(comm, quern::distributed::merge(comm, left, right)));
  EXPECT_EQ((std::vector<std::string>{"u", "row", "v"}), found.names());
  EXPECT_EQ(std::vector<double>(static_cast<std::size_t>(comm.size()), 7), test::numbers_of(found, "v"));
  for (std::int64_t i = 0; i < found.rows(); ++i)
    EXPECT_EQ(2 * i, test::contents(found.column<std::int64_t>("row"))[static_cast<std::size_t>(i)]);
}

/// Pairs are in the order of the left rows, of which those of the first rank come first.
TEST(DistributedMerge, RowsKeepTheirOrder) {
  const auto& comm = test::world();
  table left, right;
  const std::int64_t first = 100 * comm.rank();
  const auto numbers = [&](const auto& f) { return test::values_from<std::int64_t>(first, first + 100, f); };
  test::insert(left, "row", numbers([](std::int64_t i) { return i; }));
  test::insert(left, "key", numbers([](std::int64_t i) { return i % 50; }));
  test::insert(right, "key", numbers([](std::int64_t i) { return 2 * i; }));
  const auto rows = test::contents(
      quern::distributed::merge(comm, left, right, {.on = "key", .how = merge_how::left}).column<std::int64_t>("row"));
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
}

TEST(DistributedMerge, Misuse) {
  const auto& comm = test::world();
  const table left = left_rows(0, 3), right = right_rows(0, 3);
  const auto expect = [&](const std::string& message, const merge_options& options) {
    test::expect_error("quern::distributed::merge: " + message,
                       [&] { quern::distributed::merge(comm, left, right, options); });
  };
  expect("there is no column 'z'; the columns are 'row', 'id', 'at', 'name', 'flag', 'x'", {.on = "z"});
  expect("keys are named by on, or by as many names of left_on and of right_on", {.on = "x", .left_on = "x"});
  expect("the column 'row' holds int64 and text", {.left_on = "row", .right_on = "name"});
  expect("the name 'flag' occurs twice", {.left_on = "id", .right_on = "key", .suffixes = {"", ""}});
}

/// Also where calls are not checked.
TEST(DistributedMerge, CallsThatDiffer) {
  const auto& comm = test::world();
  if (comm.size() == 1) return;
  const bool other = test::is_other(comm);
  const table left = left_rows(0, 3).select({"id", "at"}), right = right_rows(0, 3).select({"key", "place"});
  const std::string own = "quern::distributed::merge", of = own + " of id int32 at float64 and key int64 place float32";
  const std::string suffixes = " with suffixes '_x', '_y'";
  test::expect_calls_differ(
      comm, own, of + ", inner left_on 'id' right_on 'key'" + suffixes,
      of + ", left left_on 'id' right_on 'key'" + suffixes, [&] {
        quern::distributed::merge(
            comm, left, right, {.left_on = "id", .right_on = "key", .how = other ? merge_how::left : merge_how::inner});
      });
  test::expect_calls_differ(comm, own, own + " of id int32 and key int64, inner left_on 'id' right_on 'key'" + suffixes,
                            own + " of id float64 and key int64, inner left_on 'id' right_on 'key'" + suffixes, [&] {
                              const table part = other ? left.select("at").rename("at", "id") : left.select("id");
                              quern::distributed::merge(comm, part, right.select("key"),
                                                        {.left_on = "id", .right_on = "key"});
                            });
}

}  // namespace
