// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP
#define QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP

#include <quern/reduce/columns_table.hpp>

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

  [[gnu::always_inline]] static void load(const T* v, converted& x) {
    loaded values;
    __builtin_memcpy(&values, v, sizeof(values));
    x = __builtin_convertvector(values, converted);
  }
  [[gnu::always_inline]] void add(const T* v) {
    for (int u = 0; u < vectors; ++u) {
      converted x;
      load(v + u * width, x);
      sum[u] += (vector)x;
    }
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
      converted x;
      load(v + u * width, x);
      mask chosen;
      __builtin_memcpy(&chosen, ones.of + count + u * width, sizeof(chosen));
      chosen &= (mask)x;
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

/// The sums of N times as many columns as there are lanes, of a few rows.
template <int N, class Sums, class T>
[[gnu::always_inline]] inline void add_up_columns(const T* rows, std::int64_t apart, int count,
                                                  typename Sums::lane* sums) {
  Sums s[N];
  for (int r = 0; r < count; ++r)
    for (int u = 0; u < N; ++u) s[u].add(rows + r * apart + u * Sums::lanes);
  for (int u = 0; u < N; ++u) s[u].store(sums + u * Sums::lanes);
}
template <class T, class S>
void sum_columns(void* states, const T* rows, std::int64_t apart, std::int64_t count, int columns) {
  using some_sums = lane_sums<T, S>;
  constexpr int lanes = some_sums::lanes;
  auto* const s = static_cast<sum_state<S>*>(states);
  for (; count > 0; count -= 16, rows += 16 * apart) {
    const int some = static_cast<int>(count < 16 ? count : 16);
    typename some_sums::lane sums[2 * lanes];
    int k = 0;
    for (; k + 2 * lanes <= columns; k += 2 * lanes) {
      add_up_columns<2, some_sums>(rows + k, apart, some, sums);
      QUERN_IVDEP
      for (int l = 0; l < 2 * lanes; ++l) some_sums::add_to_state(s[k + l], sums[l]);
    }
    for (; k < columns; k += lanes) {  // the last ones with some that have been added
      const int from = k + lanes <= columns ? k : columns - lanes;
      add_up_columns<1, some_sums>(rows + from, apart, some, sums);
      QUERN_IVDEP
      for (int l = k - from; l < lanes; ++l) some_sums::add_to_state(s[from + l], sums[l]);
    }
  }
}

template <class T, class S>
void sum_rows(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, S* sums) {
  using some_sums = lane_sums<T, S>;
  using lane = typename some_sums::lane;
  constexpr int lanes = some_sums::lanes;
  for (std::int64_t r = 0; r < count; ++r, rows += apart) {
    if (n < lanes) {
      lane sum = 0;
      for (std::int64_t k = 0; k < n; ++k) sum += static_cast<lane>(static_cast<S>(rows[k]));
      sums[r] = static_cast<S>(sum);
      continue;
    }
    some_sums even, odd;
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
    for (int u = 0; u < some_sums::vectors; ++u) even.sum[u] += odd.sum[u];
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
