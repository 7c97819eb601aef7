// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SEVERAL_REDUCTIONS_HPP
#define QUERN_REDUCE_SEVERAL_REDUCTIONS_HPP

/// @file
/// Maps whose outputs are reductions and nothing else: one reduction of `lazy(f, in...)`, in every place.

#include <quern/reduce/reducing_map.hpp>

namespace quern::impl {

/// What each of several reducers takes, from the values of f.
template <class... Transform>
struct transformed_values {
  operand_tuple<Transform...> transform;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& v) const {
    return all_of(v, std::index_sequence_for<Transform...>());
  }

 private:
  template <class V, std::size_t... J>
  KOKKOS_FORCEINLINE_FUNCTION auto all_of(const V& v, std::index_sequence<J...>) const {
    return quern::values(get<J>(transform)(value_part<J>(v))...);
  }
};
template <class Outs, class... Reduction>
auto as_one_reduction(const operation_name& label, const reductions_among<Outs, Reduction...>& reductions) {
  return unpack(
      [&](const auto&... r) {
        using transform = transformed_values<decltype(Reduction::transform)...>;
        return reduction{label, reductions.reducer(), transform{{{r.transform}...}}, (r.identity && ...)};
      },
      reductions.each);
}

template <class Place>
struct engine<Place, several_reductions> {
  template <class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    const auto values = unpack([&](const auto&... in) { return lazy(f, in...); }, inputs);
    const auto reductions = reductions_of_results<value_of<decltype(values)>>(exec, outs);
    if constexpr (are_described<decltype(reductions)>) {
      const call<Exec> c(label, exec);
      const shape extents = operand_extents(c.label, values);
      const axis_set along = axes_of_reductions(c.label, outs, extents.rank);
      reductions.check_elements(c, along, extents);
      const auto to = reduced_outputs(outs);
      check_results_apart(c.label, to, std::index_sequence_for<Out...>());
      const auto r = as_one_reduction(label, reductions);
      if constexpr ((has_axes<Out> || ...)) {
        reduce_by_scratch(r, exec, to, std::tie(values), *std::get<0>(outs).along(), options...);
      } else if constexpr ((!view_like<decltype(Out::out)> || ...)) {
        const auto found = reduce_call(r, exec, on_host, std::tie(values), options...);
        using views = typename numbers_where<view_like<decltype(Out::out)>...>::type;
        write_found(c, select(to, views()), found, views());
        return host_results(found.of, typename numbers_where<!view_like<decltype(Out::out)>...>::type());
      } else {
        reduce_by_scratch(r, exec, to, std::tie(values), options...);
      }
    }
  }

 private:
  /// Writes those of the results that do not stay on the host.
  template <class Exec, class... To, class Found, std::size_t... J>
  static void write_found(const call<Exec>& c, const std::tuple<To...>& to, const Found& found,
                          std::index_sequence<J...>) {
    if constexpr (sizeof...(J) > 0)
      map_checked(label_text(c.label, "/results"), c.exec, to, results_apart<J...>(), found);
  }
};

}  // namespace quern::impl

#endif
