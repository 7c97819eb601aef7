// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_TILE_ORDER_HPP
#define QUERN_ANALYSIS_TILE_ORDER_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <quern/core/launch/pack_types.hpp>

namespace quern::impl {

/// Puts the places of a team's tile in an order in which those of a key follow each other as they are in the tile.
/// Which key comes first is left open, and may differ from run to run.
///
/// In each pass a digit of the keys has a bit for each place, set by whoever is first: the set is the same whatever the
/// order of the threads. Its bits before an entry's own one are the entries before it.
template <int Team, int Places, class Entry = std::uint32_t>
struct tile_order {
  static constexpr int words = Places / 32, each = Places < Team ? 1 : Places / Team, digit_bits = 6,
                       digits = 1 << digit_bits;
  static_assert(Places % 32 == 0 && (Places < Team || Places % Team == 0) && Team % 32 == 0 && digits <= Team);
  static constexpr int bit_bytes = words * digits * 4, entry_bytes = Places * sizeof(Entry),
                       start_bytes = words * digits * 2;
  static constexpr int bytes = bit_bytes + entry_bytes + start_bytes + 16;
  static constexpr Entry none = ~Entry{0};
  /// Keys are below this.
  static constexpr std::uint64_t max_keys = none / Places;

  std::uint32_t* bits;
  Entry* entries;
  std::uint16_t* starts;
  std::uint32_t* all;

  KOKKOS_FUNCTION explicit tile_order(std::byte* memory)
      : bits(reinterpret_cast<std::uint32_t*>(memory)),
        entries(reinterpret_cast<Entry*>(memory + bit_bytes)),
        starts(reinterpret_cast<std::uint16_t*>(memory + bit_bytes + entry_bytes)),
        all(reinterpret_cast<std::uint32_t*>(memory + bit_bytes + entry_bytes + start_bytes)) {}

  static KOKKOS_FORCEINLINE_FUNCTION Entry entry(Entry key, int place) {
    return key * Places + static_cast<Entry>(place);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Entry key(Entry entry) { return entry / Places; }
  static KOKKOS_FORCEINLINE_FUNCTION int place(Entry entry) { return static_cast<int>(entry % Places); }
  KOKKOS_FUNCTION int count() const { return static_cast<int>(*all); }

  /// Each thread has the entries at places rank, rank + Team, and so on, or none there. All threads of a team call it,
  /// and find the entries in their order after it.
  template <class Member>
  KOKKOS_FUNCTION void sort(const Member& member, Entry (&own)[each], Entry keys) const {
    int shift = 0;
    for (;;) {
      pass(member, own, shift);
      shift += digit_bits;
      if (shift >= static_cast<int>(8 * sizeof(Entry)) || (keys - 1) >> shift == 0) return;
      const int there = count(), rank = member.team_rank();
      for (int p = 0; p < each; ++p) own[p] = p * Team + rank < there ? entries[p * Team + rank] : none;
    }
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION void pass(const Member& member, const Entry (&own)[each], int shift) const {
    const int rank = member.team_rank();
    const std::uint32_t bit = std::uint32_t{1} << rank % 32;
    for (int e = rank; e < words * digits / 4; e += Team) reinterpret_cast<pack<std::uint32_t, 4>*>(bits)[e] = {};
    member.team_barrier();
    if (rank == 0) *all = 0;
    for (int p = 0; p < each; ++p)
      if (own[p] != none) Kokkos::atomic_or(bits + at(rank, p, own[p], shift), bit);
    member.team_barrier();
    if (rank < digits) find_starts(rank);
    member.team_barrier();
    for (int p = 0; p < each; ++p) {
      if (own[p] == none) continue;
      const int here = at(rank, p, own[p], shift);
      entries[starts[here] + Kokkos::Experimental::popcount_builtin(bits[here] & (bit - 1))] = own[p];
    }
    member.team_barrier();
  }
  /// The word of an entry's bit.
  static KOKKOS_FORCEINLINE_FUNCTION int at(int rank, int p, Entry entry, int shift) {
    return (p * (Team / 32) + rank / 32) * digits + static_cast<int>(key(entry) >> shift & (digits - 1));
  }
  KOKKOS_FUNCTION void find_starts(int digit) const {
    int count[words], sum = 0;
    for (int w = 0; w < words; ++w) sum += count[w] = Kokkos::Experimental::popcount_builtin(bits[w * digits + digit]);
    if (sum == 0) return;
    auto start = Kokkos::atomic_fetch_add(all, static_cast<std::uint32_t>(sum));
    for (int w = 0; w < words; ++w) {
      starts[w * digits + digit] = static_cast<std::uint16_t>(start);
      start += static_cast<std::uint32_t>(count[w]);
    }
  }
};

}  // namespace quern::impl

#endif
