// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_WINDOW_HPP
#define QUERN_TESTS_SUPPORT_WINDOW_HPP

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace test {

/// The cells around one of a contiguous array, for a stencil's functor that is called by the test itself.
template <class T>
struct window {
  const T* centre;
  std::int64_t row = 0, plane = 0;  // distances
  KOKKOS_FUNCTION T operator()(int j, int i) const { return centre[j * row + i]; }
  KOKKOS_FUNCTION T operator()(int k, int j, int i) const { return centre[k * plane + j * row + i]; }
};

}  // namespace test

#endif
