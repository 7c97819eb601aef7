// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_UNROLLED_HPP
#define QUERN_CORE_LAUNCH_UNROLLED_HPP

#include <Kokkos_Core.hpp>
#include <utility>

namespace quern::impl {

/// A number that device code too may read as a constant.
template <int I>
struct constant_index {
  KOKKOS_FUNCTION constexpr operator int() const { return I; }
};

template <int Begin, class F, int... I>
KOKKOS_FORCEINLINE_FUNCTION void call_with_constants(const F& f, std::integer_sequence<int, I...>) {
  (f(constant_index<Begin + I>()), ...);
}
/// Calls f(Begin), ..., f(End - 1) with constants, since registers have no index.
template <int Begin, int End, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled([[maybe_unused]] const F& f) {
  if constexpr (Begin < End) call_with_constants<Begin>(f, std::make_integer_sequence<int, End - Begin>());
}

}  // namespace quern::impl

#endif
