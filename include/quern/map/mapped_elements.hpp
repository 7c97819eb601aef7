// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MAPPED_ELEMENTS_HPP
#define QUERN_MAP_MAPPED_ELEMENTS_HPP

#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/values/values.hpp>
#include <quern/map/tuning.hpp>

namespace quern::impl {

/// Whether the elements of an operand are found by a map of indices.
template <class Operand>
inline constexpr bool finds_by_index = requires(const Operand& in) { in.source; };

/// What a map writes: an array, or one for each element of what the function returns. T is what its memory holds.
template <class... T>
struct map_output {
  static constexpr int count = sizeof...(T);
  using indices = std::index_sequence_for<T...>;
  operand_tuple<array_operand<T>...> array;

  template <std::size_t J, class R>
  KOKKOS_FORCEINLINE_FUNCTION static decltype(auto) part(const R& r) {
    if constexpr (count == 1) return (r);
    else return value_part<J>(r);
  }
  /// One element of each.
  template <class R, class Offsets>
  KOKKOS_FORCEINLINE_FUNCTION void put(const Offsets& o, std::int64_t k, const R& r) const {
    put(o, k, r, indices());
  }
  template <class R, class Offsets, std::size_t... J>
  KOKKOS_FORCEINLINE_FUNCTION void put(const Offsets& o, std::int64_t k, const R& r, std::index_sequence<J...>) const {
    ((get<J>(array).data[o.of[J] + k * get<J>(array).step] = converted<stored<T>>(part<J>(r))), ...);
  }
  /// W elements of each, `element(k)` of which are results.
  template <int W, class Offsets, class Element>
  KOKKOS_FORCEINLINE_FUNCTION void put_packs(const Offsets& o, const Element& element) const {
    put_packs<W>(o, element, indices());
  }
  template <int W, class Offsets, class Element, std::size_t... J>
  KOKKOS_FORCEINLINE_FUNCTION void put_packs(const Offsets& o, const Element& element,
                                             std::index_sequence<J...>) const {
    operand_tuple<written_pack<T, W>...> result;
    for (int k = 0; k < W; ++k) {
      const auto r = element(k);
      (get<J>(result).set(k, converted<stored<T>>(part<J>(r))), ...);
    }
    (get<J>(array).store_pack(o.of[J], get<J>(result)), ...);
  }
};

/// out(i) = f(in(i)...) for the elements of a loop nest, whose operands are the outputs and then the inputs.
template <class Exec, class F, class Out, class... In>
struct mapped_elements;
template <class Exec, class F, class... T, class... In>
struct mapped_elements<Exec, F, map_output<T...>, In...> {
  using exec_space = Exec;
  using inputs = std::index_sequence_for<In...>;
  static constexpr int outputs = sizeof...(T);
  static constexpr int operands = outputs + sizeof...(In);
  static constexpr std::size_t largest_value = std::max({sizeof(T)..., sizeof(typename In::value_type)...});
  static constexpr std::size_t bytes_written = (0 + ... + sizeof(T));
  // Positions are not loaded, and functions of them have better things to do than to wait for memory.
  static constexpr bool of_positions = (std::is_same_v<In, position_operand> || ...);
  static constexpr int width =
      of_positions ? 1 : pack_width<Exec, typename memory_of<T>::pack_type..., typename In::pack_type...>();
  static constexpr int components = std::max({array_operand<T>::components..., In::components...});  // of a row
  static constexpr bool finds_elements = (finds_by_index<In> || ...);
  using offsets = typename row_nest<operands>::offsets;

  F f;
  map_output<T...> out;
  operand_tuple<In...> in;
  row_nest<operands> nest;
};

}  // namespace quern::impl

#endif
