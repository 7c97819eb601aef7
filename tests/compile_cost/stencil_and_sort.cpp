// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/stencil/stencil.hpp>

struct mean_of_three {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return (w(-1) + w(0) + w(1)) / 3;
  }
};

void run(const Kokkos::View<double*>& x, const Kokkos::View<double*>& y) {
  quern::stencil<quern::star<1>>(x, mean_of_three(), quern::boundary::wrap, y);
  quern::sort(x);
}
