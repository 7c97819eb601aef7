// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_PIPELINE_HPP
#define QUERN_CHUNKED_PIPELINE_HPP

#include <algorithm>
#include <quern/chunked/source.hpp>
#include <vector>

namespace quern::impl {

/// Chunks that are under way at a time: one is read, one computed and one written.
inline constexpr int chunk_slots = 3;

/// An array that the pipeline reads or writes.
template <class Access>
struct planned_array {
  std::shared_ptr<Access> array;
  std::int64_t element;   // bytes
  bool with_halo = true;  // whether chunks have the cells around them
};

/// A chunk as `compute` sees it: its range along the axis, the cells around it that are there, and packed buffers.
struct array_chunk {
  std::int64_t number = 0, first = 0, count = 0, low = 0, high = 0;
  int slot = 0;
  std::vector<void*> in{}, out{};

  std::int64_t begin(bool with_halo) const { return first - (with_halo ? low : 0); }
  std::int64_t extent(bool with_halo) const { return count + (with_halo ? low + high : 0); }
};

/// What a pipeline has to do.
struct chunk_plan {
  std::string label;
  shape extents;  // of the iteration, which is cut along `axis`
  int axis = 0;
  std::int64_t halo = 0;     // cells along the axis on either side of a chunk
  bool wraps = false;        // whether the halo goes around the ends
  bool ordered = false;      // whether a chunk is computed when the one before is
  std::int64_t scratch = 0;  // bytes besides for each index along the axis, also those of the halo
  std::vector<planned_array<array_reader>> inputs{};
  std::vector<planned_array<array_writer>> outputs{};
  chunking settings{};

  /// The first cell of a part of the iteration.
  shape first_of_chunk(const array_chunk& c, bool with_halo) const;
  /// f(first, count, at) for the ranges along the axis that a chunk is made of, and where they are in it: the halo may
  /// begin at the other end.
  template <class F>
  void for_each_range(const array_chunk& c, bool with_halo, const F& f) const {
    const std::int64_t n = extents.extent[axis], all = c.extent(with_halo);
    for (std::int64_t at = 0; at < all;) {
      const std::int64_t first = ((c.begin(with_halo) + at) % n + n) % n, count = std::min(all - at, n - first);
      f(first, count, at);
      at += count;
    }
  }
};

/// A range of an array along an axis, and the strides of its buffer.
packed_box box_along(const array_io& array, int axis, std::int64_t first, std::int64_t count);

template <class Exec>
using chunk_function = std::function<void(const Exec&, const array_chunk&)>;
/// Reads, computes and writes chunk after chunk, each slot on an instance of its own, and waits for all. On hosts the
/// instance is `exec`. `exec` is waited for first.
template <class Exec>
void run_chunks(const Exec& exec, const chunk_plan& p, const chunk_function<Exec>& compute);

}  // namespace quern::impl

#endif
