// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP
#define QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP

#include <quern/reduce/columns_table.hpp>

#include "prefetched_rows.hpp"

/// Rows that are added to as many states as they have elements, with the roundings of quern/reducers/sums.hpp and
/// moments.hpp, and sums of rows; in one order, whatever the width of vectors. Each source that includes this is
/// compiled for one set of instructions, without contraction, and has its own copy of everything; no header with inline
/// functions is included.

#if defined(__GNUC__) && defined(__x86_64__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define QUERN_VECTOR_COLUMNS
#endif
// No iteration depends on another through memory, which g++ alone is told by this.
#ifdef __clang__
#define QUERN_IVDEP
#else
#define QUERN_IVDEP _Pragma("GCC ivdep")
#endif

namespace quern::impl {

#ifdef QUERN_VECTOR_COLUMNS
namespace {

template <class T>
struct [[gnu::may_alias]] sum_state {
  T sum, error;
};
struct [[gnu::may_alias]] moments_state {
  float center;
  double distances, squares, n;
};

/// The sum of what `term(u)` is for N rows from the first on, in a tree.
template <int First, int N, class Term>
[[gnu::always_inline]] inline auto tree(const Term& term) {
  if constexpr (N == 1) return term(First);
  else return tree<First, N / 2>(term) + tree<First + N / 2, N - N / 2>(term);
}

template <class T>
[[gnu::always_inline]] inline void add_to(sum_state<T>& s, T x) {
  const T before = s.sum, sum = before + x, added = sum - before;
  const T error = s.error + ((before - (sum - added)) + (x - added));
  const T settled = sum + (error != error ? T(0) : error);
  s.error = error - (settled - sum);
  s.sum = settled;
}
template <int Rows, class T>
void add_to_sums(void* states, const T* const* rows, int first, int last) {
  auto* const s = static_cast<sum_state<T>*>(states);
  const T* row[Rows];
  for (int u = 0; u < Rows; ++u) row[u] = rows[u];
  QUERN_IVDEP
  for (int k = first; k < last; ++k) add_to(s[k], tree<0, Rows>([&](int u) { return row[u][k]; }));
}

#ifdef __AVX512F__
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif
/// Sums S of values T side by side, `vector_sums<T, S>::lanes` of them: in one vector, or in two. Those of integers
/// wrap around.
template <class T, class S>
struct lane_sums {
  static constexpr bool whole = S(0.5) == S(0);
  using lane = std::conditional_t<whole, std::uint64_t, S>;
  using integer = std::conditional_t<sizeof(S) == 8, std::int64_t, std::int32_t>;
  static constexpr int lanes = vector_sums<T, S>::lanes, width = vector_bytes / static_cast<int>(sizeof(S));
  static constexpr int vectors = lanes / width;
  using vector [[gnu::vector_size(vector_bytes)]] = lane;
  using converted [[gnu::vector_size(vector_bytes)]] = S;
  using loaded [[gnu::vector_size(width * sizeof(T))]] = T;
  using mask [[gnu::vector_size(vector_bytes)]] = integer;
  vector sum[vectors] = {};

