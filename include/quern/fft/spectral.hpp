// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_SPECTRAL_HPP
#define QUERN_FFT_SPECTRAL_HPP

/// @file
/// What is computed in the space of wave numbers: derivatives, spectra, and Poisson's equation.

#include <quern/core/call/label.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/fft/cosine.hpp>
#include <quern/keyed/bins.hpp>
#include <quern/keyed/histogram.hpp>

namespace quern {

/// The order of a derivative, 1 or more: `spectral_derivative(exec, out, in, derivative_order{2})`; 1 without it.
struct derivative_order {
  using option_of = impl::any_place;
  int value;
};

namespace impl::fourier {

/// The frequency of element i of n, in a whole spectrum or a halved one.
KOKKOS_INLINE_FUNCTION std::int64_t frequency_of(std::int64_t i, std::int64_t n) { return 2 * i > n ? i - n : i; }

/// Multiplies with (i k)^order, in rows of a spectrum that are `row` complex numbers long, of n points; `wave` is the k
/// of frequency 1.
template <class T>
struct differentiation {
  using C = Kokkos::complex<T>;
  C* spectrum;
  row_division rows;
  std::int64_t n;
  T wave;
  int order;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int64_t i;
    rows(e, i);
    const std::int64_t k = frequency_of(i, n);
    // The frequency n / 2 has no sign: its odd derivatives are 0 at all points.
    const bool vanishes = order % 2 == 1 && 2 * i == n;
    const T factor = vanishes ? T(0) : static_cast<T>(Kokkos::pow(wave * static_cast<T>(k), order));
    const C v = spectrum[e] * factor;
    spectrum[e] = order % 4 == 0   ? v
                  : order % 4 == 1 ? C(-v.imag(), v.real())
                  : order % 4 == 2 ? -v
                                   : C(v.imag(), -v.real());
  }
};

/// The whole number that is nearest to the length of the wave vector of an element.
template <int Rank>
struct shell_of {
  Kokkos::Array<std::int64_t, Rank> n;
  template <class T>
  KOKKOS_FUNCTION std::int64_t operator()(const Kokkos::Array<std::int64_t, Rank>& i, const T&) const {
    double sum = 0;
    for (int d = 0; d < Rank; ++d) {
      const auto k = static_cast<double>(frequency_of(i[d], n[d]));
      sum += k * k;
    }
    return static_cast<std::int64_t>(Kokkos::sqrt(sum) + 0.5);
  }
};
/// How often an element of a halved spectrum stands in the whole one.
template <int Rank>
struct multiplicity {
  std::int64_t n;
  template <class T>
  KOKKOS_FUNCTION std::int64_t operator()(const Kokkos::Array<std::int64_t, Rank>& i, const T&) const {
    return i[Rank - 1] == 0 || 2 * i[Rank - 1] == n ? 1 : 2;
  }
};
template <int Rank, class T>
struct power_of {
  multiplicity<Rank> times;
  double factor;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, Rank>& i, const Kokkos::complex<T>& f) const {
    return static_cast<double>(times(i, f)) * factor *
           (static_cast<double>(f.real()) * f.real() + static_cast<double>(f.imag()) * f.imag());
  }
};

template <class P>
void check_shells(const std::string& label, const strided<P>& power) {
  static_assert(std::is_floating_point_v<P>, "quern::power_spectrum: power must be of float or double");
  if (power.extents.rank != 1) reject_extents(label, "power", power.extents, "rank 1");
}
template <class P, class M>
void check_shells(const std::string& label, const strided<P>& power, const strided<M>& modes) {
  static_assert(std::is_integral_v<M> && sizeof(M) >= 4,
                "quern::power_spectrum: modes must be of integers of 32 or 64 bits");
  check_shells(label, power);
  check_extents(label, "modes", modes.extents, power.extents, ", those of power");
  check_overlap(label, power, modes, "modes", false);
}

}  // namespace impl::fourier

