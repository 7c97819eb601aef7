// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_POSITIONS_IN_ROWS_HPP
#define QUERN_REDUCE_POSITIONS_IN_ROWS_HPP

/// @file
/// Positions of extrema along contiguous rows on hosts, which the library finds in many rows at a time: of short ones
/// they take less time than a work item for each.

#include <quern/core/launch/operations.hpp>
#include <quern/core/launch/readers.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reduce/vector_extrema.hpp>

namespace quern::impl {

template <class Reducer>
inline constexpr bool finds_in_rows = false;
template <class T, int Sign, bool SkipNan>
inline constexpr bool finds_in_rows<arg_reducer<T, Sign, SkipNan>> = has_vectors_of<T>;

/// Longer rows gain nothing, and of two integers compilers make vector instructions. (bench_short_rows)
template <class T>
inline constexpr std::int64_t shortest_of_many_rows = std::is_integral_v<T> ? 3 : 2;
inline constexpr std::int64_t longest_of_many_rows = 1024;

/// What finds the positions that a reducer asks for, or null.
template <class T, int Sign, bool SkipNan>
auto search_in_rows(const arg_reducer<T, Sign, SkipNan>&) {
  const vector_extrema<T>* const by = vector_extrema_here<T>();
  return by == nullptr ? nullptr : (SkipNan ? by->rows_of_numbers : by->rows)[Sign > 0];
}

/// Whether all rows of a reduction are found so.
template <class Exec, class Reducer, class F, class Out, class... In>
bool may_find_in_rows([[maybe_unused]] const strided_reduction<Exec, Reducer, F, Out, In...>& work) {
  using value = typename strided_reduction<Exec, Reducer, F, Out, In...>::value;
  if constexpr (finds_in_rows<Reducer> && std::is_same_v<F, op::identity> && sizeof...(In) == 2 &&
                requires(const value* v) { v = get<0>(work.in).contiguous_from(0); }) {
    return work.nest.outer == 1 && work.nest.inner >= shortest_of_many_rows<value> &&
           work.nest.inner <= longest_of_many_rows && reads_contiguously(get<0>(work.in)) &&
           search_in_rows(work.reducer) != nullptr;
  } else {
    return false;
  }
}

/// Writes the results of a tile.
template <class Exec, class Reducer, class F, class Out, class... In>
void find_in_rows([[maybe_unused]] const strided_reduction<Exec, Reducer, F, Out, In...>& work,
                  [[maybe_unused]] const typename strided_reduction<Exec, Reducer, F, Out, In...>::tile_start& tile) {
  using Work = strided_reduction<Exec, Reducer, F, Out, In...>;
  if constexpr (requires(const typename Work::value* v) { v = get<0>(work.in).contiguous_from(0); }) {
    constexpr int several = 256, position = Work::position;
    std::int64_t at[several];
    for (int done = 0; done < tile.results; done += several) {
      const int count = Kokkos::min(several, tile.results - done);
      const auto first = work.result_at(tile, done);
      search_in_rows(work.reducer)(get<0>(work.in).contiguous_from(first.of[0]), work.nest.inner,
                                   work.result_nest.stride[0][0], count, at);
      Out* const to = work.out + tile.out + done * work.result_nest.stride[Work::operands][0];
      for (int k = 0; k < count; ++k) {
        auto s = work.reducer.init();
        if (at[k] >= 0)
          s.at = first.of[position] + k * work.result_nest.stride[position][0] + at[k] * get<position>(work.in).step;
        to[k * work.result_nest.stride[Work::operands][0]] = convert<Out>(work.reducer.result(s, work.values));
      }
    }
  }
}

}  // namespace quern::impl

#endif
