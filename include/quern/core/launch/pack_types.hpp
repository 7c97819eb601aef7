// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_PACK_TYPES_HPP
#define QUERN_CORE_LAUNCH_PACK_TYPES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace quern::impl {

/// W contiguous elements that move as one instruction. One element may be of any size.
template <class T, int W>
struct alignas(W == 1 ? alignof(T) : W * sizeof(T)) pack {
  T value[W];
  KOKKOS_FUNCTION const T& operator[](int k) const { return value[k]; }
  KOKKOS_FUNCTION void set_first(const T& first) { value[0] = first; }
  KOKKOS_FUNCTION void set(int k, const T& v) { value[k] = v; }
};

/// A pack of values of less than 32 bits as it is loaded: in words, of which values are taken when they are used. As
/// values, each would have a register of its own from the load on.
template <class T, int W>
struct alignas(W * sizeof(T)) narrow_pack {
  static constexpr int in_word = 4 / sizeof(T), bits = 8 * sizeof(T);
  using U = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  std::uint32_t word[W / in_word];

  KOKKOS_FUNCTION T operator[](int k) const {
    return Kokkos::bit_cast<T>(static_cast<U>(word[k / in_word] >> bits * (k % in_word)));
  }
  KOKKOS_FUNCTION void set_first(const T& value) { word[0] = Kokkos::bit_cast<U>(value); }
};
template <class T, int W>
using loaded_pack = std::conditional_t<(sizeof(T) < 4 && W * sizeof(T) >= 4), narrow_pack<T, W>, pack<T, W>>;

}  // namespace quern::impl

#endif
