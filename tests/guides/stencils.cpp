// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/stencils.md, as part of functions that a user might write around it.
#include "guide.hpp"

namespace {

// # 1 types
// # 4 types
// # 6 types
// # 8 types
// # 12 types
// # 14 types

struct centre {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& w) const {
    return w(0, 0);
  }
};

void heat(const space& exec) {
  const int nz = 6, ny = 7, nx = 8;
  const double dz = 1, dy = 1, dx = 1, h = 1;
  Kokkos::View<double***> u("u", nz, ny, nx), next("next", nz, ny, nx), out("out", nz, ny, nx);
  const Kokkos::View<double***> gz("gz", nz, ny, nx), gy("gy", nz, ny, nx), gx("gx", nz, ny, nx), v("v", nz, ny, nx),
      w("w", nz, ny, nx);
  const Kokkos::View<double*> z("z", nz), x("x", nx);
  quern::arange(exec, z, 0, nz, 1);
  quern::arange(exec, x, 0, nx, 1);
  quern::fill(exec, u, 2.0);
  // # 1 statements
  EXPECT_NEAR(2.0, test::contents(next)[50], 1e-12);
  // # 3
  // # 9
  EXPECT_EQ(0.0, test::contents(gy)[50]);
  // # 10
  EXPECT_NEAR(2.0, hottest, 1e-12);
}

void flat(const space& exec) {
  const Kokkos::View<float**> in("in", 5, 6), out("out", 5, 6), photo("photo", 5, 6), blurred("blurred", 5, 6);
  const Kokkos::View<double**> u("u", 5, 6), conductivity("conductivity", 5, 6), fx("fx", 5, 6), wall("wall", 5, 6);
  const Kokkos::View<float*> down("down", 3), across("across", 3);
  quern::fill(exec, in, 1.0f);
  quern::fill(exec, photo, 1.0f);
  quern::fill(exec, down, 0.5f);
  quern::fill(exec, across, 0.5f);
  const centre f;
  // # 2
  EXPECT_EQ(1.0f, test::contents(out)[7]);
  // # 4 statements
  EXPECT_EQ(0.0, test::contents(wall)[0]);
  // # 5
  EXPECT_NEAR(1.0f, test::contents(blurred)[8], 1e-6);
  EXPECT_EQ(2.25f, test::contents(out)[8]);
}

void windows(const space& exec) {
  const Kokkos::View<float**> photo("photo", 5, 6), clean("clean", 5, 6), behind("behind", 5, 6),
      contrast("contrast", 5, 6);
  const Kokkos::View<unsigned char**> mask("mask", 5, 6), inside("inside", 5, 6);
  quern::fill(exec, Kokkos::subview(photo, Kokkos::ALL, 2), 1.0f);
  quern::fill(exec, mask, 7);
  // # 6 statements
  EXPECT_EQ(0.0f, test::contents(clean)[14]);
  EXPECT_EQ(0.0f, test::contents(behind)[14]);
  EXPECT_EQ(1.0f, test::contents(contrast)[13]);
  EXPECT_EQ(0, test::contents(inside)[6]);
  EXPECT_EQ(1, test::contents(inside)[7]);
}

void rolling(const space& exec) {
  const Kokkos::View<float*> price("price", 100), smooth("smooth", 100), highest("highest", 100), daily("daily", 5);
  const Kokkos::View<float**> readings("readings", 20, 3), level("level", 20, 3);
  const Kokkos::View<double*> rain("rain", 30), hourly("hourly", 30);
  const Kokkos::View<std::int64_t*> seconds("seconds", 30);
  for (const auto& v : {price, smooth}) quern::fill(exec, v, 2.0f);
  quern::fill(exec, readings, 4.0f);
  quern::fill(exec, rain, 1.0);
  quern::arange(exec, seconds, 0, 30 * 900, 900);
  // # 7
  EXPECT_EQ(2.0f, test::contents(smooth)[19]);
  EXPECT_NE(test::contents(smooth)[18], test::contents(smooth)[18]);
  EXPECT_EQ(2.0f, test::contents(highest)[0]);
  EXPECT_EQ(4.0f, test::contents(level)[6]);
  EXPECT_EQ(0.0f, test::contents(daily)[1]);
  EXPECT_EQ(4.0, test::contents(hourly)[29]);
}

void coordinates_of(const space& exec) {
  const Kokkos::View<float**> photo("photo", 4, 5), rotated("rotated", 4, 5);
  const Kokkos::View<float*> values("values", 3);
  const Kokkos::View<double**> coordinates("coordinates", 2, 3);
  quern::fill(exec, photo, 3.0f);
  quern::fill(exec, coordinates, 2.5);
  const double sine = 0.6, cosine = 0.8;
  // # 8 statements
  EXPECT_NEAR(3.0f, test::contents(rotated)[5], 1e-6);
  EXPECT_EQ(std::vector<float>(3, 3), test::contents(values));
}

void ghosts(const space& exec) {
  const Kokkos::View<double**> p("p", 8, 9), q("q", 8, 9), pressure("pressure", 6, 7), flow("flow", 7, 7),
      charge("charge", 6, 7), speed("speed", 4, 5), transported("transported", 4, 5);
  for (const auto& u : {p, q, flow, charge}) quern::fill(exec, u, 3.0);
  // # 11
  EXPECT_EQ(1.0, test::contents(p)[4 * 9 + 1]);
  EXPECT_EQ(3.0, test::contents(q)[4 * 9 + 8]);
  // # 12 statements
  EXPECT_EQ(1.5, test::contents(flow)[3]);
  EXPECT_EQ(-3.0, test::contents(flow)[6 * 7 + 3]);
  // # 13
  EXPECT_EQ(6.0, test::contents(charge)[7 + 2]);
  EXPECT_EQ(0.0, test::contents(charge)[2]);
  quern::fill(exec, speed, 2.0);
  // # 14 statements
  EXPECT_EQ(2.0, test::contents(transported)[0]);
}

}  // namespace

TEST(Guides, Stencils) {
  const space exec;
  heat(exec);
  flat(exec);
  windows(exec);
  rolling(exec);
  coordinates_of(exec);
  ghosts(exec);
}
