// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ONE_SIDED_SLICES_HPP
#define QUERN_STENCIL_ONE_SIDED_SLICES_HPP

/// @file
/// First derivatives of arrays of more axes than windows have: maps of slices, as NumPy has them. Along each axis one
/// kernel computes those of the cells inside, and one those at each of the two edges.

#include <algorithm>
#include <array>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/restrided.hpp>
#include <quern/stencil/differences.hpp>
#include <quern/stencil/one_sided_axes.hpp>

namespace quern::impl {

template <class S>
struct difference_quotient {
  real_type<S> distance;
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& a, const T& b) const {
    return (static_cast<S>(b) - static_cast<S>(a)) / distance;
  }
};

template <class S>
struct sum_of_three {
  real_type<S> low, middle, high;  // what multiplies them
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& a, const T& b, const T& c) const {
    return low * static_cast<S>(a) + middle * static_cast<S>(b) + high * static_cast<S>(c);
  }
};

/// The slope at one of three points: of the parabola through them, or at the first or the last of the line to the next.
template <class S>
struct slope_at_points {
  int at;  // -1, 0 or 1
  bool of_parabola;
  template <class T, class X>
  KOKKOS_FUNCTION S operator()(const T& u0, const T& u1, const T& u2, const X& x0, const X& x1, const X& x2) const {
    const S low = static_cast<S>(u0), middle = static_cast<S>(u1), high = static_cast<S>(u2);
    const double a = convert<double>(x1) - convert<double>(x0), b = convert<double>(x2) - convert<double>(x1);
    if (!of_parabola) return at < 0 ? (middle - low) / a : (high - middle) / b;
    if (at == 0 && a == b) return (high - low) / (a + b);  // the weight of the middle is 0, but it may be NaN
    const three_weights by = weights_of_parabola(at, a, b);
    return by.low * low + by.middle * middle + by.high * high;
  }
};

/// The slices of u and of an output, a number of cells from one on along an axis.
template <class Exec, class Out, class In>
struct slices_along {
  static constexpr int rank = rank_of<In>;
  const call<Exec>& c;
  const Out& out;
  const In& u;
  int axis;

  auto to(std::int64_t first, std::int64_t n) const {
    return as_part<Exec, rank>(part_along(c.output(out), axis, first, n));
  }
  auto from(std::int64_t first, std::int64_t n) const {
    return restrided_input<rank>(c, u, [&](index_layout l) {
      l.first += first * l.stride[axis];
      l.extents.extent[axis] = n;
      return l;
    });
  }
  /// Of points, which are the same along the other axes.
  template <class X>
  auto points(const uneven_axis<X>& a, std::int64_t first, std::int64_t n) const {
    strided<const X> x{a.points + first * a.stride, {}, {}};
    x.extents.rank = rank;
    for (int d = 0; d < rank; ++d) x.extents.extent[d] = d == axis ? n : 1;
    x.stride[axis] = a.stride;
    return array_input<const X>{x};
  }
};

template <int EdgeOrder, class Slices>
void derivative_of_slices(const Slices& s, const even_axis& a) {
  using S = difference_type<value_of<decltype(s.u)>>;
  using R = real_type<S>;
  const auto quotient = [&](std::int64_t to, std::int64_t n, const R& distance, std::int64_t i, std::int64_t k) {
    map_checked(s.c.label, s.c.exec, s.to(to, n), difference_quotient<S>{distance}, s.from(i, n), s.from(k, n));
  };
  const std::int64_t n = a.n;
  const auto h = static_cast<R>(a.spacing);
  if (n > 2) quotient(1, n - 2, R(2) * h, 0, 2);
  if constexpr (EdgeOrder == 1) {
    quotient(0, 1, h, 0, 1);
    quotient(n - 1, 1, h, n - 2, n - 1);
  } else {
    const auto edge = [&](std::int64_t to, std::int64_t i, const sum_of_three<S>& sum) {
      map_checked(s.c.label, s.c.exec, s.to(to, 1), sum, s.from(i, 1), s.from(i + 1, 1), s.from(i + 2, 1));
    };
    edge(0, 0, {-(R(1.5) / h), R(2) / h, -(R(0.5) / h)});
    edge(n - 1, n - 3, {R(0.5) / h, -(R(2) / h), R(1.5) / h});
  }
}
template <int EdgeOrder, class Slices, class X>
void derivative_of_slices(const Slices& s, const uneven_axis<X>& a) {
  using S = wide_difference<difference_type<value_of<decltype(s.u)>>>;
  // Where an axis has two cells, one of them stands for a third, which is not used.
  const std::int64_t n = a.n, last = n - 1;
  const auto slope = [&](std::int64_t to, std::int64_t count, int at, std::int64_t i, std::int64_t j, std::int64_t k) {
    map_checked(s.c.label, s.c.exec, s.to(to, count), slope_at_points<S>{at, at == 0 || EdgeOrder == 2},
                s.from(i, count), s.from(j, count), s.from(k, count), s.points(a, i, count), s.points(a, j, count),
                s.points(a, k, count));
  };
  if (n > 2) slope(1, n - 2, 0, 0, 1, 2);
  slope(0, 1, -1, 0, 1, std::min<std::int64_t>(2, last));
  slope(last, 1, 1, std::max<std::int64_t>(last - 2, 0), last - 1, last);
}

/// The derivatives of u along some axes, which `axis_of(k)` describes, each in an output of its own.
template <int EdgeOrder, class Exec, class In, class AxisOf, class... Out>
void gradient_of_slices(const operation_name& label, const Exec& exec, const std::tuple<Out...>& out, const In& u,
                        const AxisOf& axis_of) {
  const call c(label, exec);
  const auto memory = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, out);
  const shape extents = operand_extents(c.label, u), &expected = std::get<0>(memory).extents;
  if (extents != expected) reject_extents(c.label, "in", extents, "those of out, " + expected.str());
  check_outputs(c.label, memory);
  unpack([&](const auto&... o) { (check_overlap(c.label, o, c.elements(u), "in", false), ...); }, memory);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const std::array axis{axis_of(static_cast<int>(K))...};  // all are checked before the first is launched
    const auto run = [&]<class One>(const One& one, const auto& along) {
      derivative_of_slices<EdgeOrder>(slices_along<Exec, One, In>{c, one, u, along.axis}, along);
    };
    (run(std::get<K>(out), axis[K]), ...);
  }(std::index_sequence_for<Out...>());
}

}  // namespace quern::impl

#endif
