// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_TRANSPOSE_TILE_HPP
#define QUERN_MAP_TRANSPOSE_TILE_HPP

#include <cstddef>
#include <cstdint>

namespace quern::impl {

/// Whether `transpose_tile` copies elements of that size.
constexpr bool transposes_size(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// to[i to_row + j] = from[j from_row + i] for i < rows and j < columns, of elements of that many bytes: single ones by
/// blocks of 8 x 8 in eight words, others in several rows at a time. Strides may be negative.
void transpose_tile(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t rows,
                    std::int64_t columns, std::size_t bytes);

}  // namespace quern::impl

#endif
