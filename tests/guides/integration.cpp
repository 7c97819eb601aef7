// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/integration.md, as part of functions that a user might write around it.
#include "guide.hpp"

namespace {

// # 1
// # 2 types

struct cube {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x * x * x;
  }
};

void functions(const space& exec) {
  const cube f;
  // # 2 statements
  EXPECT_NEAR(0.658758, mass, 1e-5);
  // # 3
  EXPECT_NEAR(mass, fine, 1e-6);
  EXPECT_NEAR(mass, same, 1e-12);
  EXPECT_NEAR(0.25f, single, 1e-5);
  // # 4
  EXPECT_NEAR(0.25, r.value, 1e-9);
}

void samples_of(const space& exec) {
  const double dx = 0.5;
  const Kokkos::View<double*> force("force", 5), out("out", 3), abscissae("abscissae", 5);
  const Kokkos::View<double**> samples("samples", 3, 5), sums("sums", 3, 5);
  quern::fill(exec, force, 2.0);
  quern::copy(exec, abscissae, on_device<double>({0, 1, 2, 4, 5}));
  quern::fill(exec, samples, 1.0);
  // # 5
  EXPECT_EQ(4.0, work);
  EXPECT_EQ(1.0, test::contents(sums)[10]);
}

}  // namespace

TEST(Guides, Integration) {
  const space exec;
  functions(exec);
  samples_of(exec);
}
