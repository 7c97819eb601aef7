// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_ODD_EVEN_SORT_HPP
#define QUERN_REDUCERS_ODD_EVEN_SORT_HPP

#include <Kokkos_Core.hpp>
#include <utility>

namespace quern::impl {

/// Batcher's odd-even merge sort (AFIPS 1968) of N values from First on, N a power of two. All positions are known when
/// compiling, so that values stay in registers.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void exchange(Key& a, Key& b) {
  const Key low = Kokkos::min(a, b);
  b = Kokkos::max(a, b);
  a = low;
}
template <int First, int Apart, class Key, int... I>
KOKKOS_FORCEINLINE_FUNCTION void exchange_pairs(Key* k, std::integer_sequence<int, I...>) {
  (exchange(k[First + (2 * I + 1) * Apart], k[First + (2 * I + 2) * Apart]), ...);
}
template <int First, int N, int Apart, class Key>
KOKKOS_FORCEINLINE_FUNCTION void merge_network(Key* k) {
  if constexpr (2 * Apart < N) {
    merge_network<First, N, 2 * Apart>(k);
    merge_network<First + Apart, N, 2 * Apart>(k);
    exchange_pairs<First, Apart>(k, std::make_integer_sequence<int, N / (2 * Apart) - 1>());
  } else {
    exchange(k[First], k[First + Apart]);
  }
}
template <int First, int N, class Key>
KOKKOS_FORCEINLINE_FUNCTION void sort_network(Key* k) {
  if constexpr (N > 1) {
    sort_network<First, N / 2>(k);
    sort_network<First + N / 2, N / 2>(k);
    merge_network<First, N, 1>(k);
  }
}

}  // namespace quern::impl

#endif
