// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MASKED_HPP
#define QUERN_MAP_MASKED_HPP

/// @file
/// Elementwise operations on what a mask selects: the outputs are inputs, too, of which the others are kept.

#include <quern/core/call/mask.hpp>
#include <quern/core/launch/arguments.hpp>

namespace quern::impl {

/// f of the inputs where the mask selects, and elsewhere the values of the outputs, of types `Old`, which stand behind
/// the inputs. The mask is last.
template <class F, class... Old>
struct where_selected {
  struct selects_by_last {};
  F f;
  template <class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V&... v) const {
    constexpr std::size_t inputs = sizeof...(V) - sizeof...(Old) - 1;
    return choose(std::make_index_sequence<inputs>(), std::index_sequence_for<Old...>(), v...);
  }

 private:
  template <std::size_t... I, std::size_t... O, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto choose(std::index_sequence<I...>, std::index_sequence<O...>, const V&... v) const {
    constexpr int inputs = sizeof...(I), outputs = sizeof...(O);
    const auto& m = nth<inputs + outputs>(v...);
    const bool chosen = m != std::remove_cvref_t<decltype(m)>(0);
    if constexpr (outputs == 1) {
      using value = std::common_type_t<Old...>;
      return chosen ? convert<value>(f(nth<static_cast<int>(I)>(v...)...)) : static_cast<value>(nth<inputs>(v...));
    } else {
      if (!chosen) return several_values<Old...>{{{nth<inputs + static_cast<int>(O)>(v...)}...}};
      const auto found = f(nth<static_cast<int>(I)>(v...)...);
      return several_values<Old...>{{{convert<Old>(value_part<O>(found))}...}};
    }
  }
};

/// The same where some outputs are reductions, `Reduced`, which get the results of f as `selected` or not; `Old` is a
/// tuple of the types of the others.
template <class F, class Old, bool... Reduced>
struct where_selected_among {
  struct selects_by_last {};
  F f;
  template <class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V&... v) const {
    constexpr std::size_t inputs = sizeof...(V) - std::tuple_size_v<Old> - 1;
    return choose(std::make_index_sequence<inputs>(), std::make_index_sequence<sizeof...(Reduced)>(), v...);
  }

 private:
  /// Where the value of output number J stands among those of the arrays.
  template <std::size_t J>
  static constexpr int array_number = [] {
    constexpr bool reduced[] = {Reduced...};
    int n = 0;
    for (std::size_t j = 0; j < J; ++j) n += reduced[j] ? 0 : 1;
    return n;
  }();
  /// Output N where the mask leaves it out: what an array holds, or nothing for a reduction. (Functions, as g++ 12
  /// fails at generic lambdas here.)
  template <std::size_t N, bool IsReduced, class Found, int Inputs, class... V>
  static KOKKOS_FORCEINLINE_FUNCTION auto left(const V&... v) {
    if constexpr (IsReduced) return selected<value_part_type<N, Found>>{};
    else return nth<Inputs + array_number<N>>(v...);
  }
  template <std::size_t N, bool IsReduced, class Found>
  static KOKKOS_FORCEINLINE_FUNCTION auto taken(const Found& r) {
    if constexpr (IsReduced) return selected<value_part_type<N, Found>>{value_part<N>(r), true};
    else return convert<std::tuple_element_t<array_number<N>, Old>>(value_part<N>(r));
  }
  template <std::size_t... I, std::size_t... J, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto choose(std::index_sequence<I...>, std::index_sequence<J...>, const V&... v) const {
    using found = std::remove_cvref_t<decltype(f(nth<static_cast<int>(I)>(v...)...))>;
    constexpr int inputs = sizeof...(I);
    const auto& m = nth<static_cast<int>(sizeof...(V)) - 1>(v...);
    if (m == std::remove_cvref_t<decltype(m)>(0)) return quern::values(left<J, Reduced, found, inputs>(v...)...);
    const found r = f(nth<static_cast<int>(I)>(v...)...);
    return quern::values(taken<J, Reduced>(r)...);
  }
};

/// Whether the last input of such a map is a mask.
template <class F>
inline constexpr bool selects_by_mask = false;
template <class F, class Old, bool... Reduced>
inline constexpr bool selects_by_mask<where_selected_among<F, Old, Reduced...>> = true;

/// Of several outputs those that are arrays.
template <class Out>
auto arrays_among(const Out& out) {
  const auto array = [](const auto& o) {
    if constexpr (is_reduced<std::remove_cvref_t<decltype(o)>>) return std::tuple<>();
    else return std::tuple(o);
  };
  return unpack([&](const auto&... o) { return std::tuple_cat(array(o)...); }, as_outputs(out));
}
template <class Outs, class F, class... Old>
struct function_among;
template <class... Out, class F, class... Old>
struct function_among<std::tuple<Out...>, F, Old...> {
  using type = where_selected_among<F, std::tuple<Old...>, is_reduced<Out>...>;
};
template <class Outs, class F, class... Old>
using where_selected_among_outputs = typename function_among<Outs, F, Old...>::type;

}  // namespace quern::impl

#endif
