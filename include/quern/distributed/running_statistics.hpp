// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RUNNING_STATISTICS_HPP
#define QUERN_DISTRIBUTED_RUNNING_STATISTICS_HPP

#include <quern/analysis/running_histogram.hpp>
#include <quern/analysis/running_statistics.hpp>
#include <quern/distributed/all_reduce.hpp>
#include <quern/linalg/running_covariance.hpp>

namespace quern::impl {

template <class T>
concept running_statistics = requires { typename T::merged_over_ranks; };

/// What a rank has of running statistics, brought to all ranks: `join(states)` is called with those of each, in their
/// order, when `reset()` has left none.
template <class Exec, class View, class Reset, class Join>
void join_of_ranks(const Exec& exec, const Communicator& comm, const std::string& label, const View& own,
                   const Reset& reset, const Join& join) {
  if (comm.checks_calls())
    check_same(comm, label, "the calls", label + " of statistics with extents " + view_extents(own).str());
  const auto items = static_cast<std::int64_t>(own.size());
  const std::int64_t bytes = items * static_cast<std::int64_t>(sizeof(typename View::value_type));
  if (comm.size() == 1 || items == 0) return;
  using T = typename View::non_const_value_type;
  const auto block = take_block<typename Exec::memory_space>(instance_ref(exec), comm.size() * bytes);
  T* const all = reinterpret_cast<T*>(block.data());
  all_gather_values(exec, comm, label, reinterpret_cast<const std::byte*>(own.data()), block.data(), bytes);
  reset();
  for (int r = 0; r < comm.size(); ++r) join(all + r * items);
}

template <class Exec, class V>
void merge_over_ranks(const Exec& exec, const Communicator& comm, const std::string& label,
                      const RunningStatistics<V>& statistics) {
  const auto& states = statistics.states();
  using all = typename RunningStatistics<V>::state_view;
  using of_rank = Kokkos::View<typename all::data_type, typename all::array_layout, typename all::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  join_of_ranks(
      exec, comm, label, states, [&] { statistics.reset(exec); },
      [&](auto* data) { statistics.join(exec, of_rank(data, states.layout())); });
}
template <class Exec, class Space>
void merge_over_ranks(const Exec& exec, const Communicator& comm, const std::string& label,
                      const RunningCovariance<Space>& covariance) {
  join_of_ranks(
      exec, comm, label, covariance.sums(), [&] { covariance.reset(exec); },
      [&](double* data) { covariance.join(exec, data); });
}
template <class Exec, class V>
void merge_over_ranks(const Exec& exec, const Communicator& comm, const std::string&,
                      const RunningHistogram<V>& histogram) {
  distributed::all_reduce(exec, comm, histogram.counts());
}

}  // namespace quern::impl

namespace quern::distributed {

/// Merges the `RunningStatistics`, `RunningHistogram` or `RunningCovariance` of all ranks: each, of as many elements,
/// becomes on every rank that of all values that have been added on any, with the same bits on every rank and in each
/// run with as many. Ranks add what they have, as their local Views, in the steps of a simulation, and merge once, at
/// its end; a second merge counts all values again, as does one of statistics of whole DistributedViews, which all
/// ranks have already.
///
/// @code
/// of_all.add(exec, u.local());                      // in each step, without messages
/// quern::distributed::merge(exec, comm, of_all);  // at the end
/// @endcode
///
/// Collective. With NCCL asynchronous on `exec`; with MPI it waits for what was launched on `exec`, and for the
/// messages. States of all ranks are in scratch memory, so that this is for some thousand statistics.
template <execution_space Exec, std::same_as<Communicator> Comm, impl::running_statistics S>
void merge(const Exec& exec, const Comm& comm, const S& statistics) {
  impl::merge_over_ranks(exec, comm, impl::label_text("quern::distributed::merge"), statistics);
}
template <std::same_as<Communicator> Comm, impl::running_statistics S>
void merge(const Comm& comm, const S& statistics) {
  merge(typename S::space_type(), comm, statistics);
}
QUERN_TAKES_NAME(merge)

}  // namespace quern::distributed

#endif
