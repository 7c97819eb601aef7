// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics of the columns of all ranks beside those of one table with all rows.

#include <cmath>
#include <cstdint>
#include <distributed/world.hpp>
#include <limits>
#include <quern/distributed/describe.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using table = quern::Table<Exec>;

const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, class F>
auto column(std::int64_t first, std::int64_t last, const F& f) {
  std::vector<T> values;
  for (std::int64_t i = first; i < last; ++i) values.push_back(static_cast<T>(f(i)));
  return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({last - first}, values);
}
/// The rows from `first` on, of columns of all types, some of which have missing values and one nothing else.
table rows(std::int64_t first, std::int64_t last) {
  table t;
  const auto sample = [](std::int64_t i) { return test::sample(i); };
  t.insert("u", column<double>(first, last, [](std::int64_t i) { return i % 7 == 3 ? nan : 1e6 + test::sample(i); }));
  t.insert("f", column<float>(first, last, sample));
  t.insert("i", column<std::int32_t>(first, last, [](std::int64_t i) { return 100 * test::sample(i, 2); }));
  t.insert("k", column<std::int64_t>(first, last, [](std::int64_t i) { return i * i - 50 * i; }));
  t.insert("none", column<double>(first, last, [](std::int64_t) { return nan; }));
  t.insert("one", column<double>(first, last, [](std::int64_t i) { return i == 0 ? 2.5 : nan; }));
  t.insert("flag", column<bool>(first, last, [](std::int64_t i) { return i % 2 == 0; }));
  return t;
}
std::vector<double> values(const table& t, const std::string& name) { return test::contents(t.column<double>(name)); }

/// Of as many rows on each rank, of all on the last one, and of fewer rows than ranks.
TEST(DistributedDescribe, IsThatOfAllRows) {
  const auto& comm = test::world();
  const int rank = comm.rank(), ranks = comm.size();
  for (const std::int64_t n : {2, 100, 1009})
    for (const bool on_last : {false, true}) {
      const auto begin = [&](int r) { return on_last ? (r < ranks ? 0 : n) : n * r / ranks; };
      const table expected = rows(0, n).describe({0.1, 0.5, 1}),
                  found = quern::distributed::describe(comm, rows(begin(rank), begin(rank + 1)), {0.1, 0.5, 1});
      EXPECT_EQ(expected.names(), found.names());
      EXPECT_EQ(expected.select({"statistic"}).to_string(), found.select({"statistic"}).to_string());
      for (const std::string name : {"u", "f", "i", "k", "none", "one"}) {
        const auto e = values(expected, name), f = values(found, name);
        ASSERT_EQ(e.size(), f.size());
        for (std::size_t k = 0; k < e.size(); ++k) {
          const bool rounded = k == 1 || k == 2;  // the mean, and the standard deviation about it
          const double error = rounded ? 1e-15 * (std::abs(e[1]) + e[2]) : 0.0;
          EXPECT_TRUE(std::isnan(e[k]) ? std::isnan(f[k]) : e[k] == f[k] || std::abs(e[k] - f[k]) <= error)
              << n << ", " << name << ", " << k << ": " << e[k] << " and " << f[k];
        }
      }
    }
}

/// Sums of which are no numbers, though the means are.
TEST(DistributedDescribe, OfLargeNumbersAndInfinities) {
  const auto& comm = test::world();
  table t;
  t.insert("large", column<double>(0, 1, [](std::int64_t) { return 1e308; }));
  t.insert("infinite", column<double>(0, 1, [&](std::int64_t) { return comm.rank() == 0 ? INFINITY : 1.0; }));
  const table found = quern::distributed::describe(comm, t);
  const auto large = test::contents(found.column<double>("large"));
  EXPECT_EQ(1e308, large[1]);
  EXPECT_EQ(comm.size() > 1, large[2] == 0);  // there is none of one row
  EXPECT_EQ(INFINITY, test::contents(found.column<double>("infinite"))[1]);
}

TEST(DistributedDescribe, Misuse) {
  const auto& comm = test::world();
  test::expect_error("quern::distributed::describe: a quantile is 1.5, expected 0 to 1",
                     [&] { quern::distributed::describe(comm, rows(0, 3), {1.5}); });
  test::expect_error("quern::distributed::describe: there is no column of numbers",
                     [&] { quern::distributed::describe(comm, rows(0, 3).select({"flag"})); });
}

TEST(DistributedDescribe, ColumnsThatDiffer) {
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  test::expect_calls_differ(comm, "quern::distributed::describe", "quern::distributed::describe of u float64, 0.5",
                            "quern::distributed::describe of f float32, 0.5", [&] {
                              const table t = rows(0, 3).select({test::is_other(comm) ? "f" : "u"});
                              quern::distributed::describe(comm, t, {0.5});
                            });
}

}  // namespace
