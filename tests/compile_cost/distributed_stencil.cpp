// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/stencil.hpp>

struct heat_step {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    return u(0, 0) + 0.1 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};

double run(const quern::DistributedView<double, 2>& next, const quern::DistributedView<double, 2>& u) {
  quern::stencil<quern::star<1>>(next, heat_step(), quern::boundary::wrap, u);
  return quern::sum(next);
}
