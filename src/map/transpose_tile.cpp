// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <quern/core/launch/ivdep.hpp>
#include <quern/map/transpose_tile.hpp>

namespace quern::impl {
namespace {

constexpr int side = 8;

/// Exchanges the upper lots of `Bits` bits of a with the lower ones of b, where a byte of a higher address has higher
/// bits.
template <int Bits, std::uint64_t Low>
void exchange(std::uint64_t& a, std::uint64_t& b) {
  const std::uint64_t both = ((a >> Bits) ^ b) & Low;
  a ^= both << Bits;
  b ^= both;
}

/// Blocks of 4 x 4 bytes, then 2 x 2 and single ones (Warren, Hacker's Delight, section 7-3).
void transpose_block(unsigned char* to, std::int64_t to_row, const unsigned char* from, std::int64_t from_row) {
  std::uint64_t row[side];
  for (int k = 0; k < side; ++k) std::memcpy(row + k, from + k * from_row, side);
  for (int k = 0; k < 4; ++k) exchange<32, 0x00000000ffffffff>(row[k], row[k + 4]);
  for (int k : {0, 1, 4, 5}) exchange<16, 0x0000ffff0000ffff>(row[k], row[k + 2]);
  for (int k : {0, 2, 4, 6}) exchange<8, 0x00ff00ff00ff00ff>(row[k], row[k + 1]);
  for (int k = 0; k < side; ++k) std::memcpy(to + k * to_row, row + k, side);
}

void transpose_bytes(unsigned char* to, std::int64_t to_row, const unsigned char* from, std::int64_t from_row,
                     std::int64_t rows, std::int64_t columns) {
  const bool blocks = std::endian::native == std::endian::little;
  const std::int64_t whole_rows = blocks ? rows / side * side : 0, whole_columns = blocks ? columns / side * side : 0;
  for (std::int64_t i = 0; i < whole_rows; i += side)
    for (std::int64_t j = 0; j < whole_columns; j += side)
      transpose_block(to + i * to_row + j, to_row, from + j * from_row + i, from_row);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      to[i * to_row + j] = from[j * from_row + i];
}

/// Elements whose type does not matter, so that compilers may not assume one.
template <std::size_t Bytes>
struct element {
  std::byte of[Bytes];
};

/// Rows of the result together, as a core's stores keep up with so many loads of adjacent elements.
template <int Together, std::size_t Bytes>
void transpose_rows(element<Bytes>* to, std::int64_t to_row, const element<Bytes>* from, std::int64_t from_row,
                    std::int64_t columns) {
  QUERN_IMPL_IVDEP
  for (std::int64_t j = 0; j < columns; ++j) QUERN_IMPL_UNROLL_LOOP
  for (int k = 0; k < Together; ++k) to[k * to_row + j] = from[j * from_row + k];
}
template <std::size_t Bytes>
void transpose_elements(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t rows,
                        std::int64_t columns) {
  constexpr int together = 4;
  auto* const t = static_cast<element<Bytes>*>(to);
  const auto* const f = static_cast<const element<Bytes>*>(from);
  std::int64_t i = 0;
  for (; i + together <= rows; i += together)
    transpose_rows<together>(t + i * to_row, to_row, f + i, from_row, columns);
  for (; i < rows; ++i) transpose_rows<1>(t + i * to_row, to_row, f + i, from_row, columns);
}

}  // namespace

void transpose_tile(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t rows,
                    std::int64_t columns, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return transpose_bytes(static_cast<unsigned char*>(to), to_row, static_cast<const unsigned char*>(from), from_row,
                             rows, columns);
    case 2:
      return transpose_elements<2>(to, to_row, from, from_row, rows, columns);
    case 4:
      return transpose_elements<4>(to, to_row, from, from_row, rows, columns);
    case 8:
      return transpose_elements<8>(to, to_row, from, from_row, rows, columns);
    default:
      return transpose_elements<16>(to, to_row, from, from_row, rows, columns);
  }
}

}  // namespace quern::impl
