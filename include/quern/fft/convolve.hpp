// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_CONVOLVE_HPP
#define QUERN_FFT_CONVOLVE_HPP

#include <quern/core/call/label.hpp>
#include <quern/fft/convolve_blocks.hpp>
#include <quern/fft/fft.hpp>

namespace quern {

/// Which part of a convolution is wanted, along each axis of a elements in a and b elements in b: all a + b - 1, the a
/// in the middle, or the a - b + 1 for which b lies within a.
enum class convolve_mode { full, same, valid };
template <>
inline constexpr bool impl::marked_option<convolve_mode> = true;

namespace impl::fourier {

/// A part of a convolution from element `first` on, by transforms of padded arrays, whose lengths are fast.
template <class T, class Exec, class A, class B>
void convolve_padded(const std::string& label, const launcher<Exec>& launch, const strided<T>& out,
                     const strided<const A>& a, const strided<const B>& b, const shape& first, const shape& padded) {
  using C = Kokkos::complex<real_type<T>>;
  request r = request::along_all(is_complex<T> ? kind::forward : kind::real_to_complex, padded);
  const shape halved = r.result_of(padded);
  const scratch_copy<Exec, T> result(launch.exec, padded);
  const strided<T>& all = result.array();
  const scratch_copy<Exec, C> of_a(launch.exec, halved), of_b(launch.exec, halved);
  const strided<C>&x = of_a.array(), y = of_b.array();
  run(label, launch, x, a, r);
  run(label, launch, y, b, r);
  map_launch(launch.exec, "quern::fftconvolve/multiply", x, op::multiply(), true, {x.stride, x.stride, y.stride},
             array_input<C>{{x.data, x.extents, x.stride}}, array_input<C>{{y.data, y.extents, y.stride}});
  r.what = is_complex<T> ? kind::backward : kind::complex_to_real;
  run(label, launch, all, x, r);
  strided<T> part{all.data, out.extents, all.stride};
  for (int d = 0; d < out.extents.rank; ++d) part.data += first.extent[d] * all.stride[d];
  launch.apply("quern::fftconvolve/result", out, op::identity(), part);
}

/// A part of a convolution in the way that takes the least time: many blocks of a long line, or all at once.
template <class T, class Exec, class A, class B>
void convolve_fastest(const std::string& label, const launcher<Exec>& launch, const strided<T>& out,
                      const strided<const A>& a, const strided<const B>& b, const shape& first) {
  shape padded = a.extents;
  for (int d = 0; d < a.extents.rank; ++d)
    padded.extent[d] = fast_length(a.extents.extent[d] + b.extents.extent[d] - 1);
  const std::int64_t length =
      padded.rank == 1 ? block_length(out.extents.extent[0], b.extents.extent[0], padded.extent[0]) : 0;
  if (length == 0) return convolve_padded(label, launch, out, a, b, first, padded);
  const auto in_blocks = [&](const strided<const A>& in) {
    block_convolution<T, Exec, A, B>(label, launch, out, in, b, first.extent[0], length).run();
  };
  if (static_cast<const void*>(out.data) != a.data) return in_blocks(a);
  const scratch_copy<Exec, A> copy(launch.exec, a.extents);  // a block reads what the one before has overwritten
  launch.apply("quern::fftconvolve/pack", copy.array(), op::identity(), a);
  in_blocks(strided<const A>{copy.array().data, a.extents, copy.array().stride});
}

/// Copies the conjugates of `count` values in reverse.
template <class T>
struct reversed_copy {
  const T* from;
  T* to;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = conjugate(from[count - 1 - i]); }
};

template <class Exec, class Out, class A, class B>
void convolve_views(const operation_name& label, const Exec& exec, const Out& out_view, const A& a_view,
                    const B& b_view, convolve_mode mode, bool correlate) {
  using T = value_of<Out>;
  using U = value_of<B>;
  static_assert(is_result<T>, "quern::fftconvolve: out must be of float or double, real or complex");
  static_assert(is_complex<T> || (!is_complex<value_of<A>> && !is_complex<U>),
                "quern::fftconvolve: out must be complex where an input is");
  call c(label, exec);
  const auto out = c.output(out_view);
  const strided<const value_of<A>> a = c.input(a_view);
  const strided<const U> b = c.input(b_view);
  const int rank = a.extents.rank;
  if (rank == 0 || b.extents.rank != rank)
    throw Error(label, "a has extents " + a.extents.str() + " and b " + b.extents.str() + ", expected one rank");
  if (a.extents.size() == 0 || b.extents.size() == 0) throw Error(label, "a or b is empty");
  shape expected = a.extents, first = a.extents;
  for (int d = 0; d < rank; ++d) {
    const std::int64_t na = a.extents.extent[d], nb = b.extents.extent[d];
    expected.extent[d] = mode == convolve_mode::full ? na + nb - 1 : mode == convolve_mode::same ? na : na - nb + 1;
    first.extent[d] = mode == convolve_mode::full ? 0 : mode == convolve_mode::same ? (nb - 1) / 2 : nb - 1;
    if (expected.extent[d] < 1)
      throw Error(label, "b has extents " + b.extents.str() + ", expected at most those of a, " + a.extents.str());
  }
  check_extents(label, "out", out.extents, expected, " in this mode");
  check_overlap(label, out, a, "a", std::is_same_v<T, value_of<A>>);
  check_overlap(label, out, b, "b", false);
  const launcher<Exec> launch{exec};
  if (correlate) {
    using V = std::conditional_t<is_complex<U>, Kokkos::complex<real_type<T>>, real_type<T>>;
    const scratch_copy<Exec, V> packed(exec, b.extents), turned(exec, b.extents);
    launch.apply("quern::fftcorrelate/pack", packed.array(), op::identity(), b);
    const std::int64_t count = b.extents.size();
    V* const to = turned.array().data;
    for_elements(launch, "quern::fftcorrelate/reverse", count, reversed_copy<V>{packed.array().data, to, count});
    convolve_fastest(c.label, launch, out, a, strided<const V>{to, b.extents, turned.array().stride}, first);
  } else {
    convolve_fastest(c.label, launch, out, a, b, first);
  }
}

}  // namespace impl::fourier

