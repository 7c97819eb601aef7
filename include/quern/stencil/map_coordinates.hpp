// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_MAP_COORDINATES_HPP
#define QUERN_STENCIL_MAP_COORDINATES_HPP

/// @file
/// The values of an array between its elements, after `scipy.ndimage`.

#include <quern/core/call/call.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/stencil/boundary.hpp>

namespace quern {

/// How an array is interpolated: by the nearest element (0) or by lines between elements (1). SciPy's `order`.
struct spline_order {
  using option_of = impl::any_place;
  int value;
};

namespace impl {

/// Where a coordinate beyond an axis of n elements is found, for the modes that continue the array; NaN where it is
/// NaN, or infinite on an axis that repeats. The remainders are exact.
KOKKOS_INLINE_FUNCTION double continued_coordinate(boundary::mode mode, double c, std::int64_t n) {
  const auto length = static_cast<double>(n);
  if (c >= 0 && c <= length - 1) return c;
  if (mode == boundary::mode::nearest) return c < 0 ? 0.0 : c > 0 ? length - 1 : c;
  if (mode == boundary::mode::mirror) {
    const double m = n > 1 ? Kokkos::fmod(Kokkos::abs(c), 2 * length - 2) : 0 * c;
    return m >= (c < 0 ? length - 1 : length) ? 2 * length - 2 - m : m;  // SciPy's choice of two nearest elements
  }
  const double period = mode == boundary::mode::wrap ? length : 2 * length;
  double m = Kokkos::fmod(c, period);
  if (m < 0) m += period;
  return mode == boundary::mode::reflect && m > length - 0.5 ? 2 * length - 1 - m : m;
}

/// The value at coordinates of an array of T, as a value Out.
template <int Rank, class T, class Out>
struct interpolated {
  using sum = std::conditional_t<is_complex<T>, Kokkos::complex<double>, double>;
  const T* data;
  std::int64_t n[Rank], stride[Rank];
  boundary::mode mode[Rank][2];  // below and above
  T constant[Rank][2];
  bool linear;

  /// The two elements beside a coordinate of an axis, constants being number -1 and -2; a weight of 0 is of none.
  struct elements {
    std::int64_t number[2];
    double weight[2];
  };
  enum class region { inside, left_alone, nowhere };

  template <class... C>
  KOKKOS_FUNCTION Out operator()(const C&... c) const {
    return at(Out(0), convert<double>(c)...);
  }
  /// The value, or `otherwise` where cells are left as they are.
  template <class... C>
  KOKKOS_FUNCTION Out at(const Out& otherwise, C... c) const {
    const double where[Rank] = {c...};
    elements beside[Rank];
    bool nowhere = false;
    for (int d = 0; d < Rank; ++d) {
      const region r = find(beside[d], d, where[d]);
      if (r == region::left_alone) return otherwise;
      nowhere |= r == region::nowhere;
    }
    if (nowhere) return no_value();
    if (!linear) return nearest(element(beside, 0));
    sum s(0);
    for (int corner = 0; corner < 1 << Rank; ++corner) {
      double weight = 1;
      for (int d = 0; d < Rank; ++d) weight *= beside[d].weight[corner >> d & 1];
      if (weight != 0) s += weight * convert<sum>(element(beside, corner));
    }
    return rounded(s);
  }

