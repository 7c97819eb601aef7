// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_INTERPOLATION_HPP
#define QUERN_KEYED_INTERPOLATION_HPP

#include <optional>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/search.hpp>
#include <quern/keyed/sort.hpp>
#include <utility>

namespace quern {

/// The values of `interp` below the first point and above the last (NumPy's `left` and `right`); those of these points
/// where none is given.
struct outside_points {
  using option_of = impl::any_place;
  std::optional<double> left{}, right{};
};

namespace impl {

/// The function of x that is a line between each two points.
template <class X, class F, class R>
struct piecewise_line {
  const X* x;
  const F* f;
  std::int64_t x_stride, f_stride, n;
  bool has_left, has_right;
  double left, right;

  template <class V>
  KOKKOS_FUNCTION R operator()(const V& v) const {
    const auto at = convert<double>(v);
    if (is_nan(at)) return R(at);
    if (at < point(0)) return has_left ? R(left) : value(0);
    if (at > point(n - 1)) return has_right ? R(right) : value(n - 1);
    const std::int64_t i = Kokkos::max(position_in(x, x_stride, n, at, true) - 1, std::int64_t{0});
    if (i >= n - 1 || point(i) == at) return value(i);
    const double from = at - point(i), to = at - point(i + 1), length = point(i + 1) - point(i);
    const R a = value(i), b = value(i + 1);
    if constexpr (is_complex<R>)
      return R(on_line(a.real(), b.real(), from, to, length), on_line(a.imag(), b.imag(), from, to, length));
    else return on_line(a, b, from, to, length);
  }

 private:
  KOKKOS_FUNCTION double point(std::int64_t i) const { return convert<double>(x[i * x_stride]); }
  KOKKOS_FUNCTION R value(std::int64_t i) const { return convert<R>(f[i * f_stride]); }
  /// From the second point where the first one is infinite; NumPy's way.
  KOKKOS_FUNCTION static double on_line(double a, double b, double from, double to, double length) {
    const double slope = (b - a) / length, y = slope * from + a;
    if (!is_nan(y)) return y;
    const double backwards = slope * to + b;
    return is_nan(backwards) && a == b ? a : backwards;
  }
};

/// The points and values of an interpolation, which do not share memory with `out`.
/// @throws Error if they do, or there are fewer points than `fewest`; UnsortedError if `Checked` and they do not ascend
template <bool Checked, class Exec, class Out, class Points, class Values>
auto read_samples(const call<Exec>& c, const Out& out, const Points& points, const Values& values,
                  std::int64_t fewest) {
  const auto at = c.input(points);
  const auto f = c.input(values);
  if (at.extents.rank != 1 || at.extents.extent[0] < fewest)
    reject_extents(c.label, "points", at.extents,
                   fewest == 1 ? "rank 1 and at least one element" : "rank 1 and at least two elements");
  check_extents(c.label, "values", f.extents, at.extents);
  const auto to = c.output(out);
  check_overlap(c.label, to, at, "points", false);
  check_overlap(c.label, to, f, "values", false);
  if constexpr (Checked) check_increasing(c.exec, c.label, "the points", at);
  return std::pair(at, f);
}

/// A position in the period that begins at 0, of Python's sign.
struct position_in_period {
  double period;
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    const double rest = Kokkos::fmod(convert<double>(x), period);
    return rest < 0 ? rest + period : rest;
  }
};
/// A function of x that repeats.
template <class Line>
struct repeated_line {
  Line line;
  position_in_period within;
  template <class X>
  KOKKOS_FUNCTION auto operator()(const X& x) const {
    return line(within(x));
  }
};

/// Points in a period, and their values, with room for one more at either end.
template <class X, class F, class R>
struct points_in_period {
  pointer_to<const X> points;
  pointer_to<const F> values;
  std::int64_t point_step, value_step;
  position_in_period within;
  double* at;
  R* f;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    at[1 + i] = within(points[i * point_step]);
    f[1 + i] = convert<R>(values[i * value_step]);
  }
};
/// Goes on beyond both ends of n sorted points.
template <class R>
struct points_beyond_ends {
  double* at;
  R* f;
  std::int64_t n;
  double period;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    at[0] = at[n] - period;
    f[0] = f[n];
    at[n + 1] = at[1] + period;
    f[n + 1] = f[1];
  }
};

