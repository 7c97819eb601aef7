// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_INSTANTIATE_HPP
#define QUERN_SRC_LINALG_INSTANTIATE_HPP

#include <quern/core/launch/compiled.hpp>
#include <quern/linalg/lapack.hpp>

// The functions that each glue file instantiates for its execution spaces, of the types of matrices.
#define QUERN_LINALG_TYPES(E, FUNCTIONS) QUERN_OF_MATRICES(E, , FUNCTIONS)
#define QUERN_GEMM(HOW, E, T)                                                                                         \
  HOW template void gemm(const E&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T, blas::operand<const T>, \
                         blas::operand<const T>, T, blas::operand<T>);
#define QUERN_BLAS(HOW, E, T) \
  QUERN_GEMM(HOW, E, T)       \
  HOW template void trsm(const E&, side, triangle_kind, std::int64_t, std::int64_t, operand<const T>, operand<T>);
#define QUERN_BLAS_TYPES(E)     \
  template bool available<E>(); \
  QUERN_LINALG_TYPES(E, QUERN_BLAS)
#define QUERN_LAPACK(HOW, E, T)                                                                            \
  HOW template void getrf(const E&, column_major<T>, int*, int*);                                          \
  HOW template void getrs(const E&, column_major<const T>, const int*, column_major<T>);                   \
  HOW template void potrf(const E&, column_major<T>, int*);                                                \
  HOW template void geqrf(const E&, column_major<T>, T*);                                                  \
  HOW template void orgqr(const E&, column_major<T>, std::int64_t, const T*);                              \
  HOW template void svd(const E&, column_major<T>, real_type<T>*, column_major<T>, column_major<T>, int*); \
  HOW template void eigh(const E&, column_major<T>, real_type<T>*, bool, int*);
#define QUERN_LAPACK_BATCH(HOW, E, T) \
  HOW template void eigh_batch(const E&, column_major<T>, real_type<T>*, bool, int*);

#endif
