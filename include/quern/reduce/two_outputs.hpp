// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_TWO_OUTPUTS_HPP
#define QUERN_REDUCE_TWO_OUTPUTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/call/places.hpp>
#include <quern/map/map.hpp>
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

/// A reduction whose result is a `Result` of two parts, with an output for each: `reduce(results)` writes to scratch
/// memory, from which the parts are copied.
template <class Result, class Exec, class First, class Second, class In, class Reduce>
void reduce_to_two(const std::string& label, const Exec& exec, const std::tuple<First, Second>& views, const In& in,
                   const Reduce& reduce) {
  constexpr int rank = known_rank<First>();
  static_assert(rank >= 0, "quern: the rank of several outputs must be known when compiling");
  using results = Kokkos::View<typename with_pointers<Result, rank>::type, Kokkos::LayoutRight,
                               typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  compare_calls<reductions>(label, [] { return ""; }, in, std::get<0>(views), std::get<1>(views));
  const call<Exec> c(label, exec);
  const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, views);
  check_outputs(label, out);
  constexpr bool here = std::is_same_v<engine_of<reductions, In>, engine<in_memory, reductions>>;
  if constexpr (here) {
    const auto elements = c.elements(in);
    unpack([&](const auto&... o) { (check_overlap(label, o, elements, input_name(0), false), ...); }, out);
  }
  const shape& extents = std::get<0>(out).extents;
  Kokkos::LayoutRight layout;
  for (int d = 0; d < rank; ++d) layout.dimension[d] = static_cast<std::size_t>(extents.extent[d]);
  const scratch_array<Exec, Result> memory(exec, extents.size());
  const results both(memory.data(), layout);
  reduce(both);
  map_checked(label_text(label, "/first"), exec, std::get<0>(views), part_of_result<0>(), both);
  map_checked(label_text(label, "/second"), exec, std::get<1>(views), part_of_result<1>(), both);
  if constexpr (!here) exec.fence(kernel_label(label));  // as every call with operands that are not in memory
}

}  // namespace quern::impl

#endif
