// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_CUBIC_SPLINE_HPP
#define QUERN_KEYED_CUBIC_SPLINE_HPP

#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/interpolation.hpp>

namespace quern {

/// What a cubic spline has at its ends: the first two polynomials are one, and the last two (the default of SciPy's
/// `CubicSpline`); no second derivative; no slope; or the spline goes on from its first point.
enum class spline_ends { not_a_knot, natural, clamped, periodic };
template <>
inline constexpr bool impl::marked_option<spline_ends> = true;

namespace impl {

/// The power of two of a length, by which products of lengths are divided without rounding before they overflow.
KOKKOS_INLINE_FUNCTION double power_of_two(double length) {
  constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
  const auto found = Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(length) & exponent);
  return found > 0 ? found : Kokkos::Experimental::norm_min_v<double>;
}

/// The points of a spline, whose numbers go on beyond the ends of a periodic one.
template <class X, class F>
struct spline_points {
  const X* x;
  const F* f;
  std::int64_t x_stride, f_stride, n;
  spline_ends ends;

  KOKKOS_FUNCTION bool periodic() const { return ends == spline_ends::periodic; }
  KOKKOS_FUNCTION std::int64_t slopes() const { return periodic() ? n - 1 : n; }
  KOKKOS_FUNCTION double point(std::int64_t i) const { return convert<double>(x[i * x_stride]); }
  KOKKOS_FUNCTION double value(std::int64_t i) const { return convert<double>(f[i * f_stride]); }
  KOKKOS_FUNCTION std::int64_t wrapped(std::int64_t i) const {
    const std::int64_t m = n - 1, rest = i % m;
    return rest < 0 ? rest + m : rest;
  }
  /// The length of the interval from point i on, and the slope of its line.
  KOKKOS_FUNCTION double length(std::int64_t i) const {
    const std::int64_t k = wrapped(i);
    return point(k + 1) - point(k);
  }
  KOKKOS_FUNCTION double secant(std::int64_t i) const {
    const std::int64_t k = wrapped(i);
    return (value(periodic() && k == n - 2 ? 0 : k + 1) - value(k)) / length(k);
  }
};

/// An equation for the slopes of three points beside each other.
struct spline_equation {
  double lower, diagonal, upper, right;
};

/// The slopes of a spline at its points. A thread solves the equations of a range of them and of `overlap` more on
/// either side: what is beyond changes a slope by less than 2^-overlap of it, since the others in an equation count
/// half as much as its own.
template <class X, class F>
struct spline_slopes {
  static constexpr std::int64_t range = 256, overlap = 64, most = range + 2 * overlap;
  spline_points<X, F> at;
  double *slope, *ratio, *rest;  // the last two of `most` elements for each thread

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t count = at.slopes(), first = thread * range, last = Kokkos::min(first + range, count);
    const std::int64_t begin = at.periodic() ? first - overlap : Kokkos::max<std::int64_t>(first - overlap, 0);
    const std::int64_t end = at.periodic() ? last + overlap : Kokkos::min(last + overlap, count);
    double *const r = ratio + thread * most - begin, *const d = rest + thread * most - begin;
    for (std::int64_t i = begin; i < end; ++i) {
      spline_equation e = equation(i);
      if (i == begin && (at.periodic() || i > 0)) e.right -= e.lower * at.secant(i - 1);
      if (i == end - 1 && (at.periodic() || i < count - 1)) e.right -= e.upper * at.secant(i);
      const double pivot = i == begin ? e.diagonal : e.diagonal - e.lower * r[i - 1];
      r[i] = e.upper / pivot;
      d[i] = (i == begin ? e.right : e.right - e.lower * d[i - 1]) / pivot;
    }
    double s = 0;
    for (std::int64_t i = end - 1; i >= first; --i) {
      s = i == end - 1 ? d[i] : d[i] - r[i] * s;
      if (i < last) slope[i] = s;
    }
    if (at.periodic() && first == 0) slope[at.n - 1] = slope[0];
  }

  KOKKOS_FUNCTION spline_equation equation(std::int64_t i) const {
    if (!at.periodic() && (i == 0 || i == at.n - 1)) return at_end(i == 0);
    const double before = at.length(i - 1), behind = at.length(i);
    return {behind, 2 * (before + behind), before, 3 * (behind * at.secant(i - 1) + before * at.secant(i))};
  }
  KOKKOS_FUNCTION spline_equation at_end(bool first) const {
    const std::int64_t end = first ? 0 : at.n - 2, next = first ? 1 : at.n - 3;  // intervals
    double diagonal = 1, other = 0, right = 0;                                   // clamped
    if (at.ends == spline_ends::natural) {
      diagonal = 2;
      other = 1;
      right = 3 * at.secant(end);
    } else if (at.ends == spline_ends::not_a_knot && at.n == 2) {
      right = at.secant(0);
    } else if (at.ends == spline_ends::not_a_knot && at.n == 3) {  // a parabola
      other = 1;
      right = 2 * at.secant(end);
    } else if (at.ends == spline_ends::not_a_knot) {
      const double unit = power_of_two(at.length(end) + at.length(next));
      const double own = at.length(end) / unit, beside = at.length(next) / unit, both = own + beside;
      diagonal = beside;
      other = both;
      right = ((own + 2 * both) * beside * at.secant(end) + own * own * at.secant(next)) / both;
    }
    return first ? spline_equation{0, diagonal, other, right} : spline_equation{other, diagonal, 0, right};
  }
};

