// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_CHUNKS_HPP
#define QUERN_CHUNKED_CHUNKS_HPP

#include <quern/chunked/operands.hpp>

namespace quern::chunked {

/// Where a chunk lies in the whole array.
struct chunk_info {
  std::int64_t number;  ///< from 0
  int axis;             ///< along which the array is cut
  std::int64_t first;   ///< the chunk's first index along the axis
  std::int64_t count;   ///< its extent along the axis
};

/// Several operations on each chunk of some arrays, which are read once:
///
/// @code
/// quern::chunked::for_each_chunk(
///     exec,
///     [&](const auto& e, const quern::chunked::chunk_info&, const auto& x, const auto& y) {
///       quern::clip(e, y, x, 0.0, 1.0);  // y is the part of a sink
///       total += quern::sum(e, x);
///     },
///     x_source, y_sink);
/// @endcode
///
/// @param f        called on the caller's thread with an instance of the execution space, the position of the
///                 chunk, and a View of each array's part (LayoutStride; const for sources). It launches on that
///                 instance alone. What it launched for one chunk has ended when the next one's turn comes, so that f
///                 may use memory of its own
/// @param option   memory and progress, which need not be given
/// @param arrays   sources, sinks and const Views, of equal extents
///
/// Waits, and returns when all is written.
/// @throws Error if extents differ or the memory is too little for a row; ChunkError if a chunk cannot be read or
/// written; what f throws
template <execution_space Exec, class F, class... Array>
  requires((source_like<Array> || sink_like<Array>) && ...)
void for_each_chunk(const Exec& exec, const F& f, const chunking& option, const Array&... arrays) {
  using namespace impl;
  auto operands = std::tuple(
      operand_in_chunks<Exec, Array, std::conditional_t<is_sink<Array>, array_writer, array_reader>>(arrays)...);
  chunk_plan p{"quern::chunked::for_each_chunk", std::get<0>(operands).extents()};
  p.settings = option;
  p.ordered = true;
  p.axis = axis_of([&](const auto& visit) { std::apply([&](auto&... o) { (visit(o), ...); }, operands); });
  const auto join = [&](auto& o) {
    if (o.extents() != p.extents)
      throw Error(p.label, "the arrays have extents " + p.extents.str() + " and " + o.extents().str());
    if constexpr (std::remove_cvref_t<decltype(o)>::writes) o.join(p.outputs, false);
    else o.join(p.inputs, false);
  };
  std::apply([&](auto&... o) { (join(o), ...); }, operands);
  run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
    unpack(
        [&](const auto&... o) {
          f(e, chunk_info{c.number, p.axis, c.first, c.count},
            as_part<Exec, std::remove_cvref_t<decltype(o)>::rank>(o.part(p.axis, c, false))...);
        },
        operands);
  });
}
template <execution_space Exec, class F, class... Array>
  requires((source_like<Array> || sink_like<Array>) && ...)
void for_each_chunk(const Exec& exec, const F& f, const Array&... arrays) {
  for_each_chunk(exec, f, chunking(), arrays...);
}
template <class F, class... Array>
  requires((source_like<Array> || sink_like<Array>) && ...)
void for_each_chunk(const F& f, const chunking& option, const Array&... arrays) {
  for_each_chunk(Kokkos::DefaultExecutionSpace(), f, option, arrays...);
}
template <class F, class... Array>
  requires((source_like<Array> || sink_like<Array>) && ...)
void for_each_chunk(const F& f, const Array&... arrays) {
  for_each_chunk(f, chunking(), arrays...);
}
QUERN_TAKES_NAME(for_each_chunk)

}  // namespace quern::chunked

#endif
