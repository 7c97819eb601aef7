// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_COLUMNS_TABLE_HPP
#define QUERN_REDUCE_COLUMNS_TABLE_HPP

#include <cstdint>
#include <type_traits>

namespace quern::impl {

/// Rows that are added to as many states as they have elements, from number `first` to before `last`, on hosts, in the
/// library: by the widest vector instructions that the processor has, whatever a program is compiled for.
template <class T>
struct vector_columns {
  /// Four and eight rows to compensated sums.
  void (*sums[2])(void* states, const T* const* rows, int first, int last);
  /// Three, four and eight rows to moments. Says whether a center no longer suits its values.
  std::conditional_t<std::is_same_v<T, float>, bool (*)(void*, const T* const*, int, int), const void*> moments[3];
};

/// Sums S of `count` rows of T that are `apart` from each other, by the same instructions.
template <class T, class S>
struct vector_sums {
  /// Partial sums that are kept side by side: 64 bytes of them.
  static constexpr int lanes = 64 / static_cast<int>(sizeof(S));

  /// Adds the rows to the compensated sums of their columns, of which there are at least `lanes`, 16 rows at a time.
  /// Those that are not `cached` are asked for ahead of time.
  void (*of_columns)(void* states, const T* rows, std::int64_t apart, std::int64_t count, int columns, bool cached);
  /// The sum of each row of n values.
  void (*of_rows)(const T* rows, std::int64_t n, std::int64_t apart, std::int64_t count, S* sums);
};

/// f(T, S) for the types that there are sums of.
#define QUERN_IMPL_VECTOR_SUMS(f)                                                               \
  f(float, float) f(double, double) f(std::int32_t, std::int64_t) f(std::int64_t, std::int64_t) \
      f(std::uint32_t, std::uint64_t) f(std::uint64_t, std::uint64_t) f(std::int32_t, double)

}  // namespace quern::impl

#endif
