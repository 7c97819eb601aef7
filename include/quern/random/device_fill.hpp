// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_DEVICE_FILL_HPP
#define QUERN_RANDOM_DEVICE_FILL_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/random/field_blocks.hpp>
#include <quern/random/tuning.hpp>

namespace quern::impl {

struct row_tag {};     // a single row
struct blocks_tag {};  // blocks anywhere

/// Fills blocks of a field by the threads of a device.
template <class Work>
struct device_fill {
  using Exec = typename Work::exec_space;
  using T = typename Work::T;
  static constexpr int width = Work::width;
  static constexpr int unroll = random_tuning<Exec>::blocks;
  static constexpr std::int64_t span = random_tuning<Exec>::span;

  Work work;
  int steps = 1;           // of a thread in a row
  std::int64_t items = 0;  // threads

  /// One row: `unroll` blocks for a thread, `span` apart, in steps, of which small arrays have one so that they have
  /// more threads.
  KOKKOS_FUNCTION void operator()(row_tag, std::int64_t item) const {
    const std::int64_t column = item % span, i = (item - column) * (unroll * steps) + column;
    const std::int64_t end_block = i + (unroll * steps - 1) * span + 1;
    if ((work.first_block + i) * width >= work.begin && (work.first_block + end_block) * width <= work.end) {
      auto* to = reinterpret_cast<pack<T, width>*>(work.out) + i;
      std::int64_t block = work.first_block + i;
      for (int s = 0; s < steps; ++s, block += unroll * span, to += unroll * span)
        whole(to, block, std::make_index_sequence<unroll>());
    } else {
      for (std::int64_t j = i; j < end_block && j < work.nest.inner; j += span)
        work.store(j * width, work.first_block + j);
    }
  }
  template <std::size_t... U>
  KOKKOS_FORCEINLINE_FUNCTION void whole(pack<T, width>* to, std::int64_t block, std::index_sequence<U...>) const {
    (store_whole(to + U * span, block + U * span), ...);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_whole(pack<T, width>* to, std::int64_t block) const {
    pack<T, width> p;
    work.numbers(block, p.value);
    *to = p;
  }

  KOKKOS_FUNCTION void operator()(blocks_tag, std::int64_t item) const {
    for (int u = 0; u < unroll; ++u, item += items) {
      if (item >= work.nest.inner * work.nest.outer) return;
      std::int64_t i;
      const auto o = work.nest.at_item(item, work.nest.inner, 1, i);
      work.store(o.of[0], work.first_block + o.of[1]);
    }
  }
};

/// Fills one row with numbers of which a first attempt refuses some. The threads of a team draw those again together,
/// when all have attempted theirs: otherwise hardly a warp would have none, and all of its threads would wait for it.
template <class Work>
struct retry_fill {
  using Exec = typename Work::exec_space;
  using T = typename Work::T;
  using tune = random_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tune::retry_team, tune::retry_teams>>;
  using member = typename policy::member_type;
  static constexpr int together = tune::attempts;
  static_assert(Work::width == 1);

  Work work;
  int steps;  // of a thread

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int tile) { return sizeof(int) + tile * sizeof(std::uint16_t); }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const int threads = team.team_size(), tile = threads * together * steps;
    const std::int64_t first = std::int64_t{team.league_rank()} * tile;
    auto* const refused = static_cast<int*>(team.team_shmem().get_shmem(scratch_bytes(tile)));  // how many
    auto* const which = reinterpret_cast<std::uint16_t*>(refused + 1);
    if (team.team_rank() == 0) *refused = 0;
    team.team_barrier();
    for (int s = 0; s < steps; ++s) attempt(first, s * threads * together + team.team_rank(), threads, refused, which);
    team.team_barrier();
    for (int e = team.team_rank(); e < *refused; e += threads) {
      const std::int64_t position = work.first_block + first + which[e];
      work.out[first + which[e]] = work.draw.again(work.key, words(position), position);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION philox_words words(std::int64_t position) const {
    return philox(work.keys, position, work.key.stream);
  }
  KOKKOS_FORCEINLINE_FUNCTION void attempt(std::int64_t first, int i, int apart, int* refused,
                                           std::uint16_t* which) const {
    T v[together];
    for (int u = 0; u < together; ++u) v[u] = work.draw.attempt(words(work.first_block + first + i + u * apart));
    for (int u = 0; u < together; ++u) {
      const int k = i + u * apart;
      if (first + k >= work.nest.inner) return;
      if (work.draw.is_refused(v[u])) which[Kokkos::atomic_fetch_inc(refused)] = static_cast<std::uint16_t>(k);
      else work.out[first + k] = v[u];
    }
  }
};
template <class Exec, class Work>
void fill_with_retries(const Exec& exec, const std::string& label, const Work& work) {
  using kernel = retry_fill<Work>;
  using tune = random_tuning<Exec>;
  constexpr int least = tune::retry_team * tune::attempts;  // numbers of a team
  static_assert(least * tune::retry_steps <= 1 << 16);
  const std::int64_t n = work.nest.inner;
  const auto steps = static_cast<int>(
      std::clamp<std::int64_t>(n / (std::int64_t{tune::attempts} * exec.concurrency()), 1, tune::retry_steps));
  const int tile = least * steps;
  typename kernel::policy policy(exec, static_cast<int>((n + tile - 1) / tile), tune::retry_team);
  policy.set_scratch_size(0,
                          team_scratch<Exec>(label, tune::retry_team, kernel::scratch_bytes(tile) + alignof(double)));
  Kokkos::parallel_for(kernel_label(label), policy, kernel{work, steps});
}

template <class Exec, class Work>
void fill_on_device(const Exec& exec, const std::string& label, const Work& work) {
  using kernel_type = device_fill<Work>;
  constexpr std::int64_t unroll = kernel_type::unroll, span = kernel_type::span;
  kernel_type kernel{work};
  const std::int64_t blocks = work.nest.inner * work.nest.outer;
  if constexpr (requires { work.draw.attempts_first(); })
    if (work.draw.attempts_first() && work.in_rows() && work.nest.rank == 1)
      return fill_with_retries(exec, label, work);
  const auto launch = [&]<class Tag>(Tag, std::int64_t threads) {
    Kokkos::parallel_for(kernel_label(label), index_range<Tag>(exec, threads), kernel);
  };
  if (work.in_rows() && work.nest.rank == 1) {
    kernel.steps = std::clamp<std::int64_t>(blocks / (unroll * exec.concurrency()), 1, random_tuning<Exec>::steps);
    launch(row_tag(), (blocks + unroll * kernel.steps * span - 1) / (unroll * kernel.steps * span) * span);
  } else {
    kernel.items = (blocks + unroll - 1) / unroll;
    launch(blocks_tag(), kernel.items);
  }
}

}  // namespace quern::impl

#endif
