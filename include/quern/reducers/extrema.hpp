// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_EXTREMA_HPP
#define QUERN_REDUCERS_EXTREMA_HPP

#include <quern/reducers/operations.hpp>
#include <quern/reducers/results.hpp>

namespace quern::impl {

/// Whether a block has a NaN. A walk of its own: not every compiler makes vector instructions of a flag that is found
/// beside something else.
template <int N, class T>
KOKKOS_FUNCTION bool any_nan(const T* v) {
  if constexpr (std::is_integral_v<T>) return false;
  else return fold<T, N>(v, [](const T& x) { return is_nan(x) ? T(1) : T(0); }, plus<T>()) != T(0);
}

/// The better one of two values that are no NaN: the smaller (Sign -1) or larger (+1). NaN in b loses.
template <int Sign, class T>
KOKKOS_FUNCTION T better(const T& a, const T& b) {
  return (Sign > 0 ? b > a : b < a) ? b : a;
}
/// The value from which the search for it starts.
template <int Sign, class T>
KOKKOS_FUNCTION T worst() {
  namespace limits = Kokkos::Experimental;
  if constexpr (std::is_integral_v<T>) return Sign > 0 ? limits::finite_min_v<T> : limits::finite_max_v<T>;
  else return Sign > 0 ? -limits::infinity_v<T> : limits::infinity_v<T>;
}
/// Partial results side by side. g++ unrolls loops over 16 lanes or fewer, and then finds no vector instruction for the
/// better of two.
template <int N, class T>
inline constexpr int extremum_lanes = std::min(N, std::max(32, fold_lanes<N, T>));

/// The smallest or largest value of a block that is not NaN. Without branches.
template <int N, int Sign, class T>
KOKKOS_FUNCTION T block_extremum(const T* v) {
  constexpr int lanes = extremum_lanes<N, T>;
  T best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = worst<Sign, T>();
  for (int i = 0; i < N; i += lanes)
    for (int l = 0; l < lanes; ++l) best[l] = better<Sign>(best[l], v[i + l]);
  for (int l = 1; l < lanes; ++l) best[0] = better<Sign>(best[0], best[l]);
  return best[0];
}
/// Both in one walk.
template <int N, class T>
KOKKOS_FUNCTION extrema<T> block_extrema(const T* v) {
  constexpr int lanes = extremum_lanes<N, T>;
  T low[lanes], high[lanes];
  for (int l = 0; l < lanes; ++l) {
    low[l] = worst<-1, T>();
    high[l] = worst<1, T>();
  }
  for (int i = 0; i < N; i += lanes)
    for (int l = 0; l < lanes; ++l) {
      low[l] = better<-1>(low[l], v[i + l]);
      high[l] = better<1>(high[l], v[i + l]);
    }
  for (int l = 1; l < lanes; ++l) {
    low[0] = better<-1>(low[0], low[l]);
    high[0] = better<1>(high[0], high[l]);
  }
  return {low[0], high[0]};
}
/// The extremum of a block, or NaN if there is one.
template <int N, class T>
KOKKOS_FUNCTION T or_nan(const T& found, const T* v) {
  if constexpr (std::is_integral_v<T>) return found;
  else return any_nan<N>(v) ? Kokkos::Experimental::quiet_NaN_v<T> : found;
}

/// The smallest or the largest value.
template <class T, int Sign>
struct extremum_reducer {
  using state = T;
  KOKKOS_FUNCTION state init() const { return worst<Sign, T>(); }
  KOKKOS_FUNCTION void add(state& s, const T& v) const { join(s, v); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    join(s, or_nan<N>(block_extremum<N, Sign>(v), v));
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = extremum_op<Sign>()(s, t); }
  KOKKOS_FUNCTION T result(const state& s, std::int64_t) const { return s; }
};

/// The minimum and the maximum.
template <class T>
struct minmax_reducer {
  using state = extrema<T>;
  using min = extremum_reducer<T, -1>;
  using max = extremum_reducer<T, 1>;
  KOKKOS_FUNCTION state init() const { return {min().init(), max().init()}; }
  KOKKOS_FUNCTION void add(state& s, const T& v) const { join(s, {v, v}); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    extrema<T> block = block_extrema<N>(v);
    block.min = or_nan<N>(block.min, v);
    if (is_nan(block.min)) block.max = block.min;
    join(s, block);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    min().join(s.min, t.min);
    max().join(s.max, t.max);
  }
  KOKKOS_FUNCTION extrema<T> result(const state& s, std::int64_t) const { return s; }
};

/// The smallest (Sign -1) or largest (+1) of the values that are not NaN; NaN where there is none.
template <class T, int Sign>
struct nan_extremum_reducer {
  struct state {
    T value;
    bool some;
  };
  KOKKOS_FUNCTION state init() const { return {worst<Sign, T>(), false}; }
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    if (!is_nan(v)) join(s, {v, true});
  }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    const T best = block_extremum<N, Sign>(v);
    bool some = best != worst<Sign, T>();  // otherwise a block of NaN, or of infinities
    for (int i = 0; !some && !s.some && i < N; ++i) some = !is_nan(v[i]);
    join(s, {best, some});
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = {better<Sign>(s.value, t.value), s.some || t.some}; }
  KOKKOS_FUNCTION T result(const state& s, std::int64_t) const {
    if constexpr (std::is_integral_v<T>) return s.value;
    else return s.some ? s.value : Kokkos::Experimental::quiet_NaN_v<T>;
  }
};

/// The first position of the smallest (Sign -1) or largest (+1) value. A NaN counts as better than all, or is left out
/// (SkipNan); -1 where nothing is left.
template <class T, int Sign, bool SkipNan>
struct arg_reducer {
  using uses_positions = void;
  struct state {
    T value;
    std::int64_t at;
  };
  static constexpr std::int64_t nowhere = Kokkos::Experimental::finite_max_v<std::int64_t>;

  KOKKOS_FUNCTION static bool beats(const T& a, const T& b) {
    return (Sign > 0 ? a > b : a < b) || (!SkipNan && is_nan(a) && !is_nan(b));
  }
  KOKKOS_FUNCTION static bool ties(const T& a, const T& b) { return a == b || (!SkipNan && is_nan(a) && is_nan(b)); }

  KOKKOS_FUNCTION state init() const { return {worst<Sign, T>(), nowhere}; }
  KOKKOS_FUNCTION void add(state& s, const T& v, std::int64_t at) const { join(s, {v, at}); }
  /// Finds the block's best value in a few instructions, and its position only where that may matter.
  template <int N, class Positions>
  KOKKOS_FUNCTION void add_block(state& s, const T* v, const Positions& at) const {
    const T best = SkipNan ? block_extremum<N, Sign>(v) : or_nan<N>(block_extremum<N, Sign>(v), v);
    if (!beats(best, s.value) && !(ties(best, s.value) && at(0) < s.at)) return;
    int first = N;
    for (int i = 0; i < N; ++i)
      if (ties(v[i], best) && i < first) first = i;
    if (first < N) join(s, {best, at(first)});
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (beats(t.value, s.value) || (ties(t.value, s.value) && t.at < s.at)) s = t;
  }
  /// Of a part whose first position in the whole array is `first`, the state in positions of the whole array.
  KOKKOS_FUNCTION static void move(state& s, std::int64_t first) {
    if (s.at != nowhere) s.at += first;
  }
  KOKKOS_FUNCTION std::int64_t result(const state& s, std::int64_t) const { return s.at == nowhere ? -1 : s.at; }
};

}  // namespace quern::impl

#endif
