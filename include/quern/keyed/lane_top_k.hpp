// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_LANE_TOP_K_HPP
#define QUERN_KEYED_LANE_TOP_K_HPP

/// @file
/// The first few elements of many rows in order, each row in the registers of the lanes of a warp.

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/register_lanes.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/values/values.hpp>
#include <quern/keyed/order.hpp>
#include <quern/keyed/row_lines.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// A key and where in its row it is. What comes first has the smaller key, of equal keys the smaller position.
template <class Key>
struct placed_key {
  Key key;
  int at;
  KOKKOS_FUNCTION bool is_before(const placed_key& other) const {
    return key < other.key || (key == other.key && at < other.at);
  }
};

/// The keys that a lane has of a row, those at `lane`, `lane + Width`, ..., and the first two that are not taken. So
/// few are taken that the other keys are seldom looked at again.
template <int M, int Width, class Key>
struct lane_candidates {
  static_assert(M <= 32);
  static constexpr int none = Kokkos::Experimental::finite_max_v<int>;  // a position behind all, with the largest key
  Key keys[M];
  std::uint32_t taken = 0;
  placed_key<Key> first, second;

  /// From the last one to the first, so that of equal keys the earlier one stays.
  KOKKOS_FUNCTION void find(int lane) {
    first = second = {static_cast<Key>(~Key{0}), none};
    unrolled<0, M>([&](auto from_last) {
      constexpr int r = M - 1 - from_last;
      const placed_key<Key> here{keys[r], r * Width + lane};
      const bool left = (taken >> r & 1) == 0;
      const bool is_first = left && here.key <= first.key, is_second = left && here.key <= second.key;
      second = is_first ? first : is_second ? here : second;
      first = is_first ? here : first;
    });
  }
  KOKKOS_FUNCTION void take_first(int lane) {
    taken |= std::uint32_t{1} << static_cast<unsigned>(first.at) / Width;
    first = second;
    second.at = none;
    if (first.at == none) find(lane);
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// The smallest word of 32 lanes, in all of them, by one instruction.
__device__ inline std::uint32_t smallest_of_warp(std::uint32_t word) { return __reduce_min_sync(0xffffffffu, word); }

/// The first of 32 lanes: the smallest key, of which words are compared from the highest on, and then the position.
template <class Key>
__device__ placed_key<Key> first_of_warp(const placed_key<Key>& best) {
  constexpr std::uint32_t none = ~std::uint32_t{0};  // behind all positions
  auto key = static_cast<std::uint64_t>(best.key);
  bool here = true;
  if constexpr (sizeof(Key) == 8) {
    const auto own = static_cast<std::uint32_t>(key >> 32), low = static_cast<std::uint32_t>(key);
    const std::uint32_t high = smallest_of_warp(own);
    here = own == high;
    key = std::uint64_t{high} << 32 | smallest_of_warp(here ? low : none);
    here = here && low == static_cast<std::uint32_t>(key);
  } else {
    key = smallest_of_warp(static_cast<std::uint32_t>(key));
    here = best.key == static_cast<Key>(key);
  }
  return {static_cast<Key>(key), static_cast<int>(smallest_of_warp(here ? static_cast<unsigned>(best.at) : none))};
}
#endif

/// The first of all lanes, in all of them.
template <class Lane, class Key>
KOKKOS_FORCEINLINE_FUNCTION placed_key<Key> first_of_lanes(const Lane& lane, placed_key<Key> best) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Lane::width == 32) {
    return first_of_warp(best);
  } else
#endif
  {
    for (int apart = Lane::width / 2; apart > 0; apart /= 2) {
      const int partner = lane.lane ^ apart;
      const placed_key<Key> other{lane.from(partner, best.key), lane.from(partner, best.at)};
      if (other.is_before(best)) best = other;
    }
    return best;
  }
}

/// The first k elements of each row, k <= Width, of rows of up to M * Width.
template <class T, int Width, int M>
struct first_on_lanes {
  using key = typename by_order<T>::key;
  by_order<T> order;
  row_lines<const T> x;
  row_lines<T> values;
  integer_rows positions;  // or none
  int n, k;

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t row, bool is_own) const {
    lanes.each([&](const auto& lane) { select(lane, row, is_own); });
  }
  template <class Lane>
  KOKKOS_FUNCTION void select(const Lane& lane, std::int64_t row, bool is_own) const {
    const T* from = x.data + row * x.distance;
    lane_candidates<M, Width, key> mine;
    load_keys<Width>(mine.keys, order, from, n, lane.lane);
    mine.find(lane.lane);
    int found = 0;  // the position of the result that this lane writes
    for (int j = 0; j < k; ++j) {
      const placed_key<key> best = first_of_lanes(lane, mine.first);
      if (static_cast<int>(static_cast<unsigned>(best.at) % Width) == lane.lane) mine.take_first(lane.lane);
      if (j == lane.lane) found = best.at;
    }
    if (!is_own || lane.lane >= k) return;
    values(row, lane.lane) = from[found];
    if (positions.data != nullptr) positions.put(row, lane.lane, found);
  }
};

/// Whether so few elements of lines so short are wanted.
template <class Exec>
bool selects_on_lanes(const sort_lines& lines, std::int64_t k) {
  using tune = keyed_tuning<Exec>;
  return is_device<Exec> && k <= tune::lane_results && lines.n <= tune::lane_line && lines.count <= max_lane_items<32>;
}

/// Writes the first k elements of lines, and their positions unless those have no memory.
template <class Exec, class T>
void write_first_on_lanes(const std::string& label, const Exec& exec, const sort_lines& lines, std::int64_t k,
                          const row_lines<const T>& x, const by_order<T>& order, const row_lines<T>& values,
                          const integer_rows& positions) {
  if constexpr (is_device<Exec>) {
    static_assert(keyed_tuning<Exec>::lane_results <= 32 && keyed_tuning<Exec>::lane_line <= 32 * 32);
    const int n = static_cast<int>(lines.n), count = static_cast<int>(k);
    const auto launch = [&]<int Width, int M>(std::integer_sequence<int, Width, M>) {
      launch_lanes<Width>(label, exec, lines.count, first_on_lanes<T, Width, M>{order, x, values, positions, n, count});
    };
    if (n <= 8 * 4 && k <= 8) launch(std::integer_sequence<int, 8, 4>());
    else if (n <= 32 * 4) launch(std::integer_sequence<int, 32, 4>());
    else if (n <= 32 * 10) launch(std::integer_sequence<int, 32, 10>());
    else launch(std::integer_sequence<int, 32, 32>());
  }
}

#define QUERN_FIRST_ON_LANES(HOW, Exec, T)                                                                   \
  HOW template void write_first_on_lanes(const std::string&, const Exec&, const sort_lines&, std::int64_t,   \
                                         const row_lines<const T>&, const by_order<T>&, const row_lines<T>&, \
                                         const integer_rows&);
QUERN_DEVICES_ELSEWHERE(QUERN_FIRST_ON_LANES)

}  // namespace quern::impl

#endif