/// Interpolation of a function that repeats after `length`, from copies of the points in ascending order.
template <class R, class Exec, class Out, class In, class X, class F>
void interp_repeated(const call<Exec>& c, const Out& out, const In& x, const strided<const X>& points,
                     const strided<const F>& values, double length) {
  if (!(length != 0 && std::isfinite(length))) throw Error(c.label, "a period of " + text_of(length));
  const position_in_period within{std::fabs(length)};
  const std::int64_t n = points.extents.extent[0];
  double* at = nullptr;
  R* f = nullptr;
  const scratch_arrays<Exec> memory(c.exec, scratch_part{at, n + 2}, scratch_part{f, n + 2});
  launch_units(c.exec, label_text(c.label, "/points"), n,
               points_in_period<X, F, R>{points.data, values.data, points.stride[0], values.stride[0], within, at, f});
  using space = typename Exec::memory_space;
  sort_by_key(c.exec, Kokkos::View<double*, space, Kokkos::MemoryUnmanaged>(at + 1, n),
              Kokkos::View<R*, space, Kokkos::MemoryUnmanaged>(f + 1, n));
  launch_units(c.exec, label_text(c.label, "/ends"), 1, points_beyond_ends<R>{at, f, n, within.period});
  using line = piecewise_line<double, R, R>;
  map_checked(c.label, c.exec, out, repeated_line<line>{line{at, f, 1, 1, n + 2, false, false, 0, 0}, within}, x);
}

}  // namespace impl

/// Linear interpolation between points: `out(i...)` is the value at `x(i...)` of the function that goes through the
/// points `(points(k), values(k))` in straight lines (NumPy's `interp`). Beyond the ends it has the first and the last
/// value, or those of the option `outside_points`; at NaN it is NaN. With `period{360}` it repeats: points and
/// positions are taken modulo the period, and the line from the last point goes on to the first.
///
/// @param out     a View
/// @param x       broadcasts to `out`
/// @param points  of rank 1, at least one, in ascending order; of equal ones the last counts
/// @param values  of as many elements, real or complex
/// @param options `outside_points{.left = 0, .right = 0}`; `checked`: points that do not ascend are an error, for which
///                the call waits. Without it their results mean nothing, and nothing outside is read; or `period{p}`,
///                of either sign, with which points may be in any order, but must be finite
///
/// Computed in double, in about log2(n) steps for each element. Asynchronous on `exec`, without scratch memory; with a
/// period, points are sorted by `sort_by_key`, and scratch memory is two numbers for each and that of the sort.
/// @throws UnsortedError with `checked`; Error if extents do not fit, there is no point, the period is 0 or not finite,
/// or memory overlaps
template <execution_space Exec, view_like Out, operand X, array_like Points, array_like Values,
          option<outside_points, checked_t, period>... Options>
void interp(const Exec& exec, const Out& out, const X& x, const Points& points, const Values& values,
            const Options&... options) {
  using value = std::conditional_t<impl::is_complex<impl::value_of<Values>>, Kokkos::complex<double>, double>;
  constexpr bool ordered =
      impl::has_order<impl::value_of<Points>> && impl::has_order<typename impl::argument_of<X, 0>::type>;
  static_assert(ordered, "quern::interp: complex numbers have no order");
  constexpr bool repeats = impl::has_option<period, Options...>;
  static_assert(!repeats || sizeof...(Options) == 1,
                "quern::interp: with a period no position is outside, and points need no order: neither "
                "outside_points nor checked");
  if constexpr (ordered && impl::reads_memory<Points, Values>()) {
    const impl::call c("quern::interp", exec);
    const auto [at, f] = impl::read_samples<impl::has_option<checked_t, Options...>>(c, out, points, values, 1);
    if constexpr (repeats)
      return impl::interp_repeated<value>(c, out, x, at, f, impl::find_option<period>(options...)->value);
    const std::int64_t n = at.extents.extent[0];
    const outside_points beyond = impl::option_or(outside_points{}, options...);
    const impl::piecewise_line<impl::value_of<Points>, impl::value_of<Values>, value> line{at.data,
                                                                                           f.data,
                                                                                           at.stride[0],
                                                                                           f.stride[0],
                                                                                           n,
                                                                                           beyond.left.has_value(),
                                                                                           beyond.right.has_value(),
                                                                                           beyond.left.value_or(0),
                                                                                           beyond.right.value_or(0)};
    impl::map_checked(c.label, exec, out, line, x);
  }
}
template <view_like Out, operand X, array_like Points, array_like Values,
          option<outside_points, checked_t, period>... Options>
void interp(const Out& out, const X& x, const Points& points, const Values& values, const Options&... options) {
  interp(impl::space_of(out), out, x, points, values, options...);
}
QUERN_TAKES_NAME_NOT(place, interp)

}  // namespace quern

#endif
