// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_FREQUENCIES_HPP
#define QUERN_FFT_FREQUENCIES_HPP

#include <cmath>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl::fourier {

template <class T>
struct frequency {
  std::int64_t n;
  std::int64_t first_negative;
  T length;  // of all n samples
  KOKKOS_FUNCTION T operator()(const Kokkos::Array<std::int64_t, 1>& i) const {
    const std::int64_t k = i[0] < first_negative ? i[0] : i[0] - n;
    return static_cast<T>(k) / length;
  }
};

/// The length of n samples of that distance, in the precision of the frequencies.
template <class T>
T sampled_length(const std::string& label, std::int64_t n, double spacing) {
  const T length = static_cast<T>(static_cast<double>(n) * spacing);
  const bool divides = length != T(0) && std::isfinite(length);
  if (!std::isfinite(spacing) || spacing == 0 || (n > 0 && !divides))
    throw Error(label,
                "the spacing of samples is " + std::to_string(spacing) + ", expected a finite one that is not 0");
  return length;
}

/// Halves of an axis change places: what is before `middle` goes to the end.
template <class Exec, class T>
void roll(const std::string& label, const Exec& exec, const strided<T>& out, const strided<const T>& in,
          const axis_set& rolled, bool inverse) {
  check_extents(label, "out", out.extents, in.extents);
  check_overlap(label, out, in, "in", false);
  const int rank = in.extents.rank;
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

template <class Exec, class Out, class In>
void roll_views(const char* label, const Exec& exec, const Out& out, const In& in, const axes& along, bool inverse) {
  static_assert(std::is_same_v<value_of<Out>, value_of<In>>, "quern::fftshift: out and in must have one value type");
  call c(label, exec);
  const auto to = c.output(out);
  const auto from = c.input(in);
  roll(c.label, exec, to, from, along.count == 0 ? axis_set::all() : axis_set(c.label, along, from.extents.rank),
       inverse);
}

}  // namespace impl::fourier

/// The frequencies of `fft`'s results in their order, in cycles per unit of the spacing of samples:
/// `0, 1, ..., (n - 1) / 2, -(n / 2), ..., -1`, divided by n times the spacing, where out has n elements. Asynchronous
/// on `exec`.
/// @throws Error if out is not of rank 1, or the spacing is 0 or not finite, also in the precision of out
template <execution_space Exec, view_like Out>
void fftfreq(const Exec& exec, const Out& out, double spacing = 1) {
  using T = impl::value_of<Out>;
  static_assert(std::is_floating_point_v<T>, "quern::fftfreq: out must be of float or double");
  const shape extents = impl::extents_of(out);
  const std::int64_t n = extents.extent[0];
  impl::check_extents("quern::fftfreq", "out", extents, shape{n});
  const T length = impl::fourier::sampled_length<T>("quern::fftfreq", n, spacing);
  impl::map_checked("quern::fftfreq", exec, out, impl::fourier::frequency<T>{n, (n + 1) / 2, length}, positions());
}
template <view_like Out>
void fftfreq(const Out& out, double spacing = 1) {
  fftfreq(impl::space_of(out), out, spacing);
}

/// The frequencies of `rfft`'s results: `0, 1, ..., n / 2`, divided by n times the spacing, where out has n / 2 + 1
/// elements.
/// @throws Error if n is not positive, out is not of rank 1 and n / 2 + 1 elements, or the spacing is 0 or not finite
template <execution_space Exec, view_like Out>
void rfftfreq(const Exec& exec, const Out& out, std::int64_t n, double spacing = 1) {
  using T = impl::value_of<Out>;
  static_assert(std::is_floating_point_v<T>, "quern::rfftfreq: out must be of float or double");
  if (n < 1) throw Error("quern::rfftfreq", "n is " + std::to_string(n) + ", expected 1 or more");
  impl::check_extents("quern::rfftfreq", "out", impl::extents_of(out), shape{n / 2 + 1}, " for this n");
  const T length = impl::fourier::sampled_length<T>("quern::rfftfreq", n, spacing);
  impl::map_checked("quern::rfftfreq", exec, out, impl::fourier::frequency<T>{n, n / 2 + 1, length}, positions());
}
template <view_like Out>
void rfftfreq(const Out& out, std::int64_t n, double spacing = 1) {
  rfftfreq(impl::space_of(out), out, n, spacing);
}

/// Moves the frequency 0 to the middle of the axes, to element n / 2, in a copy: `out((i + n / 2) mod n) = in(i)` along
/// all axes, or those that are named. `ifftshift` moves it back. Asynchronous on `exec`.
/// @throws Error if extents differ, an axis is out of range, or out shares memory with in
template <execution_space Exec, view_like Out, view_like In, option<axes>... Options>
void fftshift(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::roll_views("quern::fftshift", exec, out, in, impl::option_or(axes(), options...), false);
}
template <execution_space Exec, view_like Out, view_like In, option<axes>... Options>
void ifftshift(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::roll_views("quern::ifftshift", exec, out, in, impl::option_or(axes(), options...), true);
}
template <view_like Out, view_like In, option<axes>... Options>
void fftshift(const Out& out, const In& in, const Options&... options) {
  fftshift(impl::space_of(out), out, in, options...);
}
template <view_like Out, view_like In, option<axes>... Options>
void ifftshift(const Out& out, const In& in, const Options&... options) {
  ifftshift(impl::space_of(out), out, in, options...);
}

}  // namespace quern

#endif
