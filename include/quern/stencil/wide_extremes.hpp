// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_WIDE_EXTREMES_HPP
#define QUERN_STENCIL_WIDE_EXTREMES_HPP

/// @file
/// Extremes of wide windows along an axis, which take the same time whatever the width is: rolling windows of lines
/// that are copied with what continues them beyond their ends.

#include <quern/core/views/part_view.hpp>
#include <quern/stencil/device_rolling.hpp>
#include <quern/stencil/order_windows.hpp>
#include <quern/stencil/separable_passes.hpp>

namespace quern::impl {

/// An index of an axis of n cells with `before` ones before it and others behind it, by what continues it.
template <class T>
struct continued_map : outer_pad_map {
  static constexpr bool computes_outside = true;
  boundary::mode low, high;
  T beyond[2];

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t k = i - before;
    if (k >= 0 && k < n) return k;
    const boundary::mode mode = k < 0 ? low : high;
    return mode == boundary::mode::constant ? -1 : continued(mode, k, n);
  }
  template <class Line>
  KOKKOS_FUNCTION T outside(std::int64_t i, const Line&) const {
    return beyond[i < before ? 0 : 1];
  }
};

/// A value as what windows are reduced to: binary ones are 0 or 1.
template <class Rule, class S>
struct compared_by {
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& v) const {
    return Rule::template lift<S>(v);
  }
};

/// The reducer of rolling windows.
template <class Rule, class S>
struct extreme_reducer {
  using state = S;
  KOKKOS_FUNCTION state init() const { return Rule::template initial<S>(); }
  KOKKOS_FUNCTION void add(state& s, const S& v) const { Rule::take(s, v); }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { Rule::take(s, t); }
  template <class Out>
  KOKKOS_FUNCTION Out result(const state& s) const {
    return convert<Out>(s);
  }
  extreme_reducer narrow() const { return *this; }
};

/// A pass along axis d of windows of `size` cells, the first of which is `first` away from their own.
template <class Rule, class S, int Rank, bool Reversed, class Exec>
struct wide_extremes {
  const Exec& exec;
  const std::string& label;
  int d;
  std::int64_t first, size;

  template <class To, class From>
  void run(const run_time_box& reach, const boundaries& edge, strided<To> to, const strided<const From>& from) const {
    strided<const From> cells = from;
    std::int64_t begin = 0;
    for (int axis = 0; axis < Rank; ++axis) {
      const auto [low, high] = computed_cells(label, edge, axis, from.extents, reach.r[axis]);
      if (low >= high) return;
      to = part_along(to, axis, low, high - low);
      if (axis == d) begin = low;
      else cells = part_along(cells, axis, low, high - low);
    }
    const std::int64_t n = cells.extents.extent[d] + size - 1;  // with what is beyond both ends
    shape extents = cells.extents;
    extents.extent[d] = n;
    const scratch_array<Exec, S> memory(exec, extents.size());
    const strided<S> lines = array_between<Rank, Reversed>(memory.data(), extents);
    map_checked(label, exec, as_part<Exec, Rank>(lines), compared_by<Rule, S>(), continued_lines(edge, cells, n));
    rolling_bounds windows;
    windows.n = n;
    windows.results = to.extents.extent[d];
    windows.begin = begin;
    windows.after = size - 1;
    reduce(strided<const S>{lines.data, lines.extents, lines.stride}, to, windows);
  }

 private:
  /// Where cells are not computed beside an end, what is beyond it does not matter.
  template <class From>
  auto continued_lines(const boundaries& edge, const strided<const From>& cells, std::int64_t n) const {
    continued_map<From> map{{cells.extents.extent[d], -first}, boundary::mode::nearest, boundary::mode::nearest, {}};
    const auto set = [&](const boundary& b, boundary::mode& mode, From& beyond) {
      if (b.kind() != boundary::mode::keep) mode = b.kind();
      if (mode == boundary::mode::constant) beyond = b.value_for<From>(label);
    };
    if (!edge.is_box()) {
      set(edge.axis(d).low, map.low, map.beyond[0]);
      set(edge.axis(d).high, map.high, map.beyond[1]);
    }
    return map_axis(label, as_mapped(as_part<Exec, Rank>(cells)), d, map, n);
  }
  template <class To>
  void reduce(const strided<const S>& lines, const strided<To>& to, const rolling_bounds& windows) const {
    using reducer = extreme_reducer<Rule, S>;
    launch_rolling(exec, label,
                   rolling_kernel<Exec, reducer, const S*, To>{
                       {}, rolling_lines_of(label, lines, to, d), windows, {windows.n, size}});
  }
};

/// The passes of extremes along each axis: `line(axis, last)` those of narrow windows.
template <class Rule, class S, int Rank, class Line>
struct extreme_lines {
  const window_cells<Rank>& window;
  const Line& line;

  template <class Axis, class Last>
  auto operator()(Axis axis, Last last) const {
    return line(axis, last);
  }
  template <class Exec>
  bool is_wide(int d) const {
    return window.size[d] > stencil_tuning<Exec>::widest_extreme(sizeof(S));
  }
  template <bool Reversed, class Exec, class To, class From>
  void run_wide(const Exec& exec, const std::string& label, int d, const run_time_box& reach, const boundaries& edge,
                const strided<To>& to, const strided<const From>& from) const {
    wide_extremes<Rule, S, Rank, Reversed, Exec>{exec, label, d, window.first[d], window.size[d]}.run(reach, edge, to,
                                                                                                      from);
  }
};
template <class Rule, class S, int Rank, class Line>
inline constexpr bool may_be_wide<extreme_lines<Rule, S, Rank, Line>> = true;

}  // namespace quern::impl

#endif
