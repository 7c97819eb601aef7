// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_COLUMNS_TABLE_HPP
#define QUERN_REDUCE_COLUMNS_TABLE_HPP

#include <cstdint>
#include <type_traits>

namespace quern::impl {

/// Sums and moments of rows and columns on hosts, in the library: by the widest vector instructions that the processor
/// has, whatever a program is compiled for. Rows are added to as many states as they have elements, from number `first`
/// to before `last`.
template <class T>
struct vector_columns {
  /// Values, in 64 bytes, whose sums are kept side by side.
  static constexpr int lanes = 64 / static_cast<int>(sizeof(T));

  /// Four and eight rows to compensated sums.
  void (*sums[2])(void* states, const T* const* rows, int first, int last);
  /// `count` rows of at least `lanes` elements that are `apart` from each other, 16 of which are added up before their
  /// sums are added to the compensated ones.
  void (*sums_of_columns)(void* states, const T* rows, std::int64_t apart, std::int64_t count, int columns);
  /// The sum of each of `count` rows of n values that are `apart` from each other.
  void (*sums_of_rows)(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, T* sums);
  /// Three, four and eight rows to moments. Says whether a center no longer suits its values.
  std::conditional_t<std::is_same_v<T, float>, bool (*)(void*, const T* const*, int, int), const void*> moments[3];
};

}  // namespace quern::impl

#endif
