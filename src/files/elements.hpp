// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_ELEMENTS_HPP
#define QUERN_FILES_ELEMENTS_HPP

#include <functional>
#include <quern/files/array_file.hpp>

namespace quern::files::impl {

using byte_reader = std::function<void(std::int64_t offset, std::int64_t bytes, void* to)>;

/// The elements of a box, from the bytes that `read` gets in ascending order, in the byte order of the machine.
void read_elements(const array_info& info, const packed_box& box, void* to, const byte_reader& read);

}  // namespace quern::files::impl

#endif
