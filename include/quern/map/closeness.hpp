// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_CLOSENESS_HPP
#define QUERN_MAP_CLOSENESS_HPP

#include <quern/core/call/tolerance.hpp>
#include <quern/map/functions.hpp>

namespace quern {

/// NaN equals NaN: an option of `isclose`, `allclose` and `array_equal`.
struct equal_nan_t {
  using option_of = impl::any_place;
};
inline constexpr equal_nan_t equal_nan{};

namespace impl {

/// A value as the number that it is compared as: double, or complex<double>.
template <class T>
KOKKOS_FUNCTION auto compared(const T& x) {
  if constexpr (is_complex<T>) return Kokkos::complex<double>(x.real(), x.imag());
  else return convert<double>(x);
}
template <class T>
KOKKOS_FUNCTION bool is_finite(const T& x) {
  if constexpr (is_complex<T>) return Kokkos::isfinite(x.real()) && Kokkos::isfinite(x.imag());
  else return Kokkos::isfinite(x);
}

/// Whether |a - b| is at most `absolute + relative |b|`.
struct close_values {
  double relative, absolute;
  bool nan_equals;
  template <class A, class B>
  KOKKOS_FUNCTION bool operator()(const A& a, const B& b) const {
    const auto x = compared(a);
    const auto y = compared(b);
    if (x == y) return true;
    if (nan_equals && is_nan(x) && is_nan(y)) return true;
    return is_finite(y) && Kokkos::abs(x - y) <= absolute + relative * Kokkos::abs(y);
  }
};
/// What tells of a comparison in the message of calls that differ between ranks.
inline std::string text_of(const tolerance& by, bool nan_equals) {
  return (by.relative ? ", relative " + text_of(*by.relative) : "") +
         (by.absolute ? ", absolute " + text_of(*by.absolute) : "") + (nan_equals ? ", equal_nan" : "");
}
/// Compares the call with those of other ranks, whose arrays may be distributed.
template <class... V, class... Options>
void compare_closeness(const std::string& label, const std::tuple<const V&...>& arrays, const Options&... options) {
  const auto more = [&] { return text_of(option_or(tolerance(), options...), has_option<equal_nan_t, Options...>); };
  unpack([&](const auto&... v) { compare_calls<maps>(label, more, v...); }, arrays);
}
template <class... Options>
close_values closeness(const std::string& label, const Options&... options) {
  const auto by = tolerances_of(label, {1e-5, 1e-8}, options...);
  return {by.relative, by.absolute, has_option<equal_nan_t, Options...>};
}

}  // namespace impl

/// `out = |a - b| <= absolute + relative |b|`, element by element (NumPy's `isclose`), computed in double. Infinities
/// are close to themselves alone, and NaN to nothing, or with `equal_nan` to NaN.
///
/// @param out  an array of bool, or of a type that true and false convert to
/// @param a, b arrays, lazy arrays or scalars that broadcast, of real or complex numbers
///
/// Options: `tolerance{.relative = 1e-5, .absolute = 1e-8}`, which these are without it; `equal_nan`; `mask{m}`.
/// Asynchronous on `exec`, as `map`, also in chunks and over ranks.
/// @throws Error if a tolerance is negative or NaN
template <execution_space Exec, result_view Out, class A, class B,
          call_option<tolerance, equal_nan_t, mask_t>... Options>
void isclose(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const impl::operation_name label("quern::isclose");
  impl::compare_closeness(label, std::tie(out, a, b), options...);
  const impl::close_values f = impl::closeness(label, options...);
  std::apply([&](const auto&... of_map) { impl::map_call(label, exec, out, f, std::tie(a, b), of_map...); },
             impl::options_of_maps(options...));
}
template <result_view Out, class A, class B, call_option<tolerance, equal_nan_t, mask_t>... Options>
void isclose(const Out& out, const A& a, const B& b, const Options&... options) {
  isclose(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(isclose)

}  // namespace quern

#endif
