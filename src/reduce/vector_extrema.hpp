// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_REDUCE_VECTOR_EXTREMA_HPP
#define QUERN_SRC_REDUCE_VECTOR_EXTREMA_HPP

#include <quern/reduce/extrema_table.hpp>

#include "prefetched_rows.hpp"

/// The search for extrema by vectors of one set of instructions. Each source that includes this is compiled for one and
/// has its own copy of everything, as a linker would keep any one of copies that it shares; so no header with inline
/// functions is included.

// nvcc and hipcc do not know all vector instructions of hosts.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define QUERN_VECTOR_EXTREMA
#endif

namespace quern::impl {

#ifdef QUERN_VECTOR_EXTREMA
namespace {

/// After these, the best so far is compared with that of the values before.
inline constexpr std::int64_t block_bytes = 1 << 16;
/// Vectors in hand, whose operations overlap.
inline constexpr int vectors = 4;

template <class T>
constexpr bool may_be_nan = T(0.5) != T(0);

/// V has vectors of one type of numbers (load, store, all, better, best_of, and spread_best, which has that in all
/// lanes), some_lanes (first_lanes, and load_some, which loads no others), flags of their lanes (equal, beats,
/// unordered, which is where either is NaN, either of two lots of flags, and their bits), and integers of the same
/// width (count, all of the same, select by flags, and store).
template <class V, bool Largest>
struct extrema_of {
  using T = typename V::number;
  using vector = typename V::vector;
  static constexpr int lanes = V::lanes, step = lanes * vectors;

  static bool beats(T a, T b) { return Largest ? a > b : a < b; }
  /// Flags of none.
  static auto no_lanes() { return V::equal(V::all(T(0)), V::all(T(1))); }

  /// The best of n values that are not NaN; whether some are NaN.
  static T scan(const T* v, std::int64_t n, bool& nan) {
    T best = V::template worst<Largest>();
    nan = false;
    if (n < lanes) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (beats(v[i], best)) best = v[i];
        nan |= v[i] != v[i];
      }
      return best;
    }
    vector some[vectors];
    auto not_numbers = no_lanes();
    for (int u = 0; u < vectors; ++u) some[u] = V::all(best);
    std::int64_t i = 0;
    for (; i + step <= n; i += step) {
      vector x[vectors];
      for (int u = 0; u < vectors; ++u) x[u] = V::load(v + i + u * lanes);
      for (int u = 0; u < vectors; ++u) some[u] = V::template better<Largest>(x[u], some[u]);
      if constexpr (may_be_nan<T>)
        not_numbers = V::either(not_numbers, V::either(V::unordered(x[0], x[1]), V::unordered(x[2], x[3])));
    }
    // The last vector may take some values twice.
    for (; i < n; i += lanes) {
      const vector x = V::load(v + (i + lanes <= n ? i : n - lanes));
      some[0] = V::template better<Largest>(x, some[0]);
      if constexpr (may_be_nan<T>) not_numbers = V::either(not_numbers, V::unordered(x, x));
    }
    if constexpr (may_be_nan<T>) nan = V::bits(not_numbers) != 0;
    some[0] = V::template better<Largest>(some[0], some[1]);
    some[2] = V::template better<Largest>(some[2], some[3]);
    return V::template best_of<Largest>(V::template better<Largest>(some[0], some[2]));
  }

  /// The first of n values that is equal to x, or with Nan is one; n without.
  template <bool Nan>
  static std::int64_t position(const T* v, std::int64_t n, T x) {
    std::int64_t i = 0;
    if (n >= lanes) {
      const vector wanted = V::all(x);
      for (; i < n; i += lanes) {
        const std::int64_t k = i + lanes <= n ? i : n - lanes;
        const vector y = V::load(v + k);
        int bits;
        if constexpr (Nan) bits = V::bits(V::unordered(y, y));
        else bits = V::bits(V::equal(y, wanted));
        if (bits != 0) return k + __builtin_ctz(bits);
      }
      return n;
    }
    while (i < n && !(Nan ? v[i] != v[i] : v[i] == x)) ++i;
    return i;
  }

  /// The first of a group's values that is equal to x, which one is. Without branches, whose outcome is not foreseen.
  static std::int64_t position_in_group(const T* v, T x) {
    const vector wanted = V::all(x);
    std::uint64_t flags = 0;
    for (int u = 0; u < vectors; ++u) {
      const auto bits = static_cast<std::uint64_t>(V::bits(V::equal(V::load(v + u * lanes), wanted)));
      flags |= bits << (u * lanes);
    }
    return __builtin_ctzll(flags);
  }

