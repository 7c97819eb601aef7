// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices and triangular systems on devices, through Kokkos Kernels, which passes them on to the vendor's
// BLAS; batches directly.
#include <KokkosBlas2_gemv.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <KokkosBlas3_trsm.hpp>

#include "instantiate.hpp"
#include "letters.hpp"
#include "vendor.hpp"

namespace quern::impl::blas {
namespace {

template <class Exec, class T>
using matrix =
    Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class T>
using vector =
    Kokkos::View<T*, Kokkos::LayoutLeft, typename Exec::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A column-major matrix as a View: the first rows of one that has ld.
template <class Exec, class T>
matrix<Exec, T> view(T* data, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return Kokkos::subview(matrix<Exec, T>(data, ld, columns), std::pair<std::int64_t, std::int64_t>(0, rows),
                         Kokkos::ALL);
}
template <class Exec, class T>
matrix<Exec, T> view(const operand<T>& a, std::int64_t rows, std::int64_t columns) {
  return a.transposed() ? view<Exec>(a.data, columns, rows, a.ld) : view<Exec>(a.data, rows, columns, a.ld);
}
/// y = alpha A x + beta y; A is (m, k).
template <class Exec, class T>
void gemv(const Exec& exec, std::int64_t m, std::int64_t k, T alpha, const operand<const T>& a, const T* x, T beta,
          T* y) {
  KokkosBlas::gemv(exec, transposition(a.use), alpha, view<Exec>(a, m, k), vector<Exec, const T>(x, k), beta,
                   vector<Exec, T>(y, m));
}

}  // namespace

template <class Exec>
bool available() {
  return true;
}

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          operand<const T> a, operand<const T> b, T beta, operand<T> c) {
  if (batch > 1) return vendor::gemm(exec, batch, m, n, k, alpha, a, b, beta, c);
  // Vectors without gaps; others are matrices of one row or column.
  if (batch == 1 && n == 1 && !b.transposed()) return gemv(exec, m, k, alpha, a, b.data, beta, c.data);
  if (batch == 1 && m == 1 && b.use != form::adjoint && !a.transposed() && a.ld == 1 && c.ld == 1)
    return gemv(exec, n, k, alpha, {b.data, b.transposed() ? form::as_is : form::transposed, b.ld}, a.data, beta,
                c.data);
  KokkosBlas::gemm(exec, transposition(a.use), transposition(b.use), alpha, view<Exec>(a, m, k), view<Exec>(b, k, n),
                   beta, view<Exec>(c, m, n));
}

template <class Exec, class T>
void trsm(const Exec& exec, side where, triangle_kind kind, std::int64_t m, std::int64_t n, operand<const T> a,
          operand<T> b) {
  const std::int64_t rows = where == side::left ? m : n;
  KokkosBlas::trsm(exec, letter(where), triangle(kind), transposition(a.use), diagonal(kind), T(1),
                   view<Exec>(a.data, rows, rows, a.ld), view<Exec>(b.data, m, n, b.ld));
}

QUERN_ON_DEVICES(QUERN_BLAS_TYPES)

}  // namespace quern::impl::blas
