// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/fft.md, as part of functions that a user might write around it.
// # 1

#include "guide.hpp"

namespace {

using complex = Kokkos::complex<double>;

void along_one_axis(const space& exec) {
  const Kokkos::View<complex*> signal("signal", 10), spectrum("spectrum", 10), long_spectrum("long_spectrum", 64);
  quern::fill(exec, signal, complex(2));
  // # 2
  EXPECT_NEAR(2 * std::sqrt(10.0), test::contents(signal)[0].real(), 1e-14);
  const Kokkos::View<double*> real_signal("real_signal", 9);
  const Kokkos::View<complex*> half_spectrum("half_spectrum", 5);
  quern::fill(exec, real_signal, 3.0);
  // # 3
  EXPECT_NEAR(27, test::contents(half_spectrum)[0].real(), 1e-14);
  EXPECT_NEAR(3, test::contents(real_signal)[4], 1e-14);
  // # 4
  EXPECT_NEAR(2 * std::sqrt(10.0) * 10, test::contents(long_spectrum)[0].real(), 1e-12);
}

void along_several_axes(const space& exec) {
  const Kokkos::View<double***> field("field", 4, 6, 8);
  const Kokkos::View<complex***> waves("waves", 4, 6, 5), images("images", 3, 4, 5), images_there("there", 3, 4, 5);
  quern::fill(exec, field, 1.0);
  quern::fill(exec, images, complex(1));
  // # 5
  EXPECT_NEAR(4 * 6 * 8, test::contents(waves)[0].real(), 1e-12);
  EXPECT_NEAR(1, test::contents(field)[100], 1e-14);
  EXPECT_NEAR(3 * 5, test::contents(images_there)[0].real(), 1e-12);
  // # 6
  EXPECT_NEAR(4 * 6 * 8, test::contents(waves)[0].real(), 1e-12);
}

void on_top(const space& exec) {
  const Kokkos::View<double*> noisy("noisy", 100), smooth("smooth", 100), wave("wave", 16), slope("slope", 16);
  const auto window = on_device(std::vector<double>{0.25, 0.5, 0.25});
  const Kokkos::View<double***> field("field", 4, 6, 8), density("density", 4, 6, 8), potential("potential", 4, 6, 8);
  const Kokkos::View<double*> power("power", 5);
  const Kokkos::View<std::int64_t*> modes("modes", 5);
  quern::fill(exec, noisy, 1.0);
  quern::fill(exec, field, 3.0);
  quern::fill(exec, density, 1.0);
  // # 7
  EXPECT_NEAR(1, test::contents(smooth)[50], 1e-14);
  EXPECT_NEAR(0.75, test::contents(smooth)[0], 1e-14);
  EXPECT_NEAR(0, test::contents(slope)[3], 1e-14);
  EXPECT_NEAR(9, test::contents(power)[0], 1e-13);
  // # 8
  const auto u = test::contents(potential);
  EXPECT_NEAR(u[0], u[8], 1e-14);  // the same along the periodic axes
  EXPECT_LT(u[3], u[0]);
}

TEST(Guides, Fft) {
  along_one_axis(space());
  along_several_axes(space());
  on_top(space());
}

}  // namespace
