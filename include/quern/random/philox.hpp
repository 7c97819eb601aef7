// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_PHILOX_HPP
#define QUERN_RANDOM_PHILOX_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <quern/random/word_lanes.hpp>

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
/// every machine. Of N blocks, or vectors of them, side by side; of words of 64 bits the upper halves do not count.
template <class Words, int N>
KOKKOS_FORCEINLINE_FUNCTION void philox_rounds(const philox_keys& keys, Words (&c)[4][N]) {
  for (int r = 0; r < 10; ++r)
    for (int i = 0; i < N; ++i) {
      const auto a = low_product(c[0][i], 0xd2511f53), b = low_product(c[2][i], 0xcd9e8d57);
      c[0][i] = (Words)(b >> 32) ^ c[1][i] ^ keys.low[r];
      c[1][i] = (Words)b;
      c[2][i] = (Words)(a >> 32) ^ c[3][i] ^ keys.high[r];
      c[3][i] = (Words)a;
    }
}

/// `Count` blocks from `block` on, for the vector units of hosts.
template <int Count>
void philox(const philox_keys& keys, std::uint64_t block, std::uint64_t stream, std::uint64_t (&words)[4][Count]) {
  constexpr int lanes = sizeof(word_lanes) / sizeof(std::uint64_t), together = 2;
  static_assert(Count % (together * lanes) == 0);
  std::uint64_t first[together * lanes];
  for (int i = 0; i < together * lanes; ++i) first[i] = block + i;
  word_lanes number[together];
  std::memcpy(number, first, sizeof(number));
  for (int l = 0; l < Count; l += together * lanes) {
    word_lanes c[4][together];
    for (int i = 0; i < together; ++i) {
      c[0][i] = number[i];
      c[1][i] = number[i] >> 32;
      c[2][i] = word_lanes{} + stream;
      c[3][i] = word_lanes{} + (stream >> 32);
      number[i] += together * lanes;
    }
    philox_rounds(keys, c);
    for (int w = 0; w < 4; ++w)
      for (int i = 0; i < together; ++i) std::memcpy(words[w] + l + i * lanes, &c[w][i], sizeof(word_lanes));
  }
}

using philox_words = Kokkos::Array<std::uint32_t, 4>;

/// One block.
KOKKOS_FORCEINLINE_FUNCTION philox_words philox(const philox_keys& keys, std::uint64_t block, std::uint64_t stream) {
  std::uint32_t c[4][1] = {{static_cast<std::uint32_t>(block)},
                           {static_cast<std::uint32_t>(block >> 32)},
                           {static_cast<std::uint32_t>(stream)},
                           {static_cast<std::uint32_t>(stream >> 32)}};
  philox_rounds(keys, c);
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
