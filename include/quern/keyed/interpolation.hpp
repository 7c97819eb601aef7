// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_INTERPOLATION_HPP
#define QUERN_KEYED_INTERPOLATION_HPP

#include <optional>
#include <quern/keyed/search.hpp>
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

}  // namespace impl

/// Linear interpolation between points: `out(i...)` is the value at `x(i...)` of the function that goes through the
/// points `(points(k), values(k))` in straight lines (NumPy's `interp`). Beyond the ends it has the first and the last
/// value, or those of the option `outside_points`; at NaN it is NaN.
///
/// @param out     a View
/// @param x       broadcasts to `out`
/// @param points  of rank 1, at least one, in ascending order; of equal ones the last counts
/// @param values  of as many elements, real or complex
/// @param options `outside_points{.left = 0, .right = 0}`; `checked`: points that do not ascend are an error, for which
/// the
///                call waits. Without it their results mean nothing, and nothing outside is read
///
/// Computed in double, in about log2(n) steps for each element. Asynchronous on `exec`, without scratch memory.
/// @throws UnsortedError with `checked`; Error if extents do not fit, there is no point, or memory overlaps
template <execution_space Exec, view_like Out, operand X, array_like Points, array_like Values,
          option<outside_points, checked_t>... Options>
void interp(const Exec& exec, const Out& out, const X& x, const Points& points, const Values& values,
            const Options&... options) {
  using value = std::conditional_t<impl::is_complex<impl::value_of<Values>>, Kokkos::complex<double>, double>;
  constexpr bool ordered =
      impl::has_order<impl::value_of<Points>> && impl::has_order<typename impl::argument_of<X, 0>::type>;
  static_assert(ordered, "quern::interp: complex numbers have no order");
  if constexpr (ordered && impl::reads_memory<Points, Values>()) {
    const impl::call c("quern::interp", exec);
    const auto [at, f] = impl::read_samples<impl::has_option<checked_t, Options...>>(c, out, points, values, 1);
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
template <view_like Out, operand X, array_like Points, array_like Values, option<outside_points, checked_t>... Options>
void interp(const Out& out, const X& x, const Points& points, const Values& values, const Options&... options) {
  interp(impl::space_of(out), out, x, points, values, options...);
}
QUERN_TAKES_NAME_NOT(place, interp)

}  // namespace quern

#endif
