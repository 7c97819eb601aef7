// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_JOINT_HPP
#define QUERN_REDUCERS_JOINT_HPP

#include <quern/core/launch/arguments.hpp>
#include <quern/reducers/results.hpp>

namespace quern::impl {

template <class... Reducer>
struct joint_state {
  operand_tuple<typename Reducer::state...> of;
};

/// How many values T a thread of a device gives to a reducer at once.
template <class Reducer, class T>
constexpr int values_at_once() {
  if constexpr (requires { Reducer::template at_once<T>; }) return Reducer::template at_once<T>;
  else return 32;
}

/// Several reductions in one pass: of values that are `several_values`, each reducer takes its own.
template <class Numbers, class... Reducer>
struct numbered_reducers;
template <class... Reducer>
using joint_reducer = numbered_reducers<std::index_sequence_for<Reducer...>, Reducer...>;

template <std::size_t... J, class... Reducer>
struct numbered_reducers<std::index_sequence<J...>, Reducer...> {
  using state = joint_state<Reducer...>;
  operand_tuple<Reducer...> each;
  template <class V>
  static constexpr int at_once = std::min({values_at_once<Reducer, value_part_type<J, V>>()...});

  KOKKOS_FUNCTION state init() const { return {{{get<J>(each).init()}...}}; }
  template <class V, class... At>
  KOKKOS_FUNCTION void add(state& s, const V& v, const At&... at) const {
    (add_to(get<J>(each), get<J>(s.of), get<J>(v.of), at...), ...);
  }
  template <int N, class V, class... At>
  KOKKOS_FUNCTION void add_block(state& s, const V* v, const At&... at) const {
    (add_part<N, J>(s, v, at...), ...);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { (get<J>(each).join(get<J>(s.of), get<J>(t.of)), ...); }
  KOKKOS_FUNCTION static void move(state& s, std::int64_t first) { (move_part<Reducer>(get<J>(s.of), first), ...); }
  KOKKOS_FUNCTION auto result(const state& s, std::int64_t n) const {
    return values(get<J>(each).result(get<J>(s.of), n)...);
  }

 private:
  template <class R>
  static constexpr bool with_positions = requires { typename R::uses_positions; };
  template <class R>
  KOKKOS_FUNCTION static void move_part(typename R::state& s, std::int64_t first) {
    if constexpr (with_positions<R>) R::move(s, first);
  }
  template <class R, class V>
  KOKKOS_FUNCTION static void add_to(const R& r, typename R::state& s, const V& v) {
    r.add(s, v);
  }
  template <class R, class V>
  KOKKOS_FUNCTION static void add_to(const R& r, typename R::state& s, const V& v, std::int64_t at) {
    if constexpr (with_positions<R>) r.add(s, v, at);
    else r.add(s, v);
  }
  template <int N, std::size_t Part, class V, class... At>
  KOKKOS_FUNCTION void add_part(state& s, const V* v, const At&... at) const {
    const auto& r = get<Part>(each);
    std::remove_cvref_t<decltype(get<Part>(v->of))> part[N];
    for (int i = 0; i < N; ++i) part[i] = get<Part>(v[i].of);
    if constexpr (with_positions<std::remove_cvref_t<decltype(r)>>)
      r.template add_block<N>(get<Part>(s.of), part, at...);
    else r.template add_block<N>(get<Part>(s.of), part);
  }
};
/// The same where some take positions.
template <class... Reducer>
struct joint_reducer_at : joint_reducer<Reducer...> {
  using uses_positions = void;
};

/// One reducer as it is, or several in one.
template <class Reducer>
Reducer joined_reducers(const Reducer& reducer) {
  return reducer;
}
template <class First, class Second, class... Reducer>
auto joined_reducers(const First& first, const Second& second, const Reducer&... reducer) {
  constexpr bool positions = requires { typename First::uses_positions; } || requires {
    typename Second::uses_positions;
  } || (requires { typename Reducer::uses_positions; } || ...);
  using joint = joint_reducer<First, Second, Reducer...>;
  if constexpr (positions) return joint_reducer_at<First, Second, Reducer...>{joint{{{first}, {second}, {reducer}...}}};
  else return joint{{{first}, {second}, {reducer}...}};
}

}  // namespace quern::impl

#endif
