// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_HPP
#define QUERN_REDUCE_SELECT_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/vector_sort.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/reduce/device_select.hpp>
#include <quern/reduce/host_select.hpp>
#include <quern/reduce/lane_select.hpp>
#include <quern/reduce/select_passes.hpp>
#include <quern/reduce/tuning.hpp>

namespace quern::impl {

/// The longest lines of which one team selects.
template <class Exec>
std::int64_t longest_line(const Exec& exec, std::int64_t results) {
  using tune = reduce_tuning<Exec>;
  const bool partitions = !is_device<Exec> && has_vector_sort() && exec.concurrency() <= 2 * results;
  return partitions ? tune::select_alone : tune::select_by_team;
}

/// Chooses how lines are read and launches it. `out` is memory that `exec` reaches, with the extents that remain when
/// `axes` are gone. `hidden`, if it is not null, has out's strides: as many elements of each line, which are NaN or the
/// largest integer, do not count.
template <class Exec, class T, class Out>
void select_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const quantile_rule& rule,
                   const axis_set& axes, const strided<Out>& out, const strided<const T>& in,
                   const std::int64_t* hidden) {
  using kernel_type = std::conditional_t<is_device<Exec>, device_select<Exec, T, Out>, host_select<Exec, T, Out>>;
  using work_type = select_work<Exec, T, Out>;
  const row_nest<1> nest(make_loop_nest<1>(axes.part(in.extents, true), {axes.part(in, true)}));
  const row_nest<2> result_nest(make_loop_nest<2>(axes.part(in.extents, false), {axes.part(in, false), out.stride}));
  const std::int64_t results = result_nest.inner * result_nest.outer, n = nest.inner * nest.outer;
  if (results == 0) return;
  const work_type work{rule, in.data, nest, result_nest, n, out.data, hidden};
  if (n > longest_line(exec, results) && results <= Workspace<Exec>::max_counters)
    return select_in_passes(exec, label, scratch, work);
  kernel_type kernel{work};
  if (n <= reduce_tuning<Exec>::select_short)
    return Kokkos::parallel_for(kernel_label(label), index_range<select_short_tag>(exec, results), kernel);
  const bool results_fastest =
      smallest_stride(in.extents, in.stride, axes, false) < smallest_stride(in.extents, in.stride, axes, true);
  if constexpr (is_device<Exec>)
    if (selects_on_lanes<Exec>(work)) return select_on_lanes(exec, label, work, results_fastest);
  select_shape& shape = kernel.work.shape = kernel.shape_for(results_fastest);
  shape.share_results(result_nest.inner, results);
  const std::int64_t teams = std::min(shape.tiles, kernel_type::max_teams(exec));
  const auto shared = team_scratch<Exec>(label, shape.team, kernel.allocate(exec, scratch, teams));
  const auto launch = [&]<class Tag>(Tag) {
    using policy = typename work_type::template policy<Tag>;
    Kokkos::parallel_for(kernel_label(label),
                         policy(exec, static_cast<int>(teams), shape.team).set_scratch_size(0, shared), kernel);
  };
  if constexpr (is_device<Exec>)
    if (shape.held) return launch(select_held_tag());
  launch(select_tile_tag());
}

#define QUERN_SELECT(HOW, Exec, T)                                                                         \
  HOW template void select_launch(const Exec&, const std::string&, Workspace<Exec>&, const quantile_rule&, \
                                  const axis_set&, const strided<mean_type<T>>&, const strided<const T>&,  \
                                  const std::int64_t*);
QUERN_COMPILED_ELSEWHERE(QUERN_SELECT)

}  // namespace quern::impl

#endif
