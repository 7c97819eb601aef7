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

/// Rejects outputs that share memory with a mask.
template <class Exec, class Out, class M>
void check_mask_apart(const std::string& label, const Out& out, const M& m) {
  if constexpr (stored_array<Out> && stored_array<M>)
    check_overlap(label, as_strided<Exec, use::output>(out, label), make_input<Exec>(m, label).array, "the mask",
                  false);
}

}  // namespace quern::impl

#endif
