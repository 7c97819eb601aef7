// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_STENCIL_HPP
#define QUERN_CHUNKED_STENCIL_HPP

#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/views/whole_positions.hpp>
#include <quern/map/functions.hpp>
#include <quern/stencil/grid.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern::impl {

/// Whether some cells are left as they are.
inline bool leaves_cells(const boundaries& edge) {
  if (edge.is_box()) return true;
  for (int d = 0; d < edge.count(); ++d)
    if (edge.axis(d).low.kind() == boundary::mode::keep || edge.axis(d).high.kind() == boundary::mode::keep)
      return true;
  return false;
}

/// The boundaries of a chunk with its halo: those of the whole array where it ends there, and elsewhere none, as cells
/// whose neighbourhoods reach further are in the halo. The box of `interior_only` is cut.
inline boundaries boundaries_of(const boundaries& edge, const chunk_plan& p, const array_chunk& c) {
  const std::int64_t begin = c.begin(true), end = c.first + c.count + c.high;
  if (edge.is_box()) {
    axis_list<interior_only::range_type> range;
    for (int d = 0; d < edge.count(); ++d) range.push_back(edge.range(d));
    auto& [low, high] = range[p.axis];
    low = std::max(low, c.first) - begin;
    high = std::min(high, c.first + c.count) - begin;
    if (low >= high) low = high = p.halo;  // no cells, at a position that every chunk has
    return interior_only(range);
  }
  axis_list<boundary_pair> each;
  for (int d = 0; d < p.extents.rank; ++d) each.push_back(edge.axis(d));
  if (p.wraps ? c.low > 0 : begin > 0) each[p.axis].low = boundary::keep;
  if (p.wraps ? c.high > 0 : end < p.extents.extent[p.axis]) each[p.axis].high = boundary::keep;
  return boundaries(each);
}

/// The cells of a chunk without its halo.
template <class T>
strided<T> core_of(strided<T> s, const chunk_plan& p, const array_chunk& c) {
  s.data += c.low * s.stride[p.axis];
  s.extents.extent[p.axis] = c.count;
  return s;
}

/// An array in reach as a leaf of kernels.
template <class Exec, class T>
array_input<std::remove_const_t<T>> leaf_of(const strided<T>& a) {
  return {a};
}
template <class Exec, class Source, int Rank, class... Owner>
auto leaf_of(const mapped_array<Source, Rank, Owner...>& a) {
  return mapped_leaf<Exec>(a);
}
/// The rows of a chunk with its halo in a block that is kept, of an array in reach that wraps around, or whose elements
/// are found by a map of indices.
template <class Exec, class A>
auto rows_in_block(const Exec& exec, const A& whole, const chunk_plan& p, const array_chunk& c,
                   std::vector<pool_block<typename Exec::memory_space>>& blocks) {
  using value = typename decltype(leaf_of<Exec>(whole))::value_type;
  const auto rows = scratch_of_chunk<value>(exec, p, c, true);
  blocks.push_back(rows.block);
  p.for_each_range(c, true, [&](std::int64_t row, std::int64_t count, std::int64_t at) {
    strided<value> to = rows;
    to.extents.extent[p.axis] = count;
    to.data += at * to.stride[p.axis];
    const auto from = part_along(whole, p.axis, row, count);
    map_launch(exec, p.label, to, op::identity(), false, {to.stride, from.stride}, leaf_of<Exec>(from));
  });
  return strided<const value>{rows.data, rows.extents, rows.stride};
}
/// Bytes of such a block for each index along the axis of the chunks; 0 for what is read where it is.
template <class Exec, class Input>
std::int64_t block_bytes_of(const Input& input, const chunk_plan& p, std::int64_t row) {
  using leaf = decltype(leaf_of<Exec>(input.memory()));
  const bool is_copied = is_mapped<std::remove_cvref_t<decltype(input.memory())>> || (!input.array() && p.wraps);
  return is_copied ? row * static_cast<std::int64_t>(sizeof(typename leaf::value_type)) : 0;
}
/// An input of a call in a chunk with its halo.
template <class Exec, class Layout, int Rank, class V>
auto stencil_operand_in(const Exec& exec, const V& v, const chunk_plan& p, const array_chunk& c,
                        std::vector<pool_block<typename Exec::memory_space>>& blocks) {
  const bool beyond = c.begin(true) < 0 || c.first + c.count + c.high > p.extents.extent[p.axis];
  return at_cells(v, wrapped_origin<Rank>(p.first_of_chunk(c, true), p.extents), [&](const auto& leaf) {
    if constexpr (!placed<decltype(leaf)>) return leaf;
    else if constexpr (is_mapped<std::remove_cvref_t<decltype(leaf.memory())>>)
      return as_part<Exec, Rank, Layout>(rows_in_block(exec, leaf.memory(), p, c, blocks));
    else
      return as_part<Exec, Rank, Layout>(!leaf.array() && beyond ? rows_in_block(exec, leaf.memory(), p, c, blocks)
                                                                 : leaf.part(p.axis, c, true));
  });
}

/// Whether all operands are in reach of `exec`.
template <class Exec, class... V>
inline constexpr bool all_resident = (resident<Exec, V> && ...);

