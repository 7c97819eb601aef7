// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_FIELD_BLOCKS_HPP
#define QUERN_RANDOM_FIELD_BLOCKS_HPP

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/random/draws.hpp>

namespace quern::impl {

/// Whole blocks of numbers, `Draw::values` of each 128 random bits, along the last axis of the field: what hosts and
/// devices share.
template <class Exec, class Draw>
struct field_blocks {
  using exec_space = Exec;
  using T = typename Draw::value_type;
  static constexpr int width = Draw::values;

  Draw draw;
  random::key key;
  philox_keys keys;
  T* out;
  std::int64_t step;  // between the numbers of a block
  row_nest<2> nest;   // over blocks: offset in `out`, number of the block
  std::int64_t first_block, begin, end;
  bool packed;

  KOKKOS_FORCEINLINE_FUNCTION void numbers(std::int64_t block, T (&v)[width]) const {
    const auto words = philox(keys, block, key.stream);
    draw(key, words, block * width, v);
    finish(draw, key, words, block * width, v);
  }

  /// One block, of which only the positions from `begin` to `end` are there.
  KOKKOS_FUNCTION void store(std::int64_t offset, std::int64_t block) const {
    pack<T, width> p;
    numbers(block, p.value);
    T* to = out + offset;
    const std::int64_t position = block * width;
    if (position < begin || position + width > end) {
      for (int k = 0; k < width; ++k)
        if (position + k >= begin && position + k < end) to[k * step] = p.value[k];
    } else if (packed) {
      *reinterpret_cast<pack<T, width>*>(to) = p;
    } else {
      for (int k = 0; k < width; ++k) to[k * step] = p.value[k];
    }
  }

  /// Whether blocks along the fastest axis are contiguous in memory and in the field.
  KOKKOS_FUNCTION bool in_rows() const { return packed && nest.stride[0][0] == width && nest.stride[1][0] == 1; }
};

}  // namespace quern::impl

#endif