  [[gnu::always_inline]] static converted load(const T* v) {
    loaded values;
    __builtin_memcpy(&values, v, sizeof(values));
    return __builtin_convertvector(values, converted);
  }
  [[gnu::always_inline]] void add(const T* v) { add_rows<1>(v, 0); }
  /// Several rows, in a tree.
  template <int Rows>
  [[gnu::always_inline]] void add_rows(const T* v, std::int64_t apart) {
    for (int u = 0; u < vectors; ++u)
      sum[u] += tree<0, Rows>([&](int r) { return (vector)load(v + r * apart + u * width); });
  }
  /// Of as many values as there are lanes, the last `count`.
  [[gnu::always_inline]] void add_last(const T* v, int count) {
    static constexpr auto ones = [] {
      struct flags {
        integer of[2 * lanes] = {};
      } f;
      for (int l = lanes; l < 2 * lanes; ++l) f.of[l] = -1;
      return f;
    }();
    for (int u = 0; u < vectors; ++u) {
      mask chosen;
      __builtin_memcpy(&chosen, ones.of + count + u * width, sizeof(chosen));
      chosen &= (mask)load(v + u * width);
      sum[u] += (vector)chosen;
    }
  }
  [[gnu::always_inline]] void store(lane* to) const { __builtin_memcpy(to, sum, sizeof(sum)); }
  /// The sum of all, half of which are added to the others at a time.
  [[gnu::always_inline]] lane total() const {
    lane part[lanes];
    store(part);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) part[l] += part[l + half];
    return part[0];
  }
  [[gnu::always_inline]] static void add_to_state(sum_state<S>& s, lane x) {
    if constexpr (whole) s.sum = static_cast<S>(static_cast<lane>(s.sum) + x);
    else add_to(s, x);
  }
};

/// Adds up to 2 Rows - 1 rows of N times as many columns as there are lanes: Rows of them, then half as many.
template <int Rows, int N, class Sums, class T>
[[gnu::always_inline]] inline void add_columns(Sums (&sums)[N], const T* rows, std::int64_t apart, int count) {
  for (; count >= Rows; count -= Rows, rows += Rows * apart)
    for (int u = 0; u < N; ++u) sums[u].template add_rows<Rows>(rows + u * Sums::lanes, apart);
  if constexpr (Rows > 1) add_columns<Rows / 2>(sums, rows, apart, count);
}
/// The sums of so many columns of a few rows.
template <int N, class Sums, class T>
[[gnu::always_inline]] inline void add_up_columns(const T* rows, std::int64_t apart, int count,
                                                  typename Sums::lane* sums) {
  Sums s[N];
  add_columns<8>(s, rows, apart, count);
  for (int u = 0; u < N; ++u) s[u].store(sums + u * Sums::lanes);
}
template <class T, class S>
void sum_columns(void* states, const T* rows, std::int64_t apart, std::int64_t count, int columns, bool cached) {
  using lanes_of = lane_sums<T, S>;
  constexpr int lanes = lanes_of::lanes;
  auto* const s = static_cast<sum_state<S>*>(states);
  for (; count > 0; count -= 16, rows += 16 * apart) {
    const int some = static_cast<int>(count < 16 ? count : 16);
    typename lanes_of::lane sums[2 * lanes];
    int k = 0;
    for (; k + 2 * lanes <= columns; k += 2 * lanes) {
      if (!cached) prefetch_later_rows(rows + k, apart, 16, 2 * lanes * sizeof(T));
      add_up_columns<2, lanes_of>(rows + k, apart, some, sums);
      QUERN_IVDEP
      for (int l = 0; l < 2 * lanes; ++l) lanes_of::add_to_state(s[k + l], sums[l]);
    }
    for (; k < columns; k += lanes) {  // the last ones with some that have been added
      const int from = k + lanes <= columns ? k : columns - lanes;
      if (!cached) prefetch_later_rows(rows + from, apart, 16, lanes * sizeof(T));
      add_up_columns<1, lanes_of>(rows + from, apart, some, sums);
      QUERN_IVDEP
      for (int l = k - from; l < lanes; ++l) lanes_of::add_to_state(s[from + l], sums[l]);
    }
  }
}

/// The sums of rows of n <= N values, each in a tree.
template <int N, class T, class S>
void sum_short_rows(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, S* sums) {
  using lane = typename lane_sums<T, S>::lane;
  if (n == N) {
    for (std::int64_t r = 0; r < count; ++r, rows += apart)
      sums[r] = static_cast<S>(lane(0) + tree<0, N>([&](int k) { return static_cast<lane>(static_cast<S>(rows[k])); }));
  } else if constexpr (N > 1) {
    sum_short_rows<N - 1>(rows, n, apart, count, sums);
  }
}
template <class T, class S>
void sum_rows(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, S* sums) {
  using lanes_of = lane_sums<T, S>;
  constexpr int lanes = lanes_of::lanes;
  if (n < lanes) return sum_short_rows<lanes - 1>(rows, n, apart, count, sums);
  for (std::int64_t r = 0; r < count; ++r, rows += apart) {
    lanes_of even, odd;  // two, whose additions overlap
    std::int64_t k = 0;
    for (; k + 2 * lanes <= n; k += 2 * lanes) {
      even.add(rows + k);
      odd.add(rows + k + lanes);
    }
    if (k + lanes <= n) {
      even.add(rows + k);
      k += lanes;
    }
    if (k < n) odd.add_last(rows + n - lanes, static_cast<int>(n - k));
    for (int u = 0; u < lanes_of::vectors; ++u) even.sum[u] += odd.sum[u];
    sums[r] = static_cast<S>(even.total());
  }
}

/// x where a state is new and x is finite, else 0.
[[gnu::always_inline]] inline float first_center(bool is_new, float x) {
  const bool starts = is_new & (__builtin_fabsf(x) <= __FLT_MAX__);
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof(x));
  bits &= -static_cast<unsigned>(starts);
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
template <int Rows>
bool add_to_moments(void* states, const float* const* rows, int first, int last) {
  auto* const s = static_cast<moments_state*>(states);
  const float* row[Rows];
  for (int u = 0; u < Rows; ++u) row[u] = rows[u];
  unsigned unsettled = 0;
  QUERN_IVDEP
  for (int k = first; k < last; ++k) {
    const float before = s[k].center;
    const float center = before + first_center((s[k].n == 0) & (before == 0), row[0][k]);
    const auto distance = [&](int u) { return static_cast<double>(row[u][k]) - static_cast<double>(center); };
    const double squares = s[k].squares + tree<0, Rows>([&](int u) { return distance(u) * distance(u); });
    const double distances = s[k].distances + tree<0, Rows>(distance), n = s[k].n + Rows;
    s[k] = {center, distances, squares, n};
    unsettled |= distances * (distances * 0x1p-64) > squares * (0x1p-64 * 0.75) * n;
  }
  return unsettled != 0;
}

template <class T>
constexpr vector_columns<T> table_of_columns() {
  return {{&add_to_sums<4, T>, &add_to_sums<8, T>}, {}};
}
template <>
constexpr vector_columns<float> table_of_columns<float>() {
  return {{&add_to_sums<4, float>, &add_to_sums<8, float>},
          {&add_to_moments<3>, &add_to_moments<4>, &add_to_moments<8>}};
}

}  // namespace
#endif

