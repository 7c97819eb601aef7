// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_FILL_KERNEL_HPP
#define QUERN_RANDOM_FILL_KERNEL_HPP

#include <limits>
#include <quern/core/call.hpp>
#include <quern/core/loop_nest.hpp>
#include <quern/core/noinline.hpp>
#include <quern/map/map.hpp>
#include <quern/random/draws.hpp>

namespace quern::impl {

/// The numbers of an array's positions in the field that a key names.
struct field_positions {
  position_input at;       // of an element, counted from the first
  std::int64_t first = 0;  // that of the first element

  field_positions(const std::string& label, const shape& out, const random::part& where) : at{{nullptr, out, {}}} {
    const bool whole = where.extents.rank == 0;
    const shape& field = whole ? out : where.extents;
    if (!whole && (field.rank != out.rank || where.first.rank != out.rank))
      throw Error(label, "the field has extents " + field.str() + " and out is its part at " + where.first.str() +
                             ", expected rank " + std::to_string(out.rank) + " as of out");
    std::int64_t next = 1;
    for (int d = out.rank - 1; d >= 0; --d) {
      const std::int64_t start = whole ? 0 : where.first.extent[d];
      if (start < 0 || start > field.extent[d] || out.extent[d] > field.extent[d] - start)
        throw Error(label, "out with extents " + out.str() + " at " + where.first.str() +
                               " is not within a field of extents " + field.str());
      at.array.stride[d] = next;
      first += start * next;
      if (field.extent[d] > 0 && next > std::numeric_limits<std::int64_t>::max() / field.extent[d])
        throw Error(label, "the field has extents " + field.str() + ", more than 2^63 - 1 positions");
      next *= std::max<std::int64_t>(field.extent[d], 1);
    }
  }
};

/// The number of one position: it computes those of its block and takes one. Not inlined, since kernels of `map` would
/// hold it many times.
template <class Draw>
QUERN_IMPL_NOINLINE KOKKOS_FUNCTION typename Draw::value_type drawn_at(const Draw& draw, const random::key& k,
                                                                       std::int64_t position) {
  const std::int64_t block = position / Draw::values;
  typename Draw::value_type v[Draw::values];
  const auto words = philox(k.seed, block, k.stream);
  draw(k, words, block * Draw::values, v);
  finish(draw, k, words, block * Draw::values, v);
  auto taken = v[0];
  for (int i = 1; i < Draw::values; ++i)
    if (position - block * Draw::values == i) taken = v[i];
  return taken;
}

/// The values of a field as a functor of positions.
template <class Draw>
struct drawn_element {
  Draw draw;
  random::key key;
  std::int64_t first;
  KOKKOS_FUNCTION typename Draw::value_type operator()(std::int64_t position) const {
    return drawn_at(draw, key, first + position);
  }
};
/// Where each position has parameters of its own.
template <class Draw>
struct draw_element {
  random::key key;
  std::int64_t first;
  template <class... P>
  KOKKOS_FUNCTION typename Draw::value_type operator()(std::int64_t position, const P&... parameters) const {
    return drawn_at(Draw(parameters...), key, first + position);
  }
};

/// Whole blocks of numbers, `Draw::values` of each 128 random bits, along the last axis of the field.
template <class Exec, class Draw>
struct fill_kernel {
  using T = typename Draw::value_type;
  struct flat_tag {};
  struct device_tag {};
  struct host_tag {};
  static constexpr int width = Draw::values;
  static constexpr int lanes = 32;  // of host vectors
  static constexpr int unroll = tuning<Exec>::random_blocks;
  static constexpr std::int64_t span = 256;  // about the threads that run together; a matter of speed alone
  static constexpr std::int64_t run = tuning<Exec>::map_block_bytes / (width * sizeof(T));

  Draw draw;
  random::key key;
  philox_keys keys;
  T* out;
  std::int64_t step;  // between the numbers of a block
  row_nest<2> nest;   // over blocks: offset in `out`, number of the block
  std::int64_t first_block, begin, end;
  bool packed;
  int steps = 1;             // of a device's thread
  std::int64_t items = 0;    // of a device
  std::int64_t per_row = 0;  // of a host

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

