// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_EXTREMA_TABLE_HPP
#define QUERN_REDUCE_EXTREMA_TABLE_HPP

#include <cstdint>

namespace quern::impl {

/// The best value so far and where it is first: from the values in hand on, -1 where it was before them, and the
/// largest number where there is none yet, so that an equal one wins.
template <class T>
struct first_extremum {
  static constexpr std::int64_t nowhere = INT64_MAX;
  T value;
  std::int64_t at;
};

/// Extrema of n > 0 values side by side, on hosts, in the library: by the widest vector instructions that the processor
/// has, whatever a program is compiled for. The smallest is asked of [0], the largest of [1].
template <class T>
struct vector_extrema {
  /// The extremum, or NaN where there is one.
  T (*value[2])(const T* v, std::int64_t n);
  /// This of each of `count` rows of n values that are `apart` from each other.
  void (*values[2])(const T* v, std::int64_t n, std::int64_t apart, std::int64_t count, T* best);
  /// Joins `count` rows that are `apart` from each other to the best values of their columns, of which there are at
  /// least as many as 64 bytes hold. Those that are not `cached` are asked for ahead of time.
  void (*columns[2])(void* best, const T* rows, std::int64_t apart, std::int64_t count, int columns, bool cached);
  /// Takes from n values what is better than `best`, with its first position; a NaN is better than all others.
  void (*first[2])(const T* v, std::int64_t n, first_extremum<T>& best);
  /// The same, but NaN is left out.
  void (*first_number[2])(const T* v, std::int64_t n, first_extremum<T>& best);
  /// The same of each of `count` rows, from the first value of a row on: `at` becomes -1 where all are left out.
  void (*rows[2])(const T* v, std::int64_t n, std::int64_t apart, std::int64_t count, std::int64_t* at);
  void (*rows_of_numbers[2])(const T* v, std::int64_t n, std::int64_t apart, std::int64_t count, std::int64_t* at);
};

}  // namespace quern::impl

#endif