  /// The best of n values that are not NaN and where it is first, n where there is none; whether some are NaN. Each
  /// lane keeps the number of the group of vectors in which its best was first. The last group is a whole one, some of
  /// whose values may be those of the group before.
  template <bool SkipNan>
  static T find(const T* v, std::int64_t n, bool& nan, std::int64_t& at) {
    if (n < step) {
      const T x = scan(v, n, nan);
      at = position<false>(v, n, x);
      return x;
    }
    const T worst = V::template worst<Largest>();
    vector best = V::all(worst);
    auto group_of_best = V::count(0);
    auto not_numbers = no_lanes();
    const auto take_group = [&](const T* from, std::int64_t group) {
      vector x[vectors];
      for (int u = 0; u < vectors; ++u) x[u] = V::load(from + u * lanes);
      vector better = best;
      if constexpr (SkipNan) {
        for (int u = 0; u < vectors; ++u) better = V::template better<Largest>(x[u], better);
      } else {
        better = V::template better<Largest>(V::template better<Largest>(x[0], x[1]),
                                             V::template better<Largest>(x[2], x[3]));
        if constexpr (may_be_nan<T>)
          not_numbers = V::either(not_numbers, V::either(V::unordered(x[0], x[1]), V::unordered(x[2], x[3])));
      }
      group_of_best = V::select(V::template beats<Largest>(better, best), V::count(group), group_of_best);
      best = V::template better<Largest>(better, best);
    };
    const std::int64_t last = n - step;
    std::int64_t group = 0;
    for (; group * step <= last; ++group) take_group(v + group * step, group);
    if (group * step < n) take_group(v + last, group);
    nan = V::bits(not_numbers) != 0;
    const T x = V::template best_of<Largest>(best);
    if (x == worst) {
      at = position<false>(v, n, x);
      return x;
    }
    typename V::integer groups[lanes];
    V::store(groups, group_of_best);
    std::int64_t first = n;
    for (int bits = V::bits(V::equal(best, V::all(x))); bits != 0; bits &= bits - 1) {
      const std::int64_t number = groups[__builtin_ctz(bits)];
      first = number < first ? number : first;
    }
    at = first * step < last ? first * step : last;
    at += position_in_group(v + at, x);
    return x;
  }

  static T value(const T* v, std::int64_t n) {
    bool nan;
    const T best = scan(v, n, nan);
    return nan ? T(__builtin_nan("")) : best;
  }

  /// The best of a short row, n = whole lanes + those of `rest`, in the lanes of a vector; `last` is that of the rest.
  /// Without branches that depend on values.
  template <bool SkipNan, class Flags>
  static vector best_of_short(const T* v, int whole, int rest, typename V::some_lanes some, vector& last,
                              Flags& not_numbers) {
    const vector worst = V::all(V::template worst<Largest>());
    vector best = worst, other = worst;  // two, whose operations overlap
    const auto take = [&](const vector& x, vector& of) {
      of = V::template better<Largest>(x, of);
      if constexpr (may_be_nan<T> && !SkipNan) not_numbers = V::either(not_numbers, V::unordered(x, x));
    };
    int number = 0;
    for (; number + 2 <= whole; number += 2) {
      take(V::load(v + number * lanes), best);
      take(V::load(v + (number + 1) * lanes), other);
    }
    if (number < whole) take(V::load(v + number * lanes), other);
    last = rest > 0 ? V::load_some(some, v + whole * lanes, worst) : worst;
    if (rest > 0) take(last, best);
    return V::template better<Largest>(best, other);
  }
  static T value_of_short(const T* v, int whole, int rest, typename V::some_lanes some) {
    auto not_numbers = no_lanes();
    vector last;
    const vector best = best_of_short<false>(v, whole, rest, some, last, not_numbers);
    if constexpr (may_be_nan<T>)
      if (V::bits(not_numbers) != 0) return T(__builtin_nan(""));
    return V::template best_of<Largest>(best);
  }
  /// The best of each row.
  static void values(const T* v, std::int64_t n, std::int64_t apart, std::int64_t count, T* best) {
    if (n > 8 * lanes) {  // for which `scan` has more vectors in hand
      for (std::int64_t r = 0; r < count; ++r) best[r] = value(v + r * apart, n);
      return;
    }
    const int whole = static_cast<int>(n) / lanes, rest = static_cast<int>(n) % lanes;
    const auto some = V::first_lanes(rest);
    for (std::int64_t r = 0; r < count; ++r) best[r] = value_of_short(v + r * apart, whole, rest, some);
  }

