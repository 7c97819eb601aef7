// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_VECTOR_ROWS_HPP
#define QUERN_REDUCE_VECTOR_ROWS_HPP

/// @file
/// Sums, extrema and their positions along contiguous rows on hosts, which the library computes of many rows at a time:
/// of short ones they take less time than a work item for each. And sums and extrema of the columns of short rows.

#include <concepts>
#include <cstdint>
#include <quern/core/launch/operations.hpp>
#include <quern/core/launch/readers.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reduce/vector_columns.hpp>
#include <quern/reduce/vector_extrema.hpp>
#include <type_traits>

namespace quern::impl {

/// The type of the sum in a reducer's state.
template <class Reducer>
using summed = decltype(Reducer::state::sum);

/// What the library has for a reducer of T: `row_function` returns the function that computes a `type` of each row, or
/// null; rows of `shortest` to `longest` values gain by it. (bench_short_rows) Where no positions are asked for,
/// `state` makes a state of such a value, and `column_function` returns the function that adds rows to the states of
/// their elements.
template <class Reducer, class T>
struct vector_rows {
  using type = void;
};
template <class T, int Sign>
  requires has_vectors_of<T>
struct vector_rows<extremum_reducer<T, Sign>, T> {
  using type = T;
  static constexpr std::int64_t shortest = 5, longest = 1024;
  static auto row_function(const extremum_reducer<T, Sign>&) {
    const vector_extrema<T>* const by = vector_extrema_here<T>();
    return by == nullptr ? nullptr : by->values[Sign > 0];
  }
  static T state(const T& x) { return x; }
  static auto column_function(const extremum_reducer<T, Sign>&) {
    const vector_extrema<T>* const by = vector_extrema_here<T>();
    return by == nullptr ? nullptr : by->columns[Sign > 0];
  }
};
template <class T, int Sign, bool SkipNan>
  requires has_vectors_of<T>
struct vector_rows<arg_reducer<T, Sign, SkipNan>, T> {
  using type = std::int64_t;
  static constexpr std::int64_t shortest = std::is_integral_v<T> && sizeof(T) == 8 ? 3 : 2, longest = 1024;
  static auto row_function(const arg_reducer<T, Sign, SkipNan>&) {
    const vector_extrema<T>* const by = vector_extrema_here<T>();
    return by == nullptr ? nullptr : (SkipNan ? by->rows_of_numbers : by->rows)[Sign > 0];
  }
};
template <class Reducer, class T>
  requires has_vector_sums<T, summed<Reducer>> &&
           std::derived_from<Reducer, sum_reducer<summed<Reducer>, compensated<summed<Reducer>>>>
struct vector_rows<Reducer, T> {
  using type = summed<Reducer>;
  static constexpr std::int64_t shortest = std::is_integral_v<T> ? 5 : 2;
  static constexpr std::int64_t longest = 32 * vector_sums<T, type>::lanes;  // 16 values to each sum
  static auto row_function(const Reducer&) {
    const vector_sums<T, type>* const by = vector_sums_here<T, type>();
    return by == nullptr ? nullptr : by->of_rows;
  }
  static typename Reducer::state state(const type& x) { return {x, type(0)}; }
  static auto column_function(const Reducer&) {
    const vector_sums<T, type>* const by = vector_sums_here<T, type>();
    return by == nullptr ? nullptr : by->of_columns;
  }
};

/// A reduction whose rows the library may compute: those of one array, whose values are in memory.
template <class Work>
concept has_vector_rows =
    std::is_same_v<decltype(Work::f), op::identity> && Work::arrays == 1 &&
    !std::is_void_v<typename vector_rows<decltype(Work::reducer), typename Work::value>::type> &&
    requires(const Work& work, const typename Work::value* v) { v = get<0>(work.in).contiguous_from(0); };
/// Whether it computes all of them.
template <class Work>
bool reduces_vector_rows([[maybe_unused]] const Work& work) {
  if constexpr (has_vector_rows<Work>) {
    using rows = vector_rows<decltype(Work::reducer), typename Work::value>;
    return work.nest.outer == 1 && work.nest.inner >= rows::shortest && work.nest.inner <= rows::longest &&
           reads_contiguously(get<0>(work.in)) && rows::row_function(work.reducer) != nullptr;
  } else {
    return false;
  }
}

/// Writes the results of a tile.
template <has_vector_rows Work>
void reduce_vector_rows(const Work& work, const typename Work::tile_start& tile) {
  using rows = vector_rows<decltype(Work::reducer), typename Work::value>;
  constexpr int several = 256, position = Work::position;
  typename rows::type of_row[several];
  for (int done = 0; done < tile.results; done += several) {
    const int count = Kokkos::min(several, tile.results - done);
    const auto first = work.result_at(tile, done);
    rows::row_function(work.reducer)(get<0>(work.in).contiguous_from(first.of[0]), work.nest.inner,
                                     work.result_nest.stride[0][0], count, of_row);
    auto* const to = work.out + tile.out + done * work.result_nest.stride[Work::operands][0];
    for (int k = 0; k < count; ++k) {
      const auto state = [&] {
        if constexpr (Work::positions) {
          auto s = work.reducer.init();
          if (of_row[k] >= 0)
            s.at =
                first.of[position] + k * work.result_nest.stride[position][0] + of_row[k] * get<position>(work.in).step;
          return s;
        } else {
          return rows::state(of_row[k]);
        }
      };
      to[k * work.result_nest.stride[Work::operands][0]] =
          convert<std::remove_pointer_t<decltype(work.out)>>(work.reducer.result(state(), work.values));
    }
  }
}

/// Whether the library may have a function that adds rows to the states of their elements.
template <class Reducer, class T>
concept has_vector_columns = requires(const Reducer& reducer) { vector_rows<Reducer, T>::column_function(reducer); };

/// How many rows such a function takes as one, 0 where there is none or it is not to be called: a row has as many
/// elements as a vector has lanes, and so few that 16 rows stay in the second cache. Shorter rows that follow each
/// other are taken together, where there are enough of them to be worth the states that this takes.
template <class Reducer, class T>
int rows_taken_as_one([[maybe_unused]] const Reducer& reducer, [[maybe_unused]] std::int64_t columns,
                      [[maybe_unused]] std::int64_t apart, [[maybe_unused]] std::int64_t rows) {
  if constexpr (has_vector_columns<Reducer, T>) {
    constexpr int lanes = 64 / static_cast<int>(sizeof(typename vector_rows<Reducer, T>::type)), widest = 512;
    if (columns > widest || vector_rows<Reducer, T>::column_function(reducer) == nullptr) return 0;
    if (columns >= lanes) return 1;
    const auto together = static_cast<int>(2 * lanes / columns);
    return columns > 1 && apart == columns && rows >= 16 * together ? together : 0;
  } else {
    return 0;
  }
}

/// Adds rows to the states of their elements, `together` of them as one: how many of `count` they are.
template <class Reducer, class State, class T>
  requires has_vector_columns<Reducer, T>
std::int64_t add_vector_columns(const Reducer& reducer, State* states, const T* rows, std::int64_t apart,
                                std::int64_t count, int columns, int together, bool cached) {
  const auto add = vector_rows<Reducer, T>::column_function(reducer);
  if (together == 1) {
    add(states, rows, apart, count, columns, cached);
    return count;
  }
  State of_columns[128 / sizeof(typename vector_rows<Reducer, T>::type)];
  for (int k = 0; k < together * columns; ++k) of_columns[k] = reducer.init();
  add(of_columns, rows, together * apart, count / together, together * columns, cached);
  for (int k = 0; k < together * columns; ++k) reducer.join(states[k % columns], of_columns[k]);
  return count / together * together;
}

}  // namespace quern::impl

#endif
