// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP
#define QUERN_SRC_REDUCE_VECTOR_COLUMNS_HPP

#include <quern/reduce/columns_table.hpp>

/// Rows that are added to as many states as they have elements, in the order and with the roundings of
/// quern/reducers/sums.hpp and moments.hpp. Each source that includes this is compiled for one set of instructions,
/// without contraction, and has its own copy of everything; no header with inline functions is included.

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

template <int Rows, class T>
void add_to_sums(void* states, const T* const* rows, int first, int last) {
  auto* const s = static_cast<sum_state<T>*>(states);
  const T* row[Rows];
  for (int u = 0; u < Rows; ++u) row[u] = rows[u];
  QUERN_IVDEP
  for (int k = first; k < last; ++k) {
    const T x = tree<0, Rows>([&](int u) { return row[u][k]; });
    const T before = s[k].sum, sum = before + x, added = sum - before;
    const T error = s[k].error + ((before - (sum - added)) + (x - added));
    const T settled = sum + (error != error ? T(0) : error);
    s[k].error = error - (settled - sum);
    s[k].sum = settled;
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
