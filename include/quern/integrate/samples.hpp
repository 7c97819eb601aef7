// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_SAMPLES_HPP
#define QUERN_INTEGRATE_SAMPLES_HPP

/// @file
/// Integrals of sampled data, of a whole array of rank 1 or along an axis.
///
/// Each, here `trapezoid`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `T v = trapezoid(exec, y, dx)` | returns the integral of an array of rank 1; waits for `exec` |
/// | `trapezoid(exec, out, y, dx)` | the same to a View of rank 0; asynchronous on `exec` |
/// | `trapezoid(exec, out, y, dx, axis{1})` | along an axis, to a View of the remaining extents; asynchronous |
/// | `trapezoid(y, dx)`, `trapezoid(out, y, dx, axis{1})` | on a default instance of the execution space of y, or out |
///
/// `y` may be lazy. `dx` is the distance of the samples, or a View of rank 1 with the abscissae, which may be at any
/// distances and descend. Results are double for integers, else of the type of `y`; sums are those of `quern::sum`.
/// Scratch memory is a weight for each sample along the axis and what `sum` takes.
///
/// @throws Error if extents do not fit, an axis is out of range, there is no sample, or `out` shares memory with an
/// input

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/values/values.hpp>
#include <quern/core/views/adjacent.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/scan/scan.hpp>

namespace quern {

namespace impl {

/// The abscissae of samples: equidistant, or given.
template <class T>
struct uniform_abscissae {
  T distance;
  KOKKOS_FUNCTION T width(std::int64_t) const { return distance; }
};
template <class T, class X>
struct given_abscissae {
  const X* x;
  std::int64_t stride;
  /// Of the interval after sample i.
  KOKKOS_FUNCTION T width(std::int64_t i) const {
    const X from = x[i * stride], to = x[(i + 1) * stride];
    if constexpr (std::is_integral_v<X>) {
      const auto low = static_cast<std::uint64_t>(from), high = static_cast<std::uint64_t>(to);
      return to < from ? -static_cast<T>(low - high) : static_cast<T>(high - low);
    } else if constexpr (std::is_floating_point_v<X> && std::is_floating_point_v<T>) {
      using wide = std::common_type_t<X, T>;  // T may have too few digits for the abscissae
      return static_cast<T>(static_cast<wide>(to) - static_cast<wide>(from));
    } else {
      return static_cast<T>(to) - static_cast<T>(from);
    }
  }
};

template <class Exec, class T, class Spacing>
auto make_abscissae(const std::string& label, const Spacing& spacing, std::int64_t n) {
  if constexpr (view_like<Spacing>) {
    const auto x = make_input<Exec>(spacing, label).array;
    check_extents(label, "x", x.extents, shape{n});
    return given_abscissae<T, value_of<Spacing>>{x.data, x.stride[0]};
  } else {
    static_assert(std::is_convertible_v<Spacing, T>, "quern: the distance of samples is neither a number nor a View");
    return uniform_abscissae<T>{static_cast<T>(spacing)};
  }
}

/// The weight of each sample.
struct trapezoid_weights {
  template <class T, class Abscissae>
  KOKKOS_FUNCTION static T weight(const Abscissae& x, std::int64_t i, std::int64_t n) {
    return ((i > 0 ? x.width(i - 1) : T(0)) + (i + 1 < n ? x.width(i) : T(0))) / 2;
  }
};
/// Parabolas through samples 0 1 2, 2 3 4, and so on. Of an even number the last interval has that of the last three
/// samples (Cartwright, J. Math. Sci. Math. Educ. 11, 2016).
struct simpson_weights {
  template <class T, class Abscissae>
  KOKKOS_FUNCTION static T weight(const Abscissae& x, std::int64_t i, std::int64_t n) {
    if (n < 3) return trapezoid_weights::weight<T>(x, i, n);
    const std::int64_t last = (n - 1) / 2 * 2;  // of the pairs of intervals
    T w = 0;
    if (i <= last && i % 2 == 1) {
      const T a = x.width(i - 1), b = x.width(i);
      w = (a + b) * (a + b) * (a + b) / (6 * a * b);
    } else if (i <= last) {
      if (i > 0) w += end<T>(x.width(i - 1), x.width(i - 2));
      if (i < last) w += end<T>(x.width(i), x.width(i + 1));
    }
    if (n % 2 == 0 && i >= n - 3) {
      const T a = x.width(n - 3), b = x.width(n - 2);
      if (i == n - 1) w += b * (2 * b + 3 * a) / (6 * (a + b));
      else if (i == n - 2) w += b * (b + 3 * a) / (6 * a);
      else w -= b * b * b / (6 * a * (a + b));
    }
    return w;
  }

