// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_IMPL_BLAS_HPP
#define QUERN_IMPL_BLAS_HPP

/// @file
/// What the compiled part of the `linalg` component does with a BLAS: Kokkos Kernels and, through it or beside it, the
/// vendor's. Its functions are instantiated for every execution space that Kokkos was built with and the four types of
/// a BLAS.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/config.hpp>
#include <type_traits>

namespace quern::impl::blas {

template <class T>
inline constexpr bool is_value =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Kokkos::complex<float>> ||
    std::is_same_v<T, Kokkos::complex<double>>;

/// Execution spaces that the compiled part knows.
template <class Exec>
inline constexpr bool is_space =
#ifdef KOKKOS_ENABLE_SERIAL
    std::is_same_v<Exec, Kokkos::Serial> ||
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::is_same_v<Exec, Kokkos::OpenMP> ||
#endif
#ifdef KOKKOS_ENABLE_CUDA
    std::is_same_v<Exec, Kokkos::Cuda> ||
#endif
#ifdef KOKKOS_ENABLE_HIP
    std::is_same_v<Exec, Kokkos::HIP> ||
#endif
    false;

/// Whether products of such Views may go to a BLAS in this installation.
template <class Exec, class C, class A, class B>
inline constexpr bool takes =
#ifdef QUERN_HAS_LINALG
    is_space<Exec> && is_value<C> && std::is_same_v<C, A> && std::is_same_v<C, B>;
#else
    false;
#endif

/// Whether Kokkos Kernels passes products of this execution space on to a BLAS that was made for it. What it has of its
/// own for hosts is slower than the kernels here.
template <class Exec>
bool available();

/// An operand of a product: the elements of a column-major matrix, which is transposed before it is used, and the
/// distance to that of the next item of a batch.
template <class T>
struct operand {
  T* data = nullptr;
  bool transposed = false;
  std::int64_t ld = 1;
  std::int64_t next = 0;
};

/// C = alpha A B + beta C for every item of a batch; C, (m, n), is not transposed. Asynchronous on `exec`.
template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          operand<const T> a, operand<const T> b, T beta, operand<T> c);

}  // namespace quern::impl::blas

#endif
