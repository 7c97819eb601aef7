// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LANE_SELECT_HPP
#define QUERN_REDUCE_LANE_SELECT_HPP

#include <quern/reduce/row_selection.hpp>
#include <quern/reduce/select_work.hpp>

namespace quern::impl {

/// How the warps of a team share the lines of some results.
struct lane_tiles {
  std::int64_t inner, count;  // tiles of adjacent results, and of all
  int lines = 4;              // of a tile
  int apart = 0;              // in scratch memory, where lines are copied there, or 0
};

/// Lines of up to 32 M elements, each in the registers of a warp. Where adjacent elements are of different results, the
/// team copies the lines of some to scratch memory first.
template <class Exec, class T, class Out, int M>
struct lane_select {
  static constexpr int warps = lanes_team / 32;
  static constexpr int teams_at_once = M <= 4 ? 8 : M <= 10 ? 6 : M <= 18 ? 5 : 4;
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<lanes_team, teams_at_once>>;
  using member = typename policy::member_type;
  using key = typename ordered<T>::key;
  using threads = selecting_warp<register_lane<32>, key>;
  select_work<Exec, T, Out> work;
  lane_tiles tiles;

  static std::int64_t bytes(const lane_tiles& t) {
    return static_cast<std::int64_t>(t.lines * t.apart * sizeof(T) + warps * threads::keys * sizeof(key)) + 32;
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t tile = team.league_rank(), inner = work.result_nest.inner;
    const std::int64_t in_row = tile % tiles.inner * tiles.lines, first = tile / tiles.inner * inner + in_row;
    const auto lines = static_cast<int>(Kokkos::min<std::int64_t>(tiles.lines, inner - in_row));
    key* const few = static_cast<key*>(team.team_shmem().get_shmem_aligned(warps * threads::keys * sizeof(key), 16)) +
                     team.team_rank() * threads::keys;
    const T* copy = nullptr;
    if (tiles.apart > 0) copy = copy_lines(team, first, lines);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32), [&](int rank) {
      const register_lane<32> lane{rank};
      const threads of_warp{lane, few};
      for (int line = team.team_rank(); line < lines; line += warps) {
        const auto at = work.result_at(first + line);
        const T* const row = copy == nullptr ? work.in + at.of[0] : copy + line * tiles.apart;
        select_held_row<M>(work, of_warp, row, copy == nullptr ? work.nest.stride[0][0] : 1, at.of[1], true);
      }
    });
  }
  /// Adjacent threads read adjacent lines.
  KOKKOS_FUNCTION const T* copy_lines(const member& team, std::int64_t first, int lines) const {
    auto* const copy = static_cast<T*>(team.team_shmem().get_shmem_aligned(tiles.lines * tiles.apart * sizeof(T), 16));
    const T* const from = work.in + work.result_at(first).of[0];
    const std::int64_t next_line = work.result_nest.stride[0][0], next = work.nest.stride[0][0];
    const auto all = static_cast<unsigned>(work.n) * tiles.lines;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(all)), [&](int e) {
      const int line = e & (tiles.lines - 1), i = static_cast<int>(static_cast<unsigned>(e) / tiles.lines);
      if (line < lines) copy[line * tiles.apart + i] = from[line * next_line + i * next];
    });
    team.team_barrier();
    return copy;
  }
};

/// Tiles of lines of n elements of some bytes: of several adjacent ones where those are nearer in memory.
inline lane_tiles lane_tiles_for(const row_nest<2>& results, std::int64_t n, int bytes_each, bool results_fastest) {
  constexpr int line_bytes = 64, max_bytes = 36 << 10;  // what memory gives together, and of scratch memory
  lane_tiles t{};
  // So far apart that the elements that some threads write together are in different banks.
  const int in_banks = 128 / bytes_each, whole = static_cast<int>((n + in_banks - 1) / in_banks) * in_banks;
  const auto apart = [&](int lines) { return whole + std::max(1, in_banks / lines); };
  if (results_fastest) {
    t.lines = line_bytes / bytes_each;
    while (t.lines * apart(t.lines) * bytes_each > max_bytes) t.lines /= 2;
    t.apart = apart(t.lines);
  }
  t.inner = (results.inner + t.lines - 1) / t.lines;
  t.count = t.inner * results.outer;
  return t;
}

/// Whether a warp selects from each line.
template <class Exec, class Work>
bool selects_on_lanes(const Work& work) {
  return is_device<Exec> && work.n <= reduce_tuning<Exec>::select_lanes && work.nest.outer == 1 &&
         work.result_nest.inner * work.result_nest.outer <= std::numeric_limits<int>::max();
}

/// Launches it.
template <class Exec, class T, class Out>
void select_on_lanes(const Exec& exec, const std::string& label, const select_work<Exec, T, Out>& work,
                     bool results_fastest) {
  const lane_tiles tiles = lane_tiles_for(work.result_nest, work.n, sizeof(T), results_fastest);
  const auto launch = [&]<int M>(std::integral_constant<int, M>) {
    using kernel = lane_select<Exec, T, Out, M>;
    typename kernel::policy policy(exec, static_cast<int>(tiles.count), kernel::warps, 32);
    policy.set_scratch_size(0, team_scratch<Exec>(label, lanes_team, kernel::bytes(tiles)));
    Kokkos::parallel_for(kernel_label(label), policy, kernel{work, tiles});
  };
  static_assert(reduce_tuning<Exec>::select_lanes <= 32 * 32);
  if (work.n <= 32 * 4) launch(std::integral_constant<int, 4>());
  else if (work.n <= 32 * 10) launch(std::integral_constant<int, 10>());
  else if (work.n <= 32 * 18) launch(std::integral_constant<int, 18>());
  else launch(std::integral_constant<int, 32>());
}

}  // namespace quern::impl

#endif