 private:
  KOKKOS_FUNCTION region find(elements& e, int d, double c) const {
    const boundary::mode beyond = mode[d][c < 0 ? 0 : 1];
    const bool inside = c >= 0 && c <= static_cast<double>(n[d] - 1);
    if (!inside && beyond == boundary::mode::keep) return region::left_alone;
    if (beyond == boundary::mode::constant) {
      // What is further away than the next element has its value, NaN that above.
      const auto last = static_cast<double>(n[d]);
      c = c < -1 ? -1.0 : c <= last ? c : last;
    } else {
      c = continued_coordinate(beyond, c, n[d]);
      if (is_nan(c)) return region::nowhere;
    }
    const double first = Kokkos::floor(linear ? c : c + 0.5);
    e.weight[0] = linear ? 1 - (c - first) : 1;
    e.weight[1] = linear ? c - first : 0;
    for (int k = 0; k < 2; ++k) {
      std::int64_t i = static_cast<std::int64_t>(first) + k;
      const bool outside = i < 0 || i >= n[d];
      if (outside && beyond == boundary::mode::constant) {
        e.number[k] = i < 0 ? -1 : -2;
      } else {
        if (outside) i = continued(beyond, i, n[d]);  // at either end, where the coordinate was reflected to
        e.number[k] = Kokkos::clamp<std::int64_t>(i, 0, n[d] - 1);
      }
    }
    return region::inside;
  }
  /// One of the elements at the corners; of constants, that of the last axis.
  KOKKOS_FUNCTION T element(const elements (&beside)[Rank], int corner) const {
    std::int64_t offset = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      const std::int64_t i = beside[d].number[corner >> d & 1];
      if (i < 0) return constant[d][-1 - i];
      offset += i * stride[d];
    }
    return data[offset];
  }
  KOKKOS_FUNCTION static Out nearest(const T& v) {
    if constexpr (std::is_integral_v<T>) {
      const auto same = convert<Out>(v);
      if (convert<T>(same) == v && (same < Out(0)) == (v < T(0))) return same;
    }
    return rounded(convert<sum>(v));
  }
  /// Integers are the nearest ones, halves away from zero, or the ends of the type.
  KOKKOS_FUNCTION static Out rounded(const sum& s) {
    if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool>) {
      if (is_nan(s)) return no_value();
      const double nearest = Kokkos::round(s);
      const auto least = Kokkos::Experimental::finite_min_v<Out>, most = Kokkos::Experimental::finite_max_v<Out>;
      if (!(nearest > static_cast<double>(least))) return least;
      return nearest < static_cast<double>(most) ? static_cast<Out>(nearest) : most;
    } else {
      return convert<Out>(s);
    }
  }
  KOKKOS_FUNCTION static Out no_value() {
    if constexpr (std::is_integral_v<Out>) return Out(0);
    else return Out(Kokkos::Experimental::quiet_NaN_v<float>);
  }
};

/// The same where results outside are what `out` holds.
template <class F>
struct interpolated_or_previous {
  F f;
  template <class Out, class... C>
  KOKKOS_FUNCTION Out operator()(const Out& previous, const C&... c) const {
    return f.at(previous, convert<double>(c)...);
  }
};

/// The functor of an array with what continues it.
template <int Rank, class Out, class T>
auto interpolated_array(const std::string& label, const strided<const T>& in, const boundaries& edge, int order) {
  if (order != 0 && order != 1) throw Error(label, "a spline of order " + std::to_string(order) + ", expected 0 or 1");
  if (edge.is_box() || (edge.count() != 1 && edge.count() != Rank))
    throw Error(label, "boundaries that are not those of an array of rank " + std::to_string(Rank));
  interpolated<Rank, T, Out> f{in.data, {}, {}, {}, {}, order == 1};
  for (int d = 0; d < Rank; ++d) {
    check_no_ghost_modes(label, edge, d);
    wraps_around(label, edge, d);
    f.n[d] = in.extents.extent[d];
    f.stride[d] = in.stride[d];
    for (int side = 0; side < 2; ++side) {
      const boundary& b = side == 0 ? edge.axis(d).low : edge.axis(d).high;
      f.mode[d][side] = b.kind();
      if (b.kind() == boundary::mode::constant) f.constant[d][side] = b.value_for<T>(label);
    }
  }
  return f;
}

/// Calls f with the coordinates along each axis of an array of that rank: those of `components`, or the parts of a View
/// along its first axis.
template <int Rank, class Call, class... C, class F>
void with_coordinates(const Call&, const shape&, const std::tuple<C...>& each, const F& f) {
  constexpr bool fits = sizeof...(C) == Rank;
  static_assert(fits, "quern::map_coordinates: there must be coordinates along each axis of in");
  if constexpr (fits) unpack(f, each);
}
template <int Rank, class Call, view_like V, class F>
void with_coordinates(const Call& c, const shape& results, const V& view, const F& f) {
  const auto all = c.input(view);
  if (results.rank == max_rank)
    throw Error(c.label, "out has rank " + std::to_string(results.rank) + ", for which coordinates must be components");
  shape expected{Rank};
  for (int d = 0; d < results.rank; ++d) expected.extent[expected.rank++] = results.extent[d];
  check_extents(c.label, "the coordinates", all.extents, expected);
  [&]<int... D>(std::integer_sequence<int, D...>) {
    f(array_input<memory_type<V>>{without_first_axis(all, D)}...);
  }(std::make_integer_sequence<int, Rank>());
}

