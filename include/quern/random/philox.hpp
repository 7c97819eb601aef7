// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_PHILOX_HPP
#define QUERN_RANDOM_PHILOX_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// Philox4x32-10: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC11, 2011). 128 random
/// bits as a function of a key and a counter, here the number of a block and of a stream: no state, and the same on
/// every machine.
KOKKOS_FUNCTION inline Kokkos::Array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t block,
                                                              std::uint64_t stream) {
  Kokkos::Array<std::uint32_t, 4> c{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                    static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * c[0], b = std::uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return c;
}

/// The middle of one of 2^52 (float: 2^23) equal parts of (0, 1), by the highest of 64 bits: never 0 or 1.
template <class T>
KOKKOS_FUNCTION T to_unit_interval(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) return (static_cast<T>(bits >> 41) + T(0.5)) * T(0x1p-23);
  else return (static_cast<T>(bits >> 12) + T(0.5)) * T(0x1p-52);
}

}  // namespace quern::impl

#endif
