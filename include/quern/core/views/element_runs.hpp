// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_ELEMENT_RUNS_HPP
#define QUERN_CORE_VIEWS_ELEMENT_RUNS_HPP

#include <quern/core/views/mapped_array.hpp>

namespace quern::impl {

/// Elements of an operand that are `distance` apart.
template <class Operand>
struct element_run {
  const Operand& operand;
  std::int64_t first, distance;
  KOKKOS_FORCEINLINE_FUNCTION bool found() const { return true; }
  KOKKOS_FORCEINLINE_FUNCTION auto load(int k) const { return operand.template load_pack<1>(first + k * distance); }
  KOKKOS_FORCEINLINE_FUNCTION void advance(int k) { first += k * distance; }
};

/// Those of a re-indexed array whose distance in memory is equal, too: one address for all.
template <class T>
struct found_run {
  source_run<T> run;
  KOKKOS_FORCEINLINE_FUNCTION bool found() const { return run.count > 0; }
  KOKKOS_FORCEINLINE_FUNCTION pack<T, 1> load(int k) const { return {{run.data[k * run.step]}}; }
  KOKKOS_FORCEINLINE_FUNCTION void advance(int k) { run.data += k * run.step; }
};

template <class Operand>
inline constexpr bool finds_runs = false;
template <class Source>
inline constexpr bool finds_runs<mapped_operand<Source>> = Source::has_strides;

/// Whether elements of an operand that are at equal distances in an array are so in memory, too, except for some of
/// them.
template <class Operand>
inline constexpr bool comes_in_runs = false;
template <class T>
inline constexpr bool comes_in_runs<array_operand<T>> = !is_row_memory<T>;
template <class T>
inline constexpr bool comes_in_runs<scalar_operand<T>> = true;
template <class Memory>
inline constexpr bool comes_in_runs<mapped_operand<memory_source<Memory>>> = memory_source<Memory>::has_strides;
template <class Inner, class Map>
inline constexpr bool comes_in_runs<mapped_operand<axis_source<Inner, Map>>> =
    goes_by_steps<Map> && comes_in_runs<mapped_operand<Inner>>;

template <class Operand>
KOKKOS_FORCEINLINE_FUNCTION auto find_run(const Operand& operand, std::int64_t first, std::int64_t distance,
                                          [[maybe_unused]] int count) {
  if constexpr (finds_runs<Operand>)
    return found_run<typename Operand::value_type>{operand.source.strided(operand.first + first, distance, count)};
  else return element_run<Operand>{operand, first, distance};
}
/// Elements of a run from number `first` on. Without a loop, which compilers need not unroll.
template <class Run, std::size_t... K>
KOKKOS_FORCEINLINE_FUNCTION auto load_run(const Run& run, int first, std::index_sequence<K...>) {
  return packs_of<decltype(run.load(0)), static_cast<int>(sizeof...(K))>{{run.load(first + static_cast<int>(K))...}};
}

/// How many adjacent threads share a segment of a row, of which each takes several elements that are as far apart: as
/// many as read whole sectors of memory, and cache lines of long rows, together, and divide those of a result evenly.
KOKKOS_INLINE_FUNCTION std::int64_t threads_of_segment(std::int64_t elements, int threads) {
  std::int64_t wanted = elements >= 1024 ? 32 : elements >= 512 ? 16 : elements >= 64 ? 8 : elements / 8;
  const int even = threads & -threads;
  wanted = Kokkos::clamp<std::int64_t>(wanted, 1, even);
  std::int64_t n = 1;
  while (2 * n <= wanted) n *= 2;
  return n;
}

}  // namespace quern::impl

#endif
