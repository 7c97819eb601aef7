// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_FILL_HPP
#define QUERN_RANDOM_FILL_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/map/map.hpp>
#include <quern/random/device_fill.hpp>
#include <quern/random/host_fill.hpp>

namespace quern::impl {

/// The numbers of an array's positions in the field that a key names.
struct field_positions {
  position_input at;       // of an element, counted from the first
  std::int64_t first = 0;  // that of the first element

  /// @throws Error where `out` is no part of the field
  field_positions(const std::string& label, const shape& out, const random::part_of& where);
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
  std::int64_t end = first + 1;  // one more than the last position of the array
  shape blocks;
  std::array<Kokkos::Array<std::int64_t, max_rank>, 2> strides{};
  blocks.rank = rows.rank;
  for (int d = 0; d < rows.rank; ++d) {
    blocks.extent[d] = d == 0 ? (before + rows.extent[0] + width - 1) / width : rows.extent[d];
    strides[0][d] = d == 0 ? step * width : rows.stride[1][d];
    strides[1][d] = d == 0 ? 1 : rows.stride[0][d] / width;
    end += (rows.extent[d] - 1) * rows.stride[0][d];
  }
  field_blocks<Exec, Draw> work{draw,
                                k,
                                philox_keys(k.seed),
                                out.data - before * step,
                                step,
                                row_nest<2>(make_loop_nest<2>(blocks, strides)),
                                first / width,
                                first,
                                end,
                                false};
  const auto& nest = work.nest;
  work.packed = step == 1 && reinterpret_cast<std::uintptr_t>(work.out) % (width * sizeof(*out.data)) == 0 &&
                std::all_of(nest.stride[0], nest.stride[0] + nest.rank, [](auto s) { return s % width == 0; });
  if constexpr (is_device<Exec>) fill_on_device(exec, label, work);
  else fill_on_host(exec, label, work);
  return true;
}

struct random_fields {};

/// Random fields in memory: `fill(exec, out, where, parameters...)`.
template <>
struct engine<in_memory, random_fields> {
  template <class Exec, class Out, class Fill, class... P>
  static void run(const std::string&, const Exec& exec, const Out& out, const random::part_of& where, const Fill& fill,
                  const P&... parameters) {
    fill(exec, out, where, parameters...);
  }
};

/// Compares the call of a field with those of the other ranks, where its arrays lie over ranks. Gives its label.
template <class Out, class... P>
const std::string& compare_fields(const operation_name& label, const Out& out, const random::part_of& where,
                                  const P&... parameters) {
  const auto more = [&] {
    return ", key " + std::to_string(where.of.seed) + " " + std::to_string(where.of.stream) +
           (where.extents.rank == 0 ? "" : ", of a part");
  };
  compare_calls<random_fields>(label, more, out, parameters...);
  return label;
}

/// `out(i) = draw` of the number at the position of i.
template <class Draw, class Exec, class Out>
void fill_drawn(const std::string& label, const Exec& exec, const Out& out_view, const random::part_of& field,
                const Draw& draw) {
  static_assert(std::is_same_v<value_of<Out>, typename Draw::value_type>);
  check_exact<Out>();
  const auto fill = [&](const Exec&, const auto& view, const random::part_of& where) {
    const call c(label, exec);
    const auto out = c.output(view);
    const field_positions positions(label, view_extents(view), where);
    if (out.extents.size() == 0 || fill_by_blocks(exec, label, out, positions, where.of, draw)) return;
    map_checked(label, exec, view, drawn_element<Draw>{draw, where.of, positions.first}, positions.at);
  };
  engine_of<random_fields, Out>::run(label, exec, out_view, field, fill);
}

/// Fills with `Draw(parameters(i)...)`; parameters are scalars or broadcast.
template <class Draw, class Exec, class Out, class... P>
void fill_random(const operation_name& label, const Exec& exec, const Out& out_view, const random::part_of& field,
                 const P&... parameters) {
  if constexpr ((scalar_value<P> && ...)) {
    fill_drawn(label, exec, out_view, field, Draw(parameters...));
  } else {
    static_assert(std::is_same_v<value_of<Out>, typename Draw::value_type>);
    check_exact<Out>();
    const auto fill = [&](const Exec&, const auto& out, const random::part_of& where, const auto&... p) {
      const field_positions positions(label, view_extents(out), where);
      map_checked(label, exec, out, draw_element<Draw>{where.of, positions.first}, positions.at, p...);
    };
    engine_of<random_fields, Out, P...>::run(label, exec, out_view, field, fill, parameters...);
  }
}

}  // namespace quern::impl

#endif
