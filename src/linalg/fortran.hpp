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
/// The routines of a BLAS and a LAPACK of the host, which are Fortran's, and helpers for their calls.

namespace quern::impl::fortran {

using complex_float = Kokkos::complex<float>;
using complex_double = Kokkos::complex<double>;

// Their declarations: p is the letter of the type T.
#define QUERN_ROUTINES(p, T, orthogonal)                                                                               \
  void p##gemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const T* alpha,      \
                const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc);          \
  void p##gemv_(const char* trans, const int* m, const int* n, const T* alpha, const T* a, const int* lda, const T* x, \
                const int* incx, const T* beta, T* y, const int* incy);                                                \
  void p##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,   \
                const T* alpha, const T* a, const int* lda, T* b, const int* ldb);                                     \
  void p##getrf_(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);                            \
  void p##getrs_(const char* trans, const int* n, const int* columns, const T* a, const int* lda, const int* pivots,   \
                 T* b, const int* ldb, int* info);                                                                     \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info);                                     \
  void p##geqrf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);      \
  void p##orthogonal##_(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,         \
                        const int* lwork, int* info);
#define QUERN_REAL_ROUTINES(p, T)                                                                                      \
  QUERN_ROUTINES(p, T, orgqr)                                                                                          \
  void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, T* vt, \
                 const int* ldvt, T* work, const int* lwork, int* iwork, int* info);                                   \
  void p##syevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,                 \
                 const int* lwork, int* iwork, const int* liwork, int* info);
#define QUERN_COMPLEX_ROUTINES(p, T, R)                                                                                \
  QUERN_ROUTINES(p, T, ungqr)                                                                                          \
  void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, R* s, T* u, const int* ldu, T* vt, \
                 const int* ldvt, T* work, const int* lwork, R* rwork, int* iwork, int* info);                         \
  void p##heevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, R* w, T* work,                 \
                 const int* lwork, R* rwork, const int* lrwork, int* iwork, const int* liwork, int* info);
extern "C" {
QUERN_REAL_ROUTINES(s, float)
QUERN_REAL_ROUTINES(d, double)
QUERN_COMPLEX_ROUTINES(c, complex_float, float)
QUERN_COMPLEX_ROUTINES(z, complex_double, double)
}

template <class T>
struct routines;
#define QUERN_TABLE(p, T, orthogonal, symmetric)    \
  template <>                                       \
  struct routines<T> {                              \
    static constexpr auto gemm = p##gemm_;          \
    static constexpr auto gemv = p##gemv_;          \
    static constexpr auto trsm = p##trsm_;          \
    static constexpr auto getrf = p##getrf_;        \
    static constexpr auto getrs = p##getrs_;        \
    static constexpr auto potrf = p##potrf_;        \
    static constexpr auto geqrf = p##geqrf_;        \
    static constexpr auto orgqr = p##orthogonal##_; \
    static constexpr auto gesdd = p##gesdd_;        \
    static constexpr auto syevd = p##symmetric##_;  \
  };
QUERN_TABLE(s, float, orgqr, syevd)
QUERN_TABLE(d, double, orgqr, syevd)
QUERN_TABLE(c, complex_float, ungqr, heevd)
QUERN_TABLE(z, complex_double, ungqr, heevd)
#undef QUERN_TABLE
#undef QUERN_ROUTINES
#undef QUERN_REAL_ROUTINES
#undef QUERN_COMPLEX_ROUTINES

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