  /// Whether neighbouring blocks along the fastest axis are neighbours in memory and in the field.
  KOKKOS_FUNCTION bool in_rows() const { return packed && nest.stride[0][0] == width && nest.stride[1][0] == 1; }

  /// One row: `unroll` blocks for a thread, `span` apart, in steps, of which small arrays have one so that they have
  /// more threads.
  KOKKOS_FUNCTION void operator()(flat_tag, std::int64_t item) const {
    const std::int64_t lane = item % span, i = (item - lane) * (unroll * steps) + lane;
    const std::int64_t end_block = i + (unroll * steps - 1) * span + 1;
    if ((first_block + i) * width >= begin && (first_block + end_block) * width <= end) {
      auto* to = reinterpret_cast<pack<T, width>*>(out) + i;
      std::int64_t block = first_block + i;
      for (int s = 0; s < steps; ++s, block += unroll * span, to += unroll * span)
        whole(to, block, std::make_index_sequence<unroll>());
    } else {
      for (std::int64_t j = i; j < end_block && j < nest.inner; j += span) store(j * width, first_block + j);
    }
  }
  template <std::size_t... U>
  KOKKOS_FORCEINLINE_FUNCTION void whole(pack<T, width>* to, std::int64_t block, std::index_sequence<U...>) const {
    (store_whole(to + U * span, block + U * span), ...);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_whole(pack<T, width>* to, std::int64_t block) const {
    pack<T, width> p;
    numbers(block, p.value);
    *to = p;
  }

  KOKKOS_FUNCTION void operator()(device_tag, std::int64_t item) const {
    for (int u = 0; u < unroll; ++u, item += items) {
      if (item >= nest.inner * nest.outer) return;
      std::int64_t i;
      const auto o = nest.at_item(item, nest.inner, 1, i);
      store(o.of[0], first_block + o.of[1]);
    }
  }

  /// The words of neighbouring blocks, and the positions that they begin at. What their loops call is inlined by force:
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
  /// Neighbouring blocks in loops that compilers turn into vector instructions.
  void vector_of_blocks(T* to, std::int64_t block) const {
    const vector_words words(keys, block, key.stream);
    const vector_positions positions{block};
    bool twice = false;
    if constexpr (requires { draw.draws_twice(); }) {
      if ((twice = draw.draws_twice())) draw_vector(to, words, vector_words(keys, block, key.stream + next_stream));
    }
    if (!twice) draw_vector(to, words, positions);
    for (int l = 0; l < lanes; ++l) finish(draw, key, words[l], positions[l], to + l * width);
  }
  template <class Further>
  void draw_vector(T* to, const vector_words& words, const Further& further) const {
    const Draw local = draw;  // what the loop reads must not be what it might write
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) {
      T v[width];
      local(key, words[l], further[l], v);
      for (int k = 0; k < width; ++k) to[l * width + k] = v[k];
    }
  }

  void operator()(host_tag, std::int64_t item) const {
    std::int64_t i;
    const auto o = nest.at_item(item, per_row, run, i);
    const std::int64_t n = Kokkos::min(run, nest.inner - i), block = first_block + o.of[1];
    const bool whole = block * width >= begin && (block + n) * width <= end;
    if (whole && in_rows()) {
      T* to = out + o.of[0];
      std::int64_t j = 0;
      for (; j + lanes <= n; j += lanes) vector_of_blocks(to + j * width, block + j);
      for (; j < n; ++j) store(o.of[0] + j * width, block + j);
    } else {
      for (std::int64_t j = 0; j < n; ++j) store(o.of[0] + j * nest.stride[0][0], block + j * nest.stride[1][0]);
    }
  }

  void launch(const Exec& exec, const std::string& label) {
    if constexpr (tuning<Exec>::device) {
      const std::int64_t blocks = nest.inner * nest.outer;
      if (in_rows() && nest.rank == 1) {
        steps = std::clamp<std::int64_t>(blocks / (unroll * exec.concurrency()), 1, tuning<Exec>::random_steps);
        launch_as<flat_tag>(exec, label, (blocks + unroll * steps * span - 1) / (unroll * steps * span) * span);
      } else {
        items = (blocks + unroll - 1) / unroll;
        launch_as<device_tag>(exec, label, items);
      }
    } else {
      per_row = (nest.inner + run - 1) / run;
      launch_as<host_tag>(exec, label, per_row * nest.outer);
    }
  }