  /// Joins `count` rows of N lots of lanes to the best of each column.
  template <int N>
  static void join_columns(const T* v, std::int64_t apart, std::int64_t count, T* best) {
    vector some[N];
    auto not_numbers = no_lanes();
    for (int u = 0; u < N; ++u) some[u] = V::load(best + u * lanes);
    const auto take = [&](const T* x, const T* y) {
      for (int u = 0; u < N; ++u) {
        const vector a = V::load(x + u * lanes), b = V::load(y + u * lanes);
        some[u] = V::template better<Largest>(b, V::template better<Largest>(a, some[u]));
        if constexpr (may_be_nan<T>) not_numbers = V::either(not_numbers, V::unordered(a, b));
      }
    };
    const T* const rows = v;
    std::int64_t r = 0;
    for (; r + 2 <= count; r += 2, v += 2 * apart) take(v, v + apart);
    if (r < count) take(v, v);
    for (int u = 0; u < N; ++u) V::store(best + u * lanes, some[u]);
    if constexpr (may_be_nan<T>)
      if (V::bits(not_numbers) != 0)
        for (r = 0; r < count; ++r)
          for (int k = 0; k < N * lanes; ++k)
            if (const T x = rows[r * apart + k]; x != x) best[k] = x;
  }
  /// The same of at least as many columns as there are lanes; the last ones may be taken twice.
  static void columns(void* states, const T* v, std::int64_t apart, std::int64_t count, int columns, bool cached) {
    T* const best = static_cast<T*>(states);
    constexpr int together = 32;  // which stay in the first cache
    for (; count > 0; count -= together, v += together * apart) {
      const std::int64_t some = count < together ? count : together;
      int k = 0;
      for (; k + 2 * lanes <= columns; k += 2 * lanes) {
        if (!cached) prefetch_later_rows(v + k, apart, together, 2 * lanes * sizeof(T));
        join_columns<2>(v + k, apart, some, best + k);
      }
      for (; k < columns; k += lanes) {
        const int from = k + lanes <= columns ? k : columns - lanes;
        if (!cached) prefetch_later_rows(v + from, apart, together, lanes * sizeof(T));
        join_columns<1>(v + from, apart, some, best + from);
      }
    }
  }

  /// The first of the best values of a row of at most 64, n = whole lanes + those of `rest`; -1 where all are NaN that
  /// are left out. Without branches that depend on values, except for NaN.
  template <bool SkipNan>
  static std::int64_t position_in_short(const T* v, int whole, int rest, typename V::some_lanes some) {
    auto not_numbers = no_lanes();
    vector last;
    vector best = best_of_short<SkipNan>(v, whole, rest, some, last, not_numbers);
    const auto flags_of = [&](const auto& flag) {
      std::uint64_t flags = 0;
      for (int u = 0; u < whole; ++u)
        flags |= static_cast<std::uint64_t>(V::bits(flag(V::load(v + u * lanes)))) << (u * lanes);
      if (rest == 0) return flags;
      return flags | (static_cast<std::uint64_t>(V::bits(flag(last)) & ((1 << rest) - 1)) << (whole * lanes));
    };
    if constexpr (may_be_nan<T> && !SkipNan)
      if (V::bits(not_numbers) != 0)
        return __builtin_ctzll(flags_of([](const vector& x) { return V::unordered(x, x); }));
    best = V::template spread_best<Largest>(best);
    const std::uint64_t flags = flags_of([&](const vector& x) { return V::equal(x, best); });
    return flags == 0 ? -1 : __builtin_ctzll(flags);
  }

  /// The same of a few integers, one by one, without branches that depend on them.
  static std::int64_t position_in_few(const T* v, std::int64_t n) {
    T best = v[0];
    std::int64_t at = 0;
    for (std::int64_t k = 1; k < n; ++k) {
      const bool wins = beats(v[k], best);
      best = wins ? v[k] : best;
      at = wins ? k : at;
    }
    return at;
  }

