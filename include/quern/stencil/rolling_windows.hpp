// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ROLLING_WINDOWS_HPP
#define QUERN_STENCIL_ROLLING_WINDOWS_HPP

/// @file
/// Reductions of windows that move along lines of an array.
///
/// A thread takes some results of a line that follow each other. Windows that overlap share a middle, which is reduced
/// once; to the left of it a window is what was added on the way to lower elements, to the right on the way to higher
/// ones (van Herk, Pattern Recognition Letters 13, 1992; Gil and Werman, IEEE PAMI 15, 1993). A wide middle consists of
/// blocks that have been reduced before, and of blocks of those. So nothing is ever subtracted, and a result takes a
/// few additions whatever the windows are.

#include <cmath>
#include <quern/core/call/error.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/source.hpp>
#include <quern/stencil/tuning.hpp>

namespace quern::impl {

/// The elements of a line that each result is of, from `first(i)` to before `last(i)`.
struct rolling_bounds {
  std::int64_t n = 0;                  // elements
  std::int64_t results = 0;            // one for each `step` elements
  std::int64_t step = 1;               //
  std::int64_t begin = 0;              // the element of the first result
  std::int64_t before = 0, after = 0;  // elements of a window on both sides of its own
  std::int64_t* firsts = nullptr;      // in their place, where windows differ
  std::int64_t* lasts = nullptr;

  KOKKOS_FUNCTION std::int64_t first(std::int64_t i) const {
    return firsts != nullptr ? firsts[i] : Kokkos::max<std::int64_t>(begin + i * step - before, 0);
  }
  KOKKOS_FUNCTION std::int64_t last(std::int64_t i) const {
    return firsts != nullptr ? lasts[i] : Kokkos::min(begin + i * step + after + 1, n);
  }
  /// Whether each window from that of result i to that before `end` begins and ends one element after the one before.
  KOKKOS_FUNCTION bool advance_by_one(std::int64_t i, std::int64_t end) const {
    return firsts == nullptr && step == 1 && begin + i >= before && begin + end + after <= n;
  }
  /// The first result behind i whose window begins behind an element, where windows advance by one.
  KOKKOS_FUNCTION std::int64_t result_behind(std::int64_t element) const { return element + before - begin + 1; }
};

/// How far apart positions are, without rounding between integers.
template <class T>
using axis_distance = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
template <class T>
KOKKOS_FUNCTION axis_distance<T> distance_between(const T& low, const T& high) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  else return static_cast<double>(high) - static_cast<double>(low);
}
/// A distance d with d < width for those of integers that are less than this.
template <class D>
D limit_of(double width) {
  if constexpr (std::is_same_v<D, double>) return width;
  else return width < 0x1p64 ? static_cast<D>(std::ceil(width)) : ~D{0};
}

/// Finds where the windows of positions on a sorted axis begin and end.
template <class T>
struct find_rolling_bounds {
  using distance = axis_distance<T>;
  const T* on;
  std::int64_t stride;
  rolling_bounds bounds;
  distance below, up_to;  // to lower positions, and to higher ones of centred windows
  bool center;
  bool all;  // however far away

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t at = i * bounds.step;
    const T here = on[at * stride];
    const auto too_low = [&](const T& x) { return x != here && !(distance_between(x, here) < below); };
    bounds.firsts[i] = all ? 0 : partition_point(on, stride, at + 1, too_low);
    const auto near = [&](const T& x) { return all || x == here || distance_between(here, x) <= up_to; };
    bounds.lasts[i] = at + 1;
    if (center) bounds.lasts[i] += partition_point(on + (at + 1) * stride, stride, bounds.n - at - 1, near);
  }
};

/// A reducer of the values that are not NaN, with their number.
template <class Reducer, class Transform, class Count = std::int64_t>
struct rolling_reducer {
  struct state {
    typename Reducer::state of;
    Count n;
  };
  Reducer reducer;
  Transform transform;
  std::int64_t least;  // results of fewer are NaN

  KOKKOS_FUNCTION state init() const { return {reducer.init(), 0}; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    if (is_nan(v)) return;
    reducer.add(s.of, transform(v));
    ++s.n;
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    reducer.join(s.of, t.of);
    s.n += t.n;
  }
  template <class Out>
  KOKKOS_FUNCTION Out result(const state& s) const {
    if (s.n < least) return Out(Kokkos::Experimental::quiet_NaN_v<float>);
    return convert<Out>(reducer.result(s.of, s.n));
  }
  /// The same of windows of less than 2^31 elements.
  rolling_reducer<Reducer, Transform, std::int32_t> narrow() const { return {reducer, transform, least}; }
};

/// The number of values that are not NaN. Of windows of fewer elements, missing ones among them, it is NaN (pandas).
template <class Count = std::int64_t>
struct rolling_counter {
  struct state {
    Count elements, values;
  };
  std::int64_t least;