 private:
  template <class Tag>
  void launch_as(const Exec& exec, const std::string& label, std::int64_t work) const {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>(exec, 0, work), *this);
  }
};

/// One more than the last position of an array, counted from its first.
inline std::int64_t positions_within(const loop_nest<2>& rows) {
  std::int64_t end = 1;
  for (int d = 0; d < rows.rank; ++d) end += (rows.extent[d] - 1) * rows.stride[0][d];
  return end;
}

/// Fills `out` by whole blocks, where the blocks of the field do not cross the ends of its rows; false where they do.
template <class Exec, class Draw>
bool fill_by_blocks(const Exec& exec, const std::string& label, const strided<typename Draw::value_type>& out,
                    const field_positions& positions, const random::key& k, const Draw& draw) {
  constexpr std::int64_t width = Draw::values;
  const std::int64_t first = positions.first;
  // Axes in the order of positions, the last one first.
  const auto rows = make_loop_nest<2>(out.extents, {positions.at.array.stride, out.stride});
  if (rows.stride[0][0] != 1 && rows.extent[0] > 1) return false;
  for (int d = 1; d < rows.rank; ++d)
    if (first % width != 0 || rows.extent[0] % width != 0 || rows.stride[0][d] % width != 0) return false;

  const std::int64_t step = rows.stride[1][0], before = first % width;
  shape blocks;
  std::array<std::array<std::int64_t, max_rank>, 2> strides{};
  blocks.rank = rows.rank;
  for (int d = 0; d < rows.rank; ++d) {
    blocks.extent[d] = d == 0 ? (before + rows.extent[0] + width - 1) / width : rows.extent[d];
    strides[0][d] = d == 0 ? step * width : rows.stride[1][d];
    strides[1][d] = d == 0 ? 1 : rows.stride[0][d] / width;
  }
  using kernel_type = fill_kernel<Exec, Draw>;
  kernel_type kernel{draw,
                     k,
                     philox_keys(k.seed),
                     out.data - before * step,
                     step,
                     row_nest<2>(make_loop_nest<2>(blocks, strides)),
                     first / width,
                     first,
                     first + positions_within(rows),
                     false};
  const auto& nest = kernel.nest;
  kernel.packed = step == 1 && reinterpret_cast<std::uintptr_t>(kernel.out) % (width * sizeof(*out.data)) == 0 &&
                  std::all_of(nest.stride[0], nest.stride[0] + nest.rank, [](auto s) { return s % width == 0; });
  kernel.launch(exec, label);
  return true;
}

/// What every field is checked for, and where it is.
template <class Out>
field_positions check_field(const std::string& label, const Out& out, const random::part& where) {
  static_assert(view_like<Out>, "quern::random: out is not a View");
  check_exact<Out>();
  return field_positions(label, extents_of(out), where);
}

/// `out(i) = draw` of the number at the position of i.
template <class Draw, class Exec, class Out>
void fill_drawn(const std::string& label, const Exec& exec, const Out& out_view, const random::part& where,
                const Draw& draw) {
  static_assert(std::is_same_v<value_of<Out>, typename Draw::value_type>);
  const call c(label, exec);
  const auto out = c.output(out_view);
  const auto positions = check_field(label, out_view, where);
  if (out.extents.size() == 0 || fill_by_blocks(exec, label, out, positions, where.of, draw)) return;
  map_checked(label, exec, out_view, drawn_element<Draw>{draw, where.of, positions.first}, positions.at);
}

/// Fills with `Draw(parameters(i)...)`; parameters are scalars or broadcast.
template <class Draw, class Exec, class Out, class... P>
void fill_random(const std::string& label, const Exec& exec, const Out& out_view, const random::part& where,
                 const P&... parameters) {
  if constexpr ((scalar_value<P> && ...)) {
    fill_drawn(label, exec, out_view, where, Draw(parameters...));
  } else {
    static_assert(std::is_same_v<value_of<Out>, typename Draw::value_type>);
    const auto positions = check_field(label, out_view, where);
    map_checked(label, exec, out_view, draw_element<Draw>{where.of, positions.first}, positions.at, parameters...);
  }
}

}  // namespace quern::impl

#endif
