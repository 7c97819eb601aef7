// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/chunks.md, as part of functions that a user might write around it.
// # 1

#include <unistd.h>

#include <filesystem>

#include "guide.hpp"

namespace {

void host_arrays(const space& exec) {
  const Kokkos::View<float*, Kokkos::SharedHostPinnedSpace> x("x", 1000), y("y", 1000), z("z", 1000);
  Kokkos::deep_copy(x, 1.0f);
  Kokkos::deep_copy(y, 2.0f);
  // # 2
  EXPECT_EQ(3000.0, total);
}

struct smooth_cell {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return 0.2 * (w(0, 0) + w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1));
  }
};

void files(const space& exec, const std::string& folder) {
  const smooth_cell smooth;
  const Kokkos::View<double**, Kokkos::LayoutRight> u("u", 500, 400);  // the order of the sink's elements
  Kokkos::deep_copy(u, 2.0);
  quern::files::write_npy(folder + "/big.npy", u);
  // # 3
  {
    // # 4
    EXPECT_EQ((std::vector<double>(200, 2.0)), test::contents(columns));
  }
  EXPECT_EQ(2.0, mean);
  EXPECT_EQ(0.0, var);
  EXPECT_NEAR(400000.0, quern::sum(quern::files::load_npy<Kokkos::View<double**>>(folder + "/smooth.npy")), 1e-6);
}

void functions(const space& exec) {
  const quern::chunking settings{.memory = 64'000'000};
  // # 5
  EXPECT_EQ(49999.0, largest);
  // # 6
  EXPECT_EQ(49999.0, greatest);
  EXPECT_EQ(49999.0 * 25000, sum);
}

TEST(Guides, Chunks) {
  std::string folder = (std::filesystem::temp_directory_path() / "quern-guide-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  const space exec;
  host_arrays(exec);
  files(exec, folder);
  functions(exec);
  std::filesystem::remove_all(folder);
}

}  // namespace
