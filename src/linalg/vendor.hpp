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

/// The vendor's type of a number, `type`, and its routines for it.
template <class T>
struct names;

template <class T>
auto* vendor_pointer(T* p) {
  using V = typename names<std::remove_const_t<T>>::type;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(p);
}

}  // namespace quern::impl::vendor

#endif
