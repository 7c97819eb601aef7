// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_THREAD_TEAMS_HPP
#define QUERN_TESTS_SUPPORT_THREAD_TEAMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace test {

/// Whether what Kokkos calls atomic is so between threads that it does not know: not where Serial is all it has.
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
inline constexpr bool has_atomics = false;
#else
inline constexpr bool has_atomics = true;
#endif

/// A barrier whose threads sleep at once. Those of the standard library yield before, which on a machine with other
/// work costs a slice of a few milliseconds each time.
class sleeping_barrier {
 public:
  explicit sleeping_barrier(int size) : size_(size) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const unsigned phase = phase_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++phase_;
      lock.unlock();
      all_arrived_.notify_all();
    } else {
      all_arrived_.wait(lock, [&] { return phase != phase_; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_arrived_;
  int size_, arrived_ = 0;
  unsigned phase_ = 0;
};

/// What a team kernel of a device asks of its member, by threads of the host: so the kernel itself, with teams that
/// wait for each other, runs where there is no device.
class thread_member {
 public:
  struct team {
    team(int threads, std::size_t bytes_of_memory)
        : size(threads), arrived(threads), values(threads), bytes(bytes_of_memory), reduced(threads) {}
    int size;
    sleeping_barrier arrived;
    std::vector<std::byte> shared;  // and behind it what no kernel may write
    std::vector<int> values;
    std::size_t bytes;
    std::vector<std::array<std::byte, 16>> reduced;
  };
  thread_member(team& of, int rank, int league, int leagues)
      : team_(of), rank_(rank), league_(league), leagues_(leagues) {}
  KOKKOS_FUNCTION int team_rank() const { return rank_; }
  KOKKOS_FUNCTION int team_size() const { return team_.size; }
  KOKKOS_FUNCTION int league_rank() const { return league_; }
  KOKKOS_FUNCTION int league_size() const { return leagues_; }
  KOKKOS_FUNCTION void team_barrier() const { KOKKOS_IF_ON_HOST((team_.arrived.arrive_and_wait();)) }

  /// The sum of the threads before this one.
  KOKKOS_FUNCTION int team_scan(int value) const {
    KOKKOS_IF_ON_HOST((return scan(value);))
    KOKKOS_IF_ON_DEVICE((return value;))
  }
  KOKKOS_FUNCTION void team_broadcast(int& value, int from) const { KOKKOS_IF_ON_HOST((broadcast(value, from);)) }

  /// The sum of all threads, from the first to the last.
  template <class T, class Space>
  KOKKOS_FUNCTION void team_reduce(const Kokkos::Sum<T, Space>& sum) const {
    KOKKOS_IF_ON_HOST((reduce(sum.reference());))
  }

  struct cursor {
    std::byte *next, *end;
    /// No memory where there is none left, as of Kokkos.
    KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) {
      const auto at = reinterpret_cast<std::uintptr_t>(next);
      std::byte* here = next + (alignment - at % alignment) % alignment;
      if (here + bytes > end) return nullptr;
      next = here + bytes;
      return here;
    }
  };
  KOKKOS_FUNCTION cursor& team_shmem() const { return cursor_; }

 private:
  int scan(int value) const {
    team_barrier();
    team_.values[rank_] = value;
    team_barrier();
    return std::accumulate(team_.values.begin(), team_.values.begin() + rank_, 0);
  }
  void broadcast(int& value, int from) const {
    team_barrier();
    if (rank_ == from) team_.values[from] = value;
    team_barrier();
    value = team_.values[from];
  }
  template <class T>
  void reduce(T& sum) const {
    team_barrier();
    std::memcpy(&team_.reduced[rank_], &sum, sizeof(T));
    team_barrier();
    sum = T(0);
    for (const auto& bytes : team_.reduced) {
      T value;
      std::memcpy(&value, &bytes, sizeof(T));
      sum += value;
    }
    team_barrier();
  }

  team& team_;
  int rank_, league_, leagues_;
  mutable cursor cursor_{team_.shared.data(), team_.shared.data() + team_.bytes};
};

/// Calls a kernel for a league of teams, of which so many run at a time: the last of the league first. Each has so many
/// bytes of memory; false where one wrote behind them.
template <class Kernel>
bool run_teams(const Kernel& kernel, int league, int size, int at_a_time, std::size_t bytes) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<thread_member::team>> teams;
  constexpr std::size_t behind = 4096;
  constexpr std::byte unused{0xa5};
  for (int k = 0; k < at_a_time; ++k) {
    teams.push_back(std::make_unique<thread_member::team>(size, bytes));
    teams.back()->shared.resize(bytes + behind, unused);
    for (int t = 0; t < size; ++t)
      threads.emplace_back([&kernel, &team = *teams.back(), league, at_a_time, k, t] {
        for (int l = league - 1 - k; l >= 0; l -= at_a_time) {
          const thread_member member(team, t, l, league);
          kernel(member);
          member.team_barrier();  // before the next one has the memory
        }
      });
  }
  for (auto& t : threads) t.join();
  return std::all_of(teams.begin(), teams.end(), [&](const auto& team) {
    return std::all_of(team->shared.end() - behind, team->shared.end(), [](std::byte b) { return b == unused; });
  });
}

}  // namespace test

#endif
