// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_VECTOR_SORT_HPP
#define QUERN_CORE_LAUNCH_VECTOR_SORT_HPP

#include <cstdint>

namespace quern::impl {

/// Whether the library was built with Highway's vectorized quicksort, and the processor has vector instructions.
bool has_vector_sort();

/// Sorts n integers with and without sign of 16, 32 or 64 bits by one thread, with the vector instructions that the
/// processor has, or as the C++ library does. Allocates nothing.
template <class Word>
void vector_sort(Word* words, std::int64_t n, bool descending);

}  // namespace quern::impl

#endif