  KOKKOS_FUNCTION state init() const { return {0, 0}; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    ++s.elements;
    s.values += is_nan(v) ? 0 : 1;
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    s.elements += t.elements;
    s.values += t.values;
  }
  template <class Out>
  KOKKOS_FUNCTION Out result(const state& s) const {
    return s.elements < least ? Out(Kokkos::Experimental::quiet_NaN_v<float>) : convert<Out>(s.values);
  }
  rolling_counter<std::int32_t> narrow() const { return {least}; }
};

/// A stride that is known when compiling.
struct unit_step {
  KOKKOS_FUNCTION constexpr operator std::int64_t() const { return 1; }
};

/// Reductions of blocks of the elements of each line, and of blocks of those: what wide windows consist of.
template <class State, int Block>
struct rolling_levels {
  static constexpr int max_levels = 16;
  State* of_blocks[max_levels];
  std::int64_t blocks[max_levels];  // of each line
  int count = 0;

  /// As many as windows of up to `widest` elements need.
  rolling_levels(std::int64_t n, std::int64_t widest) {
    for (; count < max_levels && widest >= 4 * Block; widest /= Block) blocks[count++] = n /= Block;
  }
  std::int64_t size() const {
    std::int64_t all = 0;
    for (int k = 0; k < count; ++k) all += blocks[k];
    return all;
  }
  void set_memory(State* memory, std::int64_t lines) {
    for (int k = 0; k < count; ++k) {
      of_blocks[k] = memory;
      memory += blocks[k] * lines;
    }
  }
};

/// The lines of an array, and which blocks and results of them threads take that follow each other.
template <class Source, class Out>
struct rolling_lines {
  Source in;
  Out* out;
  row_nest<2> line;  // to where lines start in `in` and `out`
  std::int64_t count;
  std::int64_t in_stride, out_stride;
  bool across;  // adjacent threads take adjacent lines

  KOKKOS_FUNCTION auto at(std::int64_t l) const {
    std::int64_t i;
    return line.at_item(l, line.inner, 1, i);
  }
  /// The line and the number in it of a unit of work, and the other way.
  KOKKOS_FUNCTION std::int64_t split(std::int64_t unit, std::int64_t in_line, std::int64_t& number) const {
    number = across ? unit / count : unit % in_line;
    return across ? unit % count : unit / in_line;
  }
  KOKKOS_FUNCTION std::int64_t unit_of(std::int64_t l, std::int64_t in_line, std::int64_t number) const {
    return across ? number * count + l : l * in_line + number;
  }
};

/// The lines of two arrays along axis d, in which they may have different extents.
template <class In, class T>
auto rolling_lines_of(const std::string& label, const In& in, const strided<T>& out, int d) {
  using source = std::remove_const_t<decltype(In::data)>;
  const axis_set along(label, axis{d}, in.extents.rank);
  const auto nest = make_loop_nest<2>(along.part(in.extents, false), {along.part(in, false), along.part(out, false)});
  const std::int64_t lines = nest.inner() * nest.outer();
  const bool across = lines > 1 && std::abs(nest.stride[0][0]) < std::abs(in.stride[d]);
  return rolling_lines<source, T>{in.data, out.data, row_nest<2>(nest), lines, in.stride[d], out.stride[d], across};
}

struct rolling_results {};  // tags
struct rolling_blocks {};

template <class Exec, class Reducer, class Source, class Out>
struct rolling_kernel {
  using state = typename Reducer::state;
  static constexpr int block = stencil_tuning<Exec>::rolling_block;
  Reducer reducer;
  rolling_lines<Source, Out> lines;
  rolling_bounds windows;
  rolling_levels<state, block> levels;
  int together = 1;      // results that a thread takes
  int level = 0;         // whose blocks are reduced
  std::int64_t units{};  // of a line

  /// Adds element `at` of a line, or block `at` of a level.
  KOKKOS_FUNCTION void add_item(state& s, std::int64_t l, std::int64_t base, int from, std::int64_t at) const {
    if (from < 0) reducer.add(s, lines.in[base + at * lines.in_stride]);
    else reducer.join(s, levels.of_blocks[from][lines.unit_of(l, levels.blocks[from], at)]);
  }
  /// Adds the elements from one to before another: those beside whole blocks, then what is beside whole blocks of
  /// those.
  KOKKOS_FUNCTION void add_range(state& s, std::int64_t l, std::int64_t base, std::int64_t from,
                                 std::int64_t to) const {
    for (int k = -1; from < to; ++k) {
      const bool last = k + 1 == levels.count;
      const std::int64_t whole = last ? to : Kokkos::min((from + block - 1) / block * block, to);
      for (; from < whole; ++from) add_item(s, l, base, k, from);
      const std::int64_t end = Kokkos::max(from, to / block * block);
      for (std::int64_t at = end; at < to && !last; ++at) add_item(s, l, base, k, at);
      from /= block;
      to = end / block;
    }
  }
  KOKKOS_FUNCTION void operator()(rolling_blocks, std::int64_t unit) const {
    std::int64_t number;
    const std::int64_t l = lines.split(unit, levels.blocks[level], number), base = lines.at(l).of[0];
    state s = reducer.init();
    for (std::int64_t at = number * block; at < (number + 1) * block; ++at) add_item(s, l, base, level - 1, at);
    levels.of_blocks[level][unit] = s;
  }
  KOKKOS_FUNCTION void operator()(rolling_results, std::int64_t unit) const {
    std::int64_t number;
    const std::int64_t l = lines.split(unit, units, number),
                       end = Kokkos::min((number + 1) * together, windows.results);
    const auto base = lines.at(l);
    for (std::int64_t i = number * together; i < end;) i = reduce_windows(l, base, i, end);
  }

