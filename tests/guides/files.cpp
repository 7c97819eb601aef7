// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/files.md, as part of functions that a user might write around it.
// # 1

#include <unistd.h>

#include <filesystem>

#include "guide.hpp"

namespace {

void npy(const std::string& folder) {
  const Kokkos::View<double**> u("u", 20, 30);
  Kokkos::deep_copy(u, 2.5);
  const Kokkos::View<float**> as_floats("floats", 20, 30);
  // # 2
  EXPECT_EQ(1500.0, quern::sum(v));
  EXPECT_EQ(1500.0f, quern::sum(as_floats));
  EXPECT_EQ("float64 (20, 30)", info.type.str() + " " + info.extents.str());
}

void write_hdf5(const std::string& folder) {
  const Kokkos::View<double**> u("u", 20, 30);
  Kokkos::deep_copy(u, 2.5);
  // # 3
}

void read_hdf5(const std::string& folder) {
  // # 4
  EXPECT_EQ(150.0, quern::sum(part));
  EXPECT_EQ(0.5, time);
}

void over_time(const std::string& folder) {
  const Kokkos::View<double**> u("u", 20, 30);
  // # 5
  EXPECT_TRUE(std::filesystem::exists(folder + "/heat.xdmf"));
}

TEST(Guides, Files) {
  std::string folder = (std::filesystem::temp_directory_path() / "quern-guide-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  npy(folder);
  try {
    write_hdf5(folder);
    read_hdf5(folder);
    over_time(folder);
  } catch (const quern::files::FileError& e) {
    EXPECT_NE(nullptr, std::strstr(e.what(), "built without HDF5")) << e.what();
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
