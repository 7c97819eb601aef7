// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_PHILOX_HPP
#define QUERN_RANDOM_PHILOX_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// The keys of Philox's rounds. A kernel that carries them need not compute them.
struct philox_keys {
  std::uint32_t low[10], high[10];
  KOKKOS_FUNCTION explicit philox_keys(std::uint64_t key) {
    for (int r = 0; r < 10; ++r) {
      low[r] = static_cast<std::uint32_t>(key) + 0x9e3779b9u * r;
      high[r] = static_cast<std::uint32_t>(key >> 32) + 0xbb67ae85u * r;
    }
  }
};

/// Philox4x32-10: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC11, 2011). 128 random
/// bits as a function of a key and a counter, here the number of a block and of a stream: no state, and the same on
/// every machine. `Lanes` blocks from `block` on, beside each other for the vector units of hosts.
template <int Lanes>
KOKKOS_FORCEINLINE_FUNCTION void philox(const philox_keys& keys, std::uint64_t block, std::uint64_t stream,
                                        std::uint32_t (&c)[4][Lanes]) {
  for (int l = 0; l < Lanes; ++l) {
    c[0][l] = static_cast<std::uint32_t>(block + l);
    c[1][l] = static_cast<std::uint32_t>((block + l) >> 32);
    c[2][l] = static_cast<std::uint32_t>(stream);
    c[3][l] = static_cast<std::uint32_t>(stream >> 32);
  }
  for (int r = 0; r < 10; ++r)
    for (int l = 0; l < Lanes; ++l) {
      const std::uint64_t a = std::uint64_t{0xd2511f53} * c[0][l], b = std::uint64_t{0xcd9e8d57} * c[2][l];
      c[0][l] = static_cast<std::uint32_t>(b >> 32) ^ c[1][l] ^ keys.low[r];
      c[1][l] = static_cast<std::uint32_t>(b);
      c[2][l] = static_cast<std::uint32_t>(a >> 32) ^ c[3][l] ^ keys.high[r];
      c[3][l] = static_cast<std::uint32_t>(a);
    }
}

using philox_words = Kokkos::Array<std::uint32_t, 4>;

/// One block.
KOKKOS_FORCEINLINE_FUNCTION philox_words philox(const philox_keys& keys, std::uint64_t block, std::uint64_t stream) {
  std::uint32_t c[4][1];
  philox(keys, block, stream, c);
  return {c[0][0], c[1][0], c[2][0], c[3][0]};
}
KOKKOS_FUNCTION inline philox_words philox(std::uint64_t key, std::uint64_t block, std::uint64_t stream) {
  return philox(philox_keys(key), block, stream);
}

/// The middle of one of 2^52 (float: 2^23) equal parts of (0, 1), by the highest of 64 bits: never 0 or 1.
template <class T>
KOKKOS_FUNCTION T to_unit_interval(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) return (static_cast<T>(bits >> 41) + T(0.5)) * T(0x1p-23);
  else return (static_cast<T>(bits >> 12) + T(0.5)) * T(0x1p-52);
}

}  // namespace quern::impl

#endif
