// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/distributed/halo_exchange.hpp>

void run(const quern::Communicator& comm, const quern::Decomposition::Block& own, const Kokkos::View<double**>& u,
         const Kokkos::View<double**>& v) {
  quern::HaloExchange exchange(Kokkos::DefaultExecutionSpace(), comm, own, quern::boundary::reflect, quern::depth{1});
  exchange.start(u, v);
  exchange.finish();
}
