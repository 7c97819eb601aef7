// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_LAPACK_HPP
#define QUERN_LINALG_LAPACK_HPP

/// @file
/// Factorizations of one matrix, in the compiled part of the `linalg` component: LAPACK on hosts, cuSOLVER and
/// rocSOLVER on devices, one glue file each, and one for what has none. Their functions are instantiated for the
/// execution spaces and types of `blas`. What they need of memory comes from the scratch pool; on devices they are
/// asynchronous unless the vendor's are not.
///
/// `info` is memory of the host that the device can write: 0, or what LAPACK says of a matrix without a result.

#include <quern/core/values/values.hpp>
#include <quern/linalg/blas.hpp>

namespace quern::impl {

/// A matrix whose columns are contiguous: element (i, j) is `data[i + j * ld]`.
template <class T>
struct column_major {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, ld = 1;

  KOKKOS_FUNCTION T& operator()(std::int64_t i, std::int64_t j) const { return data[i + j * ld]; }
  column_major first_columns(std::int64_t n) const { return {data, rows, n, ld}; }
  template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>)
  operator column_major<U>() const {  // NOLINT(google-explicit-constructor)
    return {data, rows, columns, ld};
  }
};

}  // namespace quern::impl

namespace quern::impl::lapack {

/// Whether this installation has a LAPACK for the execution space.
using blas::available;

/// P A = L U in place. Rows are exchanged as the pivots, which count from 1, say.
template <class Exec, class T>
void getrf(const Exec& exec, column_major<T> a, int* pivots, int* info);

/// B = A^-1 B from the factors of A.
template <class Exec, class T>
void getrs(const Exec& exec, column_major<const T> lu, const int* pivots, column_major<T> b);

/// A = L L^H of the lower triangle, in place; the upper is left alone.
template <class Exec, class T>
void potrf(const Exec& exec, column_major<T> a, int* info);

/// A = Q R: R in the upper triangle, reflections below it and in `tau`, of min(m, n) elements.
template <class Exec, class T>
void geqrf(const Exec& exec, column_major<T> a, T* tau);

/// The columns of Q from `reflections` that geqrf has left in the first columns of `a`.
template <class Exec, class T>
void orgqr(const Exec& exec, column_major<T> a, std::int64_t reflections, const T* tau);

/// A = U diag(s) Vt with m >= n, U of (m, n) and Vt of (n, n), or s alone where they have no data. Destroys A.
template <class Exec, class T>
void svd(const Exec& exec, column_major<T> a, real_type<T>* s, column_major<T> u, column_major<T> vt, int* info);

/// A v = v diag(w) for the lower triangle of A. The vectors v replace A where `vectors` is set; otherwise A is
/// destroyed.
template <class Exec, class T>
void eigh(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info);

/// Eigenvalues of many matrices, (n, n), side by side in `a`, (n, n items), with an `info` of each in memory of
/// the execution space.
template <class Exec, class T>
void eigh_batch(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info);

}  // namespace quern::impl::lapack

#endif
