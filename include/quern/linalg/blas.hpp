// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_BLAS_HPP
#define QUERN_LINALG_BLAS_HPP

/// @file
/// The BLAS calls of the compiled part of the component `linalg`: that of the host, or on devices Kokkos Kernels
/// and, through it or beside it, the vendor's. Its functions exist for every execution space that Kokkos was built with
/// and the four types of a BLAS, whether a BLAS is behind them or not: `available` tells.

#ifndef QUERN_USES_LINALG
#error "quern/linalg.hpp needs a target: target_link_libraries(<yours> Quern::linalg), or Quern::quern"
#endif

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/launch/compiled.hpp>
#include <type_traits>

namespace quern::impl::blas {

template <class T>
inline constexpr bool is_value =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Kokkos::complex<float>> ||
    std::is_same_v<T, Kokkos::complex<double>>;

/// Execution spaces that the compiled part knows.
#define QUERN_OR_SAME(Space) || std::is_same_v<Exec, Space>
template <class Exec>
inline constexpr bool is_space = false QUERN_ON_ALL(QUERN_OR_SAME);
#undef QUERN_OR_SAME

/// Whether products of such Views are what a BLAS takes.
template <class Exec, class C, class A, class B>
inline constexpr bool takes = is_space<Exec> && is_value<C> && std::is_same_v<C, A> && std::is_same_v<C, B>;

/// Whether this installation has a BLAS for the execution space, and with it a LAPACK.
template <class Exec>
bool available();

/// The form in which a column-major matrix is used.
enum class form { as_is, transposed, adjoint };

/// An operand of a product: the elements of a column-major matrix, its form, and the distance to that of the next item
/// of a batch.
template <class T>
struct operand {
  T* data = nullptr;
  form use = form::as_is;
  std::int64_t ld = 1;
  std::int64_t next = 0;

  bool transposed() const { return use != form::as_is; }
};

/// C = alpha A B + beta C for every item of a batch; C, (m, n), is not transposed. Asynchronous on `exec`.
template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          operand<const T> a, operand<const T> b, T beta, operand<T> c);

enum class side { left, right };

/// The kind of a triangular matrix: where its elements are stored, before it is transposed, and whether its diagonal,
/// which is then not read, consists of ones.
struct triangle_kind {
  bool upper = false;
  bool unit = false;
};

/// B = A^-1 B or B A^-1, with a triangular A and B, (m, n), which is not transposed. Asynchronous on `exec`.
template <class Exec, class T>
void trsm(const Exec& exec, side where, triangle_kind kind, std::int64_t m, std::int64_t n, operand<const T> a,
          operand<T> b);

}  // namespace quern::impl::blas

#endif
