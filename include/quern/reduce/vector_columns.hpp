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

/// Adds rows to states, from number `first` to before `last`; false where there are no such instructions. `unsettled`
/// becomes true where a center no longer suits its values.
template <class Reducer, std::size_t Rows, class State, class T>
bool add_columns_by_vectors([[maybe_unused]] State* states, [[maybe_unused]] const T* const (&rows)[Rows], int first,
                            int last, [[maybe_unused]] bool& unsettled) {
  constexpr bool sums = sums_columns<Reducer, T, Rows>;
  if constexpr (sums || has_moments_of_columns<Reducer, T, Rows>) {
    if (last - first < least_columns) return false;
    const vector_columns<T>* const by = vector_columns_here<T>();
    if (by == nullptr) return false;
    static_assert(sizeof(State) == (sums ? 2 * sizeof(T) : 4 * sizeof(double)));
    if constexpr (sums) by->sums[Rows / 8](states, rows, first, last);
    else unsettled |= by->moments[Rows == 8 ? 2 : Rows - 3](states, rows, first, last);
    return true;
  } else {
    return false;
  }
}

}  // namespace quern::impl

#endif
