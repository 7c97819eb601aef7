// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mpi.h>

#include "support/ranks.hpp"

namespace bench {

ranks::ranks(int& argc, char**& argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}
ranks::~ranks() { MPI_Finalize(); }

int ranks::count() {
  int n;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}
bool ranks::reports() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
double ranks::most(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return x;
}

}  // namespace bench