 private:
  using offsets = typename row_nest<2>::offsets;

  /// Writes result i and, of those before `end`, the ones whose windows have a middle with its window; returns the
  /// first other one.
  KOKKOS_FUNCTION std::int64_t reduce_windows(std::int64_t l, const offsets& base, std::int64_t i,
                                              std::int64_t end) const {
    const std::int64_t middle_end = windows.last(i);
    std::int64_t next = i + 1;
    if (windows.advance_by_one(i, end)) next = Kokkos::min(windows.result_behind(middle_end), end);
    else
      while (next < end && windows.first(next) <= middle_end) ++next;
    state middle = reducer.init();
    add_range(middle, l, base.of[0], windows.first(next - 1), middle_end);
    if (!windows.advance_by_one(i, next)) {
      add_sides(middle, l, base, i, next);
    } else {
      const auto from = lines.in + (base.of[0] + windows.first(i) * lines.in_stride);
      const auto behind = lines.in + (base.of[0] + middle_end * lines.in_stride);
      Out* const to = lines.out + (base.of[1] + i * lines.out_stride);
      const int more = static_cast<int>(next - i - 1);
      if (lines.in_stride == 1) add_one_by_one(middle, from, behind, to, more, unit_step());
      else add_one_by_one(middle, from, behind, to, more, lines.in_stride);
    }
    return next;
  }
  /// What is on both sides of the middle, where each window begins and ends one element after the one before.
  template <class From, class Step>
  KOKKOS_FUNCTION void add_one_by_one(state s, const From& from, const From& behind, Out* to, int more,
                                      Step step) const {
    state with_left[block];
    with_left[more] = s;
    for (int k = more - 1; k >= 0; --k) {
      reducer.add(s, from[k * step]);
      with_left[k] = s;
    }
    to[0] = reducer.template result<Out>(s);
    state right = reducer.init();
    for (int k = 1; k <= more; ++k) {
      reducer.add(right, behind[(k - 1) * step]);
      reducer.join(with_left[k], right);
      to[k * lines.out_stride] = reducer.template result<Out>(with_left[k]);
    }
  }
  /// The same of any windows.
  KOKKOS_FUNCTION void add_sides(state s, std::int64_t l, const offsets& base, std::int64_t i,
                                 std::int64_t next) const {
    state with_left[block];
    std::int64_t at = windows.first(next - 1);
    for (std::int64_t k = next - 1; k >= i; --k) {
      const std::int64_t first = windows.first(k);
      add_range(s, l, base.of[0], first, at);
      at = first;
      with_left[k - i] = s;
    }
    state right = reducer.init();
    at = windows.last(i);
    for (std::int64_t k = i; k < next; ++k) {
      const std::int64_t last = windows.last(k);
      add_range(right, l, base.of[0], at, last);
      at = last;
      state& all = with_left[k - i];
      reducer.join(all, right);
      lines.out[base.of[1] + k * lines.out_stride] = reducer.template result<Out>(all);
    }
  }
};

/// Reduces the blocks that wide windows consist of, then the windows.
template <class Exec, class Kernel>
void launch_rolling_walks(const Exec& exec, const std::string& label, Kernel kernel) {
  using state = typename Kernel::state;
  const scratch_array<Exec, state> memory(exec, kernel.levels.size() * kernel.lines.count);
  kernel.levels.set_memory(memory.data(), kernel.lines.count);
  for (kernel.level = 0; kernel.level < kernel.levels.count; ++kernel.level)
    launch_units<rolling_blocks>(exec, label_text(label, "/blocks"),
                                 kernel.levels.blocks[kernel.level] * kernel.lines.count, kernel);
  // Windows that are many elements apart share little.
  kernel.together = static_cast<int>(std::max<std::int64_t>(Kernel::block / kernel.windows.step, 1));
  kernel.units = (kernel.windows.results + kernel.together - 1) / kernel.together;
  launch_units<rolling_results>(exec, label, kernel.units * kernel.lines.count, kernel);
}

}  // namespace quern::impl

#endif
