// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>

double run(const Kokkos::View<double*>& x, const Kokkos::View<double*>& y) {
  Kokkos::parallel_for("add", x.extent(0), KOKKOS_LAMBDA(int i) { x(i) += y(i); });
  double sum = 0;
  Kokkos::parallel_reduce("sum", x.extent(0), KOKKOS_LAMBDA(int i, double& s) { s += x(i); }, sum);
  return sum;
}
