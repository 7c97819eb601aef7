// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_VENDOR_HPP
#define QUERN_SRC_LINALG_VENDOR_HPP

/// @file
/// Functions of a vendor's libraries that Kokkos Kernels lacks: one glue file for each vendor.

#include <quern/linalg/blas.hpp>

namespace quern::impl::vendor {

/// As blas::gemm, for devices.
template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c);

}  // namespace quern::impl::vendor

#endif
