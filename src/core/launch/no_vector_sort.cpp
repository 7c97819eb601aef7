// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Without Highway: the C++ library sorts and selects.

#include <algorithm>
#include <functional>
#include <quern/core/launch/vector_sort.hpp>

namespace quern::impl {

bool has_vector_sort() { return false; }

template <class Word>
void vector_sort(Word* words, std::int64_t n, bool descending) {
  if (descending) std::sort(words, words + n, std::greater<>());
  else std::sort(words, words + n);
}

template <class Word>
void vector_select(Word* words, std::int64_t n, std::int64_t k) {
  std::nth_element(words, words + k, words + n);
}

template void vector_sort(std::int16_t*, std::int64_t, bool);
template void vector_sort(std::int32_t*, std::int64_t, bool);
template void vector_sort(std::int64_t*, std::int64_t, bool);
template void vector_sort(std::uint16_t*, std::int64_t, bool);
template void vector_sort(std::uint32_t*, std::int64_t, bool);
template void vector_sort(std::uint64_t*, std::int64_t, bool);
template void vector_select(std::uint16_t*, std::int64_t, std::int64_t);
template void vector_select(std::uint32_t*, std::int64_t, std::int64_t);
template void vector_select(std::uint64_t*, std::int64_t, std::int64_t);

}  // namespace quern::impl
