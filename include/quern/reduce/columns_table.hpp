// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_COLUMNS_TABLE_HPP
#define QUERN_REDUCE_COLUMNS_TABLE_HPP

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

}  // namespace quern::impl

#endif
