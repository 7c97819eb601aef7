// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ROLLING_MEDIAN_HPP
#define QUERN_STENCIL_ROLLING_MEDIAN_HPP

/// @file
/// Medians of windows that move along lines of an array: a thread keeps the values of a window sorted, and takes out
/// and puts in what changes from one to the next.

#include <quern/reducers/quantile_rule.hpp>
#include <quern/stencil/rolling_windows.hpp>

namespace quern::impl {

/// Values in ascending order, in memory for enough of them.
template <class T>
struct sorted_values {
  T* data;
  std::int64_t apart;
  std::int64_t count = 0;

  KOKKOS_FUNCTION T& operator[](std::int64_t i) const { return data[i * apart]; }
  /// Where the first value is that is not less than v.
  KOKKOS_FUNCTION std::int64_t position_of(const T& v) const {
    return partition_point(data, apart, count, [&](const T& x) { return x < v; });
  }
  /// Puts v at a position and moves the values from there to `to`, which is written over, up or down by one.
  KOKKOS_FUNCTION void move_to(std::int64_t to, std::int64_t position, const T& v) const {
    for (; to > position; --to) (*this)[to] = (*this)[to - 1];
    for (; to < position; ++to) (*this)[to] = (*this)[to + 1];
    (*this)[position] = v;
  }
  KOKKOS_FUNCTION void insert(const T& v) {
    move_to(count, position_of(v), v);
    ++count;
  }
  KOKKOS_FUNCTION void remove(const T& v) {
    --count;
    for (std::int64_t i = position_of(v); i < count; ++i) (*this)[i] = (*this)[i + 1];
  }
  KOKKOS_FUNCTION void replace(const T& old, const T& v) const {
    const std::int64_t from = position_of(old), to = position_of(v);
    move_to(from, to > from ? to - 1 : to, v);
  }
  /// Sorts values that are in any order, in place: heapsort.
  KOKKOS_FUNCTION void sort() const {
    for (std::int64_t i = count / 2 - 1; i >= 0; --i) sift_down(i, count);
    for (std::int64_t end = count - 1; end > 0; --end) {
      const T greatest = (*this)[0];
      (*this)[0] = (*this)[end];
      (*this)[end] = greatest;
      sift_down(0, end);
    }
  }

 private:
  KOKKOS_FUNCTION void sift_down(std::int64_t i, std::int64_t n) const {
    const T v = (*this)[i];
    for (std::int64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
      if (child + 1 < n && (*this)[child] < (*this)[child + 1]) ++child;
      if (!(v < (*this)[child])) break;
      (*this)[i] = (*this)[child];
      i = child;
    }
    (*this)[i] = v;
  }
};

template <class Exec, class Source, class Out>
struct rolling_median {
  using value = typename ordered<source_value_t<Source>>::number;
  /// Changes of a window beyond which it is sorted anew.
  static constexpr std::int64_t max_changes = 128;
  rolling_lines<Source, Out> lines;
  rolling_bounds windows;
  std::int64_t least;     // values of a result that is not NaN
  std::int64_t widest;    // window
  std::int64_t together;  // results that a thread takes
  std::int64_t units;     // of a line
  value* memory = nullptr;

  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    std::int64_t number;
    const auto base = lines.at(lines.split(unit, units, number));
    const std::int64_t begin = number * together, end = Kokkos::min(begin + together, windows.results);
    // Adjacent threads of a device have adjacent values.
    constexpr bool device = is_device<Exec>;
    sorted_values<value> sorted{memory + (device ? unit : unit * widest), device ? units * lines.count : 1};
    std::int64_t first = 0, last = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t next_first = windows.first(i), next_last = windows.last(i);
      const bool moves = next_first >= first && next_last >= last && next_first < last;
      if (i > begin && moves && next_first - first + next_last - last <= max_changes)
        move(sorted, base.of[0], first, next_first, last, next_last);
      else fill(sorted, base.of[0], next_first, next_last);
      first = next_first;
      last = next_last;
      lines.out[base.of[1] + i * lines.out_stride] = result(sorted);
    }
  }

 private:
  KOKKOS_FUNCTION value element(std::int64_t base, std::int64_t at) const {
    return static_cast<value>(lines.in[base + at * lines.in_stride]);
  }
  KOKKOS_FUNCTION void fill(sorted_values<value>& sorted, std::int64_t base, std::int64_t first,
                            std::int64_t last) const {
    sorted.count = 0;
    for (std::int64_t at = first; at < last; ++at) {
      const value v = element(base, at);
      if (!is_nan(v)) sorted[sorted.count++] = v;
    }
    sorted.sort();
  }
  /// Takes the elements from `old` to `old_end` out, and puts those from `at` to `end` in.
  KOKKOS_FUNCTION void move(sorted_values<value>& sorted, std::int64_t base, std::int64_t old, std::int64_t old_end,
                            std::int64_t at, std::int64_t end) const {
    while (old < old_end || at < end) {
      const bool out = old < old_end && !is_nan(element(base, old)), in = at < end && !is_nan(element(base, at));
      const bool waits = old < old_end && at < end && out != in;  // for a value to be replaced, or for its successor
      if (out && in) sorted.replace(element(base, old), element(base, at));
      else if (out && !waits) sorted.remove(element(base, old));
      else if (in && !waits) sorted.insert(element(base, at));
      old += old < old_end && !(waits && out) ? 1 : 0;
      at += at < end && !(waits && in) ? 1 : 0;
    }
  }
  KOKKOS_FUNCTION Out result(const sorted_values<value>& sorted) const {
    if (sorted.count < least) return Out(Kokkos::Experimental::quiet_NaN_v<float>);
    const quantile_position p = quantile_rule{0.5}.among(sorted.count);
    return convert<Out>(
        between(static_cast<double>(sorted[p.first]), static_cast<double>(sorted[p.second]), p.fraction));
  }
};

/// How wide the widest window is. Waits where windows differ.
struct window_width {
  rolling_bounds windows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& widest) const {
    widest = Kokkos::max(widest, windows.last(i) - windows.first(i));
  }
};
template <class Exec>
std::int64_t widest_window(const Exec& exec, const std::string& label, const rolling_bounds& windows) {
  if (windows.firsts == nullptr) return std::min(windows.n, windows.before + windows.after + 1);
  std::int64_t widest = 0;
  Kokkos::parallel_reduce(kernel_label(label, "/widest"), index_range(exec, windows.results), window_width{windows},
                          Kokkos::Max<std::int64_t>(widest));
  return std::max<std::int64_t>(widest, 0);
}

/// Long parts of lines, so that the first window of each takes a part of its time, but no fewer than threads.
template <class Exec, class Source, class Out>
void launch_rolling_median(const Exec& exec, const std::string& label, const rolling_lines<Source, Out>& lines,
                           const rolling_bounds& windows, std::int64_t least) {
  using kernel_type = rolling_median<Exec, Source, Out>;
  const std::int64_t widest = std::max<std::int64_t>(widest_window(exec, label, windows), 1);
  const std::int64_t together = std::max<std::int64_t>(stencil_tuning<Exec>::rolling_block, 2 * widest / windows.step);
  const std::int64_t units = (windows.results + together - 1) / together;
  kernel_type kernel{lines, windows, std::max<std::int64_t>(least, 1), widest, together, units};
  const scratch_array<Exec, typename kernel_type::value> memory(exec, units * lines.count * widest);
  kernel.memory = memory.data();
  launch_units(exec, label, units * lines.count, kernel);
}

}  // namespace quern::impl

#endif
