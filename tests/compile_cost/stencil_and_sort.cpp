// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/stencil/stencil.hpp>

void run(const Kokkos::View<double*>& x, const Kokkos::View<double*>& y) {
  quern::stencil<quern::star<1>>(
      x, KOKKOS_LAMBDA(const auto& w) { return (w(-1) + w(0) + w(1)) / 3; }, quern::boundary::wrap, y);
  quern::sort(x);
}
