// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_REDUCE_PREFETCHED_ROWS_HPP
#define QUERN_SRC_REDUCE_PREFETCHED_ROWS_HPP

#include <cstdint>

namespace quern::impl {
namespace {

/// Asks for `bytes` of the rows that come some later, as far as memory needs: a multiple of `count` rows, each `apart`
/// from the one before, that is a page or more. They may lie behind the array.
template <class T>
[[gnu::always_inline]] inline void prefetch_later_rows(const T* rows, std::int64_t apart, int count,
                                                       std::int64_t bytes) {
  constexpr std::int64_t page = 4096, line = 64;
  const std::int64_t step = apart * static_cast<std::int64_t>(sizeof(T)), together = step * count;
  const std::int64_t ahead = together > 0 && together < page ? (page + together - 1) / together * together : together;
  const char* const later = reinterpret_cast<const char*>(rows);
  for (int r = 0; r < count; ++r)
    for (std::int64_t b = 0; b < bytes; b += line) __builtin_prefetch(later + ahead + r * step + b);
}

}  // namespace
}  // namespace quern::impl

#endif
