// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_NPY_HEADER_HPP
#define QUERN_SRC_FILES_NPY_HEADER_HPP

#include <quern/files/array_file.hpp>
#include <string_view>

namespace quern::files::impl {

/// What a `.npy` file begins with.
inline constexpr std::string_view npy_magic("\x93NUMPY", 6);
/// NumPy's letters for the kinds of numbers.
inline constexpr std::string_view npy_kind_letters = "biufc";

/// What the header of a `.npy` file says, whose bytes are read in ascending order.
array_info parse_npy_header(byte_source& file);

}  // namespace quern::files::impl

#endif
