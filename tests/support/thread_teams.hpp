// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_THREAD_TEAMS_HPP
#define QUERN_TESTS_SUPPORT_THREAD_TEAMS_HPP

#include <barrier>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace test {

/// What a team kernel of a device asks of its member, by threads of the host: so the kernel itself, with teams that
/// wait for each other, runs where there is no device.
class thread_member {
 public:
  struct team {
    int size;
    std::barrier<> arrived;
    std::vector<std::max_align_t> shared;
  };
  thread_member(team& of, int rank, int league) : team_(of), rank_(rank), league_(league) {}
  int team_rank() const { return rank_; }
  int team_size() const { return team_.size; }
  int league_rank() const { return league_; }
  void team_barrier() const { team_.arrived.arrive_and_wait(); }

  struct cursor {
    std::byte* next;
    void* get_shmem_aligned(std::size_t bytes, std::size_t) {
      void* here = next;
      next += (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t) * sizeof(std::max_align_t);
      return here;
    }
  };
  cursor& team_shmem() const { return cursor_; }

 private:
  team& team_;
  int rank_, league_;
  mutable cursor cursor_{reinterpret_cast<std::byte*>(team_.shared.data())};
};

/// Calls a kernel for a league of teams, of which so many run at a time: the last of the league first.
template <class Kernel>
void run_teams(const Kernel& kernel, int league, int size, int at_a_time, std::size_t bytes) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<thread_member::team>> teams;
  for (int k = 0; k < at_a_time; ++k) {
    teams.emplace_back(new thread_member::team{size, std::barrier<>(size), {}});
    teams.back()->shared.resize(bytes / sizeof(std::max_align_t) + 8);
    for (int t = 0; t < size; ++t)
      threads.emplace_back([&kernel, &team = *teams.back(), league, at_a_time, k, t] {
        for (int l = league - 1 - k; l >= 0; l -= at_a_time) kernel(thread_member(team, t, l));
      });
  }
  for (auto& t : threads) t.join();
}

}  // namespace test

#endif
