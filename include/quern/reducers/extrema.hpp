// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_EXTREMA_HPP
#define QUERN_REDUCERS_EXTREMA_HPP

#include <quern/core/launch/ivdep.hpp>
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
template <int Sign>
struct better_of {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return better<Sign>(a, b);
  }
};
/// The value from which the search for it starts.
template <int Sign, class T>
KOKKOS_FUNCTION T worst() {
  namespace limits = Kokkos::Experimental;
  using real = std::conditional_t<is_half<T>, float, T>;  // infinity_v of half numbers has no negative
  if constexpr (std::is_integral_v<T>) return Sign > 0 ? limits::finite_min_v<T> : limits::finite_max_v<T>;
  else return static_cast<T>(Sign > 0 ? -limits::infinity_v<real> : limits::infinity_v<real>);
}
/// Partial results side by side. g++ unrolls loops over 16 lanes or fewer, and then finds no vector instruction for the
/// better of two. Comparisons of floating-point numbers, which take longer, have four vectors of any width in hand.
template <int N, class T>
inline constexpr int extremum_lanes =
    std::min(N, std::max(std::is_floating_point_v<T> ? 256 / static_cast<int>(sizeof(T)) : 32, fold_lanes<N, T>));

/// Calls round(i) for the multiples i of Lanes below N. Written out, rounds of wide values are no stream that memory is
/// read ahead for; others take less time written out.
template <int N, int Lanes, class T, class Round>
KOKKOS_FUNCTION void for_rounds(const Round& round) {
  if constexpr (sizeof(T) >= 8) {
    QUERN_IMPL_KEEP_LOOP
    for (int i = 0; i < N; i += Lanes) round(i);
  } else {
    for (int i = 0; i < N; i += Lanes) round(i);
  }
}

/// Whether one walk through a block of floating-point numbers finds its extremum and whether there is a NaN.
template <int N, class T>
inline constexpr bool watches_for_nan = std::is_floating_point_v<T> && N > extremum_lanes<N, T>;

/// The smallest or largest value of a block that is not NaN. Without branches. With `Watch`, NaN where a value is NaN,
/// and possibly where one is infinite or two are huge: the sum of all values times zero, which is zero otherwise.
template <int N, int Sign, bool Watch = false, class T>
KOKKOS_FUNCTION T block_extremum(const T* v) {
  constexpr int lanes = extremum_lanes<N, T>, sums = Watch ? lanes / 4 : 1;
  T best[lanes], zero[sums] = {};
  for (int l = 0; l < lanes; ++l) best[l] = worst<Sign, T>();
  for_rounds<N, lanes, T>([&](int i) {
    for (int l = 0; l < lanes; ++l) best[l] = better<Sign>(best[l], v[i + l]);
    if constexpr (Watch)
      for (int l = 0; l < sums; ++l)
        zero[l] +=
            (v[i + l] * T(0) + v[i + l + sums] * T(0)) + (v[i + l + 2 * sums] * T(0) + v[i + l + 3 * sums] * T(0));
  });
  join_lanes<lanes>(best, better_of<Sign>());
  if constexpr (Watch) join_lanes<sums>(zero, plus<T>());
  return zero[0] == T(0) ? best[0] : zero[0];
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
  for_rounds<N, lanes, T>([&](int i) {
    for (int l = 0; l < lanes; ++l) {
      low[l] = better<-1>(low[l], v[i + l]);
      high[l] = better<1>(high[l], v[i + l]);
    }
  });
  join_lanes<lanes>(low, better_of<-1>());
  join_lanes<lanes>(high, better_of<1>());
  return {low[0], high[0]};
}
/// An integer for each number, equal for equal ones, zeros of either sign among them; other types as they are.
/// Compilers choose by a comparison of integers with vector instructions, but not by one of floating-point numbers,
/// which may trap.
template <class T>
KOKKOS_FUNCTION auto equality_key(const T& x) {
  if constexpr (std::is_same_v<T, double>) return Kokkos::bit_cast<std::int64_t>(x + 0.0);
  else if constexpr (std::is_same_v<T, float>) return Kokkos::bit_cast<std::int32_t>(x + 0.0f);
  else return x;
}
/// Counts the rounds of a block, as wide as what is compared: vectors choose by flags of the same width.
template <std::size_t Bytes>
using round_number = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
/// The first of a block's values that is `wanted`, or a NaN where that is one; N without. Without branches: of a long
/// block each lane notes the first round that has it.
template <int N, class T>
KOKKOS_FUNCTION int first_in_block(const T* v, const T& wanted) {
  constexpr int lanes = extremum_lanes<N, T>, rounds = N / lanes;
  int at = N;
  if (is_nan(wanted)) {
    for (int i = N - 1; i >= 0; --i) at = is_nan(v[i]) ? i : at;
    return at;
  }
  const auto key = equality_key(wanted);
  using number = round_number<sizeof(key)>;
  static_assert(rounds <= Kokkos::Experimental::finite_max_v<number>);
  if constexpr (rounds > 1) {
    number first[lanes];
    for (int l = 0; l < lanes; ++l) first[l] = number(rounds);
    for (int round = rounds - 1; round >= 0; --round)
      for (int l = 0; l < lanes; ++l) first[l] = equality_key(v[round * lanes + l]) == key ? number(round) : first[l];
    for (int l = 0; l < lanes; ++l) at = Kokkos::min(at, static_cast<int>(first[l]) * lanes + l);
  } else {
    number first = N;
    for (int i = 0; i < N; ++i) {
      const number here = equality_key(v[i]) == key ? number(i) : number(N);
      first = here < first ? here : first;
    }
    at = static_cast<int>(first);
  }
  return at;
}
/// The extremum of a block, or NaN if there is one.
template <int N, class T>
KOKKOS_FUNCTION T or_nan(const T& found, const T* v) {
  if constexpr (std::is_integral_v<T>) return found;
  else return any_nan<N>(v) ? Kokkos::Experimental::quiet_NaN_v<T> : found;
}
template <int N, int Sign, class T>
KOKKOS_FUNCTION T block_extremum_or_nan(const T* v) {
  if constexpr (watches_for_nan<N, T>)
    if (const T found = block_extremum<N, Sign, true>(v); !is_nan(found)) return found;
  return or_nan<N>(block_extremum<N, Sign>(v), v);
}

