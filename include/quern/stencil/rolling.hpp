// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ROLLING_HPP
#define QUERN_STENCIL_ROLLING_HPP

/// @file
/// Reductions of windows along an axis, whose widths are known when the program runs: the `rolling` of pandas.

#include <cmath>
#include <limits>
#include <quern/core/call/call.hpp>
#include <quern/core/call/places.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/check_increasing.hpp>
#include <quern/reduce/reduced.hpp>
#include <quern/stencil/device_rolling.hpp>
#include <quern/stencil/filter_engine.hpp>
#include <quern/stencil/rolling_median.hpp>
#include <quern/stencil/window.hpp>

namespace quern {
namespace op {
struct median;  // a name alone here
}

namespace impl {

/// What windows of both kinds say.
struct rolling_request {
  bool center;
  std::int64_t min_periods, step;
};

/// The elements at both ends of a part of an array that have no results: those that are read around others.
struct rolling_margins {
  std::int64_t low = 0, high = 0;
};

/// The windows of n elements that a call asks for; of a part of an axis, they are found later.
inline rolling_bounds bounds_of(const std::string& label, const rolling_request& r, std::int64_t n) {
  if (r.step < 1) throw Error(label, "a step of " + std::to_string(r.step) + ", expected at least 1");
  if (r.min_periods < 0)
    throw Error(label, "min_periods of " + std::to_string(r.min_periods) + ", expected at least 0");
  rolling_bounds b;
  b.n = n;
  b.step = r.step;
  b.results = n / r.step + (n % r.step > 0 ? 1 : 0);
  return b;
}
inline rolling_bounds bounds_of(const std::string& label, const window& w, std::int64_t n) {
  if (w.count < 1) throw Error(label, "a window of " + std::to_string(w.count) + " elements, expected at least 1");
  const std::int64_t least = w.min_periods.value_or(w.count);
  if (least > w.count)
    throw Error(label,
                "min_periods of " + std::to_string(least) + " for windows of " + std::to_string(w.count) + " elements");
  rolling_bounds b = bounds_of(label, rolling_request{w.center, least, w.step}, n);
  b.after = std::min(w.center ? (w.count - 1) / 2 : 0, n);
  b.before = std::min(w.count - 1 - b.after, n);
  return b;
}
inline rolling_bounds bounds_of(const std::string& label, const value_window& w, std::int64_t n) {
  if (!(w.width > 0)) throw Error(label, "a window of width " + std::to_string(w.width) + ", expected more than 0");
  rolling_bounds b = bounds_of(label, rolling_request{w.center, w.min_periods.value_or(1), w.step}, n);
  b.before = b.after = n;
  return b;
}

/// Finds the windows on an axis; `firsts` and `lasts` point to memory for them.
template <class Exec, class T>
void find_windows(const Exec& exec, const std::string& label, const strided<const T>& on, const value_window& w,
                  const rolling_bounds& bounds) {
  using D = axis_distance<T>;
  const double reach = w.center ? w.width / 2 : w.width;
  const D up_to = std::is_integral_v<T> ? limit_of<D>(std::floor(reach)) : limit_of<D>(reach);
  launch_units(
      exec, label_text(label, "/windows"), bounds.results,
      find_rolling_bounds<T>{on.data, on.stride[0], bounds, limit_of<D>(reach), up_to, w.center, std::isinf(w.width)});
}

/// The range of integers as a real number, which their own type may not hold.
template <class T>
struct real_range_reducer : range_reducer<T> {
  KOKKOS_FUNCTION double result(const extrema<T>& s, std::int64_t) const {
    return static_cast<double>(static_cast<std::uint64_t>(s.max) - static_cast<std::uint64_t>(s.min));
  }
};
/// A reduction as one of windows, whose results are real.
template <class Reduction>
auto with_real_results(const Reduction& r) {
  return r;
}
template <class T, class F>
  requires is_integer<T>
auto with_real_results(const reduction<range_reducer<T>, F>& r) {
  return reduction{r.label, real_range_reducer<T>(), r.transform, r.identity};
}

/// What a reduction does with values of type T: its reducer, and the map before it.
template <class Op, class T, class Exec, class... Options>
auto rolling_description(const Exec& exec, const Options&... options) {
  [[maybe_unused]] const auto of_reduction = [](const auto& o) {
    if constexpr (is_option<axis, decltype(o)> || is_option<checked_t, decltype(o)>) return std::tuple<>();
    else return std::tuple(o);
  };
  return unpack([&](const auto&... o) { return with_real_results(Op::describe(exec, values_of_type<T>(), o...)); },
                std::tuple_cat(of_reduction(options)...));
}

/// Whether a type has a NaN.
template <class T>
inline constexpr bool has_nan = std::is_floating_point_v<real_type<T>> || is_half<T>;

template <class Exec, class Reducer, class Source, class Out>
void roll_reducer(const Exec& exec, const std::string& label, const Reducer& reducer,
                  const rolling_lines<Source, Out>& lines, const rolling_bounds& windows) {
  using kernel = rolling_kernel<Exec, Reducer, Source, Out>;
  launch_rolling(exec, label,
                 kernel{reducer, lines, windows, {windows.n, std::min(windows.n, windows.before + windows.after + 1)}});
}
/// Launches a reduction of windows of lines.
template <class Exec, class Reduction, class Source, class Out>
void roll(const Exec& exec, const std::string& label, const Reduction& r, const rolling_lines<Source, Out>& lines,
          const rolling_bounds& windows, std::int64_t min_periods) {
  using reducer = rolling_reducer<decltype(r.reducer), decltype(r.transform)>;
  constexpr bool one_pass =
      !uses_positions<decltype(r.reducer)> && !requires { typename decltype(r.reducer)::uses_mean; };
  constexpr bool fits = converts<result_of<decltype(r.reducer)>, Out>;
  static_assert(one_pass, "quern::rolling: this reduction needs the positions of values, or their mean before");
  static_assert(fits, "quern::rolling: the results of this reduction do not convert to out's type");
  if constexpr (one_pass && fits) {
    const std::int64_t least = std::max<std::int64_t>(min_periods, r.identity ? 0 : 1);
    roll_reducer(exec, label, reducer{r.reducer, r.transform, least}, lines, windows);
  }
}

/// `rolling<Op>(exec, out, in, window, options...)` in memory: checks, then launches. `find(call, bounds)` looks at the
/// axis.
template <class Op, class Exec, class Out, class In, class Window, class Find, class... Options>
void rolling_call(const call<Exec>& c, const Out& out_view, const In& in_view, const Window& w,
                  std::int64_t min_periods, const rolling_margins& margins, const Find& find,
                  const Options&... options) {
  using T = value_of<In>;
  constexpr bool in_order = has_order<T> || !std::is_same_v<Op, quern::op::median>;
  static_assert(in_order, "quern::rolling: a median of complex numbers, which have no order");
  constexpr bool has_option = !((std::is_same_v<Op, quern::op::median> || std::is_same_v<Op, quern::op::count>) &&
                                (is_option<ddof, Options> || ...));
  static_assert(has_option, "quern::rolling: a median or a count has no option ddof");
  static_assert(has_nan<value_of<Out>>,
                "quern::rolling: out must be of floating-point numbers, as NaN stands for windows of too few values");
  const auto elements = c.elements(in_view);
  const shape extents = operand_extents(c.label, in_view);
  auto out = c.output(out_view);
  const int d = axis_option(c.label, -1, extents.rank, options...);
  rolling_bounds windows = bounds_of(c.label, w, extents.extent[d]);
  shape expected = extents;
  expected.extent[d] = windows.results;
  check_extents(c.label, "out", out.extents, expected);
  check_overlap(c.label, out, elements, "in", false);
  windows.begin = margins.low;
  windows.results = std::max<std::int64_t>(windows.results - margins.low - margins.high, 0);
  if constexpr (has_nan<value_of<Out>> && in_order) {
    const auto launch = [&](const auto& in) {
      const auto lines = rolling_lines_of(c.label, in, out, d);
      if constexpr (std::is_same_v<Op, quern::op::median>)
        launch_rolling_median(c.exec, c.label, lines, windows, min_periods);
      else if constexpr (std::is_same_v<Op, quern::op::count>)
        roll_reducer(c.exec, c.label, rolling_counter<>{min_periods}, lines, windows);
      else roll(c.exec, c.label, rolling_description<Op, T>(c.exec, options...), lines, windows, min_periods);
    };
    find(out, windows, [&] {
      out.data += margins.low * out.stride[d];
      if (out.extents.size() > 0 && windows.results > 0) with_sources(launch, elements);
    });
  }
}

/// A reduction of windows of a number of elements, which an engine runs where its arrays are.
template <class Op, class... Options>
struct rolling_operation {
  std::string label;
  window windows;
  std::int64_t min_periods;
  int along;
  std::int64_t before, after;
  std::tuple<Options...> options;

