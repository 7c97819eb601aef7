// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_WINDOW_FILTERS_HPP
#define QUERN_DISTRIBUTED_WINDOW_FILTERS_HPP

#include <quern/distributed/stencil.hpp>
#include <quern/stencil/filter_engine.hpp>

namespace quern::impl {

/// Filters of DistributedViews, whose halos the windows read.
template <>
struct engine<over_ranks_place, window_filters> {
  /// Compares a call whose parameters a rank rejects.
  template <class Out, class In>
  static void compare_rejected(const std::string& label, const Out& out, const In& in, const std::string& why) {
    if constexpr (distributed_like<Out> && distributed_like<In>)
      check_same_arrays(
          out.decomposition().communicator(), label, [&] { return ", " + why; }, std::tuple<Out>(out), in);
  }
  template <class Filter, class Exec, class Out, class In, class... Options>
  static void run(const Filter& filter, const Exec& exec, const Out& out, const boundaries& edge, const In& in,
                  const Options&...) {
    check_place_options<Options...>();
    constexpr bool all = distributed_like<Out> && distributed_like<In>;
    static_assert(all, "quern: over ranks, both arrays of a filter are DistributedViews");
    const auto compute = [&](const Exec& where, int, const auto& to, op::identity, const stencil_part& part,
                             const shape&, const auto& cells) {
      engine<in_memory, window_filters>::run(filter, where, std::get<0>(to), part.edge, cells);
    };
    if constexpr (all) {
      const auto outs = std::tuple<Out>(out);
      const auto reach = filter.reach();
      compare_stencils(filter.label.c_str(), reach, outs, edge, [&] { return filter.text(); }, in);
      stencil_of_blocks(
          filter.label.c_str(), reach, exec, outs, op::identity(), edge, true, [](std::size_t) {}, compute, in);
    }
  }
};

}  // namespace quern::impl

#endif
