// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_FFT_HPP
#define QUERN_FFT_FFT_HPP

#include <quern/core/call/label.hpp>
#include <quern/fft/forms.hpp>
#include <quern/fft/plans.hpp>
#include <quern/fft/run.hpp>

namespace quern {

/// The lengths of transforms, one for each axis; 0: that of the array. A shorter or longer input is cropped, or padded
/// with zeros: `fft(exec, out, in, fft_lengths{128})`.
struct fft_lengths {
  using option_of = impl::any_place;
  shape of;
  fft_lengths(std::initializer_list<std::int64_t> lengths) : of(lengths) {}
  explicit fft_lengths(const shape& lengths) : of(lengths) {}
};

namespace impl::fourier {

template <class T>
inline constexpr bool is_result = std::is_same_v<real_type<T>, float> || std::is_same_v<real_type<T>, double>;

/// The options of a transform.
struct transform_options {
  axes along;  // none: the last ones, as many as the operation has by default
  shape lengths;
  fft_norm norm;
  fft_rigor rigor;

  template <class... Options>
  explicit transform_options(const Options&... options)
      : along(option_or(axes(), options...)),
        lengths(option_or(fft_lengths(shape()), options...).of),
        norm(option_or(fft_norm::backward, options...)),
        rigor(option_or(fft_rigor::estimate, options...)) {}
};

/// The transform that the options ask for, of arrays of these extents.
request request_of(const std::string& label, kind what, const shape& out, const shape& in,
                   const transform_options& options, int axes_by_default);

/// An option of transforms along one axis, or along several.
template <class T>
concept line_option = option<T, axis, fft_lengths, fft_norm, fft_rigor>;
template <class T>
concept transform_option = option<T, axes, fft_lengths, fft_norm, fft_rigor>;

struct transforms {};

}  // namespace impl::fourier

namespace impl {

/// Transforms of arrays in memory.
template <>
struct engine<in_memory, fourier::transforms> {
  template <fourier::kind What, class Exec, class Out, class In>
  static void run(const operation_name& label, const Exec& exec, const Out& out_view, const In& in_view,
                  int axes_by_default, const fourier::transform_options& options) {
    const call c(label, exec);
    const auto out = c.output(out_view);
    const strided<const value_of<In>> in = c.input(in_view);
    fourier::run(c.label, fourier::launcher<Exec>{exec}, out, in,
                 fourier::request_of(c.label, What, out.extents, in.extents, options, axes_by_default));
  }
};

}  // namespace impl

namespace impl::fourier {

/// `op(exec, out, in, options)` of every transform, by the engine of the place where its operands are.
template <kind What, class Exec, class Out, class In, class... Options>
void transform_call(const operation_name& label, const Exec& exec, const Out& out, const In& in, int axes_by_default,
                    const Options&... options) {
  constexpr bool to_real = What == kind::complex_to_real, from_real = What == kind::real_to_complex;
  static_assert(is_result<value_of<Out>> && is_complex<value_of<Out>> == !to_real,
                "quern::fft: out must be of float or double, complex unless the result is real");
  static_assert(!from_real || !is_complex<value_of<In>>, "quern::rfft: in must be real");
  engine_of<transforms, Out, In>::template run<What>(label, exec, out, in, axes_by_default,
                                                     transform_options(options...));
}

/// The norm with which the inverse transform scales as the forward one does.
inline fft_norm swapped(fft_norm norm) {
  return norm == fft_norm::backward ? fft_norm::forward : norm == fft_norm::forward ? fft_norm::backward : norm;
}

}  // namespace impl::fourier

/// The discrete Fourier transform along an axis, `out(k) = sum_j in(j) exp(-2 pi i j k / n)`, for each index along the
/// other axes; `ifft` is the inverse, with exp(+2 pi i j k / n) and divided by n.
///
/// | call | in | out |
/// | --- | --- | --- |
/// | `fft`, `ifft` | n real or complex numbers | n complex numbers |
/// | `rfft` | n real numbers | n / 2 + 1 complex numbers, the others being their conjugates |
/// | `irfft` | n / 2 + 1 complex numbers | n real numbers |
/// | `hfft` | the first n / 2 + 1 of n complex numbers, the others being their conjugates | n real numbers |
/// | `ihfft` | n real numbers | n / 2 + 1 complex numbers, as `hfft` takes them |
///
/// out and in are Views of the same rank and any layout; the precision is that of out: float or double, real or
/// complex. `in` is converted where its type differs. It may be the same View as `out`; a real transform is in place
/// where the rows of real numbers begin where the rows of complex ones do. Of `irfft` and `hfft` n is even or odd as
/// `out` is; imaginary parts that a real signal cannot have are ignored.
///
/// @param options `axis{d}`, by default the last one; `fft_lengths{n}`; an `fft_norm`; and FFTW's rigor, an `fft_rigor`
///
/// The library is FFTW on hosts, with all threads of `exec`, and cuFFT or hipFFT on devices (component `fft`); the
/// error grows as the square root of log n, in units of the last place of the largest value. Plans are kept
/// (`fft_plans`): a warm call plans and allocates nothing. Arrays whose strides the library does not take, or takes
/// slowly, are packed in scratch memory, as are inputs that are converted, padded, or would be overwritten.
///
/// Asynchronous on `exec`. NaN and infinities spread over all results that they contribute to.
/// @throws Error if extents do not fit, a length is 0, the axis is out of range, or out shares memory with in otherwise
/// @throws BackendError without a library for the execution space, or with its status
template <execution_space Exec, result_view Out, any_array In, impl::fourier::line_option... Options>
void fft(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::forward>("quern::fft", exec, out, in, 1, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::line_option... Options>
void ifft(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::backward>("quern::ifft", exec, out, in, 1, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::line_option... Options>
void rfft(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::real_to_complex>("quern::rfft", exec, out, in, 1, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::line_option... Options>
void irfft(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::complex_to_real>("quern::irfft", exec, out, in, 1, options...);
}
template <execution_space Exec, view_like Out, view_like In, impl::fourier::line_option... Options>
void hfft(const Exec& exec, const Out& out_view, const In& in_view, const Options&... options) {
  using namespace impl;
  using T = value_of<Out>;
  static_assert(fourier::is_result<T> && !is_complex<T>, "quern::hfft: out must be of float or double");
  call c("quern::hfft", exec);
  const auto out = c.output(out_view);
  const strided<const value_of<In>> in = c.input(in_view);
  fourier::transform_options inverse(options...);
  inverse.norm = fourier::swapped(inverse.norm);
  const auto request =
      fourier::request_of(c.label, fourier::kind::complex_to_real, out.extents, in.extents, inverse, 1);
  fourier::check<Exec>(c.label, out, in, request);
  if (out.extents.size() == 0) return;
  const fourier::launcher<Exec> launch{exec};
  using C = Kokkos::complex<T>;
  const auto transform_conjugates = [&](const strided<C>& conjugates) {
    launch.apply("quern::hfft/conjugate", conjugates, impl::op::conjugate(), in);
    fourier::run_checked(launch, out, conjugates, request);
  };
  if constexpr (std::is_same_v<value_of<In>, C>)
    if (fourier::in_place_rows(request, out, in))
      return transform_conjugates({const_cast<C*>(in.data), in.extents, in.stride});
  const fourier::scratch_copy<Exec, C> conjugates(exec, in.extents);
  transform_conjugates(conjugates.array());
}
template <execution_space Exec, view_like Out, view_like In, impl::fourier::line_option... Options>
void ihfft(const Exec& exec, const Out& out_view, const In& in, const Options&... options) {
  using namespace impl;
  fourier::transform_options forward(options...);
  forward.norm = fourier::swapped(forward.norm);
  fourier::transform_call<fourier::kind::real_to_complex>("quern::ihfft", exec, out_view, in, 1, forward);
  call c("quern::ihfft", exec);
  const auto out = c.output(out_view);
  if (out.extents.size() > 0) fourier::launcher<Exec>{exec}.apply("quern::ihfft", out, impl::op::conjugate(), out);
}
QUERN_TRANSFORM_FORMS(fft, result_view, any_array, impl::fourier::line_option)
QUERN_TRANSFORM_FORMS(ifft, result_view, any_array, impl::fourier::line_option)
QUERN_TRANSFORM_FORMS(rfft, result_view, any_array, impl::fourier::line_option)
QUERN_TRANSFORM_FORMS(irfft, result_view, any_array, impl::fourier::line_option)
QUERN_TRANSFORM_FORMS(hfft, view_like, view_like, impl::fourier::line_option)
QUERN_REJECTS(place, hfft)
QUERN_TRANSFORM_FORMS(ihfft, view_like, view_like, impl::fourier::line_option)
QUERN_REJECTS(place, ihfft)

/// The transforms along several axes, one after the other: along all of them, or the option `axes{...}`; of `fft2`,
/// `ifft2`, `rfft2` and `irfft2` along the last two. All else as `fft` has it; real transforms are halved along the
/// last axis, of those that are named.
///
/// Of all these transforms but `hfft` and `ihfft`, out and in may be DistributedViews of rank 2 or more, which are cut
/// in any way. Each rank transforms whole lines: of slabs, which are cut along one axis, or of pencils, which are cut
/// along two where there are more ranks than cells along an axis. Between, arrays are cut anew, by messages between all
/// ranks that share cells. Lengths are then those of the arrays, and real transforms are halved along the last axis of
/// the array. Collective; waits as `distributed::redistribute` does; takes scratch memory of two to three blocks.
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void fftn(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::forward>("quern::fftn", exec, out, in, max_rank, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void ifftn(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::backward>("quern::ifftn", exec, out, in, max_rank, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void rfftn(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::real_to_complex>("quern::rfftn", exec, out, in, max_rank,
                                                                      options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void irfftn(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::complex_to_real>("quern::irfftn", exec, out, in, max_rank,
                                                                      options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void fft2(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::forward>("quern::fft2", exec, out, in, 2, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void ifft2(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::backward>("quern::ifft2", exec, out, in, 2, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void rfft2(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::real_to_complex>("quern::rfft2", exec, out, in, 2, options...);
}
template <execution_space Exec, result_view Out, any_array In, impl::fourier::transform_option... Options>
void irfft2(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::transform_call<impl::fourier::kind::complex_to_real>("quern::irfft2", exec, out, in, 2, options...);
}
QUERN_TRANSFORM_FORMS(fftn, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(ifftn, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(rfftn, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(irfftn, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(fft2, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(ifft2, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(rfft2, result_view, any_array, impl::fourier::transform_option)
QUERN_TRANSFORM_FORMS(irfft2, result_view, any_array, impl::fourier::transform_option)

enum class fft_direction { forward, backward };
template <>
inline constexpr bool impl::marked_option<fft_direction> = true;

/// A transform of arrays like those that it is made with, whose plans it holds: whatever `fft_plans` gives up, its
/// calls plan nothing.
///
/// @code
/// quern::FftPlan transform(exec, spectrum, signal);  // of real numbers: rfftn
/// transform(spectrum, signal);                        // as often as needed, also of other arrays like them
/// @endcode
///
/// From complex to complex numbers it is `fftn` or `ifftn`, from real ones `rfftn`, to real ones `irfftn`. Arrays like
/// them have their extents and strides. Where their memory is aligned in another way, or input and output are the same
/// View only here or only there, the first such call plans, and the plan holds the result, too.
///
/// Calls are asynchronous on the instance that it was made for, by one host thread at a time. It ends before
/// `Kokkos::finalize`.
template <execution_space Exec, view_like Out, view_like In>
class FftPlan {
 public:
  template <option<axes, fft_lengths, fft_norm, fft_rigor, fft_direction>... Options>
  FftPlan(const Exec& exec, const Out& out_view, const In& in_view, const Options&... options) : exec_(exec) {
    impl::call c("quern::FftPlan", exec_);
    const auto out = c.output(out_view);
    const auto in = c.input(in_view);
    using namespace impl::fourier;
    constexpr bool to_real = !impl::is_complex<impl::value_of<Out>>, from_real = !impl::is_complex<impl::value_of<In>>;
    static_assert(is_result<impl::value_of<Out>> && !(to_real && from_real),
                  "quern::FftPlan: out must be of float or double, and out or in complex");
    const bool inverse = impl::option_or(fft_direction::forward, options...) == fft_direction::backward;
    const kind what = to_real     ? kind::complex_to_real
                      : from_real ? kind::real_to_complex
                      : inverse   ? kind::backward
                                  : kind::forward;
    request_ = request_of(c.label, what, out.extents, in.extents, transform_options(options...), max_rank);
    run(c.label, launcher<Exec>{exec_, &plans_, true}, out, in, request_);
    out_ = {nullptr, out.extents, out.stride};
    in_ = {nullptr, in.extents, in.stride};
  }

  /// @throws Error if extents or strides are not those that the plan was made for
  void operator()(const Out& out_view, const In& in_view) {
    impl::call c("quern::FftPlan", exec_);
    const auto out = c.output(out_view);
    const auto in = c.input(in_view);
    check(c.label, "out", out_, out);
    check(c.label, "in", in_, in);
    impl::fourier::run(c.label, impl::fourier::launcher<Exec>{exec_, &plans_}, out, in, request_);
  }

 private:
  template <class Planned, class Given>
  static void check(const std::string& label, const char* name, const Planned& planned, const Given& given) {
    impl::check_extents(label, name, given.extents, planned.extents, ", for which it was planned");
    for (int d = 0; d < given.extents.rank; ++d)
      if (given.stride[d] != planned.stride[d])
        throw Error(label, std::string(name) + " has stride " + std::to_string(given.stride[d]) + " along axis " +
                               std::to_string(d) + ", and was planned with " + std::to_string(planned.stride[d]));
  }

  Exec exec_;
  impl::fourier::request request_{};
  impl::fourier::held_plans plans_;
  impl::strided<const impl::value_of<Out>> out_;
  impl::strided<const impl::value_of<In>> in_;
};

}  // namespace quern

#endif
