// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_TRANSPOSE_BYTES_HPP
#define QUERN_MAP_TRANSPOSE_BYTES_HPP

#include <cstdint>

namespace quern::impl {

/// to[i to_row + j] = from[j from_row + i] for i < rows and j < columns, by blocks of 8 x 8 in eight words. Strides may
/// be negative.
void transpose_bytes(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t rows,
                     std::int64_t columns);

}  // namespace quern::impl

#endif
