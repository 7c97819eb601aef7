// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_BINNING_HPP
#define QUERN_KEYED_DEVICE_BINNING_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/keyed/binned_values.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Adds up by the teams of a device, each in bins of its own where they fit into fast memory.
template <class Work>
struct device_binning {
  using T = typename Work::T;
  using W = typename Work::W;
  using sum_type = typename Work::sum_type;
  using run = typename Work::run;
  using policy = Kokkos::TeamPolicy<typename Work::exec_space>;
  using member = typename policy::member_type;
  static constexpr bool weighted = Work::weighted;
  static constexpr int width = Work::width;
  static constexpr int unroll = keyed_tuning<typename Work::exec_space>::binning_packs;

  Work work;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    sum_type* mine = nullptr;
    if (work.shared) {
      mine = static_cast<sum_type*>(team.team_shmem().get_shmem(work.bins * sizeof(sum_type)));
      for (std::int64_t b = team.team_rank(); b < work.bins; b += team.team_size()) mine[b] = 0;
      team.team_barrier();
    }
    run r;
    add_all(team, mine, r);
    work.flush(mine, r);
    if (!work.shared) return;
    team.team_barrier();
    for (std::int64_t b = team.team_rank(); b < work.bins; b += team.team_size()) work.put(b, mine[b]);
  }
  /// Adjacent threads read adjacent packs, several at a time each.
  KOKKOS_FUNCTION void add_all(const member& team, sum_type* mine, run& r) const {
    const std::int64_t threads = static_cast<std::int64_t>(team.league_size()) * team.team_size();
    const std::int64_t me = static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    std::int64_t done = 0;
    if (work.contiguous) {
      const std::int64_t packs = work.n / width;
      for (std::int64_t g = me; g < packs; g += threads * unroll) {
        pack<T, width> p[unroll];
        pack<W, width> q[unroll];
        for (int u = 0; u < unroll; ++u)
          if (g + u * threads < packs) {
            p[u] = load_pack<width>(work.x, (g + u * threads) * width);
            if constexpr (weighted) q[u] = load_pack<width>(work.weights, (g + u * threads) * width);
          }
        for (int u = 0; u < unroll; ++u)
          if (g + u * threads < packs)
            for (int k = 0; k < width; ++k)
              work.add(mine, r, work.bin_of(p[u].value[k]), weighted ? q[u].value[k] : W(1));
      }
      done = packs * width;
    }
    for (std::int64_t i = done + me; i < work.n; i += threads) work.one(mine, r, i);
  }
};

template <class Exec, class Work>
void bin_on_device(const Exec& exec, const std::string& label, Work work) {
  using tune = keyed_tuning<Exec>;
  constexpr int team = tune::binning_team;
  const std::int64_t max_teams = std::max<std::int64_t>(1, exec.concurrency() / team);
  const std::int64_t worth = (work.n + tune::binning_least * team - 1) / (tune::binning_least * team);
  const std::int64_t bytes = work.bins * static_cast<std::int64_t>(sizeof(typename Work::sum_type));
  work.shared = bytes <= std::min<std::int64_t>(tune::binning_bytes, team_scratch_room<Exec>(team));
  typename device_binning<Work>::policy policy(exec, static_cast<int>(std::min(max_teams, worth)), team);
  if (work.shared) policy.set_scratch_size(0, team_scratch<Exec>(label, team, bytes));
  Kokkos::parallel_for(kernel_label(label), policy, device_binning<Work>{work});
}

}  // namespace quern::impl

#endif
