// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANDOM_HPP
#define QUERN_DISTRIBUTED_RANDOM_HPP

#include <quern/distributed/operands.hpp>
#include <quern/random/fill.hpp>

namespace quern::impl {

/// Random fields of DistributedViews: each rank fills its block, as a part of the whole array.
template <>
struct engine<over_ranks_place, random_fields> : compared_calls {
  template <class Exec, class Out, class Fill, class... P>
  static void run(const std::string& label, const Exec& exec, const Out& out, const random::part_of& where,
                  const Fill& fill, const P&... parameters) {
    static_assert(distributed_like<Out>, "quern::random: where a parameter is a DistributedView, out is one, too");
    if constexpr (distributed_like<Out>) {
      const Decomposition& d = out.decomposition();
      if (where.extents.rank != 0)
        throw Error(label, "a DistributedView has the numbers of a key, not of a part of a field");
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        fill(exec, out.local(), random::part_of(where.of, d.extents(), d.local().first),
             operand_at_block<Out::rank>(label, I + 1, parameters, d)...);
      }(std::index_sequence_for<P...>());
    }
  }
};

}  // namespace quern::impl

#endif
