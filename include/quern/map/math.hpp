// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MATH_HPP
#define QUERN_MAP_MATH_HPP

#include <Kokkos_Core.hpp>

/// Elementary functions for use inside functors, where the back ends' own are slow or differ.
namespace quern::math {

/// What `sincos` returns.
template <class T>
struct sine_cosine {
  T sin;
  T cos;
};

namespace impl {

/// Below this the quadrant number has at most 25 bits, so that its products with the 28-bit parts of pi/2 are exact.
inline constexpr double reducible = 5.0e7;

struct reduced {
  double r;      // x - quadrant * pi/2, in [-pi/4, pi/4]
  int quadrant;  // of which the last two bits count
};

/// Cody and Waite's argument reduction with pi/2 in parts (Software Manual for the Elementary Functions, 1980).
KOKKOS_INLINE_FUNCTION reduced reduce_quadrant(double x, bool all_parts) {
  constexpr double two_over_pi = 0.63661977236758134308;
  constexpr double part[4] = {0x1.921fb54p+0, 0x1.10b461p-30, 0x1.a62633p-58, 0x1.45c06e0e68948p-86};
  const double turns = x * two_over_pi;
  const int quadrant = static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5));
  const double n = quadrant;
  const double r0 = x - n * part[0];  // exact
  const double r1 = r0 - n * part[1];
  const double r2 = r1 - n * part[2];
  if (!all_parts) return {r2, quadrant};
  // Near multiples of pi/2 the parts cancel one after the other, so what each difference rounds away still counts.
  const double lost1 = (r0 - r1) - n * part[1];
  const double lost2 = (r1 - r2) - n * part[2];
  return {r2 + (lost1 + lost2 - n * part[3]), quadrant};
}

/// Sine and cosine on [-pi/4, pi/4]. The coefficients interpolate at Chebyshev nodes (tools/trig_coefficients.py).
KOKKOS_INLINE_FUNCTION sine_cosine<double> sincos_reduced(double r) {
  const double s = r * r;
  const double sin_tail =
      -0.166666666666666646 +
      s * (0.00833333333333094849 +
           s * (-0.000198412698367585743 +
                s * (2.75573161025524401e-6 + s * (-2.50511318450036244e-8 + s * 1.59181292948666087e-10))));
  const double cos_tail =
      0.0416666666666666654 +
      s * (-0.00138888888888873972 +
           s * (0.0000248015872987656879 +
                s * (-2.75573172717297929e-7 + s * (2.08761462684031979e-9 + s * -1.1382632425521718e-11))));
  const double half = 0.5 * s;
  const double w = 1.0 - half;
  return {r + r * s * sin_tail, w + (((1.0 - w) - half) + s * s * cos_tail)};
}

KOKKOS_INLINE_FUNCTION sine_cosine<float> sincos_reduced(float r) {
  const float s = r * r;
  const float sin_tail = -0.166666646623143786f + s * (0.00833274827062974948f + s * -0.000195878908804123858f);
  const float cos_tail = 0.0416666646595022068f + s * (-0.0013888303035894866f + s * 0.0000245479420850715725f);
  return {r + r * s * sin_tail, 1.0f - 0.5f * s + s * s * cos_tail};
}

/// Not inlined: the back end's reduction of large arguments takes many registers, which every thread would hold.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define QUERN_IMPL_NOINLINE __noinline__
#else
#define QUERN_IMPL_NOINLINE __attribute__((noinline))
#endif
template <class T>
QUERN_IMPL_NOINLINE KOKKOS_FUNCTION sine_cosine<T> sincos_large(T x) {
  return {Kokkos::sin(x), Kokkos::cos(x)};
}
#undef QUERN_IMPL_NOINLINE

}  // namespace impl

/// Sine and cosine of x (radians) together.
///
/// Both within 2 ulp of the exact value for |x| < 5e7 (tested); beyond that, for infinity and for NaN, what
/// `Kokkos::sin` and `Kokkos::cos` return. One argument reduction serves both, and that of a float is done in double:
/// several times faster than the back ends' own float functions for arguments above 1e5. May be called in any kernel.
template <class T>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
KOKKOS_INLINE_FUNCTION sine_cosine<T> sincos(T x) {
  if (!(Kokkos::abs(x) < static_cast<T>(impl::reducible))) return impl::sincos_large(x);
  const auto [r, quadrant] = impl::reduce_quadrant(x, std::is_same_v<T, double>);
  const auto [s, c] = impl::sincos_reduced(static_cast<T>(r));
  const T swapped_sin = (quadrant & 1) ? c : s;
  const T swapped_cos = (quadrant & 1) ? s : c;
  return {(quadrant & 2) ? -swapped_sin : swapped_sin, ((quadrant + 1) & 2) ? -swapped_cos : swapped_cos};
}

/// The sine of x (radians); see `sincos`.
template <class T>
KOKKOS_INLINE_FUNCTION T sin(T x) {
  return sincos(x).sin;
}

/// The cosine of x (radians); see `sincos`.
template <class T>
KOKKOS_INLINE_FUNCTION T cos(T x) {
  return sincos(x).cos;
}

}  // namespace quern::math

#endif
