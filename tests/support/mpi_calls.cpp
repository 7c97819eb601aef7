// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mpi.h>

#include <support/mpi_calls.hpp>
#include <utility>

namespace test {
mpi_calls made_mpi_calls;
bool fail_next_mpi_wait = false;
}  // namespace test

using test::made_mpi_calls;

extern "C" {

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++made_mpi_calls.sends;
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  ++made_mpi_calls.receives;
  return PMPI_Irecv(to, count, type, from, tag, comm, request);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  ++made_mpi_calls.waits;
  const int status = PMPI_Waitall(count, requests, statuses);
  return std::exchange(test::fail_next_mpi_wait, false) ? MPI_ERR_OTHER : status;
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++made_mpi_calls.collectives;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++made_mpi_calls.collectives;
  return PMPI_Exscan(from, to, count, type, op, comm);
}
int MPI_Allgather(const void* from, int sent, MPI_Datatype sent_type, void* to, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  ++made_mpi_calls.collectives;
  return PMPI_Allgather(from, sent, sent_type, to, count, type, comm);
}
int MPI_Alltoall(const void* from, int sent, MPI_Datatype sent_type, void* to, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  ++made_mpi_calls.collectives;
  return PMPI_Alltoall(from, sent, sent_type, to, count, type, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++made_mpi_calls.collectives;
  return PMPI_Bcast(data, count, type, root, comm);
}

}  // extern "C"
