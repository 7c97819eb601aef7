// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program of three ranks, one of which throws or dies while the others wait for its cells.
#include <signal.h>

#include <Kokkos_Core.hpp>
#include <cstring>
#include <quern/distributed.hpp>
#include <stdexcept>

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const quern::Communicator comm(MPI_COMM_WORLD);
    quern::abort_on_exception(comm, [&] {
      const quern::Decomposition cut(comm, {12, 5}, {.halo = {1}});
      const quern::DistributedView<double, 2> u("u", cut);
      quern::HaloExchange exchange(Kokkos::DefaultExecutionSpace(), quern::boundary::wrap, u);
      exchange.exchange();
      if (comm.rank() == 1 && argc > 1 && std::strcmp(argv[1], "throw") == 0)
        throw std::runtime_error("the step is too large");
      if (comm.rank() == 1 && argc > 1 && std::strcmp(argv[1], "die") == 0) ::raise(SIGKILL);
      exchange.exchange();
    });
  }
  MPI_Finalize();
}
