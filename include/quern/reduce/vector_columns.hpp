// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_VECTOR_COLUMNS_HPP
#define QUERN_REDUCE_VECTOR_COLUMNS_HPP

#include <concepts>
#include <cstddef>
#include <quern/reduce/columns_table.hpp>
#include <quern/reducers/moments.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// Those for the processor, or null: where it has neither AVX2 nor AVX-512, and in builds for devices.
template <class T>
const vector_columns<T>* vector_columns_here();
template <>
const vector_columns<float>* vector_columns_here<float>();
template <>
const vector_columns<double>* vector_columns_here<double>();

/// The sums for the processor, or null likewise.
template <class T, class S>
inline constexpr bool has_vector_sums = false;
template <class T, class S>
const vector_sums<T, S>* vector_sums_here();
#define QUERN_IMPL_DECLARE(T, S)                      \
  template <>                                         \
  inline constexpr bool has_vector_sums<T, S> = true; \
  template <>                                         \
  const vector_sums<T, S>* vector_sums_here<T, S>();
QUERN_IMPL_VECTOR_SUMS(QUERN_IMPL_DECLARE)
#undef QUERN_IMPL_DECLARE

/// Whether the library may have vector instructions that add so many rows of T to the states of a reducer.
template <class Reducer, class T, int Rows>
inline constexpr bool sums_columns =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) && (Rows == 4 || Rows == 8) &&
    std::derived_from<Reducer, sum_reducer<T, compensated<T>>>;
template <class Reducer, class T, int Rows>
inline constexpr bool has_moments_of_columns = std::is_same_v<T, float> && (Rows == 3 || Rows == 4 || Rows == 8) &&
                                               std::derived_from<Reducer, moments_reducer<float>>;

/// Fewer elements of rows are added sooner without a call.
inline constexpr int least_columns = 16;

/// Whether the library adds so many rows of `columns` elements to states.
template <class Reducer, class T, int Rows>
bool adds_by_vectors([[maybe_unused]] int columns) {
  if constexpr (sums_columns<Reducer, T, Rows> || has_moments_of_columns<Reducer, T, Rows>)
    return columns >= least_columns && vector_columns_here<T>() != nullptr;
  else return false;
}

/// Adds rows to states there, from number `first` to before `last`; true where a center no longer suits its values.
template <class Reducer, std::size_t Rows, class State, class T>
bool add_rows_by_vectors([[maybe_unused]] State* states, [[maybe_unused]] const T* const (&rows)[Rows],
                         [[maybe_unused]] int first, [[maybe_unused]] int last) {
  if constexpr (sums_columns<Reducer, T, Rows>) {
    static_assert(sizeof(State) == 2 * sizeof(T));
    vector_columns_here<T>()->sums[Rows / 8](states, rows, first, last);
  } else if constexpr (has_moments_of_columns<Reducer, T, Rows>) {
    static_assert(sizeof(State) == 4 * sizeof(double));
    return vector_columns_here<T>()->moments[Rows == 8 ? 2 : Rows - 3](states, rows, first, last);
  }
  return false;
}

}  // namespace quern::impl

#endif
