// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_LIMITS_HPP
#define QUERN_MAP_LIMITS_HPP

/// @file
/// Values that are kept within limits, and numbers in place of those that are none: one line over `map` each, in
/// memory, in chunks and over ranks.

#include <optional>
#include <quern/map/functions.hpp>

namespace quern {

/// What `nan_to_num` writes in place of NaN and of infinities, with NumPy's names and values: 0, and the largest and
/// the lowest finite number of the input's type where they are not given.
struct replacements {
  using option_of = impl::any_place;
  double nan = 0;
  std::optional<double> posinf{}, neginf{};
};

namespace impl {
namespace op {

/// The value between the limits, NaN where one of the three is NaN, each compared as the number that it is.
template <class Out>
struct clip {
  template <class X, class Low, class High>
  KOKKOS_FUNCTION Out operator()(const X& x, const Low& low, const High& high) const {
    const bool below = !is_nan(x) && (value_less(x, low) || is_nan(low));
    if (below) return least(low, high);
    return least(x, high);
  }

 private:
  template <class V, class High>
  KOKKOS_FUNCTION static Out least(const V& v, const High& high) {
    return !is_nan(v) && (value_less(high, v) || is_nan(high)) ? convert<Out>(high) : convert<Out>(v);
  }
};

template <class T>
struct nan_to_num {
  using real = real_type<T>;
  real nan, posinf, neginf;

  KOKKOS_FUNCTION T operator()(const T& x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else if constexpr (is_complex<T>) return T(finite(x.real()), finite(x.imag()));
    else return finite(x);
  }

 private:
  KOKKOS_FUNCTION real finite(const real& x) const {
    if (is_nan(x)) return nan;
    constexpr real infinity = Kokkos::Experimental::infinity_v<real>;
    return x == infinity ? posinf : x == -infinity ? neginf : x;
  }
};

}  // namespace op

/// What tells of them in the message of calls that differ between ranks.
inline std::string text_of(const replacements& by) {
  return ", nan " + text_of(by.nan) + (by.posinf ? ", posinf " + text_of(*by.posinf) : "") +
         (by.neginf ? ", neginf " + text_of(*by.neginf) : "");
}

template <class T>
auto nan_to_num_of(const replacements& by) {
  using real = real_type<T>;
  const auto given = [](double x) { return convert<real>(x); };
  if constexpr (std::is_integral_v<T>) {
    return op::nan_to_num<T>{};
  } else {
    const real largest = Kokkos::Experimental::finite_max_v<real>, lowest = Kokkos::Experimental::finite_min_v<real>;
    return op::nan_to_num<T>{given(by.nan), by.posinf ? given(*by.posinf) : largest,
                             by.neginf ? given(*by.neginf) : lowest};
  }
}

}  // namespace impl

/// `out = min(max(x, low), high)`, element by element (NumPy's `clip`): `high` where `low` is above it, and NaN where
/// one of the three is NaN.
///
/// @param x, low, high arrays, lazy arrays or scalars that broadcast, of numbers that have an order; integers of any
///                     signs are compared as the numbers that they are, beside floating-point numbers in double, and
///                     what is chosen converts to out's type. Without one of the limits: that of the type, or
///                     infinity
/// @param options      `mask{m}`: elements where m is zero are left as they are
///
/// Asynchronous on `exec`, as `map`; `out` may be an input.
template <execution_space Exec, result_view Out, class X, class Low, class High, call_option<mask_t>... Options>
void clip(const Exec& exec, const Out& out, const X& x, const Low& low, const High& high, const Options&... options) {
  impl::weak_map_call("quern::clip", exec, out, impl::op::clip<impl::value_of<Out>>(), std::tie(x, low, high),
                      options...);
}
template <result_view Out, class X, class Low, class High, call_option<mask_t>... Options>
void clip(const Out& out, const X& x, const Low& low, const High& high, const Options&... options) {
  clip(impl::space_of(out, x, low, high), out, x, low, high, options...);
}
QUERN_TAKES_NAME(clip)

/// `out = x`, with numbers in place of NaN and infinities (NumPy's `nan_to_num`), also in the parts of complex numbers;
/// integers are copied. Options: `replacements{.nan = 0, .posinf = 1e9, .neginf = -1e9}`, converted to the real type of
/// x's values; `mask{m}`.
///
/// Asynchronous on `exec`, as `map`; `out` may be `x`.
template <execution_space Exec, result_view Out, any_array In, call_option<replacements, mask_t>... Options>
void nan_to_num(const Exec& exec, const Out& out, const In& x, const Options&... options) {
  const impl::operation_name label("quern::nan_to_num");
  const auto by = impl::option_or(replacements(), options...);
  impl::compare_calls<impl::maps>(label, [&] { return impl::text_of(by); }, out, x);
  const auto f = impl::nan_to_num_of<impl::value_of<In>>(by);
  std::apply([&](const auto&... of_map) { impl::map_call(label, exec, out, f, std::tie(x), of_map...); },
             impl::options_of_maps(options...));
}
template <result_view Out, any_array In, call_option<replacements, mask_t>... Options>
void nan_to_num(const Out& out, const In& x, const Options&... options) {
  nan_to_num(impl::space_of(out, x), out, x, options...);
}
QUERN_TAKES_NAME(nan_to_num)

}  // namespace quern

#endif
