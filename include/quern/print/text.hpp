// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_TEXT_HPP
#define QUERN_PRINT_TEXT_HPP

/// @file
/// The text of an array without its type. All of it is compiled once, in src/print.

#include <cstddef>
#include <quern/print/gather.hpp>
#include <string>
#include <vector>

namespace quern::impl {

/// What the bytes of an element are.
enum class printed_kind { boolean, signed_integer, unsigned_integer, floating, half, bhalf, complex };

/// An array as what prints it sees it.
struct printed_array {
  array_bytes elements;
  printed_kind kind = printed_kind::floating;
  std::string label, layout, space;  // empty where the array has none
};

/// The text of an array whose printed elements have been gathered.
std::string text_of_array(const printed_array& array, const shown_elements& which, const std::vector<std::byte>& packed,
                          const print_options& options);

/// Writes a line to standard output.
/// @throws std::ios_base::failure if it cannot be written
void print_line(const std::string& text);

}  // namespace quern::impl

#endif
