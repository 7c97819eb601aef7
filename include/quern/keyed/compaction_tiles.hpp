// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COMPACTION_TILES_HPP
#define QUERN_KEYED_COMPACTION_TILES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace quern::impl {

/// The two kernels of a compaction.
struct count_selected_tag {};
struct put_selected_tag {};

/// Stream compaction: numbers the i from 0 to n - 1 for which `keep(i)` is true, in order. `put(i, k)` is called for
/// the one that is number k; `put.follow(i, k)`, if there is one, for every i, where k is the number of the last that
/// was kept up to i. A `put` that has `get(i)` and `set(k, value)` is asked for several values before it is given any;
/// one that has `put_run(first, selected, count, k)` is called on a host for several i at a time.
template <class Exec, class Keep, class Put>
struct compaction_tiles {
  using exec_space = Exec;
  static constexpr bool follows = requires(const Put& p, std::int64_t i) { p.follow(i, i); };
  static constexpr bool gets = requires(const Put& p, std::int64_t i) { p.set(i, p.get(i)); };
  /// Of an element that is put; 0 where `put` does not say.
  static constexpr std::size_t bytes = [] {
    if constexpr (gets) return sizeof(std::declval<const Put&>().get(0));
    else return 0;
  }();

  Keep keep;
  Put put;
  std::int64_t n, tile, tiles;
  std::int64_t* count;  // of all that are kept

  KOKKOS_FUNCTION std::int64_t first_of(std::int64_t t) const { return t * tile; }
  KOKKOS_FUNCTION std::int64_t last_of(std::int64_t t) const { return Kokkos::min((t + 1) * tile, n); }
};

}  // namespace quern::impl

#endif
