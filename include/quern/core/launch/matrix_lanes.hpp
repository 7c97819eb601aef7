// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_MATRIX_LANES_HPP
#define QUERN_CORE_LAUNCH_MATRIX_LANES_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Where 32 threads that follow each other in a team multiply small matrices of double together, by units that do
/// nothing else: on GPUs of NVIDIA from compute capability 8.0 on.
template <class Exec>
inline constexpr bool has_matrix_lanes = false;
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ARCH_KEPLER) && !defined(KOKKOS_ARCH_MAXWELL) && \
    !defined(KOKKOS_ARCH_PASCAL) && !defined(KOKKOS_ARCH_VOLTA) && !defined(KOKKOS_ARCH_TURING75)
template <>
inline constexpr bool has_matrix_lanes<Kokkos::Cuda> = true;
#endif

/// One of 32 lanes that add products of matrices of 4 rows and 8 columns. Lane l has row l % 4 and column l / 4 of each
/// of them, and of their sum of products, a^T b, row l / 4 and columns 2 (l % 4) and the next. All lanes call it.
struct matrix_lane {
  static constexpr int lanes = 32, rows = 4, columns = 8;
  int lane;

  KOKKOS_FORCEINLINE_FUNCTION void add_products(double (&sum)[2], double a, double b) const {
    static_cast<void>(sum), static_cast<void>(a), static_cast<void>(b);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(a), "d"(b));
#else
    Kokkos::abort("quern: a kernel multiplies matrices by lanes where they cannot");
#endif
  }
  /// Those of two matrices with b.
  KOKKOS_FORCEINLINE_FUNCTION void add_products(double (&first)[2], double (&second)[2], double a, double a2,
                                                double b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(first[0]), "+d"(first[1]), "+d"(second[0]), "+d"(second[1])
        : "d"(a), "d"(a2), "d"(b));
#else
    add_products(first, a, b);
    add_products(second, a2, b);
#endif
  }
};

}  // namespace quern::impl

#endif