  /// Where the best of each row is first.
  template <bool SkipNan>
  static void rows(const T* v, std::int64_t n, std::int64_t apart, std::int64_t count, std::int64_t* at) {
    if (!may_be_nan<T> && n < 8) {
      for (std::int64_t r = 0; r < count; ++r) at[r] = position_in_few(v + r * apart, n);
      return;
    }
    if (n <= 64) {
      const int whole = static_cast<int>(n) / lanes, rest = static_cast<int>(n) % lanes;
      const auto some = V::first_lanes(rest);
      for (std::int64_t r = 0; r < count; ++r) at[r] = position_in_short<SkipNan>(v + r * apart, whole, rest, some);
      return;
    }
    for (std::int64_t r = 0; r < count; ++r) {
      const T* const row = v + r * apart;
      bool nan;
      std::int64_t k;
      const T x = find<SkipNan>(row, n, nan, k);
      if (!SkipNan && nan) k = position<may_be_nan<T>>(row, n, x);
      at[r] = k < n ? k : -1;
    }
  }

  template <bool SkipNan>
  static void first(const T* v, std::int64_t n, first_extremum<T>& best) {
    constexpr std::int64_t block = block_bytes / sizeof(T);
    if (!SkipNan && best.value != best.value) return;  // it was before these
    for (std::int64_t i = 0; i < n; i += block) {
      const std::int64_t size = n - i < block ? n - i : block;
      bool nan;
      std::int64_t at;
      const T x = find<SkipNan>(v + i, size, nan, at);
      if (!SkipNan && nan) {
        best = {T(__builtin_nan("")), i + position<may_be_nan<T>>(v + i, size, x)};
        return;
      }
      if (at < size && (beats(x, best.value) || (x == best.value && i < best.at))) best = {x, i + at};
    }
  }
};

/// Unsigned numbers, whose vectors are those of signed ones with the other sign.
template <class V, class T>
struct unsigned_of : V {
  using number = T;
  using vector = typename V::vector;
  using integer = typename V::number;
  static constexpr T sign = ~(static_cast<T>(-1) >> 1);
  template <bool Largest>
  static T worst() {
    return Largest ? T(0) : static_cast<T>(-1);
  }
  static vector all(T x) { return V::all(static_cast<integer>(x ^ sign)); }
  static vector load(const T* p) { return V::load(reinterpret_cast<const integer*>(p)) ^ all(0); }
  using V::store;
  static void store(T* to, vector x) { V::store(reinterpret_cast<integer*>(to), x ^ all(0)); }
  static vector load_some(typename V::some_lanes some, const T* p, vector other) {
    return V::load_some(some, reinterpret_cast<const integer*>(p), other ^ all(0)) ^ all(0);
  }
  template <bool Largest>
  static T best_of(vector a) {
    return static_cast<T>(V::template best_of<Largest>(a)) ^ sign;
  }
};

template <class V>
constexpr vector_extrema<typename V::number> table_of() {
  using least = extrema_of<V, false>;
  using most = extrema_of<V, true>;
  return {{&least::value, &most::value},
          {&least::values, &most::values},
          {&least::columns, &most::columns},
          {&least::template first<false>, &most::template first<false>},
          {&least::template first<true>, &most::template first<true>},
          {&least::template rows<false>, &most::template rows<false>},
          {&least::template rows<true>, &most::template rows<true>}};
}

}  // namespace
#endif

/// Null where the library was built without.
template <class T>
const vector_extrema<T>* extrema_by_avx2();
template <class T>
const vector_extrema<T>* extrema_by_avx512();

}  // namespace quern::impl

/// Defines FUNCTION for each type of numbers, by TABLE of its vectors: QUERN_TABLE, or QUERN_NO_TABLE where a source is
/// compiled without its instructions.
#define QUERN_TABLE(FUNCTION, T, V)              \
  template <>                                    \
  const vector_extrema<T>* FUNCTION<T>() {       \
    static constexpr auto table = table_of<V>(); \
    return &table;                               \
  }
#define QUERN_NO_TABLE(FUNCTION, T, V)     \
  template <>                              \
  const vector_extrema<T>* FUNCTION<T>() { \
    return nullptr;                        \
  }
#define QUERN_EXTREMA_TABLES(FUNCTION, TABLE)    \
  namespace quern::impl {                        \
  TABLE(FUNCTION, float, floats)                 \
  TABLE(FUNCTION, double, doubles)               \
  TABLE(FUNCTION, std::int32_t, ints)            \
  TABLE(FUNCTION, std::int64_t, longs)           \
  TABLE(FUNCTION, std::uint32_t, unsigned_ints)  \
  TABLE(FUNCTION, std::uint64_t, unsigned_longs) \
  }

#endif
