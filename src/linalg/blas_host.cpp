// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The BLAS of the host.
#include "fortran.hpp"
#include "instantiate.hpp"
#include "letters.hpp"

namespace quern::impl::blas {

using fortran::routines;

template <class Exec>
bool available() {
  return true;
}

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          operand<const T> a, operand<const T> b, T beta, operand<T> c) {
  const fortran::threads_of<Exec> threads(exec);
  const auto narrowed = [](std::int64_t i) { return fortran::narrowed(i, "gemm"); };
  const int rows = narrowed(m), columns = narrowed(n), depth = narrowed(k), lda = narrowed(a.ld), ldb = narrowed(b.ld),
            ldc = narrowed(c.ld), one = 1;
  for (std::int64_t i = 0; i < batch; ++i) {
    const T *ai = a.data + i * a.next, *bi = b.data + i * b.next;
    T* ci = c.data + i * c.next;
    if (n == 1 && !b.transposed()) {  // a vector without gaps
      const int stored_rows = a.transposed() ? depth : rows, stored_columns = a.transposed() ? rows : depth;
      routines<T>::gemv(transposition(a.use), &stored_rows, &stored_columns, &alpha, ai, &lda, bi, &one, &beta, ci,
                        &one);
    } else if (m == 1 && b.use != form::adjoint && !a.transposed() && lda == 1 && ldc == 1) {
      const int stored_rows = b.transposed() ? columns : depth, stored_columns = b.transposed() ? depth : columns;
      routines<T>::gemv(b.transposed() ? "N" : "T", &stored_rows, &stored_columns, &alpha, bi, &ldb, ai, &one, &beta,
                        ci, &one);
    } else {
      routines<T>::gemm(transposition(a.use), transposition(b.use), &rows, &columns, &depth, &alpha, ai, &lda, bi, &ldb,
                        &beta, ci, &ldc);
    }
  }
}

template <class Exec, class T>
void trsm(const Exec& exec, side where, triangle_kind kind, std::int64_t m, std::int64_t n, operand<const T> a,
          operand<T> b) {
  const fortran::threads_of<Exec> threads(exec);
  const auto narrowed = [](std::int64_t i) { return fortran::narrowed(i, "trsm"); };
  const int rows = narrowed(m), columns = narrowed(n), lda = narrowed(a.ld), ldb = narrowed(b.ld);
  const T one(1);
  routines<T>::trsm(letter(where), triangle(kind), transposition(a.use), diagonal(kind), &rows, &columns, &one, a.data,
                    &lda, b.data, &ldb);
}

QUERN_ON_HOSTS(QUERN_BLAS_TYPES)

}  // namespace quern::impl::blas
