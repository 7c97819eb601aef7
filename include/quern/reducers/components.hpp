// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_COMPONENTS_HPP
#define QUERN_REDUCERS_COMPONENTS_HPP

#include <numeric>
#include <quern/reducers/extrema.hpp>
#include <quern/reducers/results.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// Components that a vector register holds.
template <class P>
inline constexpr int vector_components = std::max(1, 64 / static_cast<int>(sizeof(P)));

/// Arrays side by side: as many as registers hold, at least so many that they fill vectors where they are small, or all
/// of a few and of three.
template <int Count, class P, std::size_t N>
inline constexpr int component_lanes = [] {
  constexpr std::size_t bytes = N * sizeof(P);
  constexpr int fill = bytes > 1024 ? 1 : vector_components<P> / std::gcd(vector_components<P>, static_cast<int>(N));
  constexpr int held = static_cast<int>(std::bit_floor(std::max<std::size_t>(1, 256 / bytes)));
  return Count % 2 != 0 ? Count : std::min(Count, std::max(fill, held));
}();

/// The sums of the components of `Count` Arrays, in lanes of whole Arrays and then in a tree. What stands in the same
/// place of each lot of lanes is added up, a vector at a time: of loops over Arrays and their components compilers
/// make no vector instructions at -O2, and loops over more than 16 values they keep in memory.
template <class P, int Count, class T, std::size_t N>
KOKKOS_FUNCTION Kokkos::Array<P, N> fold_components(const Kokkos::Array<T, N>* v) {
  static_assert(sizeof(*v) == N * sizeof(T) && Count % component_lanes<Count, P, N> == 0);
  constexpr int lanes = component_lanes<Count, P, N>, width = static_cast<int>(N), positions = lanes * width;
  constexpr int together = positions % vector_components<P> == 0 ? vector_components<P> : lanes;
  const T* const values = v->data();
  P lane[positions];
  for (int position = 0; position < positions; position += together) {
    P sum[together];
    for (int k = 0; k < together; ++k) sum[k] = static_cast<P>(values[position + k]);
    for (int i = positions; i < Count * width; i += positions)
      for (int k = 0; k < together; ++k) sum[k] = plus<P>()(sum[k], static_cast<P>(values[i + position + k]));
    for (int k = 0; k < together; ++k) lane[position + k] = sum[k];
  }
  Kokkos::Array<P, N> sums;
  for (int c = 0; c < width; ++c) {
    P component[lanes];
    for (int l = 0; l < lanes; ++l) component[l] = lane[l * width + c];
    sums[c] = fold_tree<P, lanes>(component, cast_to<P>(), plus<P>());
  }
  return sums;
}
/// Whether a sum adds up blocks of values T before it takes them.
template <class State, class T>
inline constexpr bool folds = false;
template <class S, class T>
inline constexpr bool folds<compensated<S>, T> = !compensated<S>::template in_halves<T>;

/// A reducer of Arrays, of which each component is reduced by itself.
template <class Reducer, std::size_t N>
struct component_reducer {
  using state = Kokkos::Array<typename Reducer::state, N>;
  /// Registers hold few Arrays.
  template <class T>
  static constexpr int at_once = 4;
  Reducer of_component{};

  KOKKOS_FUNCTION state init() const {
    state s;
    for (std::size_t c = 0; c < N; ++c) s[c] = of_component.init();
    return s;
  }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    for (std::size_t c = 0; c < N; ++c) of_component.add(s[c], v[c]);
  }
  template <int Count, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    using C = component_type<T>;
    if constexpr (folds<typename Reducer::state, C>) {
      const auto sums = fold_components<typename Reducer::state::template folded<Count, C>, Count>(v);
      for (std::size_t c = 0; c < N; ++c) {
        s[c].add(sums[c]);
        s[c].settle();
      }
    } else {
      for (std::size_t c = 0; c < N; ++c) {
        C values[Count];
        for (int i = 0; i < Count; ++i) values[i] = v[i][c];
        of_component.template add_block<Count>(s[c], values);
      }
    }
  }
  /// Of values that lie in columns, `v.column(c)` being where component c begins.
  template <int Count, class Columns>
    requires requires(const Columns& v) { v.column(0); }
  void add_block(state& s, const Columns& v) const {
    for (std::size_t c = 0; c < N; ++c) of_component.template add_block<Count>(s[c], v.column(c));
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    for (std::size_t c = 0; c < N; ++c) of_component.join(s[c], t[c]);
  }
  KOKKOS_FUNCTION auto result(const state& s, std::int64_t n) const {
    Kokkos::Array<decltype(of_component.result(s[0], n)), N> results;
    for (std::size_t c = 0; c < N; ++c) results[c] = of_component.result(s[c], n);
    return results;
  }
};

/// The reducer of values T whose components `Reducer` reduces; of what is no Array itself.
template <class T, class Reducer>
struct reducer_by_component {
  using type = Reducer;
};
template <class T, std::size_t N, class Reducer>
struct reducer_by_component<Kokkos::Array<T, N>, Reducer> {
  using type = component_reducer<Reducer, N>;
};
template <class T, class Reducer>
using by_component = typename reducer_by_component<T, Reducer>::type;

template <class T, int Sign>
using extremum_of = by_component<T, extremum_reducer<component_type<T>, Sign>>;
template <class T, std::size_t N>
struct minmax_reducer<Kokkos::Array<T, N>> : component_reducer<minmax_reducer<T>, N> {
  using components = component_reducer<minmax_reducer<T>, N>;
  KOKKOS_FUNCTION auto result(const typename components::state& s, std::int64_t) const {
    extrema<Kokkos::Array<T, N>> found;
    for (std::size_t c = 0; c < N; ++c) {
      found.min[c] = s[c].min;
      found.max[c] = s[c].max;
    }
    return found;
  }
};

/// A reducer to the moments of each component.
template <class Reducer, std::size_t N>
struct component_moments : component_reducer<Reducer, N> {
  using components = component_reducer<Reducer, N>;
  KOKKOS_FUNCTION auto result(const typename components::state& s, std::int64_t n) const {
    using one = decltype(this->of_component.result(s[0], n));
    moments<Kokkos::Array<decltype(one::mean), N>, Kokkos::Array<decltype(one::var), N>> found;
    for (std::size_t c = 0; c < N; ++c) {
      const one of_component = this->of_component.result(s[c], n);
      found.mean[c] = of_component.mean;
      found.var[c] = of_component.var;
    }
    return found;
  }
};

/// Whether a reducer compares values that have an order: numbers, or each component of Arrays with that of the others.
template <class Reducer, class T>
inline constexpr bool compares = has_order<T>;
template <class Reducer, std::size_t N, class T>
inline constexpr bool compares<component_reducer<Reducer, N>, T> = has_order<component_type<T>>;
template <class U, std::size_t N, class T>
inline constexpr bool compares<minmax_reducer<Kokkos::Array<U, N>>, T> = has_order<U>;

}  // namespace quern::impl

#endif
