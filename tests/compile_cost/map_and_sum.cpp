// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

double run(const Kokkos::View<double*>& x, const Kokkos::View<double*>& y) {
  quern::map(x, KOKKOS_LAMBDA(double a, double b) { return a + b; }, x, y);
  return quern::sum(x);
}
