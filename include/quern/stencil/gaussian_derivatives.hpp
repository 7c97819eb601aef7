// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_GAUSSIAN_DERIVATIVES_HPP
#define QUERN_STENCIL_GAUSSIAN_DERIVATIVES_HPP

/// @file
/// Derivatives of arrays that a Gaussian smooths, after `scipy.ndimage`: `gaussian_laplace(exec, out, in, sigma,
/// edge)`, with a standard deviation in cells, for all axes or for each.

#include <quern/stencil/filter_engine.hpp>
#include <quern/stencil/filters.hpp>

namespace quern {
namespace impl {

/// The weights of a correlation with the derivative of that order, 1 or 2, of the Gaussian of these weights.
inline host_weights<double> gaussian_derivative(host_weights<double> weights, double sigma, int order) {
  const int radius = static_cast<int>(weights.size() / 2);
  const double inverse = 1 / (sigma * sigma);
  for (int i = -radius; i <= radius; ++i)
    weights[i + radius] *= order == 1 ? i * inverse : (i * inverse * i - 1) * inverse;
  return weights;
}

/// What the derivatives along the axes give together: their sum, or the root of the sum of their squares.
template <int Rank, class S, bool Sum>
struct joined_derivatives {
  template <class... Window>
  KOKKOS_FUNCTION S operator()(const Window&... w) const {
    if constexpr (Sum) return (value_at<Rank>(w, 0, 0, 0) + ...);
    else return Kokkos::sqrt((square(value_at<Rank>(w, 0, 0, 0)) + ...));
  }

 private:
  KOKKOS_FUNCTION static S square(const S& x) { return x * x; }
};

/// The derivatives of that order along each axis of what a Gaussian smooths, joined.
template <int Rank, int Order>
struct gaussian_derivatives {
  const std::string& label;
  std::array<double, Rank> sigma;
  std::array<host_weights<double>, Rank> smooth, derive;

  gaussian_derivatives(const std::string& operation, const per_axis<double>& sigmas, double truncate)
      : label(operation), sigma(sigmas.template all<Rank>(operation)) {
    for (int d = 0; d < Rank; ++d) {
      smooth[d] = derive[d] = gaussian_weights(label, sigma[d], truncate);
      if (sigma[d] > 1e-15) derive[d] = gaussian_derivative(smooth[d], sigma[d], Order);  // SciPy leaves others out
    }
  }
  run_time_box reach() const {
    run_time_box r;
    for (int d = 0; d < Rank; ++d) r.r[d] = static_cast<int>(smooth[d].size() / 2);
    return r;
  }
  std::string text() const {
    std::string s = " with sigma";
    for (const double v : sigma) s += " " + text_of(v);
    return s;
  }
  template <bool Reversed, class Exec, class Out, class In>
  void run(const filter_call<Rank, Reversed, Exec, Out, In>& call) const {
    static_assert(!is_complex<In>, "quern: derivatives of Gaussians are of real numbers");
    using W = std::conditional_t<std::is_same_v<In, float>, float, double>;
    using S = typename weighted_sum_of<In, W>::type;
    const std::int64_t size = call.in.extents.size();
    const scratch_array<Exec, S> memory(call.exec, Rank * size);
    const auto term = [&](int d) { return array_between<Rank, Reversed>(memory.data() + d * size, call.in.extents); };
    for (int d = 0; d < Rank; ++d) {
      std::array<host_weights<W>, Rank> weights;
      std::array<int, Rank> sizes;
      for (int e = 0; e < Rank; ++e) {
        const auto& w = e == d ? derive[e] : smooth[e];
        weights[e] = host_weights<W>(w.begin(), w.end());
        sizes[e] = static_cast<int>(w.size());
      }
      weighted_filter<S>(filter_call<Rank, Reversed, Exec, S, In>{call.exec, call.label, call.edges, term(d), call.in},
                         weights, sizes, false);
    }
    join<S>(call, term, std::make_index_sequence<Rank>());
  }

 private:
  template <class S, bool Reversed, class Exec, class Out, class In, class Term, std::size_t... D>
  void join(const filter_call<Rank, Reversed, Exec, Out, In>& call, const Term& term, std::index_sequence<D...>) const {
    const auto in = [&](int d) {
      const strided<S> t = term(d);
      return strided<const S>{t.data, t.extents, t.stride};
    };
    stencil_launch<run_time_box, Rank, Reversed>(call.exec, call.label, reach(),
                                                 joined_derivatives<Rank, S, Order == 2>(), call.edges,
                                                 std::tuple(call.out), in(static_cast<int>(D))...);
  }
};

template <int Order, class Exec, class Out, class In, class... Options>
void derivatives_call(const operation_name& operation, const Exec& exec, const Out& out, const In& in,
                      const per_axis<double>& sigma, const boundaries& edge, const Options&... options) {
  const std::string& label = operation;
  filter_by_engine(
      label, exec, out, edge, in,
      [&]<int Rank>(std::integral_constant<int, Rank>) {
        return gaussian_derivatives<Rank, Order>(label, sigma, option_or(truncate_at{4}, options...).value);
      },
      options...);
}

}  // namespace impl

/// The Laplacian of what a Gaussian smooths: the sum over the axes of correlations with the second derivative of a
/// Gaussian along the axis and with Gaussians along the others. A constant beyond the array continues it, so that its
/// derivatives are zero there; SciPy takes it for the value of each pass, which differs unless it is zero. Weights and
/// sums are float for arrays of float, else double; one result for each axis is in scratch memory. Places are those of
/// `minimum_filter`, windows those of `gaussian_filter`.
/// @throws Error as `gaussian_filter`
template <execution_space Exec, result_view Out, result_view In, call_option<truncate_at>... Options>
void gaussian_laplace(const Exec& exec, const Out& out, const In& in, const per_axis<double>& sigma,
                      const boundaries& edge, const Options&... options) {
  impl::derivatives_call<2>("quern::gaussian_laplace", exec, out, in, sigma, edge, options...);
}
template <result_view Out, result_view In, call_option<truncate_at>... Options>
void gaussian_laplace(const Out& out, const In& in, const per_axis<double>& sigma, const boundaries& edge,
                      const Options&... options) {
  gaussian_laplace(impl::space_of(out, in), out, in, sigma, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, gaussian_laplace)

/// The magnitude of the gradient of what a Gaussian smooths: the root of the sum over the axes of the squares of the
/// first derivatives; else as `gaussian_laplace`.
template <execution_space Exec, result_view Out, result_view In, call_option<truncate_at>... Options>
void gaussian_gradient_magnitude(const Exec& exec, const Out& out, const In& in, const per_axis<double>& sigma,
                                 const boundaries& edge, const Options&... options) {
  impl::derivatives_call<1>("quern::gaussian_gradient_magnitude", exec, out, in, sigma, edge, options...);
}
template <result_view Out, result_view In, call_option<truncate_at>... Options>
void gaussian_gradient_magnitude(const Out& out, const In& in, const per_axis<double>& sigma, const boundaries& edge,
                                 const Options&... options) {
  gaussian_gradient_magnitude(impl::space_of(out, in), out, in, sigma, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, gaussian_gradient_magnitude)

}  // namespace quern

#endif