/// The derivative of a periodic function along an axis: of the trigonometric polynomial through its values at n points
/// of equal distances, `out = d^p in / dx^p`, p the order. Exact, except for rounding errors, for what n points
/// resolve.
///
/// @param out,in  real, or both complex, Views of the same extents and any layout; they may be the same View. `in` is
///                converted to the precision of out, float or double
/// @param options `axis{d}`, by default the last one, `derivative_order{p}` and `period{length}`
///
/// Rounding errors grow as the order-th power of n. Asynchronous on `exec`.
/// @throws Error if extents differ, the order is below 1, the length is not positive and finite, or as `fft`
template <execution_space Exec, view_like Out, view_like In, option<axis, derivative_order, period>... Options>
void spectral_derivative(const Exec& exec, const Out& out_view, const In& in_view, const Options&... options) {
  using namespace impl;
  using namespace impl::fourier;
  using T = value_of<Out>;
  using R = real_type<T>;
  static_assert(is_result<T> && (is_complex<T> || !is_complex<value_of<In>>),
                "quern::spectral_derivative: out must be of float or double, and complex where in is");
  call c("quern::spectral_derivative", exec);
  const auto out = c.output(out_view);
  const strided<const value_of<In>> in = c.input(in_view);
  const int times = option_or(derivative_order{1}, options...).value;
  const double length = option_or(period{2 * std::numbers::pi}, options...).value;
  if (times < 1) throw Error(c.label, "order " + std::to_string(times) + ", expected 1 or more");
  if (!(length > 0 && std::isfinite(length)))
    throw Error(c.label, "the length of the period must be positive and finite");
  constexpr kind there = is_complex<T> ? kind::forward : kind::real_to_complex;
  constexpr kind back = is_complex<T> ? kind::backward : kind::complex_to_real;
  request r = request_of(c.label, there, out.extents, in.extents, transform_options(options...), 1);
  check_extents(c.label, "out", out.extents, in.extents);
  check_overlap(c.label, out, in, "in", std::is_same_v<T, value_of<In>>);
  if (in.extents.size() == 0) return;
  const launcher<Exec> launch{exec};
  const auto order = transformed_last(r, in.extents.rank);
  const auto to = permuted(out, order);
  const auto from = permuted(in, order);
  r.axis[0] = in.extents.rank - 1;
  const scratch_copy<Exec, Kokkos::complex<R>> spectrum(exec, r.result_of(from.extents));
  const auto& s = spectrum.array();
  run(c.label, launch, s, from, r);
  const std::int64_t n = r.length[0], row = s.extents.extent[s.extents.rank - 1];
  for_elements(launch, "quern::spectral_derivative", s.extents.size(),
               differentiation<R>{
                   s.data, {s.extents.size() / row, row}, n, static_cast<R>(2 * std::numbers::pi / length), times});
  r.what = back;
  run(c.label, launch, to, s, r);
}
QUERN_TRANSFORM_FORMS(spectral_derivative, view_like, view_like, option<axis, derivative_order, period>)
QUERN_REJECTS(place, spectral_derivative)

/// The power spectrum of a real periodic field of rank 1 to 3, summed over spherical shells of wave vectors:
/// `power(s) = sum |F(k)|^2 / N^2` over all k whose length is nearest to s, in whole waves along each axis, F the
/// transform of the N values. By Parseval's theorem the sum of all shells is the mean square of the field. Waves beyond
/// the last element of `power` are left out.
///
/// @param power of rank 1, of float or double; `outputs(power, modes)` also counts the wave vectors of each shell, in
///              integers of 32 or 64 bits, so that power(s) / modes(s) is the mean over the shell
/// @param field of float or double, any layout
///
/// Sums are formed in double, in an order that changes from call to call. Asynchronous on `exec`.
/// @throws Error if power is not of rank 1, modes have other extents, or the field is empty
template <execution_space Exec, output_like Out, view_like In>
void power_spectrum(const Exec& exec, const Out& out, const In& field) {
  using namespace impl;
  using namespace impl::fourier;
  using T = value_of<In>;
  constexpr int rank = rank_of<In>;
  static_assert(rank >= 1 && rank <= 3, "quern::power_spectrum: the field must be of rank 1 to 3");
  static_assert(is_result<T> && !is_complex<T>, "quern::power_spectrum: the field must be of float or double");
  const std::string& label = impl::label_text("quern::power_spectrum");
  const auto outs = as_outputs(out);
  static_assert(std::tuple_size_v<decltype(outs)> <= 2, "quern::power_spectrum: outputs are the power and the modes");
  call c(label, exec);
  const auto in = c.input(field);
  std::apply([&](const auto&... o) { check_shells(label, c.output(o)...); }, outs);
  if (in.extents.size() == 0) throw Error(label, "the field has extents " + in.extents.str());
  const request r = request::along_all(kind::real_to_complex, in.extents);
  Kokkos::Array<std::int64_t, rank> n;
  std::copy_n(r.length.begin(), rank, &n[0]);
  const scratch_copy<Exec, Kokkos::complex<T>> spectrum(exec, r.result_of(in.extents));
  run(label, launcher<Exec>{exec}, spectrum.array(), in, r);
  const auto elements = as_part<Exec, rank, Kokkos::LayoutRight>(spectrum.array());
  const double size = static_cast<double>(in.extents.size());
  const multiplicity<rank> times{n[rank - 1]};
  const auto in_shells = [&](const auto& result, const auto& weight) {
    with_bins(exec, label, result, own_bin{view_extents(result).size()}, lazy(shell_of<rank>{n}, positions(), elements),
              weight);
  };
  in_shells(std::get<0>(outs), lazy(power_of<rank, T>{times, 1 / (size * size)}, positions(), elements));
  if constexpr (std::tuple_size_v<decltype(outs)> > 1) in_shells(std::get<1>(outs), lazy(times, positions(), elements));
}

template <output_like Out, view_like In>
void power_spectrum(const Out& out, const In& field) {
  power_spectrum(impl::space_of(field), out, field);
}
QUERN_TAKES_NAME_NOT(option_or_place, power_spectrum)

}  // namespace quern

#endif
