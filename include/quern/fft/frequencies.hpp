// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_FREQUENCIES_HPP
#define QUERN_FFT_FREQUENCIES_HPP

#include <cmath>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/fft/forms.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl::fourier {

/// The frequency of an element of a spectrum; `length` is that of the samples.
template <class T>
struct frequency_at {
  std::int64_t n, first_negative;
  T length;
  KOKKOS_FUNCTION T operator()(const Kokkos::Array<std::int64_t, 1>& i) const {
    return static_cast<T>(i[0] < first_negative ? i[0] : i[0] - n) / length;
  }
};
/// Frequencies of n samples of that distance, in the precision of `out`; those from `first_negative` on are negative.
template <class Exec, class Out>
void set_frequencies(const std::string& label, const Exec& exec, const Out& out, std::int64_t n,
                     std::int64_t first_negative, double spacing) {
  using T = value_of<Out>;
  const T length = static_cast<T>(static_cast<double>(n) * spacing);
  const bool divides = length != T(0) && std::isfinite(length);
  if (!std::isfinite(spacing) || spacing == 0 || (n > 0 && !divides))
    throw Error(label,
                "the spacing of samples is " + std::to_string(spacing) + ", expected a finite one that is not 0");
  map_checked(label, exec, out, frequency_at<T>{n, first_negative, length}, positions());
}

/// Halves of an axis change places: what is before the middle goes to the end.
template <class Exec, class Out, class In>
void roll(const operation_name& label, const Exec& exec, const Out& out_view, const In& in_view, const axes& along,
          bool inverse) {
  using T = value_of<Out>;
  static_assert(std::is_same_v<T, value_of<In>>, "quern::fftshift: out and in must have one value type");
  const call c(label, exec);
  const strided<T> out = c.output(out_view);
  const strided<const T> in = c.input(in_view);
  const int rank = in.extents.rank;
  const axis_set rolled = along.count == 0 ? axis_set::all() : axis_set(c.label, along, rank);
  check_extents(label, "out", out.extents, in.extents);
  check_overlap(label, out, in, "in", false);
  for (int part = 0; part < (1 << rank); ++part) {  // bit d: the second part along axis d
    strided<T> to = out;
    strided<const T> from = in;
    bool repeated = false;
    for (int d = 0; d < rank; ++d) {
      const bool second = (part >> d) & 1;
      const std::int64_t n = in.extents.extent[d], middle = inverse ? n / 2 : n - n / 2;
      if (!rolled.has(d)) {
        repeated = repeated || second;
        continue;
      }
      to.extents.extent[d] = second ? n - middle : middle;
      from.data += (second ? middle : 0) * from.stride[d];
      to.data += (second ? 0 : n - middle) * to.stride[d];
    }
    from.extents = to.extents;
    if (repeated || to.extents.size() == 0) continue;
    map_launch(exec, label, to, op::identity(), false, {to.stride, from.stride}, array_input<T>{from});
  }
}

}  // namespace impl::fourier

/// The frequencies of `fft`'s results in their order, in cycles per unit of the spacing of samples:
/// `0, 1, ..., (n - 1) / 2, -(n / 2), ..., -1`, divided by n times the spacing, where out has n elements. Asynchronous
/// on `exec`.
/// @throws Error if out is not of rank 1, or the spacing is 0 or not finite, also in the precision of out
template <execution_space Exec, view_like Out>
void fftfreq(const Exec& exec, const Out& out, double spacing = 1) {
  static_assert(std::is_floating_point_v<impl::value_of<Out>>, "quern::fftfreq: out must be of float or double");
  const shape extents = impl::view_extents(out);
  const std::int64_t n = extents.extent[0];
  impl::check_extents("quern::fftfreq", "out", extents, shape{n});
  impl::fourier::set_frequencies("quern::fftfreq", exec, out, n, (n + 1) / 2, spacing);
}
template <view_like Out>
void fftfreq(const Out& out, double spacing = 1) {
  fftfreq(impl::space_of(out), out, spacing);
}
QUERN_TAKES_NAME_NOT(option_or_place, fftfreq)

/// The frequencies of `rfft`'s results: `0, 1, ..., n / 2`, divided by n times the spacing, where out has n / 2 + 1
/// elements.
/// @throws Error if n is not positive, out is not of rank 1 and n / 2 + 1 elements, or the spacing is 0 or not finite
template <execution_space Exec, view_like Out>
void rfftfreq(const Exec& exec, const Out& out, std::int64_t n, double spacing = 1) {
  static_assert(std::is_floating_point_v<impl::value_of<Out>>, "quern::rfftfreq: out must be of float or double");
  if (n < 1) throw Error("quern::rfftfreq", "n is " + std::to_string(n) + ", expected 1 or more");
  impl::check_extents("quern::rfftfreq", "out", impl::view_extents(out), shape{n / 2 + 1}, " for this n");
  impl::fourier::set_frequencies("quern::rfftfreq", exec, out, n, n / 2 + 1, spacing);
}
template <view_like Out>
void rfftfreq(const Out& out, std::int64_t n, double spacing = 1) {
  rfftfreq(impl::space_of(out), out, n, spacing);
}
QUERN_TAKES_NAME_NOT(option_or_place, rfftfreq)

/// Moves the frequency 0 to the middle of the axes, to element n / 2, in a copy: `out((i + n / 2) mod n) = in(i)` along
/// all axes, or those that are named. `ifftshift` moves it back. Asynchronous on `exec`.
/// @throws Error if extents differ, an axis is out of range, or out shares memory with in
template <execution_space Exec, view_like Out, view_like In, option<axes>... Options>
void fftshift(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::roll("quern::fftshift", exec, out, in, impl::option_or(axes(), options...), false);
}
template <execution_space Exec, view_like Out, view_like In, option<axes>... Options>
void ifftshift(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::roll("quern::ifftshift", exec, out, in, impl::option_or(axes(), options...), true);
}
QUERN_TRANSFORM_FORMS(fftshift, view_like, view_like, option<axes>)
QUERN_REJECTS(place, fftshift)
QUERN_TRANSFORM_FORMS(ifftshift, view_like, view_like, option<axes>)
QUERN_REJECTS(place, ifftshift)

}  // namespace quern

#endif