  run_time_box reach() const {
    const std::int64_t far = std::max(before, after);
    if (far > std::numeric_limits<int>::max())
      throw Error(label, "windows of more than 2^31 elements in chunks or over ranks");
    run_time_box box;
    box.r[along] = static_cast<int>(far);
    return box;
  }
  /// What is left at the ends of a part whose cells are not computed with boundary::keep.
  rolling_margins margins(const boundaries& edge) const {
    const auto margin = [&](const boundary& b) {
      return b.kind() == boundary::mode::keep ? std::max(before, after) : std::int64_t{0};
    };
    return {margin(edge.axis(along).low), margin(edge.axis(along).high)};
  }
  /// Windows may lie along an axis that is cut.
  void check_cut(int) const {}
  /// Of calls that are compared between ranks.
  std::string text() const {
    return ", windows from -" + std::to_string(before) + " to " + std::to_string(after) + ", of at least " +
           std::to_string(min_periods) + " values";
  }
  template <class Exec>
  void check_axis(const Exec&, const shape&) const {}
  template <class Exec, class Out, class In>
  void run(const Exec& exec, const Out& out, const In& in, const rolling_margins& left = {}) const {
    const call c(label, exec);
    unpack(
        [&](const auto&... o) {
          rolling_call<Op>(
              c, out, in, windows, min_periods, left, [](const auto&, const auto&, const auto& launch) { launch(); },
              o...);
        },
        options);
  }
};

inline void check_step(const std::string& label, std::int64_t step) {
  if (step != 1) throw Error(label, "a step of " + std::to_string(step) + ", which windows have in memory alone");
}
/// Describes a call, in another place whose windows are of the whole array.
template <class Op, class In, class... Options>
auto describe_rolling(const std::string& label, const In& in, const window& w, bool in_memory_alone,
                      const std::tuple<Options...>& options) {
  rolling_operation<Op, Options...> r{label, w, w.min_periods.value_or(w.count), 0, 0, 0, options};
  if (in_memory_alone) return r;
  const shape extents = operand_extents(label, in);
  r.along = unpack([&](const auto&... o) { return axis_option(label, -1, extents.rank, o...); }, options);
  const rolling_bounds bounds = bounds_of(label, w, extents.extent[r.along]);
  check_step(label, w.step);
  r.before = bounds.before;
  r.after = bounds.after;
  return r;
}

/// A reduction of windows of parts of a sorted axis, which is whole wherever the arrays are.
template <class Op, class On, class... Options>
struct rolling_on_axis {
  std::string label;
  value_window windows;
  const On& on;
  int along;
  std::tuple<Options...> options;

