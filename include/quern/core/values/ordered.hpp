// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_ORDERED_HPP
#define QUERN_CORE_VALUES_ORDERED_HPP

#include <cstdint>
#include <quern/core/values/values.hpp>

namespace quern::impl {

/// Numbers as unsigned integers in the same order, NaN last; of half types, those of float.
template <class T>
struct ordered {
  using number = std::conditional_t<is_half<T>, float, T>;
  using key = std::conditional_t<(sizeof(number) > 4), std::uint64_t, std::uint32_t>;
  using pattern =
      std::conditional_t<sizeof(number) == 1, std::uint8_t,
                         std::conditional_t<sizeof(number) == 2, std::uint16_t,
                                            std::conditional_t<sizeof(number) == 4, std::uint32_t, std::uint64_t>>>;
  static_assert(std::is_arithmetic_v<number> && sizeof(number) <= 8,
                "quern: only real numbers of up to 64 bits have an order");
  static constexpr bool floating = std::is_floating_point_v<number>;
  static constexpr int bits = 8 * sizeof(number);
  static constexpr key nan = static_cast<pattern>(~pattern{0});  // no NaN, but the largest, for integers
  static constexpr key largest = nan - (floating ? 1 : 0);
  static constexpr pattern sign = pattern{1} << (bits - 1);

  KOKKOS_FUNCTION static key key_of(const T& v) {
    const auto x = static_cast<number>(v);
    const auto u = Kokkos::bit_cast<pattern>(x);
    if constexpr (floating) return is_nan(x) ? key{nan} : static_cast<pattern>(u & sign ? ~u : u | sign);
    else return std::is_signed_v<number> ? static_cast<pattern>(u ^ sign) : u;
  }
  KOKKOS_FUNCTION static number number_of(key k) {
    const auto u = static_cast<pattern>(k);
    if constexpr (floating) return Kokkos::bit_cast<number>(static_cast<pattern>(u & sign ? u ^ sign : ~u));
    else return Kokkos::bit_cast<number>(static_cast<pattern>(std::is_signed_v<number> ? u ^ sign : u));
  }
  KOKKOS_FUNCTION static bool is_nan_key(key k) { return floating && k == nan; }
};

}  // namespace quern::impl

#endif
