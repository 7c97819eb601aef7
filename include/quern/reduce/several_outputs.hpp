// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SEVERAL_OUTPUTS_HPP
#define QUERN_REDUCE_SEVERAL_OUTPUTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/call/places.hpp>
#include <quern/core/views/part_view.hpp>
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

/// Those of the results of several reductions that have the numbers J.
template <std::size_t... J>
struct results_apart {
  template <class... Result>
  KOKKOS_FUNCTION auto operator()(const several_values<Result...>& r) const {
    if constexpr (sizeof...(J) == 1) return (get<J>(r.of), ...);
    else return quern::values(get<J>(r.of)...);
  }
};
template <class Result>
inline constexpr bool is_several = false;
template <class... Result>
inline constexpr bool is_several<several_values<Result...>> = true;

/// Copies results to an output for each of their parts, or to rows.
template <class Exec, class... Out, class Results>
void copy_results(const std::string& label, const Exec& exec, const std::tuple<Out...>& out, const Results& results) {
  const auto copy = [&](std::string_view part, const auto& to, const auto& f) {
    map_checked(label_text(label, part), exec, to, f, results);
  };
  if constexpr (is_several<value_of<Results>>) {
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      copy("/results", out, results_apart<J...>());
    }(std::index_sequence_for<Out...>());
  } else if constexpr (sizeof...(Out) == 1) {
    copy("/rows", std::get<0>(out), op::identity());
  } else {
    copy("/first", std::get<0>(out), part_of_result<0>());
    copy("/second", std::get<1>(out), part_of_result<1>());
  }
}

/// A reduction whose result has several parts, with an output for each, or whose results are written to rows: they go
/// to scratch memory, from which they are copied. Over ranks that check calls, the call is compared once, before all
/// else.
template <class Reduction, class Exec, class... Out, class... In, class... Options>
void reduce_by_scratch(const Reduction& r, const Exec& exec, const std::tuple<Out...>& views,
                       const std::tuple<const In&...>& inputs, const Options&... options) {
  using where = engine_of<reductions, In...>;
  constexpr int rank = rank_of<std::tuple_element_t<0, std::tuple<Out...>>>;
  using result = result_of<reducer_of<Reduction>>;
  constexpr bool over_ranks = (is_at<over_ranks_place, In> || ...);
  const std::string label = r.label;
  if constexpr (over_ranks) where::compare(r, views, inputs, options...);
  const call<Exec> c(label, exec);
  const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, views);
  check_outputs(label, out);
  constexpr bool here = std::is_same_v<where, engine<in_memory, reductions>>;
  if constexpr (here) {
    const auto check = [&](const auto& in, std::size_t number) {
      const auto elements = c.elements(in);
      unpack([&](const auto&... o) { (check_overlap(label, o, elements, input_name(number), false), ...); }, out);
    };
    std::size_t number = 0;
    unpack([&](const auto&... in) { (check(in, number++), ...); }, inputs);
  }
  const shape& extents = std::get<0>(out).extents;
  const scratch_array<Exec, result> memory(exec, extents.size());
  const auto both =
      as_part<Exec, rank, Kokkos::LayoutRight>(strided<result>{memory.data(), extents, row_major_strides(extents)});
  if constexpr (over_ranks) where::reduce(r, exec, both, inputs, options...);
  else where::run(r, exec, both, inputs, options...);
  copy_results(label, exec, views, both);
  if constexpr (!here) exec.fence(kernel_label(label));  // as every call with operands that are not in memory
}

}  // namespace quern::impl

#endif
