// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_OPERATORS_HPP
#define QUERN_STENCIL_OPERATORS_HPP

/// @file
/// Differential operators by central differences of second (the default) or fourth order on a uniform grid:
///
/// | call | what it does |
/// | --- | --- |
/// | `laplacian(exec, out, u, spacing, edge)` | asynchronous on `exec`, one stencil |
/// | `laplacian<4>(exec, out, u, spacing, edge)` | of fourth order: reaches 2 cells |
/// | `laplacian(out, u, spacing, edge)` | on a default instance of out's execution space |
///
/// `spacing` is the distance of cells, one for all axes or one for each, `{dz, dy, dx}`; `edge` the values beyond the
/// array, as for `quern::stencil`. Arrays have equal extents and rank 1 to 3, and are where `quern::stencil` takes
/// them: in chunks, where an option `chunking` stands last and there is one output, and over ranks, whose halos are as
/// wide as the differences reach. Computed in the type of `u`, for integers in double. `gradient` without `edge` is
/// NumPy's, of arrays that nothing continues.
///
/// @throws Error as `quern::stencil`, and if a spacing is zero or not finite, or if its
/// inverse, or the square of that for `laplacian`, is so in the type of the differences

#include <quern/core/call/label.hpp>
#include <quern/stencil/one_sided.hpp>

namespace quern {

namespace impl {

// Functors of differences along axes D, which multiply by the inverse spacing, or its square.

template <class S, int Order, std::size_t... D>
struct gradient_of {
  static constexpr int rank = sizeof...(D);
  S inverse[rank];
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    if constexpr (rank == 1) return inverse[0] * central_difference<1, 0, Order, S>::first(w);
    else return Kokkos::Array<S, rank>{(inverse[D] * central_difference<rank, D, Order, S>::first(w))...};
  }
};

template <class S, int Order, std::size_t... D>
struct laplacian_of {
  S inverse[sizeof...(D)];
  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& w) const {
    return (... + (inverse[D] * central_difference<sizeof...(D), D, Order, S>::second(w)));
  }
};

template <class S, int Order, std::size_t... D>
struct divergence_of {
  S inverse[sizeof...(D)];
  template <class... Window>
    requires(sizeof...(Window) == sizeof...(D))
  KOKKOS_FUNCTION S operator()(const Window&... component) const {
    return (... + (inverse[D] * central_difference<sizeof...(D), D, Order, S>::first(component)));
  }
};

/// Calls a stencil with the functor `Of` and the inverse spacings, to a power.
template <template <class, int, std::size_t...> class Of, int Order, class S, class Exec, class... Out, class... In,
          class... Options>
void difference_call(const operation_name& label, const Exec& exec, const std::tuple<Out...>& out,
                     const per_axis<double>& spacing, int power, const boundaries& edge,
                     const std::tuple<const In&...>& in, const Options&... options) {
  static_assert(Order == 2 || Order == 4, "quern: differences are of order 2 or 4");
  constexpr int rank = rank_of<std::tuple_element_t<0, std::tuple<In...>>>;
  static_assert(rank >= 1 && rank <= 3, "quern: differences take Views of rank 1, 2 or 3, known when compiling");
  if constexpr (rank >= 1 && rank <= 3) {
    unpack(
        [&](const auto&... arrays) {
          compare_calls<stencils>(label, [&] { return text_of_spacing(spacing); }, out, arrays...);
        },
        in);
    const auto distance = spacing.template all<rank>(label);
    using real = real_type<S>;
    const auto inverse = [&](std::size_t d) {
      const double power_of_distance = power == 2 ? distance[d] * distance[d] : distance[d];
      const auto factor = static_cast<real>(1 / power_of_distance);  // what differences are multiplied by
      if constexpr (converts<real, double>)
        check_spacing(label, distance[d], convert<double>(factor), static_cast<int>(d));
      else check_spacing(label, distance[d], 1 / power_of_distance, static_cast<int>(d));
      return static_cast<S>(factor);
    };
    const auto f = [&]<std::size_t... D>(std::index_sequence<D...>) {
      return Of<S, Order, D...>{{inverse(D)...}};
    }(std::make_index_sequence<rank>());
    engine_of<stencils, Out..., In...>::run(label, star<Order / 2>(), exec, out, f, edge, in, options...);
  }
}

}  // namespace impl

/// The gradient of u: an output for each axis, `gradient(exec, outputs(gz, gy, gx), u, spacing, edge)`, or one View in
/// one dimension.
template <int Order = 2, execution_space Exec, output_like Out, any_array In, impl::place_option... Options>
void gradient(const Exec& exec, const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge,
              const Options&... options) {
  const auto all = impl::as_outputs(out);
  constexpr int rank = impl::rank_of<In>;
  static_assert(rank < 0 || std::tuple_size_v<decltype(all)> == rank, "quern::gradient: one output for each axis");
  using S = impl::difference_type<impl::value_of<In>>;
  impl::difference_call<impl::gradient_of, Order, S>("quern::gradient", exec, all, spacing, 1, edge, std::tie(u),
                                                     options...);
}
template <int Order = 2, output_like Out, any_array In, impl::place_option... Options>
void gradient(const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge,
              const Options&... options) {
  gradient<Order>(impl::space_of(out, u), out, u, spacing, edge, options...);
}

