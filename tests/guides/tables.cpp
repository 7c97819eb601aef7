// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/tables.md, as part of functions that a user might write around it.
#include <filesystem>
#include <limits>
#include <quern/table.hpp>

#include "guide.hpp"

namespace guide {

// # 1
struct is_charged {
  KOKKOS_FUNCTION bool operator()(double q) const { return Kokkos::abs(q) > 0; }
};

struct is_missing {
  KOKKOS_FUNCTION bool operator()(double v) const { return v != v; }
};

void tables(const space& exec) {
  const auto cell = on_device<std::int64_t>({0, 1, 0, 1});
  const auto mass = on_device<double>({3, 5, 3, 1});
  const auto charge = on_device<double>({std::numeric_limits<double>::quiet_NaN(), -1, 1, 0});
  const auto kind = on_device<std::int32_t>({0, 1, 1, -1});
  // # 2
  EXPECT_EQ("   cell  mass  charge\n0     1   5.0    -1.0\n1     0   3.0     NaN", heavy.to_string());
  // # 3
  EXPECT_EQ(12, total);
  // # 4
  EXPECT_EQ("electron", first);
  // # 5
  EXPECT_EQ("   cell  charge\n0     1    -1.0\n1     0     1.0", ions.to_string());
  // # 6
  EXPECT_EQ(6, particles.describe({0.5}).rows());
  // # 7
  EXPECT_EQ(4, sorted.rows());
  EXPECT_EQ("   cell  mass_sum  largest\n0     0       6.0      3.0\n1     1       6.0      5.0", of_cells.to_string());
  // # 8
  EXPECT_EQ("   cell  electron  proton\n0     0       3.0     3.0\n1     1       NaN     5.0", by_kind.to_string());
  // # 9
  EXPECT_EQ("   mass_mean\n0        NaN\n1        4.0\n2        4.0\n3        2.0", smooth.to_string());
  quern::Table cells(exec);
  cells.insert("cell", on_device<std::int64_t>({1, 2})).insert("volume", on_device<double>({8, 9}));
  // # 10
  EXPECT_TRUE(quern::any(exec, quern::lazy(is_missing(), with_volume.column<double>("volume"))));
  EXPECT_EQ("   cell  volume\n0     2     9.0", empty_cells.to_string());
  EXPECT_EQ(5, all.rows());
  quern::Table samples(exec), states(exec);
  samples.insert("time", on_device<double>({1, 2})).insert("sensor", on_device<std::int64_t>({1, 1}));
  states.insert("time", on_device<double>({0.75, 1.25})).insert("sensor", on_device<std::int64_t>({1, 2}));
  states.insert("state", on_device<double>({5, 6}));
  // # 11
  EXPECT_EQ("   time  sensor  state\n0   1.0       1    5.0\n1   2.0       1    NaN", at_times.to_string());
  std::string folder = (std::filesystem::temp_directory_path() / "quern-tables-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  // # 12
  quern::Table with_charged = particles;
  with_charged.insert("charged", charged);
  quern::write_csv(folder + "/particles.csv", with_charged);
  // # 13
  EXPECT_EQ(0, charge_of_all);
  EXPECT_EQ(with_charged.describe().to_string(), of_all.to_string());
  EXPECT_EQ("       kind  mass_mean  mass_std\n0  electron        3.0       NaN\n1    proton        4.0  1.414214",
            of_kinds.to_string());
  // # 14
  EXPECT_EQ("     kind  mass_max\n0  proton       5.0", heaviest.to_string());
  // # 15
  EXPECT_EQ(3, middle);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(sorted.drop("cell").to_string(), back.drop("cell").to_string());
  EXPECT_EQ(quern::column_type::int32, back.type("cell"));
  // # 16
  EXPECT_EQ(particles.to_string(), same.to_string());
}

}  // namespace guide

TEST(Guides, Tables) { guide::tables(space()); }