/// A stencil of which some arrays come in chunks: `begin(plan)` is called first, and `compute(exec, plan, chunk, out,
/// f, edge, in...)` for each chunk with its halo.
template <class Shape, class Exec, class Out, class F, class Begin, class Compute, class... In>
void stencil_in_chunks(const std::string& label, const Shape& reach, const Exec& exec, const Out& out, const F& f,
                       const boundaries& edge, const chunking& settings, const Begin& begin,
                       const Compute& compute_chunk, const In&... in) {
  constexpr int rank = rank_of<Out>;
  static_assert(((rank_of<In> == rank) && ...), "quern::stencil: in must have the rank of out");
  using T = typename Out::value_type;
  output_in_chunks<Exec, Out> to(out, label);
  auto from = std::tuple(as_chunk_operand<Exec>(in)...);
  const auto for_each = [&](const auto& visit) {
    std::apply([&](auto&... o) { (for_each_input(visit, o), ...); }, from);
  };
  chunk_plan p{label, to.extents()};
  p.settings = settings;
  p.axis = axis_of([&](const auto& visit) {
    for_each(visit);
    visit(to);
  });
  bool all_come = true;
  for_each([&](const auto& o) { all_come = all_come && o.array(); });
  p.halo = reach.radius(p.axis);
  if (p.extents.size() > 0) boxes_of<rank, false>(label, reach, p.extents, edge);  // rejects what does not fit
  p.wraps = wraps_around(label, edge, p.axis);
  const auto same_order = [&](const auto& o) {
    if (o.array() && p.extents.rank > 1 && slowest_axis(*o.array()) != p.axis)
      throw Error(label, "all arrays that are read or written in chunks must have the same slowest axis");
  };
  const std::int64_t row = p.extents.size() / std::max<std::int64_t>(p.extents.extent[p.axis], 1);
  for_each([&](auto& o) {
    check_extents(label, "in", o.extents(), p.extents);
    p.scratch += block_bytes_of<Exec>(o, p, row);
    check_memory(label, to, o, false);
    if constexpr (requires { o.check(exec, label); }) o.check(exec, label);
    same_order(o);
    o.join(p.inputs, true);
  });
  same_order(to);
  // Cells that are not computed keep what a View has; in files they are zero.
  const bool keeps = leaves_cells(edge);
  constexpr bool has_contents = !is_sink<Out>;
  std::optional<input_in_chunks<Exec, Out>> contents;
  if constexpr (has_contents) {
    if (keeps) contents.emplace(out).join(p.inputs, false);
  }
  to.join(p.outputs, true);
  if (resident<Exec, Out>) p.scratch += row * static_cast<std::int64_t>(sizeof(T));

  const auto compute = [&]<class Layout>(const Exec& e, const array_chunk& c, std::type_identity<Layout>) {
    // Cells of a resident out beside the chunk are another chunk's.
    strided<T> target;
    scratch_block<T, Exec> own;
    if constexpr (resident<Exec, Out>) target = own = scratch_of_chunk<T>(e, p, c, true);
    else target = to.part(p.axis, c, true);
    const auto core = as_part<Exec, rank>(core_of(target, p, c));
    if (keeps) {
      if constexpr (has_contents)
        quern::map(e, core, op::identity(), as_part<Exec, rank>(contents->part(p.axis, c, false)));
      else quern::fill(e, core, T{});
    }
    std::vector<pool_block<typename Exec::memory_space>> blocks;
    unpack(
        [&](const auto&... o) {
          compute_chunk(e, p, c, std::tuple(as_part<Exec, rank, Layout>(target)),
                        functor_of_part<rank>(f, p.first_of_chunk(c, true)), boundaries_of(edge, p, c),
                        stencil_operand_in<Exec, Layout, rank>(e, o, p, c, blocks)...);
        },
        from);
    if constexpr (resident<Exec, Out>)
      quern::map(e, as_part<Exec, rank>(to.part(p.axis, c, false)), op::identity(), core);
  };
  begin(p);
  // Buffers of the first axis fastest are LayoutLeft, for which the kernels turn their axes around.
  const bool left = p.axis != 0 && all_come;
  run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
    if constexpr (rank > 1)
      if (left) return compute(e, c, std::type_identity<Kokkos::LayoutLeft>());
    compute(e, c, std::type_identity<Kokkos::LayoutStride>());
  });
}

/// Stencils of arrays that come in chunks.
template <>
struct engine<in_chunks_place, stencils> {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static void run(const operation_name& name, const Shape&, const Exec& exec, const std::tuple<Out...>& outs,
                  const F& f, const boundaries& edge, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    static_assert(sizeof...(Out) == 1, "quern::stencil: in chunks, there is one output");
    const std::string& label = name;
    const auto compute = [&](const Exec& e, const chunk_plan&, const array_chunk&, const auto& out, const auto& g,
                             const boundaries& edge_of_chunk,
                             const auto&... part) { stencil_call(e, label, Shape(), out, g, edge_of_chunk, part...); };
    unpack(
        [&](const auto&... in) {
          if constexpr (all_resident<Exec, Out..., In...>)
            stencil_call(exec, label, Shape(), as_resident(outs), f, edge, as_resident(in)...);
          else
            stencil_in_chunks(
                label, Shape(), exec, std::get<0>(outs), f, edge, settings_of(options...), [](const chunk_plan&) {},
                compute, in...);
        },
        inputs);
    exec.fence(kernel_label(label));
  }
};

}  // namespace quern::impl

#endif
