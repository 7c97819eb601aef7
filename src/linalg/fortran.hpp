// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_FORTRAN_HPP
#define QUERN_SRC_LINALG_FORTRAN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <quern/core/call/error.hpp>
#include <string>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

/// @file
/// Helpers for calls of a Fortran library on the host.

namespace quern::impl::fortran {

using complex_float = Kokkos::complex<float>;
using complex_double = Kokkos::complex<double>;

/// An argument of a routine, whose integers have 32 bits.
inline int narrowed(std::int64_t n, const char* routine) {
  if (n > std::numeric_limits<int>::max())
    throw Error(std::string("quern: ") + routine,
                "an extent or a size of memory is " + std::to_string(n) + ", and this LAPACK takes less than 2^31");
  return static_cast<int>(n);
}

/// While it exists, a BLAS that uses OpenMP runs on as many threads as the execution space has: on one beside Serial,
/// for example, and on the threads of a partitioned instance. It changes the calling thread's setting alone.
template <class Exec>
class threads_of {
 public:
  explicit threads_of([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
    omp_set_num_threads(std::max(1, static_cast<int>(exec.concurrency())));
#endif
  }
  ~threads_of() {
#ifdef KOKKOS_ENABLE_OPENMP
    omp_set_num_threads(before_);
#endif
  }
  threads_of(const threads_of&) = delete;
  threads_of& operator=(const threads_of&) = delete;

 private:
#ifdef KOKKOS_ENABLE_OPENMP
  int before_ = omp_get_max_threads();
#endif
};

}  // namespace quern::impl::fortran

#endif
