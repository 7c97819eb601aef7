// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of tables that move to other ranks.

#include <distributed/table_parts.hpp>
#include <quern/distributed/migrate_table.hpp>

namespace {

namespace distributed = quern::distributed;
using test::table;

/// Row i of rank r is number 1000 r + i; rank 1 has none.
std::int64_t rows_of(int r) { return r == 1 ? 0 : 5 * r + 3; }
std::int64_t destination_of(int r, std::int64_t i, int ranks) { return (7 * i + 3 * r) % (ranks + 1) - 1; }
template <class F>
table table_of(const std::vector<std::int64_t>& numbers, const F& text) {
  table t;
  const auto column = [&]<class T>(T, const char* name, const auto& f) {
    std::vector<T> values;
    for (const auto n : numbers) values.push_back(static_cast<T>(f(n)));
    test::insert(t, name, values);
  };
  std::vector<std::optional<std::string>> texts;
  for (const auto n : numbers) texts.push_back(text(n));
  column(std::int64_t(), "number", [](std::int64_t n) { return n; });
  column(bool(), "flag", [](std::int64_t n) { return n % 3 == 0; });
  column(double(), "x", [](std::int64_t n) { return n % 5 == 1 ? test::nan : 0.5 * static_cast<double>(n); });
  test::insert_texts(t, "text", texts);
  column(float(), "y", [](std::int64_t n) { return 0.25 * static_cast<double>(n); });
  column(std::int32_t(), "i", [](std::int64_t n) { return -n; });
  return t;
}
/// Texts that differ from rank to rank, and missing ones.
std::optional<std::string> text_of(std::int64_t n) {
  if (n % 4 == 2) return {};
  return std::to_string(n % 7) + " of " + std::to_string(n / 1000 % 3);
}

template <class T>
void expect_rows_of_ranks() {
  const auto& comm = test::world();
  std::vector<std::int64_t> mine, expected;
  std::vector<T> destination;
  for (int r = 0; r < comm.size(); ++r)
    for (std::int64_t i = 0; i < rows_of(r); ++i) {
      const std::int64_t to = destination_of(r, i, comm.size());
      if (r == comm.rank()) {
        mine.push_back(1000 * r + i);
        destination.push_back(static_cast<T>(to));
      }
      if (to == comm.rank()) expected.push_back(1000 * r + i);
    }
  const table found = distributed::migrate(comm, test::column_of(destination), table_of(mine, text_of));
  test::expect_same_rows(table_of(expected, text_of), found);
  test::gathered(comm, found);  // with the same categories on all ranks
}
TEST(DistributedMigrateTable, RowsKeepTheirOrder) {
  expect_rows_of_ranks<std::int32_t>();
  expect_rows_of_ranks<std::int64_t>();
}

TEST(DistributedMigrateTable, OfStridedColumnsAndParts) {
  const auto& comm = test::world();
  const Kokkos::View<double**, Kokkos::LayoutRight, test::space> points("points", 10, 3);
  Kokkos::deep_copy(points, 1.0 + comm.rank());
  table t;
  t.insert("y", Kokkos::subview(points, Kokkos::ALL(), 1));
  const std::vector<std::int32_t> next(4, (comm.rank() + 1) % comm.size());
  const table found = distributed::migrate(comm, test::column_of(next), t.slice(3, 7));
  const double before = (comm.rank() + comm.size() - 1) % comm.size();
  EXPECT_EQ(std::vector<double>(4, 1 + before), test::contents(found.column<double>("y")));
}

TEST(DistributedMigrateTable, NoRowsAndNoColumns) {
  const auto& comm = test::world();
  const auto nowhere = test::column_of(std::vector<std::int32_t>{});
  EXPECT_EQ(0, distributed::migrate(comm, nowhere, table_of({}, text_of)).rows());
  EXPECT_TRUE(distributed::migrate(comm, nowhere, table()).names().empty());
}

TEST(DistributedMigrateTable, Misuse) {
  const auto& comm = test::world();
  const std::string own = "quern::distributed::migrate";
  const table t = table_of({1, 2}, text_of);
  const std::string on = own + ": on rank " + std::to_string(comm.size() - 1) + ": ";
  const bool last = comm.rank() == comm.size() - 1;
  test::expect_error(on + "there are 1 destinations, expected one for each of the 2 rows", [&] {
    distributed::migrate(comm, test::column_of(std::vector<std::int32_t>(last ? 1 : 2, 0)), t);
  });
  test::expect_error(
      on + "a destination is " + std::to_string(comm.size()) + ", expected -1 to " + std::to_string(comm.size() - 1),
      [&] { distributed::migrate(comm, test::column_of(std::vector<std::int64_t>{0, last ? comm.size() : 0}), t); });
  if (comm.size() == 1) return;
  test::expect_calls_differ(comm, own, own + " of x float64", own + " of i int32", [&] {
    distributed::migrate(comm, test::column_of(std::vector<std::int32_t>{0, 0}),
                         t.select(test::is_other(comm) ? "i" : "x"));
  });
}

}  // namespace
