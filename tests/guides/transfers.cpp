// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/transfers.md, as part of functions that a user might write around it.
// # 1

#include "guide.hpp"

namespace {

constexpr std::size_t ny = 20, nx = 30;

void copies(const space& exec) {
  std::vector<float> samples(ny * nx, 1.5f);
  const Kokkos::View<double**> on_device("on device", ny, nx);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> with_ghosts("with ghosts", ny + 2, nx + 2);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> result("result", ny, nx);
  // # 2
  exec.fence();
  EXPECT_EQ(1.5, with_ghosts(ny, nx));
  EXPECT_EQ(0.0, with_ghosts(0, 1));
  // # 3
  EXPECT_EQ(900.0, total);
  EXPECT_EQ(1.5, result(19, 29));
}

void mirrors(const space& exec) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> host_field("field", ny, nx);
  Kokkos::deep_copy(host_field, 3.0);
  // # 4
  exec.fence();
  EXPECT_EQ(6.0, host_field(19, 29));
}

void pools(const space& exec) {
  // # 5
  EXPECT_EQ(600u, again.size());
  EXPECT_GE(used.in_use, 4800u);
  EXPECT_GE(used.reuses, 1);
}

void texts() {
  const auto on_device = ::on_device(std::vector<double>{0, 0.5, 1});
  // # 6
  EXPECT_NE(std::string::npos, text.find("float64 (3), Layout"));
  EXPECT_NE(std::string::npos, text.find("\n[0.  0.5 1. ]"));
}

TEST(Guides, Transfers) {
  const space exec;
  copies(exec);
  mirrors(exec);
  pools(exec);
  texts();
}

}  // namespace
