// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_HOST_FILL_HPP
#define QUERN_RANDOM_HOST_FILL_HPP

#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/random/field_blocks.hpp>
#include <quern/random/tuning.hpp>

namespace quern::impl {

/// Fills blocks of a field on a host, in runs that stay in a core's cache.
template <class Work>
struct host_fill {
  using Exec = typename Work::exec_space;
  using T = typename Work::T;
  static constexpr int width = Work::width;
  static constexpr int lanes = 32;  // of vectors
  static constexpr std::int64_t run = random_tuning<Exec>::run_bytes / (width * sizeof(T));

  Work work;
  std::int64_t per_row;  // runs

  /// The words of adjacent blocks, and the positions that they begin at. What their loops call is inlined by force:
  /// one call among it, and nothing becomes vector instructions.
  struct vector_words {
    std::uint64_t c[4][lanes];
    vector_words(const philox_keys& keys, std::uint64_t block, std::uint64_t stream) { philox(keys, block, stream, c); }
    KOKKOS_FORCEINLINE_FUNCTION philox_words operator[](int l) const {
      return {static_cast<std::uint32_t>(c[0][l]), static_cast<std::uint32_t>(c[1][l]),
              static_cast<std::uint32_t>(c[2][l]), static_cast<std::uint32_t>(c[3][l])};
    }
  };
  struct vector_positions {
    std::int64_t block;
    KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int l) const { return (block + l) * width; }
  };
  /// Adjacent blocks in loops that compilers turn into vector instructions.
  void vector_of_blocks(T* to, std::int64_t block) const {
    const vector_words words(work.keys, block, work.key.stream);
    const vector_positions positions{block};
    bool twice = false;
    if constexpr (requires { work.draw.draws_twice(); }) {
      if ((twice = work.draw.draws_twice()))
        draw_vector(to, words, vector_words(work.keys, block, work.key.stream + next_stream));
    }
    if (!twice) draw_vector(to, words, positions);
    for (int l = 0; l < lanes; ++l) finish(work.draw, work.key, words[l], positions[l], to + l * width);
  }
  template <class Further>
  void draw_vector(T* to, const vector_words& words, const Further& further) const {
    const auto local = work.draw;  // what the loop reads must not be what it might write
    QUERN_IMPL_IVDEP
    for (int l = 0; l < lanes; ++l) {
      T v[width];
      local(work.key, words[l], further[l], v);
      for (int k = 0; k < width; ++k) to[l * width + k] = v[k];
    }
  }

  void operator()(std::int64_t item) const {
    std::int64_t i;
    const auto o = work.nest.at_item(item, per_row, run, i);
    const std::int64_t n = Kokkos::min(run, work.nest.inner - i), block = work.first_block + o.of[1];
    const bool whole = block * width >= work.begin && (block + n) * width <= work.end;
    if (whole && work.in_rows()) {
      T* to = work.out + o.of[0];
      std::int64_t j = 0;
      for (; j + lanes <= n; j += lanes) vector_of_blocks(to + j * width, block + j);
      for (; j < n; ++j) work.store(o.of[0] + j * width, block + j);
    } else {
      for (std::int64_t j = 0; j < n; ++j)
        work.store(o.of[0] + j * work.nest.stride[0][0], block + j * work.nest.stride[1][0]);
    }
  }
};

template <class Exec, class Work>
void fill_on_host(const Exec& exec, const std::string& label, const Work& work) {
  const std::int64_t run = host_fill<Work>::run, per_row = (work.nest.inner + run - 1) / run;
  launch_units(exec, label, per_row * work.nest.outer, host_fill<Work>{work, per_row});
}

}  // namespace quern::impl

#endif
