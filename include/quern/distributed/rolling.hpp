// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_ROLLING_HPP
#define QUERN_DISTRIBUTED_ROLLING_HPP

#include <quern/distributed/window_filters.hpp>

namespace quern::impl {

/// Rolling windows of DistributedViews, whose halos they read.
template <>
struct engine<over_ranks_place, rollings> {
  template <class Out, class In>
  static void compare_rejected(const std::string& label, const Out& out, const In& in, const std::string& why) {
    engine<over_ranks_place, window_filters>::compare_rejected(label, out, in, why);
  }
  template <class Rolling, class Exec, class Out, class In, class... Options>
  static void run(const Rolling& rolling, const Exec& exec, const Out& out, const In& in, const Options&...) {
    check_place_options<Options...>();
    constexpr bool all = distributed_like<Out> && is_at<over_ranks_place, In>;
    static_assert(all, "quern::rolling: over ranks, all arrays are DistributedViews");
    const auto compute = [&](const Exec& where, int, const auto& to, op::identity, const stencil_part& part,
                             const shape&, const auto& cells) {
      rolling.run(where, std::get<0>(to), cells, rolling.margins(part.edge));
    };
    if constexpr (all && rank_of_filter<Out, In>() > 0) {
      const auto outs = std::tuple<Out>(out);
      const boundaries edge = boundary::nearest;  // any that continues the array: nothing beyond it is in a window
      const auto reach = rolling.reach();
      for (int d = 0; d < Out::rank; ++d)
        if (out.decomposition().grid(d) > 1) rolling.check_cut(d);
      compare_stencils(rolling.label, reach, outs, edge, [&] { return rolling.text(); }, in);
      rolling.check_axis(exec, out.extents());  // on ranks without a cell, too
      stencil_of_blocks(rolling.label, reach, exec, outs, op::identity(), edge, true, [](std::size_t) {}, compute, in);
    }
  }
};

}  // namespace quern::impl

#endif
