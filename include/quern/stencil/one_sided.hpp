// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ONE_SIDED_HPP
#define QUERN_STENCIL_ONE_SIDED_HPP

/// @file
/// First derivatives of arrays that nothing continues: central differences inside, one-sided ones at the edges.

#include <array>
#include <quern/core/call/call.hpp>
#include <quern/core/call/per_axis.hpp>
#include <quern/stencil/differences.hpp>
#include <quern/stencil/one_sided_slices.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern {

/// Of which order the one-sided differences at the edges are, `edge_order<1>`, the default, or `edge_order<2>`.
struct edge_order_t {
  using option_of = impl::any_place;
};
template <int Order>
struct edge_order_of : edge_order_t {
  static_assert(Order == 1 || Order == 2, "quern::gradient: differences at the edges are of order 1 or 2");
};
template <int Order>
inline constexpr edge_order_of<Order> edge_order{};

namespace impl {

/// Derivatives along all axes in their order, or along some, of windows of values that are computed in S.
template <int Rank, int Outputs, bool AllAxes, int EdgeOrder, class S, class Axis>
struct one_sided_gradient {
  using result = std::conditional_t<Axis::is_even, S, wide_difference<S>>;
  Kokkos::Array<Axis, Outputs> along;

  template <class Index, class Window>
  KOKKOS_FUNCTION auto operator()(const Index& at, const Window& w) const {
    if constexpr (Outputs == 1 && AllAxes) {
      return of<0>(along[0], at[0], w);
    } else if constexpr (Outputs == 1) {
      return derivative(along[0], at, w);
    } else if constexpr (AllAxes) {
      return of_all(std::make_integer_sequence<int, Rank>(), at, w);
    } else {
      Kokkos::Array<result, Outputs> some;
      for (int k = 0; k < Outputs; ++k) some[k] = derivative(along[k], at, w);
      return some;
    }
  }

 private:
  template <int... D, class Index, class Window>
  KOKKOS_FUNCTION auto of_all(std::integer_sequence<int, D...>, const Index& at, const Window& w) const {
    return Kokkos::Array<result, Rank>{of<D>(along[D], at[D], w)...};
  }
  template <class Index, class Window>
  KOKKOS_FUNCTION static result derivative(const Axis& a, const Index& at, const Window& w) {
    if constexpr (Rank > 2)
      if (a.axis == 2) return of<2>(a, at[2], w);
    if constexpr (Rank > 1)
      if (a.axis == 1) return of<1>(a, at[1], w);
    return of<0>(a, at[0], w);
  }
  template <int D, class Window>
  KOKKOS_FUNCTION static result of(const Axis& a, std::int64_t i, const Window& w) {
    // Where no value is looked up beyond the array, the cell is not at an edge, and loops have no condition.
    const int edge = is_within_array<Window> ? 0 : i == 0 ? -1 : i + 1 == a.n ? 1 : 0;
    if constexpr (Axis::is_even) return even<D>(static_cast<real_type<S>>(a.spacing), edge, w);
    else return uneven<D>(a, i, edge, w);
  }
  template <int D, class Window>
  KOKKOS_FUNCTION static S value(const Window& w, int i) {
    return central_difference<Rank, D, 2, S>::at(w, i);
  }

  template <int D, class Window>
  KOKKOS_FUNCTION static S even(const real_type<S>& spacing, int edge, const Window& w) {
    using R = real_type<S>;
    if (edge == 0) return (value<D>(w, 1) - value<D>(w, -1)) / (R(2) * spacing);
    if constexpr (EdgeOrder == 1) {
      if (edge < 0) return (value<D>(w, 1) - value<D>(w, 0)) / spacing;
      return (value<D>(w, 0) - value<D>(w, -1)) / spacing;
    } else {
      const R a = R(1.5) / spacing, b = R(2) / spacing, c = R(0.5) / spacing;
      if (edge < 0) return b * value<D>(w, 1) - a * value<D>(w, 0) - c * value<D>(w, 2);
      return a * value<D>(w, 0) - b * value<D>(w, -1) + c * value<D>(w, -2);
    }
  }