/// The function of x that is a polynomial of degree 3 between each two points.
template <class X, class F>
struct piecewise_cubic {
  spline_points<X, F> at;
  const double* slope;
  bool has_left, has_right;
  double left, right;

  template <class V>
  KOKKOS_FUNCTION double operator()(const V& v) const {
    auto x = convert<double>(v);
    if (is_nan(x)) return x;
    const double low = at.point(0), high = at.point(at.n - 1);
    if (x < low && has_left) return left;
    if (x > high && has_right) return right;
    if (at.periodic()) {
      x = Kokkos::fmod(x - low, high - low);
      x = x < 0 ? x + high : x + low;
    }
    const std::int64_t found = position_in(at.x, at.x_stride, at.n, x, true) - 1;
    const std::int64_t i = Kokkos::max<std::int64_t>(Kokkos::min(found, at.n - 2), 0);
    const double unit = power_of_two(at.length(i)), from = (x - at.point(i)) / unit, length = at.length(i) / unit;
    const double first = slope[i] * unit, secant = at.secant(i) * unit;
    const double bend = (first + slope[i + 1] * unit - 2 * secant) / length;
    return ((bend / length * from + ((secant - first) / length - bend)) * from + first) * from + at.value(i);
  }
};

}  // namespace impl

/// The cubic spline through points: `out(i...)` is the value at `x(i...)` of the function that goes through
/// `(points(k), values(k))`, a polynomial of degree 3 between each two of them with two continuous derivatives, as
/// SciPy's `CubicSpline`. Beyond the ends the first and the last polynomial go on, or the function is periodic, or it
/// has the values of `outside_points`; at NaN it is NaN.
///
/// @param out     a View of floating-point numbers
/// @param x       broadcasts to `out`
/// @param points  of rank 1, at least two, each greater than the one before
/// @param values  of as many elements, real; of a periodic spline the last one counts as the first, which SciPy demands
/// @param options `spline_ends::natural`, `clamped` or `periodic`, `not_a_knot` without it, which for two points is a
///                line and for three a parabola; `outside_points{.left = 0, .right = 0}`; `checked`: points that do not
///                ascend are an error, for which the call waits. Of equal points or those that descend results mean
///                nothing, and nothing outside is read
///
/// Computed in double; distances of points may be as small as 1e-300 or as large as 1e300, as long as slopes are
/// numbers. The slopes at the points are solved for by ranges of 256 points with 64 more on either side, which decides
/// no digit unless slopes nearby differ by a factor of 2^10 or more; values that are not finite make the spline NaN
/// within some hundreds of points around. Asynchronous on `exec`; scratch memory is four doubles for each point.
/// @throws UnsortedError with `checked`; Error if extents do not fit, there are fewer than two points, or memory
/// overlaps
template <execution_space Exec, view_like Out, operand X, array_like Points, array_like Values,
          option<spline_ends, outside_points, checked_t>... Options>
void cubic_spline(const Exec& exec, const Out& out, const X& x, const Points& points, const Values& values,
                  const Options&... options) {
  using P = impl::value_of<Points>;
  using V = impl::value_of<Values>;
  constexpr bool real = std::is_arithmetic_v<P> && std::is_arithmetic_v<V> &&
                        std::is_floating_point_v<impl::value_of<Out>> &&
                        impl::has_order<typename impl::argument_of<X, 0>::type>;
  static_assert(real, "quern::cubic_spline: x, points and values must be real, and out floating-point numbers");
  if constexpr (real && impl::reads_memory<Points, Values>()) {
    const impl::call c("quern::cubic_spline", exec);
    const auto [at, f] = impl::read_samples<impl::has_option<checked_t, Options...>>(c, out, points, values, 2);
    const std::int64_t n = at.extents.extent[0];
    const outside_points beyond = impl::option_or(outside_points{}, options...);
    using solver = impl::spline_slopes<P, V>;
    solver slopes{{at.data, f.data, at.stride[0], f.stride[0], n, impl::option_or(spline_ends::not_a_knot, options...)},
                  nullptr,
                  nullptr,
                  nullptr};
    const std::int64_t threads = (slopes.at.slopes() + solver::range - 1) / solver::range;
    const impl::scratch_arrays<Exec> memory(exec, impl::scratch_part{slopes.slope, n},
                                            impl::scratch_part{slopes.ratio, threads * solver::most},
                                            impl::scratch_part{slopes.rest, threads * solver::most});
    Kokkos::parallel_for(impl::kernel_label(c.label, "/slopes"), impl::index_range(exec, threads), slopes);
    impl::map_checked(
        c.label, exec, out,
        impl::piecewise_cubic<P, V>{slopes.at, slopes.slope, beyond.left.has_value(), beyond.right.has_value(),
                                    beyond.left.value_or(0), beyond.right.value_or(0)},
        x);
  }
}
template <view_like Out, operand X, array_like Points, array_like Values,
          option<spline_ends, outside_points, checked_t>... Options>
void cubic_spline(const Out& out, const X& x, const Points& points, const Values& values, const Options&... options) {
  cubic_spline(impl::space_of(out), out, x, points, values, options...);
}
QUERN_TAKES_NAME_NOT(place, cubic_spline)

}  // namespace quern

#endif
