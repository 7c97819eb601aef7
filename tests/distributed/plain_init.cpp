// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that called MPI_Init, with blocks of its own: each rank gets the cells of its neighbours.
#include <cstdio>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/map.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const quern::Communicator comm(MPI_COMM_WORLD);
    quern::abort_on_exception(comm, [&] {
      const Kokkos::DefaultExecutionSpace exec;
      const Kokkos::View<double*> u("u", 7);
      quern::fill(exec, u, comm.rank());
      quern::HaloExchange exchange(exec, comm, {{5 * comm.rank()}, {5}}, quern::boundary::wrap, quern::depth{1});
      exchange.exchange(u);
      exec.fence();
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
      const int before = (comm.rank() + comm.size() - 1) % comm.size(), behind = (comm.rank() + 1) % comm.size();
      if (found(0) == before && found(6) == behind) std::printf("rank %d has its neighbours' cells\n", comm.rank());
    });
  }
  MPI_Finalize();
}