  template <int D, class Window>
  KOKKOS_FUNCTION static result uneven(const Axis& x, std::int64_t i, int edge, const Window& w) {
    const auto at = [&](int k) { return static_cast<result>(value<D>(w, k)); };
    const auto sum = [](const three_weights& by, const result& a, const result& b, const result& c) {
      return by.low * a + by.middle * b + by.high * c;
    };
    if (edge == 0) {
      const double a = x.distance(i - 1), b = x.distance(i);
      if (a == b) return (at(1) - at(-1)) / (a + b);  // the weight of the middle is 0, but it may be NaN or infinite
      return sum(weights_of_parabola(0, a, b), at(-1), at(0), at(1));
    }
    if constexpr (EdgeOrder == 1) {
      if (edge < 0) return (at(1) - at(0)) / x.distance(i);
      return (at(0) - at(-1)) / x.distance(i - 1);
    } else {
      if (edge < 0) return sum(weights_of_parabola(-1, x.distance(i), x.distance(i + 1)), at(0), at(1), at(2));
      return sum(weights_of_parabola(1, x.distance(i - 2), x.distance(i - 1)), at(-2), at(-1), at(0));
    }
  }
};

/// The axes of a gradient, one for each output: those of the option, or all.
/// @throws Error if there are other than `outputs` of them, one is out of range or repeated, or has too few cells
std::array<int, max_rank> gradient_axes(const std::string& label, const axes* wanted, int outputs, const shape& extents,
                                        int edge_order);

/// Distances, and what differences are multiplied by, are neither zero nor NaN nor infinite.
void check_spacing(const std::string& label, double distance, double factor, int axis);

/// The order of the edges that options ask for.
template <class... Options>
inline constexpr int order_at_edges = (std::is_same_v<Options, edge_order_of<2>> || ...) ? 2 : 1;

/// What tells of such a call beside its arrays, in the message of calls that differ between ranks; and of a spacing.
std::string text_of_gradient(const axes* wanted, int rank, int edge_order);
std::string text_of_spacing(const per_axis<double>& spacing);

/// Runs the gradient of u along axes that `axis_of(number, axis, n)` describes.
template <class Exec, class Out, class In, class AxisOf, class... Options>
void one_sided_call(const operation_name& label, const Exec& exec, const Out& out, const In& u, const AxisOf& axis_of,
                    const Options&... options) {
  constexpr int rank = rank_of<In>, order = order_at_edges<Options...>;
  constexpr int count = std::tuple_size_v<decltype(as_outputs(out))>;
  constexpr bool in_windows = rank >= 1 && rank <= 3, of_slices = rank > 3 && all_in_memory<Out, In>;
  static_assert(rank >= 1, "quern::gradient: the rank of in is 1 or more, known when compiling");
  static_assert(rank < 4 || of_slices, "quern::gradient: in chunks and over ranks, arrays have three axes at most");
  static_assert(rank < 1 || has_option<axes, Options...> || count == rank, "quern::gradient: one output for each axis");
  static_assert(!has_option<keep_axes_t, Options...>, "quern: the operation has no such option");
  constexpr int orders = (0 + ... + (is_option<edge_order_t, Options> ? 1 : 0));
  static_assert(orders <= 1, "quern: an option is given twice");
  if constexpr (in_windows || of_slices) {
    const shape extents = operand_extents(label, u);
    const auto along = gradient_axes(label, find_option<axes>(options...), count, extents, order);
    const auto described = [&](int k) { return axis_of(k, along[k], extents.extent[along[k]]); };
    if constexpr (of_slices) {
      gradient_of_slices<order>(label, exec, as_outputs(out), u, described);
    } else {
      using S = difference_type<value_of<In>>;
      using axis_type = decltype(axis_of(0, 0, 0));
      one_sided_gradient<rank, count, !has_option<axes, Options...>, order, S, axis_type> f;
      for (int k = 0; k < count; ++k) f.along[k] = described(k);
      std::apply(
          [&](const auto&... of_place) {
            engine_of<stencils, Out, In>::run(label, star<order>(), exec, as_outputs(out), with_position(f),
                                              boundary::nearest, std::tie(u), of_place...);
          },
          select_options<true>(options...));
    }
  }
}

/// The same on a grid whose cells are at points along each axis.
template <class Exec, class Out, class In, class First, class... More, class... Options>
void one_sided_on_points(const operation_name& label, const Exec& exec, const Out& out, const In& u,
                         const std::tuple<First, More...>& points, const Options&... options) {
  using X = value_of<First>;
  constexpr bool fits = 1 + sizeof...(More) == std::tuple_size_v<decltype(as_outputs(out))>;
  static_assert(fits, "quern::gradient: points along the axis of each output");
  constexpr bool alike = (std::is_same_v<X, value_of<More>> && ...);
  static_assert(alike, "quern::gradient: the points along all axes have one type");
  if constexpr (fits && alike) {
    const auto more = [&] {
      return text_of_gradient(find_option<axes>(options...), rank_of<In>, order_at_edges<Options...>) + ", points";
    };
    unpack([&](const auto&... v) { compare_calls<stencils>(label, more, out, u, values_to_compare(exec, v)...); },
           points);
    const call c(label, exec);
    const auto of_all = [&](const auto&... v) { return std::array<strided<const X>, sizeof...(v)>{c.input(v)...}; };
    const auto at = unpack(of_all, points);
    constexpr std::array name{"points along axis 0", "points along axis 1", "points along axis 2",
                              "points along axis 3", "points along axis 4", "points along axis 5",
                              "points along axis 6", "points along axis 7"};
    const auto axis_of = [&](int k, int axis, std::int64_t n) {
      if (at[k].extents != shape{n})  // else no text is made
        check_extents(label, name[axis], at[k].extents, shape{n});
      check_apart_from_whole<Exec>(label, out, at[k], name[axis]);
      return uneven_axis<X>{axis, n, at[k].data, at[k].stride[0]};
    };
    one_sided_call(label, exec, out, u, axis_of, options...);
  }
}

}  // namespace impl
}  // namespace quern

#endif
