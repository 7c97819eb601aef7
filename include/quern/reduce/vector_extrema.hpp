// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_VECTOR_EXTREMA_HPP
#define QUERN_REDUCE_VECTOR_EXTREMA_HPP

#include <quern/reduce/extrema_table.hpp>
#include <quern/reducers/extrema.hpp>

namespace quern::impl {

/// Those for the processor, or null: where it has neither AVX2 nor AVX-512, and in builds for devices.
template <class T>
const vector_extrema<T>* vector_extrema_here() {
  return nullptr;
}
#define QUERN_IMPL_VECTOR_EXTREMA(T) \
  template <>                        \
  const vector_extrema<T>* vector_extrema_here<T>();
QUERN_IMPL_VECTOR_EXTREMA(float)
QUERN_IMPL_VECTOR_EXTREMA(double)
QUERN_IMPL_VECTOR_EXTREMA(std::int32_t)
QUERN_IMPL_VECTOR_EXTREMA(std::int64_t)
QUERN_IMPL_VECTOR_EXTREMA(std::uint32_t)
QUERN_IMPL_VECTOR_EXTREMA(std::uint64_t)
#undef QUERN_IMPL_VECTOR_EXTREMA

/// Whether the library may have vector instructions for a reducer, so that a program's own loops are a second choice.
template <class Reducer>
inline constexpr bool has_vector_extrema = false;
template <class T>
inline constexpr bool has_vectors_of = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                       (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
template <class T, int Sign>
inline constexpr bool has_vector_extrema<extremum_reducer<T, Sign>> = has_vectors_of<T>;
template <class T, int Sign, bool SkipNan>
inline constexpr bool has_vector_extrema<arg_reducer<T, Sign, SkipNan>> = has_vectors_of<T>;

/// Adds n values side by side, at the positions first + k step, to a state; false where these instructions have nothing
/// for the reducer.
template <class Reducer, class T>
bool add_by_vectors(const Reducer&, typename Reducer::state&, const T*, std::int64_t, std::int64_t, std::int64_t) {
  return false;
}
template <class T, int Sign>
bool add_by_vectors(const extremum_reducer<T, Sign>& reducer, T& s, const T* v, std::int64_t n, std::int64_t,
                    std::int64_t) {
  const vector_extrema<T>* const by = vector_extrema_here<T>();
  if (by == nullptr) return false;
  reducer.join(s, by->value[Sign > 0](v, n));
  return true;
}
template <class T, int Sign, bool SkipNan>
bool add_by_vectors(const arg_reducer<T, Sign, SkipNan>& reducer, typename arg_reducer<T, Sign, SkipNan>::state& s,
                    const T* v, std::int64_t n, std::int64_t first, std::int64_t step) {
  const vector_extrema<T>* const by = vector_extrema_here<T>();
  if (by == nullptr) return false;
  using best_of = first_extremum<T>;
  best_of best = s.at < first ? best_of{s.value, -1} : best_of{worst<Sign, T>(), best_of::nowhere};
  (SkipNan ? by->first_number : by->first)[Sign > 0](v, n, best);
  if (best.at >= 0 && best.at < n) reducer.join(s, {best.value, first + best.at * step});
  return true;
}

}  // namespace quern::impl

#endif