/// The convolution along all axes, `out(k) = sum_j a(j) b(k - j)`, by Fourier transforms; `fftcorrelate` is the
/// correlation `out(k) = sum_j a(j) conj(b(j - k))`, of which the first element is that of k = -(b - 1), as in SciPy's
/// `correlate`.
///
/// @param out,a,b Views of one rank and any layout. `out` is real or complex, of float or double, and has the extents
///                that the mode says. The inputs are converted to its precision; it may be the same View as a
/// @param options the part that is wanted, a `convolve_mode`; in `valid`, b is no longer than a
///
/// The error is some eps log n of the norms of a and b, wherever it falls: an element that is much smaller than others
/// has few right digits. Where b has few elements, `quern::correlate` is faster and more accurate.
///
/// A line (arrays of rank 1) that is many times as long as b is convolved in overlapping blocks, which takes less time
/// and memory and keeps errors to a block; other arrays are transformed as a whole.
///
/// Asynchronous on `exec`; takes scratch memory of three padded arrays, or of some blocks, from the pool. NaN and
/// infinities spread over all results, or over those of their blocks.
/// @throws Error if extents do not fit, an input is empty, or out shares memory with b, or with a otherwise
/// @throws BackendError without a library for the execution space
template <execution_space Exec, view_like Out, view_like A, view_like B, option<convolve_mode>... Options>
void fftconvolve(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const auto mode = impl::option_or(convolve_mode::full, options...);
  impl::fourier::convolve_views("quern::fftconvolve", exec, out, a, b, mode, false);
}
template <execution_space Exec, view_like Out, view_like A, view_like B, option<convolve_mode>... Options>
void fftcorrelate(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const auto mode = impl::option_or(convolve_mode::full, options...);
  impl::fourier::convolve_views("quern::fftcorrelate", exec, out, a, b, mode, true);
}
template <view_like Out, view_like A, view_like B, option<convolve_mode>... Options>
void fftconvolve(const Out& out, const A& a, const B& b, const Options&... options) {
  fftconvolve(impl::space_of(out), out, a, b, options...);
}
QUERN_TAKES_NAME_NOT(place, fftconvolve)
template <view_like Out, view_like A, view_like B, option<convolve_mode>... Options>
void fftcorrelate(const Out& out, const A& a, const B& b, const Options&... options) {
  fftcorrelate(impl::space_of(out), out, a, b, options...);
}
QUERN_TAKES_NAME_NOT(place, fftcorrelate)

}  // namespace quern

#endif
