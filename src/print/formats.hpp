// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_FORMATS_HPP
#define QUERN_PRINT_FORMATS_HPP

/// @file
/// The words of an array's elements, of one width, as NumPy chooses it.

#include <cstddef>
#include <quern/print/text.hpp>
#include <string>
#include <vector>

namespace quern::impl {

/// The words of elements that lie packed. `alone` is an element of an array of rank 0.
std::vector<std::string> words_of(printed_kind kind, std::int64_t element_bytes, const std::vector<std::byte>& packed,
                                  const print_options& options, bool alone);

}  // namespace quern::impl

#endif