 private:
  /// Of the sample at the end of a pair of intervals, the nearer and the farther one.
  template <class T>
  KOKKOS_FUNCTION static T end(T nearer, T farther) {
    return (nearer + farther) * (2 - farther / nearer) / 6;
  }
};

/// Not of a sample, but of the interval after it: its width.
struct interval_widths {
  template <class T, class Abscissae>
  KOKKOS_FUNCTION static T weight(const Abscissae& x, std::int64_t i, std::int64_t) {
    return x.width(i);
  }
};

template <class Weights, class T, class Abscissae>
struct put_weight {
  Abscissae x;
  std::int64_t n;
  T* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { weights[i] = Weights::template weight<T>(x, i, n); }
};
/// Weights of n samples, in memory that lasts while others of the call are summed up.
template <class Weights, class T, class Exec, class Abscissae>
T* weights_of(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Abscissae& x,
              std::int64_t n) {
  T* weights = lasting_scratch<T>(exec, scratch, n);
  Kokkos::parallel_for(kernel_label(label), index_range(exec, n), put_weight<Weights, T, Abscissae>{x, n, weights});
  return weights;
}

/// An array of n values along one axis, read as one of those extents.
template <class T>
array_input<T> along_axis(const T* values, const shape& extents, int d) {
  array_input<T> a{{values, extents, {}}};
  a.array.stride[d] = 1;
  return a;
}

/// The axis that is asked for, or that of an array of rank 1.
inline axis_set axis_or_only(const std::string& label, const axis* wanted, const shape& extents) {
  if (wanted == nullptr && extents.rank != 1) reject_extents(label, "in", extents, "rank 1, or an axis");
  return {label, wanted == nullptr ? axis(0) : *wanted, extents.rank};
}
/// The output shares memory with no input.
template <class Exec, class Out, class In, class Spacing>
void check_apart_from_samples(const call<Exec>& c, const Out& out, const In& in, const Spacing& spacing) {
  check_overlap(c.label, out, in, "in", false);
  if constexpr (view_like<Spacing>) check_overlap(c.label, out, c.input(spacing), "x", false);
}

/// `in` are the elements of an array of T with these extents, as a call takes them apart.
template <class Weights, class T, class Exec, class In, class Spacing, class Out>
void integrate_along(const std::string& label, const Exec& exec, Workspace<Exec>& scratch, const strided<Out>& out,
                     const shape& extents, const In& in, const Spacing& spacing, int d) {
  using S = mean_type<T>;
  using real = real_type<S>;
  static_assert(converts<S, Out>,
                "quern: the integral does not convert to out's type, as complex numbers to real ones");
  if constexpr (converts<S, Out>) {
    const std::int64_t n = extents.extent[d];
    if (n == 0) reject_extents(label, "in", extents, "at least one sample");
    const auto x = make_abscissae<Exec, real>(label, spacing, n);
    const real* weights = weights_of<Weights, real>(exec, label_text(label, "/weights"), scratch, x, n);
    const expanded<leaf_part, array_input<real>> weight{{}, {along_axis<real>(weights, extents, d)}};
    with_leaves(
        product<S>(),
        [&](const auto& f, const auto&... leaf) {
          reduce_launch(
              exec, label, scratch,
              describe_reduction<Exec>(sum_reducer<S>(), f, axis_set(label, axis(d), extents.rank), out, leaf...));
        },
        in, weight);
  }
}

/// Serves `trapezoid` and `simpson`; returns the integral where `out_view` is on_host.
template <class Weights, class Exec, class Out, class In, class Spacing, class... Options>
auto integrate_samples(const operation_name& label, const Exec& exec, const Out& out_view, const In& in_view,
                       const Spacing& spacing, const Options&... options) {
  call c(label, exec);
  const auto in = c.elements(in_view);
  const shape extents = operand_extents(c.label, in_view);
  const axis_set along = axis_or_only(c.label, find_option<axis>(options...), extents);
  const auto integrate_to = [&](const auto& out) {
    integrate_along<Weights, value_of<In>>(c.label, exec, c.scratch(), out, extents, in, spacing, along.only());
  };
  if constexpr (view_like<Out>) {
    const auto out = c.output(out_view);
    check_extents(c.label, "out", out.extents, along.part(extents, false));
    check_apart_from_samples(c, out, in, spacing);
    integrate_to(out);
  } else {
    static_assert(sizeof...(Options) == 0, "quern: an integral along an axis writes to a View");
    using S = mean_type<value_of<In>>;
    S* result = c.template result<S>();
    integrate_to(strided<S>{result, {}, {}});
    exec.fence(kernel_label(c.label, ": result"));
    return S{*result};
  }
}

/// The area of the trapezoid between two samples.
struct trapezoid_between {
  template <class T, class W>
  KOKKOS_FUNCTION auto operator()(const T& a, const T& b, const W& width) const {
    using S = mean_type<T>;
    return (static_cast<S>(a) + static_cast<S>(b)) * (width / 2);
  }
};

template <class Exec, class Out, class In, class Spacing>
void cumulate_trapezoids(const Exec& exec, const Out& out_view, const In& in_view, const Spacing& spacing,
                         const axis* given) {
  call c("quern::cumulative_trapezoid", exec);
  const auto in = c.elements(in_view);
  const shape extents = operand_extents(c.label, in_view);
  const axis_set along = axis_or_only(c.label, given, extents);
  const auto out = c.output(out_view);
  using T = std::remove_pointer_t<decltype(out.data)>;
  using S = mean_type<value_of<In>>;
  using real = real_type<S>;
  check_extents(c.label, "out", out.extents, extents);
  check_apart_from_samples(c, out, in, spacing);
  const int d = along.only();
  const std::int64_t n = extents.extent[d];
  if (n == 0) reject_extents(c.label, "in", extents, "at least one sample");
  if (extents.size() == 0) return;
  const auto x = make_abscissae<Exec, real>(c.label, spacing, n);

  const auto first = part_along(out, d, 0, 1), rest = part_along(out, d, 1, n - 1);
  map_launch(exec, label_text(c.label, "/first"), first, op::identity(), false, {first.stride, {}},
             scalar_input<T>{T(0)});
  if (n == 1) return;
  const real* widths = weights_of<interval_widths, real>(exec, label_text(c.label, "/widths"), c.scratch(), x, n - 1);
  const auto width = along_axis<real>(widths, rest.extents, d);
  with_sources(
      [&](const auto& y) {
        with_adjacent(trapezoid_between(), y, rest.extents, d, [&](const auto& f, const auto&... samples) {
          map_launch(exec, label_text(c.label, "/trapezoids"), rest, f, false,
                     {rest.stride, samples.array.stride..., width.array.stride}, samples..., width);
        });
      },
      in);
  const strided<const T> terms{rest.data, rest.extents, rest.stride};
  scan_launch<false>(exec, c.label, c.scratch(), sum_reducer<S>(), along, rest, terms);
}

/// A distance of samples or their abscissae.
template <class T>
concept sample_spacing = view_like<T> || std::is_arithmetic_v<std::remove_cvref_t<T>>;

}  // namespace impl

/// The integral of samples by the trapezoidal rule, `sum_i (y(i) + y(i + 1)) / 2 * (x(i + 1) - x(i))`. One sample has
/// the integral 0.
template <execution_space Exec, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
auto trapezoid(const Exec& exec, const In& y, const Spacing& dx, const Options&... options) {
  return impl::integrate_samples<impl::trapezoid_weights>("quern::trapezoid", exec, on_host, y, dx, options...);
}
/// The integrals along an axis, or that of an array of rank 1, to a View.
template <execution_space Exec, view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void trapezoid(const Exec& exec, const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  impl::integrate_samples<impl::trapezoid_weights>("quern::trapezoid", exec, out, y, dx, options...);
}
template <array_like In, impl::sample_spacing Spacing, option<axis>... Options>
auto trapezoid(const In& y, const Spacing& dx, const Options&... options) {
  return trapezoid(impl::space_of(y), y, dx, options...);
}
template <view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void trapezoid(const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  trapezoid(impl::space_of(out), out, y, dx, options...);
}
QUERN_TAKES_NAME_NOT(place, trapezoid)

/// The integral of samples by Simpson's rule: of the parabolas through each three, for any distances. Of an even number
/// of samples the last interval has the parabola through the last three; of two samples it is the trapezoidal rule.
/// Exact for polynomials of degree 3 where an odd number is equidistant, else of degree 2. Abscissae must differ.
template <execution_space Exec, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
auto simpson(const Exec& exec, const In& y, const Spacing& dx, const Options&... options) {
  return impl::integrate_samples<impl::simpson_weights>("quern::simpson", exec, on_host, y, dx, options...);
}
/// The integrals along an axis, or that of an array of rank 1, to a View.
template <execution_space Exec, view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void simpson(const Exec& exec, const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  impl::integrate_samples<impl::simpson_weights>("quern::simpson", exec, out, y, dx, options...);
}
template <array_like In, impl::sample_spacing Spacing, option<axis>... Options>
auto simpson(const In& y, const Spacing& dx, const Options&... options) {
  return simpson(impl::space_of(y), y, dx, options...);
}
template <view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void simpson(const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  simpson(impl::space_of(out), out, y, dx, options...);
}
QUERN_TAKES_NAME_NOT(place, simpson)

/// The integrals from the first sample to each, by the trapezoidal rule: `out` has the extents of `y`, and 0 first.
/// Three kernels and a scan; `out` holds the trapezoids in between, in its type. An array of rank 1 needs no axis.
/// Asynchronous.
template <execution_space Exec, view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void cumulative_trapezoid(const Exec& exec, const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  impl::cumulate_trapezoids(exec, out, y, dx, impl::find_option<axis>(options...));
}
template <view_like Out, array_like In, impl::sample_spacing Spacing, option<axis>... Options>
void cumulative_trapezoid(const Out& out, const In& y, const Spacing& dx, const Options&... options) {
  cumulative_trapezoid(impl::space_of(out), out, y, dx, options...);
}
QUERN_TAKES_NAME_NOT(place, cumulative_trapezoid)

}  // namespace quern

#endif
