// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_THREAD_LANES_HPP
#define QUERN_TESTS_SUPPORT_THREAD_LANES_HPP

#include <quern/linalg/small_kernels.hpp>
#include <support/thread_teams.hpp>

namespace test {

/// What an operation on small matrices asks of the team that has a matrix, by threads of a host that wait for each
/// other where those of a device do. Each forms reductions by itself.
struct thread_lanes {
  const thread_member& team;

  template <class F>
  void for_each(int n, const F& f) const {
    for (int i = team.team_rank(); i < n; i += team.team_size()) f(i);
    team.team_barrier();
  }
  template <class F>
  void for_each_group(int n, const F& f) const {
    for_each(n, [&](int k) { f(k, alone); });
  }
  template <class R, class F>
  int largest(int first, int end, const F& f) const {
    return waited(alone.template largest<R>(first, end, f));
  }
  template <class R, class F>
  R sum(int first, int end, const F& f) const {
    return waited(alone.template sum<R>(first, end, f));
  }
  template <class R, class F>
  R maximum(int first, int end, const F& f) const {
    return waited(alone.template maximum<R>(first, end, f));
  }
  template <class F>
  void once(const F& f) const {
    if (team.team_rank() == 0) f();
  }

 private:
  static constexpr quern::impl::single_lane alone{};
  template <class R>
  R waited(const R& result) const {
    team.team_barrier();
    return result;
  }
};

/// Calls an operation for one item by a team of so many threads.
template <class T, class Op>
void run_by_threads(const Op& op, int threads) {
  std::vector<T> scratch(op.elements()), more(1);
  if constexpr (requires { op.more_elements(); }) more.resize(op.more_elements() + 1);
  const auto kernel = [&](const thread_member& team) { op(thread_lanes{team}, 0, scratch.data(), more.data()); };
  run_teams(kernel, 1, threads, 1, 0);
}

}  // namespace test

#endif
