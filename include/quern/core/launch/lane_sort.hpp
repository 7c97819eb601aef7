// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_LANE_SORT_HPP
#define QUERN_CORE_LAUNCH_LANE_SORT_HPP

/// @file
/// Sorting networks for the registers of one thread and of the lanes of a warp.

#include <quern/core/launch/unrolled.hpp>

namespace quern::impl {

/// The smaller key to a, the larger one to b.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void order_two(Key& a, Key& b) {
  const bool exchanged = b < a;  // one comparison, which takes two instructions where keys have 64 bits
  const Key low = exchanged ? b : a;
  b = exchanged ? a : b;
  a = low;
}

/// The exchanges of Batcher's merge exchange sort of N values (Knuth, The Art of Computer Programming 3, 5.2.2,
/// algorithm M), for N that need not be powers of two.
template <int N>
struct exchange_list {
  int count = 0, first[N * N + 1] = {}, second[N * N + 1] = {};

  constexpr exchange_list() {
    int top = 1;
    while (2 * top < N) top *= 2;
    for (int p = top; p > 0 && N > 1; p /= 2)
      for (int q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
        for (int i = 0; i + d < N; ++i)
          if ((i & p) == r) {
            first[count] = i;
            second[count++] = i + d;
          }
        if (q == p) break;
      }
  }
};
template <int N>
inline constexpr exchange_list<N> exchanges;

/// Sorts the N registers from First on.
template <int First, int N, class Key, int M>
KOKKOS_FORCEINLINE_FUNCTION void sort_registers(Key (&k)[M]) {
  unrolled<0, exchanges<N>.count>([&](auto e) {
    constexpr int i = First + exchanges<N>.first[e], j = First + exchanges<N>.second[e];
    order_two(k[i], k[j]);
  });
}
/// The same for a bitonic sequence: halves as long as its length is even, and then any sort.
template <int First, int N, class Key, int M>
KOKKOS_FORCEINLINE_FUNCTION void merge_bitonic(Key (&k)[M]) {
  if constexpr (N % 2 == 1) {
    sort_registers<First, N>(k);
  } else {
    unrolled<0, N / 2>([&](auto i) { order_two(k[First + i], k[First + i + N / 2]); });
    merge_bitonic<First, N / 2>(k);
    merge_bitonic<First + N / 2, N / 2>(k);
  }
}

/// Sorts the M keys of each lane together: the first lane gets the M smallest, the next those that follow. A bitonic
/// sort (Batcher, AFIPS 1968) in which the blocks of two lanes meet key by key. M is 1 or even.
template <class Lane, class Key, int M>
KOKKOS_FORCEINLINE_FUNCTION void sort_on_lanes(const Lane& lane, Key (&k)[M]) {
  static_assert(M == 1 || M % 2 == 0);
  const auto keep = [](bool smaller, Key& mine, const Key& other) { mine = (other < mine) == smaller ? other : mine; };
  sort_registers<0, M>(k);
  for (int size = 1; size < Lane::width; size *= 2) {  // of groups of lanes that are sorted
    // Two sorted groups, the second one backwards, are a bitonic sequence.
    const int mirror = lane.lane ^ (2 * size - 1);
    const bool lower = (lane.lane & size) == 0;
    unrolled<0, (M + 1) / 2>([&](auto r) {
      constexpr int back = M - 1 - r;
      const Key a = lane.from(mirror, k[back]), b = lane.from(mirror, k[r]);
      keep(lower, k[r], a);
      if constexpr (back != r) keep(lower, k[back], b);
    });
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const int partner = lane.lane ^ apart;
      const bool first = (lane.lane & apart) == 0;
      unrolled<0, M>([&](auto r) { keep(first, k[r], lane.from(partner, k[r])); });
    }
    merge_bitonic<0, M>(k);
  }
}

}  // namespace quern::impl

#endif
