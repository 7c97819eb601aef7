// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_MPI_CALLS_HPP
#define QUERN_TESTS_SUPPORT_MPI_CALLS_HPP

/// @file
/// What a program asks of MPI, through MPI's profiling interface. One source of the program is mpi_calls.cpp.

#include <support/call_ref.hpp>

namespace test {

/// Calls that this rank has made.
struct mpi_calls {
  int sends = 0, receives = 0, waits = 0;
  int collectives = 0;  // those in which values go between ranks, each as one

  friend bool operator==(const mpi_calls&, const mpi_calls&) = default;
};
extern mpi_calls made_mpi_calls;
/// Makes the next wait for messages report an error, when these have come.
extern bool fail_next_mpi_wait;

/// The calls that `f` makes.
inline mpi_calls mpi_calls_of(const call_ref<>& f) {
  made_mpi_calls = {};
  f();
  return made_mpi_calls;
}

}  // namespace test

#endif