/// The gradient of an array that nothing continues (NumPy's `gradient`): central differences of second order inside,
/// `(u(i + 1) - u(i - 1)) / (2 h)`, and one-sided ones at the edges, `(u(1) - u(0)) / h`, or with `edge_order<2>`
/// `(4 u(1) - 3 u(0) - u(2)) / (2 h)`.
///
/// @param out     an output for each axis, `outputs(gy, gx)`, one array in one dimension
/// @param spacing one for all axes of the call, or one for each
/// @param options `axes{2, 0}`: along these alone, an output for each in this order; `edge_order<2>`
///
/// Places, asynchrony and memory are those of `stencil`: over ranks halos of one layer, with `edge_order<2>` of two; in
/// chunks one output. Arrays of more than three axes are in memory, and take three kernels for each output.
/// @throws Error if the number of axes is not that of the outputs, one is out of range or repeated, or has fewer cells
/// than 2, with `edge_order<2>` than 3; if a spacing is zero or not finite, in float where u is of float; and as
/// `stencil`
template <execution_space Exec, output_like Out, any_array In, call_option<axes, edge_order_t>... Options>
void gradient(const Exec& exec, const Out& out, const In& u, const per_axis<double>& spacing,
              const Options&... options) {
  const impl::operation_name label = "quern::gradient";
  const auto more = [&] {
    return impl::text_of_gradient(impl::find_option<axes>(options...), impl::rank_of<In>,
                                  impl::order_at_edges<Options...>) +
           impl::text_of_spacing(spacing);
  };
  impl::compare_calls<impl::stencils>(label, more, out, u);
  const auto distance = spacing.all<std::tuple_size_v<decltype(impl::as_outputs(out))>>(label);
  const auto axis_of = [&](int k, int axis, std::int64_t n) {
    using real = impl::real_type<impl::difference_type<impl::value_of<In>>>;
    const auto divisor = impl::convert<double>(static_cast<real>(distance[k]));
    impl::check_spacing(label, divisor, 1, axis);
    return impl::even_axis{axis, n, distance[k]};
  };
  impl::one_sided_call(label, exec, out, u, axis_of, options...);
}
template <output_like Out, any_array In, call_option<axes, edge_order_t>... Options>
void gradient(const Out& out, const In& u, const per_axis<double>& spacing, const Options&... options) {
  gradient(impl::space_of(out, u), out, u, spacing, options...);
}

/// The same on a grid whose cells are at `points`, a View of rank 1 of the coordinates along each axis of the call, as
/// many as it has cells: `gradient(exec, outputs(gy, gx), u, components(y, x))`, or one View for one axis.
///
/// Inside it is the slope of the parabola through a cell and its neighbours, which is of second order where distances
/// change smoothly; between neighbours in equal distances it does not depend on the cell, be it NaN. At the edges it is
/// the one-sided difference, or with `edge_order<2>` the slope of the parabola through three cells. Computed in double.
/// In chunks and over ranks, each rank has the points of the whole grid. They are not checked: where two neighbours are
/// equal, the result is infinite or NaN.
/// @throws Error as with a spacing, and if the points along an axis are not as many as its cells, or an output
/// shares memory with them
template <execution_space Exec, output_like Out, any_array In, input_like Points,
          call_option<axes, edge_order_t>... Options>
void gradient(const Exec& exec, const Out& out, const In& u, const Points& points, const Options&... options) {
  const impl::operation_name label = "quern::gradient";
  impl::one_sided_on_points(label, exec, out, u, impl::as_outputs(points), options...);
}
template <output_like Out, any_array In, input_like Points, call_option<axes, edge_order_t>... Options>
void gradient(const Out& out, const In& u, const Points& points, const Options&... options) {
  gradient(impl::space_of(out, u), out, u, points, options...);
}
QUERN_TAKES_NAME_WITH(gradient, int Order, Order)

/// The Laplacian of u: the sum of its second derivatives along all axes.
template <int Order = 2, execution_space Exec, result_view Out, any_array In, call_option<>... Options>
void laplacian(const Exec& exec, const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge,
               const Options&... options) {
  using S = impl::difference_type<impl::value_of<In>>;
  impl::difference_call<impl::laplacian_of, Order, S>("quern::laplacian", exec, std::tuple<Out>(out), spacing, 2, edge,
                                                      std::tie(u), options...);
}
template <int Order = 2, result_view Out, any_array In, call_option<>... Options>
void laplacian(const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge,
               const Options&... options) {
  laplacian<Order>(impl::space_of(out, u), out, u, spacing, edge, options...);
}
QUERN_TAKES_NAME_WITH(laplacian, int Order, Order)

/// The divergence of a vector field, of which `field` has an array of each component in the order of the axes:
/// `divergence(exec, out, components(w, v, u), spacing, edge)`; one array in one dimension.
template <int Order = 2, execution_space Exec, result_view Out, output_like Field, call_option<>... Options>
void divergence(const Exec& exec, const Out& out, const Field& field, const per_axis<double>& spacing,
                const boundaries& edge, const Options&... options) {
  const auto run = [&](const auto&... component) {
    constexpr int rank = impl::rank_of<Out>;
    static_assert(rank < 0 || sizeof...(component) == rank, "quern::divergence: one component for each axis");
    using S = std::common_type_t<impl::difference_type<impl::value_of<decltype(component)>>...>;
    impl::difference_call<impl::divergence_of, Order, S>("quern::divergence", exec, std::tuple<Out>(out), spacing, 1,
                                                         edge, std::tie(component...), options...);
  };
  impl::unpack(run, impl::as_outputs(field));
}
template <int Order = 2, result_view Out, output_like Field, call_option<>... Options>
void divergence(const Out& out, const Field& field, const per_axis<double>& spacing, const boundaries& edge,
                const Options&... options) {
  divergence<Order>(impl::space_of(out, field), out, field, spacing, edge, options...);
}
QUERN_TAKES_NAME_WITH(divergence, int Order, Order)

}  // namespace quern

#endif
