// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_SEGMENTS_HPP
#define QUERN_SCAN_SEGMENTS_HPP

#include <quern/core/values/values.hpp>
#include <quern/core/views/source.hpp>

namespace quern::impl {

/// A one-dimensional array or source as kernels carry it.
template <class Source>
struct source_line {
  Source data;
  std::int64_t step;
  template <class Array>
  explicit source_line(const Array& a) : data(a.data), step(a.stride[0]) {}
  KOKKOS_FUNCTION decltype(auto) operator[](std::int64_t i) const { return data[i * step]; }
};
template <class Array>
source_line(const Array&) -> source_line<std::remove_const_t<decltype(Array::data)>>;
template <class T>
using strided_line = source_line<T*>;

/// The state that a stretch of values and segment ends leaves to the next one: the state since its last end, if it has
/// any.
template <class State>
struct segment_carry {
  State state;
  int ended;
};

/// Joins what follow each other: associative, and not commutative.
template <class Reducer>
struct carry_reducer {
  using carry = segment_carry<typename Reducer::state>;
  using state = carry;
  Reducer reducer;
  KOKKOS_FUNCTION carry init() const { return {reducer.init(), 0}; }
  KOKKOS_FUNCTION void join(carry& a, const carry& b) const {
    if (b.ended) {
      a = b;
    } else {
      reducer.join(a.state, b.state);
    }
  }
  KOKKOS_FUNCTION void add(carry& a, const carry& b) const { join(a, b); }
  KOKKOS_FUNCTION carry result(const carry& a, std::int64_t) const { return a; }
};

struct starts_tag {};
struct reduce_tag {};
struct ends_tag {};
struct open_tag {};
struct scan_tag {};

/// Reductions or scans of segments of a line of values, segment s from offsets[s] to offsets[s + 1]: what hosts and
/// devices share.
///
/// The values and the m + 1 offsets are merged: value v comes before the first offset that is greater than v, and tiles
/// of the merged sequence are equal work, whatever the lengths of segments (Merrill and Garland, Merge-based parallel
/// sparse matrix-vector multiplication, SC 2016). A first kernel finds where tiles start. Each tile then reduces what
/// it has of segments, or for a scan only of that which it leaves open; a scan over the tiles joins what they leave
/// open, and a last kernel finishes the segment that each tile ended first, or scans the tiles.
template <class Exec, class Reducer, class Source, class Index, class Out>
struct merged_segments {
  using state = typename Reducer::state;
  using carry = segment_carry<state>;

  Reducer reducer;
  source_line<Source> values;
  strided_line<const Index> offsets;
  strided_line<Out> out;
  std::int64_t n;
  std::int64_t ends;  // offsets: the segments and one before them, which has no result
  std::int64_t tile;  // values and ends of each tile
  std::int64_t* starts = nullptr;
  carry* left = nullptr;    // by each tile
  carry* before = nullptr;  // each tile
  state* first = nullptr;   // what each tile has of the segment that it ends first

  KOKKOS_FUNCTION carry_reducer<Reducer> carries() const { return {reducer}; }
  KOKKOS_FUNCTION std::int64_t end_at(std::int64_t e) const { return static_cast<std::int64_t>(offsets[e]); }

  /// How many of the first `position` of the merged sequence are ends; `end(e)` is the value that comes after end e.
  template <class I, class End>
  KOKKOS_FUNCTION static I ends_before(I position, I values, I ends, const End& end) {
    I low = position > values ? position - values : 0, high = Kokkos::min(position, ends);
    while (low < high) {
      const I middle = low + (high - low) / 2;
      if (end(middle) < position - middle) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void operator()(starts_tag, std::int64_t t) const {
    starts[t] = ends_before(Kokkos::min(t * tile, n + ends), n, ends, [&](std::int64_t e) { return end_at(e); });
  }

  /// Where a tile begins and how much it has. Offsets that are not sorted make nonsense of it, but stay within it.
  struct extent {
    std::int64_t first_end, first_value;
    std::int64_t ends, values;
  };
  KOKKOS_FUNCTION extent extent_of(std::int64_t t) const {
    const std::int64_t position = t * tile, count = Kokkos::min(tile, n + ends - position);
    extent x;
    x.first_end = starts[t];
    x.first_value = position - x.first_end;
    x.ends = Kokkos::clamp<std::int64_t>(starts[t + 1] - starts[t], 0, Kokkos::min(count, ends - x.first_end));
    x.values = Kokkos::min(count - x.ends, n - x.first_value);
    return x;
  }

  /// The part of a tile after its last end.
  KOKKOS_FUNCTION extent open_part(extent x) const {
    if (x.ends > 0) {
      const std::int64_t last = end_at(x.first_end + x.ends - 1) - x.first_value;
      const std::int64_t closed = Kokkos::clamp<std::int64_t>(last, 0, x.values);
      x = {x.first_end + x.ends, x.first_value + closed, 0, x.values - closed};
    }
    return x;
  }

  /// The segment that the tile ends first, now that what tiles before have of it is known.
  KOKKOS_FUNCTION void operator()(ends_tag, std::int64_t t) const {
    const std::int64_t e = starts[t];
    if (!left[t].ended || e == 0) return;
    state s = before[t].state;
    reducer.join(s, first[t]);
    out[e - 1] = convert<Out>(reducer.result(s, 0));
  }
};

}  // namespace quern::impl

#endif
