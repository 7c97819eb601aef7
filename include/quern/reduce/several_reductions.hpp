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

/// The results of f, each beside whether a mask, the last argument, selects it; f is called where it does.
template <class F, std::size_t N>
struct selected_results {
  struct selects_by_last {};
  F f;
  template <class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V&... v) const {
    return each(std::make_index_sequence<sizeof...(V) - 1>(), std::make_index_sequence<N>(), v...);
  }

 private:
  template <std::size_t... I, std::size_t... J, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto each(std::index_sequence<I...>, std::index_sequence<J...>, const V&... v) const {
    using found = std::remove_cvref_t<decltype(f(nth<static_cast<int>(I)>(v...)...))>;
    const auto& m = nth<static_cast<int>(sizeof...(I))>(v...);
    if (m == std::remove_cvref_t<decltype(m)>(0)) return quern::values(selected<value_part_type<J, found>>{}...);
    const found r = f(nth<static_cast<int>(I)>(v...)...);
    return quern::values(selected<value_part_type<J, found>>{value_part<J>(r), true}...);
  }
};

template <class Place>
struct engine<Place, several_reductions> {
  template <class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    const auto values = unpack([&](const auto&... in) { return lazy(f, in...); }, inputs);
    if constexpr (!with_mask<Options...>) {
      return reduce<false>(label, exec, outs, values, [] {}, options...);
    } else {
      const auto& m = mask_among(options...).where;
      if constexpr (check_mask_type<std::remove_cvref_t<decltype(m)>, rank_of<decltype(values)>>() &&
                    results_fit<value_of<decltype(values)>, sizeof...(Out)>()) {
        const auto check = [&] { check_mask(label, m, operand_extents(label, values)); };
        const selected_results<F, sizeof...(Out)> of_selected{f};
        const auto selected = unpack([&](const auto&... in) { return lazy(of_selected, in..., m); }, inputs);
        return unpack(
            [&](const auto&... others) { return reduce<true>(label, exec, outs, selected, check, others...); },
            without_mask(options...));
      }
    }
  }

 private:
  /// Reductions of values, of which `check()` rejects what is wrong when the call has been compared with those of other
  /// ranks.
  template <bool WithMask, class Exec, class... Out, class Values, class Check, class... Options>
  static auto reduce(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs,
                     const Values& values, const Check& check, const Options&... options) {
    constexpr bool to_views = ((view_like<decltype(Out::out)> || std::is_same_v<decltype(Out::out), on_host_t>) && ...);
    static_assert(to_views,
                  "quern::reduced: where all outputs are reductions, out is a View, over ranks of all results, or "
                  "on_host");
    const auto reductions = reductions_of_results<value_of<Values>>(exec, outs);
    if constexpr (to_views && are_described<decltype(reductions)>) {
      const auto to = reduced_outputs(outs);
      const auto r = as_one_reduction(label, reductions);
      compare(r, outs, to, values, options...);
      const call<Exec> c(label, exec);
      check_in_place(c.label, values, [&] {
        check();
        const shape extents = operand_extents(c.label, values);
        const axis_set along = axes_of_reductions(c.label, outs, extents.rank);
        reductions.check_elements(c, along, extents);
        const shape results = along.part(extents, false);
        unpack([&](const auto&... in) { check_reduced<WithMask>(c.label, to, results, std::tuple<>(), in...); },
               values.in);
      });
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
  /// Compares the call with those of other ranks before anything is rejected.
  template <class Reduction, class First, class... Out, class To, class Values, class... Options>
  static void compare(const Reduction& r, const std::tuple<First, Out...>& outs, const To& to, const Values& values,
                      const Options&... options) {
    using place = engine_of<impl::reductions, Values>;
    if constexpr (has_axes<First>)
      compare_where_it_can<place>(r, to, std::tie(values), *std::get<0>(outs).along(), options...);
    else compare_where_it_can<place>(r, to, std::tie(values), options...);
  }
  /// Checks what other ranks may find in order.
  template <class Values, class Check>
  static void check_in_place(const std::string& label, const Values& values, const Check& check) {
    using place = engine_of<impl::reductions, Values>;
    if constexpr (requires { place::check(label, std::tie(values), check); })
      place::check(label, std::tie(values), check);
    else check();
  }
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
