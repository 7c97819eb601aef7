// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_KEYED_VECTOR_SORT_HPP
#define QUERN_SRC_KEYED_VECTOR_SORT_HPP

#include <cstdint>

namespace quern::impl {

/// Sorts n integers with and without sign of 16, 32 or 64 bits by one thread, with the vector instructions that the
/// processor has. Allocates nothing. (highway.cpp)
template <class Word>
void vector_sort(Word* words, std::int64_t n, bool descending);

}  // namespace quern::impl

#endif
