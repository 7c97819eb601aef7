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
/// Sums side by side, `vector_columns<T>::lanes` of them: in one vector, or in two.
template <class T>
struct lane_sums {
  using vector [[gnu::vector_size(vector_bytes)]] = T;
  using integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using mask [[gnu::vector_size(vector_bytes)]] = integer;
  static constexpr int lanes = vector_columns<T>::lanes, width = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int vectors = lanes / width;
  vector sum[vectors] = {};

  [[gnu::always_inline]] void add(const T* v) {
    for (int u = 0; u < vectors; ++u) {
      vector x;
      __builtin_memcpy(&x, v + u * width, sizeof(x));
      sum[u] += x;
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
      mask x, chosen;
      __builtin_memcpy(&x, v + u * width, sizeof(x));
      __builtin_memcpy(&chosen, ones.of + count + u * width, sizeof(chosen));
      x &= chosen;
      vector values;
      __builtin_memcpy(&values, &x, sizeof(x));
      sum[u] += values;
    }
  }
  [[gnu::always_inline]] void store(T* to) const { __builtin_memcpy(to, sum, sizeof(sum)); }
  /// The sum of all, half of which are added to the others at a time.
  [[gnu::always_inline]] T total() const {
    T part[lanes];
    store(part);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) part[l] += part[l + half];
    return part[0];
  }
};

/// The sums of N times as many columns as there are lanes, of a few rows.
template <int N, class T>
[[gnu::always_inline]] inline void add_up_columns(const T* rows, std::int64_t apart, int count, T* sums) {
  lane_sums<T> s[N];
  for (int r = 0; r < count; ++r)
    for (int u = 0; u < N; ++u) s[u].add(rows + r * apart + u * lane_sums<T>::lanes);
  for (int u = 0; u < N; ++u) s[u].store(sums + u * lane_sums<T>::lanes);
}
template <class T>
void add_columns_to_sums(void* states, const T* rows, std::int64_t apart, std::int64_t count, int columns) {
  constexpr int lanes = lane_sums<T>::lanes;
  auto* const s = static_cast<sum_state<T>*>(states);
  for (; count > 0; count -= 16, rows += 16 * apart) {
    const int some = static_cast<int>(count < 16 ? count : 16);
    T sums[2 * lanes];
    int k = 0;
    for (; k + 2 * lanes <= columns; k += 2 * lanes) {
      add_up_columns<2>(rows + k, apart, some, sums);
      QUERN_IVDEP
      for (int l = 0; l < 2 * lanes; ++l) add_to(s[k + l], sums[l]);
    }
    for (; k < columns; k += lanes) {  // the last ones with some that have been added
      const int from = k + lanes <= columns ? k : columns - lanes;
      add_up_columns<1>(rows + from, apart, some, sums);
      QUERN_IVDEP
      for (int l = k - from; l < lanes; ++l) add_to(s[from + l], sums[l]);
    }
  }
}

template <class T>
void add_up_rows(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, T* sums) {
  constexpr int lanes = lane_sums<T>::lanes;
  for (std::int64_t r = 0; r < count; ++r, rows += apart) {
    if (n < lanes) {
      T sum = 0;
      for (std::int64_t k = 0; k < n; ++k) sum += rows[k];
      sums[r] = sum;
      continue;
    }
    lane_sums<T> even, odd;
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
    for (int u = 0; u < lane_sums<T>::vectors; ++u) even.sum[u] += odd.sum[u];
    sums[r] = even.total();
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
  return {{&add_to_sums<4, T>, &add_to_sums<8, T>}, &add_columns_to_sums<T>, &add_up_rows<T>, {}};
}
template <>
constexpr vector_columns<float> table_of_columns<float>() {
  return {{&add_to_sums<4, float>, &add_to_sums<8, float>},
          &add_columns_to_sums<float>,
          &add_up_rows<float>,
          {&add_to_moments<3>, &add_to_moments<4>, &add_to_moments<8>}};
}

}  // namespace
#endif

/// Null where the library was built without.
template <class T>
const vector_columns<T>* columns_by_avx2();
template <class T>
const vector_columns<T>* columns_by_avx512();

}  // namespace quern::impl

#define QUERN_COLUMNS(FUNCTION, T)                       \
  template <>                                            \
  const vector_columns<T>* FUNCTION<T>() {               \
    static constexpr auto table = table_of_columns<T>(); \
    return &table;                                       \
  }
#define QUERN_NO_COLUMNS(FUNCTION, T)      \
  template <>                              \
  const vector_columns<T>* FUNCTION<T>() { \
    return nullptr;                        \
  }

#endif
