// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_ONE_PASS_SCAN_HPP
#define QUERN_SCAN_ONE_PASS_SCAN_HPP

#include <cstddef>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/tile_chain.hpp>
#include <quern/scan/device_scan.hpp>
#include <quern/scan/strided_scan.hpp>
#include <quern/scan/tuning.hpp>

namespace quern::impl {

/// How a chain of tiles joins what a scan adds up. The sum of a tile is rounded as in a scan of two passes, and sums of
/// tiles carry their errors along.
template <class Reducer>
struct scan_joins {
  using run = scan_run<Reducer>;
  using local = typename run::local;
  using state = typename Reducer::state;
  Reducer reducer;

  KOKKOS_FUNCTION state none() const { return reducer.init(); }
  KOKKOS_FUNCTION void append(state& s, const local& l) const { run::append_one(reducer, s, l); }
  KOKKOS_FUNCTION void join(state& s, const state& next) const { reducer.join(s, next); }
};

/// Whether scans by this reducer may take one pass. Reproducible sums, whose states are large, take two.
template <class Exec, class Reducer>
inline constexpr bool scans_in_one_pass =
    tuning<Exec>::one_pass && !adds_each<Reducer> && is_published<typename Reducer::state> &&
    is_published<typename scan_run<Reducer>::local>;

/// A scan of one line, whose elements are at equal distances, on a device that reads it once: a team for each tile,
/// which stays in its shared memory while the team waits for what is before it. Tiles, and so the bits of sums, depend
/// on the types and the number of elements alone.
template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
struct one_pass_scan {
  using Work = strided_scan<Exec, Exclusive, Reducer, Source, Out>;
  using T = source_value_t<Source>;
  using tune = scan_tuning<Exec>;
  static constexpr std::size_t slot = std::max(sizeof(T), sizeof(Out));
  static constexpr int items =
      std::clamp<int>(tune::one_pass_bytes / slot - 1, 1, tune::one_pass_items);  // odd, against bank conflicts
  using tiles =
      device_scan<Exec, Exclusive, Reducer, Source, Out, items, tune::one_pass_team>;  // what teams do with one
  using chain = tile_chain<scan_joins<Reducer>>;
  using local = typename tiles::local;
  using offsets = typename Work::offsets;
  static constexpr int teams =  // at a time on one multiprocessor, of which a device has 1024 threads at least
      std::clamp<int>(tune::one_pass_resident / (tune::one_pass_team * items * slot), 1, 1024 / tune::one_pass_team);
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tune::one_pass_team, teams>>;

  tiles tile;
  chain earlier;

  static std::int64_t team_bytes(int threads) {
    return static_cast<std::int64_t>(tiles::team_bytes(threads) + sizeof(typename chain::team_memory) + 64);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto m = tile.memory_of(team);
    auto& shared = *static_cast<typename chain::team_memory*>(
        team.team_shmem().get_shmem_aligned(sizeof(typename chain::team_memory), alignof(std::max_align_t)));
    const auto now = earlier.take(team, shared);
    const int size = team.team_size() * items;
    const std::int64_t start = now.tile * size, rest = tile.work.n - start;
    if (rest >= size) scan_tile<true>(team, m, shared, now, start, size);
    else scan_tile<false>(team, m, shared, now, start, static_cast<int>(rest));
  }

  template <bool Full, class Member>
  KOKKOS_FUNCTION void scan_tile(const Member& team, const typename tiles::team_memory& m,
                                 typename chain::team_memory& shared, const typename chain::turn& now,
                                 std::int64_t start, int count) const {
    const offsets base{};
    tile.template fetch_tile<tune::one_pass_loads>(m, team, start, count);
    local all;
    const local between = tile.template join_tile<Full>(team, m, count, all);
    const auto s = earlier.join_before(team, shared, now, all);
    tile.template write_tile<true, Full>(team, m, base, start, count, s, between);
  }
};

/// Whether it was scanned so: a line of several tiles whose elements are at equal distances.
template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
bool scan_in_one_pass(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                      const strided_scan<Exec, Exclusive, Reducer, Source, Out>& work) {
  using kernel_type = one_pass_scan<Exec, Exclusive, Reducer, Source, Out>;
  constexpr int team = tuning<Exec>::one_pass_team, size = team * kernel_type::items;
  const std::int64_t tiles = (work.n + size - 1) / size;
  const bool has_room = kernel_type::team_bytes(team) <= team_scratch_room<Exec>(team);
  if (work.lines > 1 || work.along.outer > 1 || tiles < 2 || tiles > std::numeric_limits<int>::max() || !has_room)
    return false;
  kernel_type kernel{{work}, {{work.reducer}, tiles}};
  kernel.earlier.allocate(exec, scratch);
  const auto shared = team_scratch<Exec>(label, team, kernel_type::team_bytes(team));
  Kokkos::parallel_for(kernel_label(label),
                       typename kernel_type::policy(exec, static_cast<int>(tiles), team).set_scratch_size(0, shared),
                       kernel);
  return true;
}

}  // namespace quern::impl

#endif
