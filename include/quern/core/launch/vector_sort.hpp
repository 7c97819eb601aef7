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

/// Puts the integer of rank k < n, from 0 for the smallest, at words[k], with none that is larger before and none that
/// is smaller behind it, as `std::nth_element` does; in the same way.
template <class Word>
void vector_select(Word* words, std::int64_t n, std::int64_t k);

}  // namespace quern::impl

#endif
