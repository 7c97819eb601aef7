// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HOST_BINNING_HPP
#define QUERN_KEYED_HOST_BINNING_HPP

#include <algorithm>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/binned_values.hpp>
#include <quern/keyed/bins.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Where a thread of a host adds sums of runs: in bins of its own, or in the output.
template <class Work>
struct host_sums {
  const Work& work;
  typename Work::sum_type* own;
  void add(std::int64_t b, const typename Work::sum_type& sum) const {
    if (own == nullptr) work.put(b, sum);
    else own[b] = wrapping_add(own[b], sum);
  }
};

/// Adds up by the threads of a host, each in bins of its own where they are few for its values.
template <class Work>
struct host_binning {
  using Bin = typename Work::bin_type;
  using sum_type = typename Work::sum_type;
  using run = typename Work::run;
  using sums = host_sums<Work>;

  Work work;
  sum_type* own;  // bins of the threads
  std::int64_t threads;

  void operator()(std::int64_t t) const {
    sum_type* mine = work.shared ? own + t * work.bins : nullptr;
    if (work.shared) std::fill_n(mine, work.bins, sum_type(0));
    run r;
    const std::int64_t share = work.n / threads, more = work.n % threads;
    const std::int64_t first = t * share + std::min(t, more);
    in_loop<host_binning> local = *this;  // what the loop reads must not be what it might write
    local.add_some(mine, r, first, first + share + (t < more));
    work.flush(sums{work, mine}, r);
    for (std::int64_t b = 0; work.shared && b < work.bins; ++b) work.put(b, mine[b]);
  }
  void add_some(sum_type* mine, run& r, std::int64_t i, std::int64_t last) const {
    if (work.contiguous)
      for (; i + searched_at_once <= last; i += searched_at_once) several_from(mine, r, i);
    for (; i < last; ++i)
      work.one(i, [&](std::int64_t b, const auto& weight) { work.add(sums{work, mine}, r, b, weight); });
  }
  /// Adds without looking for runs: only where all are in one bin would every addition wait for the one before.
  void several_from(sum_type* mine, run& r, std::int64_t i) const {
    std::int64_t b[searched_at_once];
    if constexpr (requires { &Bin::of_several; }) {
      typename Bin::value_type values[searched_at_once];
      for (int k = 0; k < searched_at_once; ++k) values[k] = convert<typename Bin::value_type>(work.x[i + k]);
      work.bin.of_several(values, b);
    } else {
      for (int k = 0; k < searched_at_once; ++k) b[k] = work.bin_of(work.x[i + k]);
    }
    std::int64_t different = 0;
    for (int k = 0; k < searched_at_once; ++k) different |= b[k] ^ b[0];
    if (work.shared && different != 0) {
      for (int k = 0; k < searched_at_once; ++k)
        if (b[k] >= 0)
          mine[b[k]] =
              wrapping_add(mine[b[k]], Work::weighted ? convert<sum_type>(work.weight_at(i + k)) : sum_type(1));
    } else {
      for (int k = 0; k < searched_at_once; ++k) work.add(sums{work, mine}, r, b[k], work.weight_at(i + k));
    }
  }
};

template <class Exec, class Work>
void bin_on_host(const Exec& exec, const std::string& label, Work work) {
  using tune = keyed_tuning<Exec>;
  using sum_type = typename Work::sum_type;
  const std::int64_t worth = (work.n + tune::binning_least - 1) / tune::binning_least;
  const std::int64_t threads = std::min<std::int64_t>(exec.concurrency(), worth);
  work.shared = work.bins * static_cast<std::int64_t>(sizeof(sum_type)) <= tune::binning_bytes &&
                threads * work.bins <= 4 * work.n + 1024;
  const scratch_array<Exec, sum_type> own(exec, work.shared ? threads * work.bins : 0);
  launch_units(exec, label, threads, host_binning<Work>{work, own.data(), threads});
}

}  // namespace quern::impl

#endif