/// The better one of a state and a value, a NaN before both. Without branches, for loops over states.
template <int Sign, class T>
KOKKOS_FUNCTION T better_or_nan(const T& s, const T& v) {
  const bool wins = Sign > 0 ? v > s : v < s;
  if constexpr (std::is_integral_v<T>) return wins ? v : s;
  else return (wins | is_nan(v)) ? v : s;
}

/// The smallest or the largest value.
template <class T, int Sign>
struct extremum_reducer {
  using idempotent = void;
  using state = T;
  KOKKOS_FUNCTION state init() const { return worst<Sign, T>(); }
  KOKKOS_FUNCTION void add(state& s, const T& v) const { join(s, v); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    join(s, block_extremum_or_nan<N, Sign>(v));
  }
  /// A block in a loop over states, which shall become vector instructions.
  template <int N>
  KOKKOS_FUNCTION void add_column(state& s, const T* v) const {
    for (int i = 0; i < N; ++i) s = better_or_nan<Sign>(s, v[i]);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = extremum_op<Sign>()(s, t); }
  KOKKOS_FUNCTION T result(const state& s, std::int64_t) const { return s; }
};

/// The minimum and the maximum.
template <class T>
struct minmax_reducer {
  using idempotent = void;
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
  template <int N>
  KOKKOS_FUNCTION void add_column(state& s, const T* v) const {
    min().template add_column<N>(s.min, v);
    max().template add_column<N>(s.max, v);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    min().join(s.min, t.min);
    max().join(s.max, t.max);
  }
  KOKKOS_FUNCTION extrema<T> result(const state& s, std::int64_t) const { return s; }
};

/// The distance from the minimum to the maximum, in their type.
template <class T>
struct range_reducer : minmax_reducer<T> {
  KOKKOS_FUNCTION T result(const extrema<T>& s, std::int64_t) const {
    if constexpr (!is_integer<T>) return s.max - s.min;
    else return static_cast<T>(static_cast<std::uint64_t>(s.max) - static_cast<std::uint64_t>(s.min));  // wraps around
  }
};

/// The smallest (Sign -1) or largest (+1) of the values that are not NaN; NaN where there is none.
template <class T, int Sign>
struct nan_extremum_reducer {
  using idempotent = void;
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
  using idempotent = void;
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
    const T best = SkipNan ? block_extremum<N, Sign>(v) : block_extremum_or_nan<N, Sign>(v);
    if (!beats(best, s.value) && !(ties(best, s.value) && at(0) < s.at)) return;
    const int first = first_in_block<N>(v, best);
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
