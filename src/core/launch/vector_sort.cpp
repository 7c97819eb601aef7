// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hwy/base.h>
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <cstddef>
#include <quern/core/launch/vector_sort.hpp>

namespace quern::impl {

bool has_vector_sort() {
  // Where Highway knows no vector instructions, it sorts by a heap.
  static const bool vectors = (hwy::SupportedTargets() & ~(HWY_SCALAR | HWY_EMU128)) != 0;
  return vectors;
}

template <class Word>
void vector_sort(Word* words, std::int64_t n, bool descending) {
  const auto size = static_cast<std::size_t>(n);
  if (descending) hwy::VQSort(words, size, hwy::SortDescending());
  else hwy::VQSort(words, size, hwy::SortAscending());
}

template <class Word>
void vector_select(Word* words, std::int64_t n, std::int64_t k) {
#if HWY_MAJOR > 1 || HWY_MINOR >= 2  // older ones can only sort
  hwy::VQSelect(words, static_cast<std::size_t>(n), static_cast<std::size_t>(k), hwy::SortAscending());
#else
  vector_sort(words, n, false);
#endif
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