/// Null where the library was built without.
template <class T>
const vector_columns<T>* columns_by_avx2();
template <class T>
const vector_columns<T>* columns_by_avx512();
template <class T, class S>
const vector_sums<T, S>* sums_by_avx2();
template <class T, class S>
const vector_sums<T, S>* sums_by_avx512();

}  // namespace quern::impl

#define QUERN_COLUMNS(FUNCTION, T)                       \
  template <>                                            \
  const vector_columns<T>* FUNCTION<T>() {               \
    static constexpr auto table = table_of_columns<T>(); \
    return &table;                                       \
  }
#define QUERN_SUMS(FUNCTION, T, S)                                                    \
  template <>                                                                         \
  const vector_sums<T, S>* FUNCTION<T, S>() {                                         \
    static constexpr vector_sums<T, S> table = {&sum_columns<T, S>, &sum_rows<T, S>}; \
    return &table;                                                                    \
  }
#define QUERN_NO_SUMS(FUNCTION, T, S)         \
  template <>                                 \
  const vector_sums<T, S>* FUNCTION<T, S>() { \
    return nullptr;                           \
  }
#define QUERN_NO_COLUMNS(FUNCTION, T)      \
  template <>                              \
  const vector_columns<T>* FUNCTION<T>() { \
    return nullptr;                        \
  }

#endif