template <class T>
inline constexpr bool are_coordinates = view_like<T>;
template <class... C>
inline constexpr bool are_coordinates<std::tuple<C...>> = (operand<C> && ...);

template <class Exec, class Out, class In, class C>
void map_coordinates_call(const operation_name& label, const Exec& exec, const Out& out, const In& in, const C& where,
                          const boundaries& edge, int order) {
  constexpr int rank = rank_of<In>;
  constexpr bool fits = rank >= 1 && rank <= 3 && (is_complex<value_of<Out>> || !is_complex<value_of<In>>);
  static_assert(fits, "quern::map_coordinates: in must have rank 1 to 3, and values that convert to those of out");
  if constexpr (fits && reads_memory<In>()) {
    const call c(label, exec);
    const auto x = c.input(in);
    const auto to = c.output(out);
    const auto f = interpolated_array<rank, value_of<Out>>(c.label, strided<const value_of<In>>(x), edge, order);
    if (x.extents.size() == 0 && to.extents.size() > 0)
      reject_extents(c.label, "in", x.extents, "at least one element");
    check_overlap(c.label, to, x, "in", false);
    bool keeps = false;
    for (const auto& sides : f.mode) keeps |= sides[0] == boundary::mode::keep || sides[1] == boundary::mode::keep;
    with_coordinates<rank>(c, to.extents, where, [&](const auto&... each) {
      if (keeps)
        map_checked(c.label, exec, out, interpolated_or_previous<std::remove_const_t<decltype(f)>>{f}, out, each...);
      else map_checked(c.label, exec, out, f, each...);
    });
  }
}

}  // namespace impl

/// Coordinates of an array's elements: `components(rows, columns)`, arrays that broadcast to the output and may be
/// lazy, or a View whose first axis counts the axes of the array.
template <class T>
concept element_coordinates = impl::are_coordinates<std::remove_cvref_t<T>>;

/// `out(i...) = in(c_0(i...), c_1(i...), ...)`, the value between the elements of an array at coordinates that need not
/// be integers (SciPy's `map_coordinates`): by lines between the elements along each axis, or, with `spline_order{0}`,
/// of the nearest element, of two the one of the greater index: `map_coordinates(exec, rotated, photo, components(rows,
/// columns), boundary::reflect)`.
///
/// @param out         a View of any rank
/// @param in          a View of rank 1 to 3
/// @param coordinates `components(c_0, c_1, ...)`, one for each axis of `in`, or one View of out's extents behind an
///                    axis for these, `coordinates(d, i...)`
/// @param edge        the values beyond the array, as for `quern::stencil`. `wrap` and `constant` are SciPy's
///                    `grid-wrap` and `grid-constant`; with `keep`, results at coordinates outside stay what they are:
///                    after `fill(out, value)` this is SciPy's `constant`
/// @param options     `spline_order{0}`; 1 without it
///
/// Computed in double; complex values in complex numbers of doubles. Integers become the nearest ones, halves away from
/// zero, and the ends of their type beyond it. An element with the weight 0, as that beyond a coordinate that is an
/// integer, has no effect. Where a coordinate is NaN, or infinite along an axis that repeats, the result is NaN, of
/// integers 0; at a constant it is that, and `keep` keeps it. One kernel without scratch memory, asynchronous on
/// `exec`.
/// @throws Error if extents, boundaries or order do not fit, `in` has no element, or `out` shares memory with `in`
template <execution_space Exec, view_like Out, array_like In, element_coordinates C, option<spline_order>... Options>
void map_coordinates(const Exec& exec, const Out& out, const In& in, const C& coordinates, const boundaries& edge,
                     const Options&... options) {
  impl::map_coordinates_call("quern::map_coordinates", exec, out, in, coordinates, edge,
                             impl::option_or(spline_order{1}, options...).value);
}
template <view_like Out, array_like In, element_coordinates C, option<spline_order>... Options>
void map_coordinates(const Out& out, const In& in, const C& coordinates, const boundaries& edge,
                     const Options&... options) {
  map_coordinates(impl::space_of(out), out, in, coordinates, edge, options...);
}
QUERN_TAKES_NAME_NOT(place, map_coordinates)

}  // namespace quern

#endif
