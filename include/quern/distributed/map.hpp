// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_MAP_HPP
#define QUERN_DISTRIBUTED_MAP_HPP

#include <quern/distributed/operands.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// Elementwise operations on DistributedViews: each rank computes the cells of its block, and leaves its halo as it is.
template <>
struct engine<over_ranks_place, maps> : compared_calls {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const std::string& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    unpack(
        [&](const auto& first, const auto&... other) {
          static_assert(array_of_blocks<decltype(first)> && (array_of_blocks<decltype(other)> && ...),
                        "quern: beside DistributedViews, out must be a DistributedView; "
                        "quern::distributed::to_global brings all blocks to a View");
          constexpr int rank = std::remove_cvref_t<decltype(first)>::rank;
          const Decomposition& d = first.decomposition();
          check_same_arrays(d.communicator(), label, [] { return ""; }, out, inputs);
          (check_same_blocks(label, "another output", d, other.decomposition()), ...);
          [&]<std::size_t... I>(std::index_sequence<I...>) {
            map_checked(label, exec, std::tuple(first.local(), other.local()...),
                        count_in_whole<In...>(f, part_origin<rank>(d.local().first)),
                        operand_at_block<rank>(label, I, std::get<I>(inputs), d)...);
          }(std::index_sequence_for<In...>());
        },
        as_outputs(out));
  }
};

}  // namespace quern::impl

#endif
