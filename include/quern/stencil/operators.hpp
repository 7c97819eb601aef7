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
/// array, as for `quern::stencil`. Views have equal extents and rank 1 to 3. Computed in the type of `u`, for integers
/// in double.
///
/// @throws Error as `quern::stencil`, and if a spacing is zero or not finite

#include <quern/core/call/label.hpp>
#include <quern/stencil/filter_windows.hpp>
#include <quern/stencil/per_axis.hpp>

namespace quern {

namespace impl {

/// Differences of a window along one of its axes.
template <int Rank, int Axis, int Order, class S>
struct central_difference {
  template <class Window>
  KOKKOS_FUNCTION static S at(const Window& w, int i) {
    constexpr int axis = 3 - Rank + Axis;
    return static_cast<S>(value_at<Rank>(w, axis == 0 ? i : 0, axis == 1 ? i : 0, axis == 2 ? i : 0));
  }
  /// Times the spacing.
  template <class Window>
  KOKKOS_FUNCTION static S first(const Window& w) {
    if constexpr (Order == 2) return (at(w, 1) - at(w, -1)) / 2;
    else return (8 * (at(w, 1) - at(w, -1)) - (at(w, 2) - at(w, -2))) / 12;
  }
  /// Times its square.
  template <class Window>
  KOKKOS_FUNCTION static S second(const Window& w) {
    if constexpr (Order == 2) return at(w, 1) + at(w, -1) - 2 * at(w, 0);
    else return (16 * (at(w, 1) + at(w, -1)) - (at(w, 2) + at(w, -2)) - 30 * at(w, 0)) / 12;
  }
};

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

template <class T>
using difference_type = std::conditional_t<std::is_integral_v<T>, double, T>;

/// Calls a stencil with the functor `Of` and the inverse spacings, to a power.
template <template <class, int, std::size_t...> class Of, int Order, class S, class Exec, class... Out, class... In>
void difference_call(const operation_name& label, const Exec& exec, const std::tuple<Out...>& out,
                     const per_axis<double>& spacing, int power, const boundaries& edge, const In&... in) {
  static_assert(Order == 2 || Order == 4, "quern: differences are of order 2 or 4");
  constexpr int rank = known_rank<std::tuple_element_t<0, std::tuple<In...>>>();
  static_assert(rank >= 1 && rank <= 3, "quern: differences take Views of rank 1, 2 or 3, known when compiling");
  if constexpr (rank >= 1 && rank <= 3) {
    const auto distance = spacing.template all<rank>(label);
    const auto inverse = [&](std::size_t d) {
      if (!(std::isfinite(distance[d]) && distance[d] != 0))
        throw Error(label, "the spacing along axis " + std::to_string(d) + " is zero or not finite");
      return static_cast<S>(1 / (power == 2 ? distance[d] * distance[d] : distance[d]));
    };
    const auto f = [&]<std::size_t... D>(std::index_sequence<D...>) {
      return Of<S, Order, D...>{{inverse(D)...}};
    }(std::make_index_sequence<rank>());
    stencil_call(exec, label, star<Order / 2>(), out, f, edge, in...);
  }
}

}  // namespace impl

/// The gradient of u: an output for each axis, `gradient(exec, outputs(gz, gy, gx), u, spacing, edge)`, or one View in
/// one dimension.
template <int Order = 2, execution_space Exec, output_like Out, view_like In>
void gradient(const Exec& exec, const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge) {
  const auto all = impl::as_outputs(out);
  constexpr int rank = impl::known_rank<In>();
  static_assert(rank < 0 || std::tuple_size_v<decltype(all)> == rank, "quern::gradient: one output for each axis");
  using S = impl::difference_type<impl::value_of<In>>;
  impl::difference_call<impl::gradient_of, Order, S>("quern::gradient", exec, all, spacing, 1, edge, u);
}
template <int Order = 2, output_like Out, view_like In>
void gradient(const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge) {
  gradient<Order>(impl::space_of(out), out, u, spacing, edge);
}
QUERN_REJECTS(option_or_place, gradient)
QUERN_TAKES_NAME_WITH(gradient, int Order, Order)

/// The Laplacian of u: the sum of its second derivatives along all axes.
template <int Order = 2, execution_space Exec, view_like Out, view_like In>
void laplacian(const Exec& exec, const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge) {
  using S = impl::difference_type<impl::value_of<In>>;
  impl::difference_call<impl::laplacian_of, Order, S>("quern::laplacian", exec, std::tuple<Out>(out), spacing, 2, edge,
                                                      u);
}
template <int Order = 2, view_like Out, view_like In>
void laplacian(const Out& out, const In& u, const per_axis<double>& spacing, const boundaries& edge) {
  laplacian<Order>(impl::space_of(out), out, u, spacing, edge);
}
QUERN_REJECTS(option_or_place, laplacian)
QUERN_TAKES_NAME_WITH(laplacian, int Order, Order)

/// The divergence of a vector field, of which `field` has a View of each component in the order of the axes:
/// `divergence(exec, out, components(w, v, u), spacing, edge)`; one View in one dimension.
template <int Order = 2, execution_space Exec, view_like Out, input_like Field>
void divergence(const Exec& exec, const Out& out, const Field& field, const per_axis<double>& spacing,
                const boundaries& edge) {
  const auto run = [&](const auto&... component) {
    constexpr int rank = impl::known_rank<Out>();
    static_assert(rank < 0 || sizeof...(component) == rank, "quern::divergence: one component for each axis");
    using S = std::common_type_t<impl::difference_type<impl::value_of<decltype(component)>>...>;
    impl::difference_call<impl::divergence_of, Order, S>("quern::divergence", exec, std::tuple<Out>(out), spacing, 1,
                                                         edge, component...);
  };
  impl::unpack(run, impl::as_outputs(field));
}
template <int Order = 2, view_like Out, input_like Field>
void divergence(const Out& out, const Field& field, const per_axis<double>& spacing, const boundaries& edge) {
  divergence<Order>(impl::space_of(out), out, field, spacing, edge);
}
QUERN_REJECTS(option_or_place, divergence)
QUERN_TAKES_NAME_WITH(divergence, int Order, Order)

}  // namespace quern

#endif
