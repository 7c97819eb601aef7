// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_TWO_OUTPUTS_HPP
#define QUERN_REDUCE_TWO_OUTPUTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/call/places.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/call.hpp>
#include <string>

namespace quern::impl {

/// The first part of a result of two, or the second.
template <int Number>
struct part_of_result {
  template <class Result>
  KOKKOS_FUNCTION auto operator()(const Result& r) const {
    const auto& [first, second] = r;
    if constexpr (Number == 0) return first;
    else return second;
  }
};

/// A reduction whose result has two parts, with an output for each: the results go to scratch memory, from which the
/// parts are copied. Over ranks that check calls, the call is compared once, before all else.
template <class Reduction, class Exec, class First, class Second, class... In, class... Options>
void reduce_to_two(const Reduction& r, const Exec& exec, const std::tuple<First, Second>& views,
                   const std::tuple<const In&...>& inputs, const Options&... options) {
  using where = engine_of<reductions, In...>;
  constexpr int rank = known_rank<First>();
  static_assert(rank >= 0, "quern: the rank of several outputs must be known when compiling");
  using results =
      Kokkos::View<typename with_pointers<result_of<reducer_of<Reduction>>, rank>::type, Kokkos::LayoutRight,
                   typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr bool over_ranks = (is_at<over_ranks_place, In> || ...);
  const std::string label = r.label;
  if constexpr (over_ranks) where::compare(r, views, inputs, options...);
  const call<Exec> c(label, exec);
  const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, views);
  check_outputs(label, out);
  constexpr bool here = std::is_same_v<where, engine<in_memory, reductions>>;
  if constexpr (here) {
    const auto elements = c.elements(std::get<0>(inputs));
    unpack([&](const auto&... o) { (check_overlap(label, o, elements, input_name(0), false), ...); }, out);
  }
  const shape& extents = std::get<0>(out).extents;
  Kokkos::LayoutRight layout;
  for (int d = 0; d < rank; ++d) layout.dimension[d] = static_cast<std::size_t>(extents.extent[d]);
  const scratch_array<Exec, typename results::value_type> memory(exec, extents.size());
  const results both(memory.data(), layout);
  if constexpr (over_ranks) where::reduce(r, exec, both, inputs, options...);
  else where::run(r, exec, both, inputs, options...);
  map_checked(label_text(label, "/first"), exec, std::get<0>(views), part_of_result<0>(), both);
  map_checked(label_text(label, "/second"), exec, std::get<1>(views), part_of_result<1>(), both);
  if constexpr (!here) exec.fence(kernel_label(label));  // as every call with operands that are not in memory
}

}  // namespace quern::impl

#endif
