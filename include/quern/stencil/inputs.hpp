// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_INPUTS_HPP
#define QUERN_STENCIL_INPUTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/stencil/halo.hpp>
#include <quern/stencil/launch.hpp>

namespace quern {

namespace impl {

/// An input of a stencil with what continues it.
template <class V>
struct bounded_input {
  V in;
  boundaries edge;
  axis_counts stored;  // ghost layers
};
template <class T>
inline constexpr bool is_bounded = false;
template <class V>
inline constexpr bool is_bounded<bounded_input<V>> = true;

/// The array of an input.
template <class V>
const V& array_of(const V& v) {
  return v;
}
template <class V>
const V& array_of(const bounded_input<V>& v) {
  return v.in;
}
template <class V>
using stencil_array = std::remove_cvref_t<decltype(array_of(std::declval<const V&>()))>;

}  // namespace impl

/// An input of `stencil` in memory with boundaries of its own, in place of those of the call:
/// `stencil<star<1>>(exec, out, f, boundary::wrap, u, with_boundary(wind, boundary::nearest))`. Which cells are
/// computed is up to the call's.
template <array_like V>
impl::bounded_input<V> with_boundary(const V& in, const boundaries& edge) {
  return {in, edge, {0}};
}

/// An input of `stencil` in memory, a View or `quern::rows` of one, that stores ghost layers around as many cells as
/// `out` has: where neighbourhoods reach beyond the cells, they are read. Where all inputs do, `interior_only` of the
/// call may have the cells at the ends, and counts them as `out` does, without ghosts.
template <stored_array V>
impl::bounded_input<V> with_ghosts(const V& in, const depth& stored) {
  return {in, boundary::keep, stored};
}

/// Of arrays that are not in memory, which are rejected by name.
template <impl::placed V>
const V& with_boundary(const V& in, const boundaries&) {
  static_assert(!impl::placed<V>,
                "quern::with_boundary: an input with boundaries of its own is in memory; in chunks and over ranks all "
                "inputs have those of the call");
  return in;
}
template <impl::placed V>
const V& with_ghosts(const V& in, const depth&) {
  static_assert(!impl::placed<V>,
                "quern::with_ghosts: an input that stores ghosts is in memory; a DistributedView has a halo, and "
                "chunks overlap by themselves");
  return in;
}
/// Of arrays that are computed or re-indexed as they are read.
template <array_like V>
  requires(!stored_array<V>)
impl::bounded_input<V> with_ghosts(const V& in, const depth&) {
  static_assert(!array_like<V>,
                "quern::with_ghosts: an input that stores ghosts is a View or rows of one; a lazy or re-indexed array "
                "stores none, but may have boundaries of its own, with_boundary");
  return {in, boundary::keep, {0}};
}

/// The inputs of a stencil.
template <class... In>
concept stencil_inputs = ((any_array<In> || impl::is_bounded<In>) && ...) || impl::misplaced_option<In...>::value;

namespace impl {

/// The extents of the cells of an input, which its boundaries have been checked for.
template <int Rank, class Reach, class V>
shape cells_of(const std::string&, const Reach&, const V&, const shape& extents) {
  return extents;
}
template <int Rank, class Reach, class V>
shape cells_of(const std::string& label, const Reach& reach, const bounded_input<V>& v, shape extents) {
  check_layer_counts(label, v.stored, nullptr, Rank);
  if (v.edge.is_box() || (v.edge.count() != 1 && v.edge.count() != Rank))
    throw Error(label, "the boundaries of an input are not those of an array of rank " + std::to_string(Rank));
  for (int d = 0; d < Rank; ++d) {
    const std::int64_t layers = v.stored.along(d);
    const boundary_pair& sides = v.edge.axis(d);
    check_no_ghost_modes(label, v.edge, d);
    wraps_around(label, v.edge, d);
    const bool keeps = sides.low.kind() == boundary::mode::keep || sides.high.kind() == boundary::mode::keep;
    if (keeps && layers < reach.radius(d))
      throw Error(label, "an input has ghost layers of depth " + std::to_string(layers) + " along axis " +
                             std::to_string(d) + ", and neighbourhoods reach " + std::to_string(reach.radius(d)));
    extents.extent[d] -= 2 * layers;
  }
  return extents;
}

/// An array as a stencil reads it: without its ghosts, and with what continues it.
template <class V, class Array>
const Array& without_ghosts(const V&, const Array& array) {
  return array;
}
template <class V, class Array>
Array without_ghosts(const bounded_input<V>& v, Array array) {
  if constexpr (stored_array<V>)
    for (int d = 0; d < array.extents.rank; ++d) {
      array.data += v.stored.along(d) * array.stride[d];
      array.extents.extent[d] -= 2 * v.stored.along(d);
    }
  return array;
}
template <class V, class Array>
const Array& with_edge_of(const V&, const Array& array) {
  return array;
}
template <class V, class Array>
edged_array<Array> with_edge_of(const bounded_input<V>& v, const Array& array) {
  return {{array.data}, array, v.edge};
}

}  // namespace impl
}  // namespace quern

#endif
