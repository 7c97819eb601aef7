// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HOST_SELECTION_HPP
#define QUERN_STENCIL_HOST_SELECTION_HPP

#include <algorithm>
#include <cstdint>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/stencil/footprint.hpp>

namespace quern::impl {

/// The value of a rank in a window on hosts: of the values so far, as many are kept as there are up to the rank, the
/// least ones, or from the rank on, the greatest, whichever are fewer. Each further value pushes one out, and the last
/// one of those kept is the result. There are no branches, so that cells beside each other are computed together.
template <int Rank, class T>
struct host_selection {
  static constexpr int max_candidates = 48;              // values that are kept
  static constexpr std::int64_t part = 512 / sizeof(T);  // cells at a time, all of whose values the first cache holds
  const listed_window& cells;
  bool greatest;
  int candidates;

  host_selection(const listed_window& window, int rank)
      : cells(window), greatest(rank + 1 > window.size - rank), candidates(std::min(rank + 1, window.size - rank)) {}

  /// Whether this takes fewer steps than `passes` over the window.
  bool suits(int passes) const {
    return candidates <= max_candidates &&
           std::int64_t{cells.size - candidates} * candidates < std::int64_t{passes} * cells.size;
  }

  /// Of n cells, at most `part`; `at(offsets...)` is where the values of the first one and those behind it are.
  template <class At>
  void of_block(T* results, std::int64_t n, const At& at) const {
    if (greatest) block<true>(results, n, at);
    else block<false>(results, n, at);
  }
  /// Of one cell; `at(offsets...)` is a value.
  template <class Window>
  T of_cell(const Window& at) const {
    return greatest ? cell<true>(at) : cell<false>(at);
  }

 private:
  template <bool Greatest, class At>
  void block(T* results, std::int64_t n, const At& at) const {
    T values[max_candidates][part], pushed[part];
    for_each_offset(cells, [&](int m, int k, int j, int i) {
      load(m < candidates ? values[m] : pushed, n, value_at<Rank>(at, k, j, i));
      for (int v = 0; v < candidates && m >= candidates; ++v) push_all<Greatest>(values[v], pushed, n);
    });
    for (int v = 1; v < candidates; ++v) push_all<!Greatest>(values[0], values[v], n);
    std::copy_n(values[0], n, results);
  }
  template <bool Greatest, class Window>
  T cell(const Window& at) const {
    T values[max_candidates];
    for_each_offset(cells, [&](int m, int k, int j, int i) {
      T value = static_cast<T>(value_at<Rank>(at, k, j, i));
      if (m < candidates) values[m] = value;
      else
        for (int v = 0; v < candidates; ++v) push<Greatest>(values[v], value);
    });
    for (int v = 1; v < candidates; ++v) push<!Greatest>(values[0], values[v]);
    return values[0];
  }
  /// Keeps one of two values, and the other one goes on.
  template <bool Greatest>
  static void push(T& keeps, T& value) {
    const T less = value < keeps ? value : keeps, more = value < keeps ? keeps : value;
    keeps = Greatest ? more : less;
    value = Greatest ? less : more;
  }
  // Not inlined, so that they are innermost loops of their own, of which compilers make vector instructions.
  template <bool Greatest>
  QUERN_IMPL_NOINLINE static void push_all(T* keep, T* values, std::int64_t n) {
    QUERN_IMPL_IVDEP
    for (std::int64_t k = 0; k < n; ++k) push<Greatest>(keep[k], values[k]);
  }
  template <class Position>
  QUERN_IMPL_NOINLINE static void load(T* to, std::int64_t n, Position from) {
    QUERN_IMPL_IVDEP
    for (std::int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(from[k]);
  }
};

}  // namespace quern::impl

#endif