  run_time_box reach() const { return {}; }
  rolling_margins margins(const boundaries&) const { return {}; }
  void check_cut(int axis) const {
    if (axis == along)
      throw Error(label, "windows of a width along axis " + std::to_string(axis) +
                             ", which is cut: those of a number of elements alone may lie there");
  }
  std::string text() const {
    return ", windows of a width of " + std::to_string(windows.width) + (windows.center ? " in the middle" : "") +
           ", of at least " + std::to_string(windows.min_periods.value_or(1)) + " values, on an axis of " +
           operand_extents(label, on).str();
  }
  /// The checks of the axis alone, which those without an element do, too.
  template <class Exec>
  void check_axis(const Exec& exec, const shape& extents) const {
    const call c(label, exec);
    const auto axis_of = c.input(on);
    check_extents(c.label, "the axis", axis_of.extents, shape{extents.extent[along]});
    if constexpr (has_option<checked_t, Options...>)
      check_increasing(exec, c.label, "the positions on the axis", axis_of);
  }
  template <class Exec, class Out, class In>
  void run(const Exec& exec, const Out& out, const In& in, const rolling_margins& left = {}) const {
    const call c(label, exec);
    const auto axis_of = c.input(on);
    const auto find = [&](const auto& to, auto& bounds, const auto& launch) {
      check_extents(c.label, "the axis", axis_of.extents, shape{bounds.n});
      check_overlap(c.label, to, axis_of, "the axis", false);
      if constexpr (has_option<checked_t, Options...>)
        check_increasing(exec, c.label, "the positions on the axis", axis_of);
      const scratch_arrays<Exec> memory(exec, scratch_part{bounds.firsts, bounds.results},
                                        scratch_part{bounds.lasts, bounds.results});
      find_windows(exec, c.label, axis_of, windows, bounds);
      launch();
    };
    unpack(
        [&](const auto&... o) {
          rolling_call<Op>(c, out, in, windows, windows.min_periods.value_or(1), left, find, o...);
        },
        options);
  }
};
template <class Op, class In, class On, class... Options>
auto describe_rolling_on(const std::string& label, const In& in, const On& on, const value_window& w,
                         bool in_memory_alone, const std::tuple<Options...>& options) {
  rolling_on_axis<Op, On, Options...> r{label, w, on, 0, options};
  if (in_memory_alone) return r;
  const shape extents = operand_extents(label, in);
  r.along = unpack([&](const auto&... o) { return axis_option(label, -1, extents.rank, o...); }, options);
  bounds_of(label, w, extents.extent[r.along]);
  check_step(label, w.step);
  return r;
}

/// Rolling windows of arrays in memory.
template <>
struct engine<in_memory, rollings> {
  template <class Rolling, class Exec, class Out, class In, class... Options>
  static void run(const Rolling& rolling, const Exec& exec, const Out& out, const In& in, const Options&...) {
    check_place_options<Options...>();
    rolling.run(exec, out, in);
  }
};

}  // namespace impl

/// The reduction `Op` of a window around each element along an axis, the last one without the option `axis` (pandas'
/// `rolling`):
///
/// | call | out(i) |
/// | --- | --- |
/// | `rolling<op::mean>(exec, out, x, window{5})` | the mean of x(i - 4) to x(i); NaN for i < 4 |
/// | `rolling<op::max>(exec, out, x, window{.count = 5, .min_periods = 1})` | the greatest of those that there are |
/// | `rolling<op::sum>(exec, out, x, window{.count = 5, .center = true}, axis{0})` | the sum of x(i - 2) to x(i + 2) |
/// | `rolling<op::stddev>(exec, out, x, window{.count = 24, .step = 24}, ddof{1})` | of x(24 i - 23) to x(24 i) |
/// | `rolling<op::mean>(exec, out, x, t, value_window{60})` | of all x(j) with t(i) - 60 < t(j), j <= i |
///
/// @tparam Op     `op::sum`, `mean`, `var`, `stddev`, `min`, `max`, `median` or another reduction that takes a single
///                pass over the values and has one result, with its types, accuracy and options
/// @param out     of floating-point or complex numbers, of in's extents; along the axis one element for each `step`
///                elements
/// @param in      an array of one axis at least, which may be lazy
/// @param window  which elements are in a window
/// @param options `axis`; `ddof` of `op::var` and `op::stddev`
///
/// NaN is a missing value: it is left out, and a window of fewer than `min_periods` other values has the result NaN, as
/// one without a value has for `op::min` and `op::max`. Infinities are values, where pandas takes them for missing
/// ones; they have no effect on windows without them, nor have large values: nothing is subtracted, so each result is
/// as accurate as the reduction of its window alone. `op::count` is the number of values that are not missing, zeros
/// among them, and `min_periods` counts all elements of its windows, as in pandas.
///
/// A result takes a few additions whatever the window is, of windows of less than 256 elements (64 on devices) that do
/// not overlap one for each element, and lines are shared by threads, so that one long one is enough. Asynchronous on
/// `exec`. Wider windows take one or a few more kernels, and in scratch memory a state of the reduction for each 63
/// elements (15); on devices windows of up to a few thousand elements along the fastest axis, with the step 1, take one
/// kernel, in shared memory. Medians alone take a time that grows with the window: a thread keeps its values sorted, in
/// scratch memory of at most the size of the input, half types as float.
///
/// In chunks and over ranks arrays have 1 to 3 axes, and windows the step 1. Windows may lie along the axis that is
/// cut: chunks overlap by them, and DistributedViews have halos as wide as a window reaches, before and behind, along
/// it. Sums of the same window may be rounded in another order there.
/// @throws Error if extents do not fit, the axis is out of range, `out` shares memory with `in`, or a window has no
/// element, more `min_periods` than elements, or no step; over ranks if a halo is too narrow
template <class Op, execution_space Exec, result_view Out, any_array In, call_option<axis, ddof>... Options>
void rolling(const Exec& exec, const Out& out, const In& in, const window& window, const Options&... options) {
  using place = impl::engine_of<impl::rollings, Out, In>;
  constexpr bool here = std::is_same_v<place, impl::engine<impl::in_memory, impl::rollings>>;
  const std::string& label = impl::label_text("quern::rolling");
  const auto described = impl::described_filter<place>(label, out, in, [&] {
    return impl::describe_rolling<Op>(label, in, window, here, impl::select_options<false>(options...));
  });
  impl::unpack([&](const auto&... of_place) { place::run(described, exec, out, in, of_place...); },
               impl::select_options<true>(options...));
}
template <class Op, result_view Out, any_array In, call_option<axis, ddof>... Options>
void rolling(const Out& out, const In& in, const window& window, const Options&... options) {
  rolling<Op>(impl::space_of(out, in), out, in, window, options...);
}

/// The same of windows of a part of a sorted axis, as of times: of the elements j up to i with `on(i) - width < on(j)`;
/// with `center` all with `on(i) - width / 2 < on(j) <= on(i) + width / 2`. Distances of integers are exact.
///
/// @param on      of real numbers, of rank 1, of as many elements as `in` has along the axis, in ascending order.
///                Others give results without meaning, but nothing outside is read
/// @param options `checked`, too: an axis that does not ascend is an error, for which the call waits
///
/// The windows are found by binary search, in one more kernel, which writes 16 bytes of scratch memory for each result;
/// lines of 256 elements or more take the further kernels of wide windows. Of medians the call waits for the size of
/// the widest window.
///
/// In chunks and over ranks windows of a width lie along an axis that is not cut; `on` is in memory, whole on each
/// rank.
/// @throws UnsortedError with `checked`; Error also if the extents of `on` do not fit, or a width is not positive
template <class Op, execution_space Exec, result_view Out, any_array In, view_like On,
          call_option<axis, ddof, checked_t>... Options>
void rolling(const Exec& exec, const Out& out, const In& in, const On& on, const value_window& window,
             const Options&... options) {
  static_assert(impl::has_order<impl::value_of<On>>, "quern::rolling: the axis must be of real numbers");
  using place = impl::engine_of<impl::rollings, Out, In>;
  constexpr bool here = std::is_same_v<place, impl::engine<impl::in_memory, impl::rollings>>;
  const std::string& label = impl::label_text("quern::rolling");
  const auto described = impl::described_filter<place>(label, out, in, [&] {
    return impl::describe_rolling_on<Op>(label, in, on, window, here, impl::select_options<false>(options...));
  });
  impl::unpack([&](const auto&... of_place) { place::run(described, exec, out, in, of_place...); },
               impl::select_options<true>(options...));
}
template <class Op, result_view Out, any_array In, view_like On, call_option<axis, ddof, checked_t>... Options>
void rolling(const Out& out, const In& in, const On& on, const value_window& window, const Options&... options) {
  rolling<Op>(impl::space_of(out, in), out, in, on, window, options...);
}
QUERN_TAKES_NAME_WITH(rolling, class Op, Op)

}  // namespace quern

#endif
