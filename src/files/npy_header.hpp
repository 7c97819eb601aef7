// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_NPY_HEADER_HPP
#define QUERN_FILES_NPY_HEADER_HPP

#include "elements.hpp"

namespace quern::files::impl {

/// What the header of a `.npy` file of `size` bytes says. `read` gets its bytes, and is called in ascending order.
array_info parse_npy_header(const std::string& name, std::int64_t size, const byte_reader& read);

}  // namespace quern::files::impl

#endif
