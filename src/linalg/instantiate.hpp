// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_INSTANTIATE_HPP
#define QUERN_SRC_LINALG_INSTANTIATE_HPP

#include <quern/core/launch/compiled.hpp>
#include <quern/linalg/lapack.hpp>

// The functions that each glue file instantiates for its execution spaces.
#define QUERN_LINALG_TYPES(E, FUNCTIONS) \
  FUNCTIONS(E, float) FUNCTIONS(E, double) FUNCTIONS(E, Kokkos::complex<float>) FUNCTIONS(E, Kokkos::complex<double>)
#define QUERN_GEMM(E, T)                                                                                          \
  template void gemm(const E&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T, blas::operand<const T>, \
                     blas::operand<const T>, T, blas::operand<T>);
#define QUERN_BLAS(E, T) \
  QUERN_GEMM(E, T)       \
  template void trsm(const E&, side, triangle_kind, std::int64_t, std::int64_t, operand<const T>, operand<T>);
#define QUERN_BLAS_TYPES(E)     \
  template bool available<E>(); \
  QUERN_LINALG_TYPES(E, QUERN_BLAS)
#define QUERN_LAPACK(E, T)                                                                             \
  template void getrf(const E&, column_major<T>, int*, int*);                                          \
  template void getrs(const E&, column_major<const T>, const int*, column_major<T>);                   \
  template void potrf(const E&, column_major<T>, int*);                                                \
  template void geqrf(const E&, column_major<T>, T*);                                                  \
  template void orgqr(const E&, column_major<T>, std::int64_t, const T*);                              \
  template void svd(const E&, column_major<T>, real_type<T>*, column_major<T>, column_major<T>, int*); \
  template void eigh(const E&, column_major<T>, real_type<T>*, bool, int*);
#define QUERN_LAPACK_BATCH(E, T) template void eigh_batch(const E&, column_major<T>, real_type<T>*, bool, int*);

#endif
