// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_RANGES_HPP
#define QUERN_MAP_RANGES_HPP

/// @file
/// Arrays of numbers at equal distances, or in equal ratios: each one kernel over the positions of `out`, an array of
/// one axis in memory, in chunks or over ranks. Asynchronous on `exec`, without scratch memory, and may be captured in
/// a device graph.

#include <cmath>
#include <limits>
#include <quern/core/launch/operations.hpp>
#include <quern/map/map.hpp>

namespace quern {

/// `stop` is not among the numbers of `linspace`, `logspace` and `geomspace`: NumPy's `endpoint=False`.
struct without_endpoint_t {
  using option_of = impl::any_place;
};
inline constexpr without_endpoint_t without_endpoint{};

/// The base of the powers that `logspace` writes.
struct log_base {
  using option_of = impl::any_place;
  double value;
};

namespace impl {

[[noreturn]] inline void reject_range(const std::string& label) {
  throw Error(label, "start, stop and step give no length that an array can have");
}
/// The length of a range of integers, exactly: ceil((stop - start) / step), 0 where that is negative.
template <class A, class B, class S>
std::int64_t integer_range_length(const std::string& label, A start, B stop, S step) {
  if (step == S(0)) throw Error(label, "step is 0");
  const bool down = is_negative(step);
  const bool empty = down ? !value_less(stop, start) : !value_less(start, stop);
  if (empty) return 0;
  const auto difference = static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start);
  const std::uint64_t distance = down ? 0 - difference : difference;
  const std::uint64_t size = down ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const std::uint64_t steps = (distance - 1) / size;
  if (steps >= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) reject_range(label);
  return static_cast<std::int64_t>(steps + 1);
}
template <class A, class B, class S>
std::int64_t range_length(const std::string& label, A start, B stop, S step) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<S>) {
    return integer_range_length(label, start, stop, step);
  } else {
    if (step == S(0)) throw Error(label, "step is 0");
    const double distance = static_cast<double>(stop) - static_cast<double>(start);
    const double quotient = distance / static_cast<double>(step), n = std::ceil(quotient);
    if (!(n < 9.2e18)) reject_range(label);
    if (quotient == 0 && !std::signbit(quotient) && distance != 0) return 1;  // of a quotient that underflows
    return n > 0 ? static_cast<std::int64_t>(n) : 0;
  }
}

/// start + i * step, from the first two numbers in the type of the result. Integers wrap around.
template <class T>
struct arange_values {
  T first, step;
  KOKKOS_FUNCTION T operator()(const Kokkos::Array<std::int64_t, 1>& at) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(first) +
                            static_cast<std::uint64_t>(at[0]) * static_cast<std::uint64_t>(step));
    else return at[0] == 0 ? first : first + static_cast<T>(at[0]) * step;  // of an infinite step, too
  }
};
/// The type in which numbers of an array of T are computed.
template <class T>
using range_type = std::conditional_t<is_half<T>, float, real_type<T>>;
template <class Out, class A, class S>
auto arange_of(A start, S step) {
  using T = range_type<Out>;
  const T first = convert<T>(convert<real_type<Out>>(start));
  if constexpr (std::is_integral_v<T>) {
    const T second = [&] {
      if constexpr (std::is_integral_v<A> && std::is_integral_v<S>)
        return static_cast<T>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step));
      else return static_cast<T>(static_cast<double>(start) + static_cast<double>(step));
    }();
    return arange_values<T>{first,
                            static_cast<T>(static_cast<std::uint64_t>(second) - static_cast<std::uint64_t>(first))};
  } else {
    const double second = static_cast<double>(start) + static_cast<double>(step);
    return arange_values<T>{first, convert<T>(convert<real_type<Out>>(second)) - first};
  }
}

/// The numbers that bounds of linspace are computed in.
template <class A, class B>
using bound_type = std::conditional_t<is_complex<A> || is_complex<B>, Kokkos::complex<double>, double>;

/// start + i * step, and the end itself at its place; NumPy's way for steps that underflow.
template <class C>
struct linspace_values {
  C start, stop, delta, step;
  double divisions;
  std::int64_t last;  // where `stop` is, or -1
  linspace_values(C from, C to, std::int64_t n, bool endpoint)
      : start(from),
        stop(to),
        delta(to - from),
        step(0),
        divisions(static_cast<double>(endpoint ? n - 1 : n)),
        last(endpoint && n > 1 ? n - 1 : -1) {
    if (divisions > 0) step = delta / divisions;
  }
  KOKKOS_FUNCTION C operator()(std::int64_t i) const {
    if (i == last) return stop;
    if (i == 0) return start;
    const auto x = static_cast<double>(i);
    return step != C(0) || divisions <= 0 ? step * x + start : delta * (x / divisions) + start;
  }
};
template <class Out, class C>
struct written_linspace {
  linspace_values<C> values;
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 1>& at) const {
    if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool> && !is_complex<C>)
      return convert<Out>(Kokkos::floor(values(at[0])));
    else return values(at[0]);
  }
};
struct written_logspace {
  linspace_values<double> exponents;
  double base;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 1>& at) const {
    return Kokkos::pow(base, exponents(at[0]));
  }
};
struct written_geomspace {
  linspace_values<double> exponents;
  double start, stop;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 1>& at) const {
    if (at[0] == 0) return start;
    if (at[0] == exponents.last) return stop;
    const double power = Kokkos::pow(10.0, exponents(at[0]));
    return start < 0 ? -power : power;
  }
};

/// `out = f(position)` of an array of one axis.
template <class Exec, class Out, class F, class... Options>
void write_range(const operation_name& label, const Exec& exec, const Out& out, const F& f, const Options&... options) {
  const positions_t at = positions();
  std::apply([&](const auto&... of_place) { map_call(label, exec, out, f, std::tie(at), of_place...); },
             select_options<true>(options...));
}
template <class Out>
std::int64_t length_of_range(const std::string& label, const Out& out) {
  static_assert(may_have_rank<Out, 1, 1>, "quern: out of arange, linspace, logspace and geomspace must have one axis");
  const shape extents = operand_extents(label, out);
  return extents.rank == 1 ? extents.extent[0] : 0;
}
template <class... Options>
inline constexpr bool with_endpoint = !has_option<without_endpoint_t, Options...>;
/// Compares the call with those of other ranks, where `out` is distributed.
template <class... Options, class Out, class... T>
void compare_ranges(const operation_name& label, const Out& out, const T&... numbers) {
  compare_calls<maps>(label, [] { return with_endpoint<Options...> ? "" : ", without_endpoint"; }, out, numbers...);
}

}  // namespace impl

/// `out(i) = start + i step`, for the numbers from `start` to before `stop` (NumPy's `arange`).
///
/// @param out an array of one axis with `ceil((stop - start) / step)` elements, or none where that is negative; of
///            integers the length is exact, of others it is computed in double, as NumPy's, where 0.1 steps may give
///            one number more than is expected: `linspace` has the number as it is given
///
/// As NumPy's, numbers are computed in out's type (half in float) from `start` and the distance from there to the
/// second, both rounded to it: a step of 1.5 is 1 or 2 in an array of integers. Integers wrap around.
/// @throws Error if step is 0, or out has another length
template <execution_space Exec, result_view Out, scalar_value A, scalar_value B, scalar_value S,
          call_option<>... Options>
void arange(const Exec& exec, const Out& out, const A& start, const B& stop, const S& step, const Options&... options) {
  static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && std::is_arithmetic_v<S>,
                "quern::arange: start, stop and step must be integers or floating-point numbers");
  const impl::operation_name label("quern::arange");
  impl::compare_calls<impl::maps>(label, [] { return ""; }, out, start, stop, step);
  const std::int64_t n = impl::length_of_range(label, out), expected = impl::range_length(label, start, stop, step);
  if (n != expected) impl::check_extents(label, "out", shape{n}, shape{expected}, " for start, stop and step");
  impl::write_range(label, exec, out, impl::arange_of<impl::value_of<Out>>(start, step), options...);
}
/// With steps of 1.
template <execution_space Exec, result_view Out, scalar_value A, scalar_value B, call_option<>... Options>
void arange(const Exec& exec, const Out& out, const A& start, const B& stop, const Options&... options) {
  arange(exec, out, start, stop, 1, options...);
}
/// From 0.
template <execution_space Exec, result_view Out, scalar_value B, call_option<>... Options>
void arange(const Exec& exec, const Out& out, const B& stop, const Options&... options) {
  arange(exec, out, 0, stop, 1, options...);
}
template <result_view Out, scalar_value A, scalar_value B, scalar_value S, call_option<>... Options>
void arange(const Out& out, const A& start, const B& stop, const S& step, const Options&... options) {
  arange(impl::space_of(out), out, start, stop, step, options...);
}
template <result_view Out, scalar_value A, scalar_value B, call_option<>... Options>
void arange(const Out& out, const A& start, const B& stop, const Options&... options) {
  arange(impl::space_of(out), out, start, stop, 1, options...);
}
template <result_view Out, scalar_value B, call_option<>... Options>
void arange(const Out& out, const B& stop, const Options&... options) {
  arange(impl::space_of(out), out, 0, stop, 1, options...);
}
QUERN_TAKES_NAME(arange)

/// `out(i) = start + i (stop - start) / (n - 1)`, the last one `stop` itself (NumPy's `linspace`); with
/// `without_endpoint`, `start + i (stop - start) / n`.
///
/// Computed in double, or in complex<double> where a bound is complex, within 2 eps of the larger bound, and rounded to
/// out's type; to integers downwards, as NumPy does. One element is `start`.
template <execution_space Exec, result_view Out, scalar_value A, scalar_value B,
          call_option<without_endpoint_t>... Options>
void linspace(const Exec& exec, const Out& out, const A& start, const B& stop, const Options&... options) {
  using C = impl::bound_type<A, B>;
  const impl::operation_name label("quern::linspace");
  impl::compare_ranges<Options...>(label, out, start, stop);
  const std::int64_t n = impl::length_of_range(label, out);
  const impl::linspace_values<C> values(impl::convert<C>(start), impl::convert<C>(stop), n,
                                        impl::with_endpoint<Options...>);
  impl::write_range(label, exec, out, impl::written_linspace<impl::value_of<Out>, C>{values}, options...);
}
template <result_view Out, scalar_value A, scalar_value B, call_option<without_endpoint_t>... Options>
void linspace(const Out& out, const A& start, const B& stop, const Options&... options) {
  linspace(impl::space_of(out), out, start, stop, options...);
}
QUERN_TAKES_NAME(linspace)

/// `out(i) = base^y(i)`, y the numbers that `linspace` has from `start` to `stop` (NumPy's `logspace`), computed in
/// double. Options: `log_base{2}` (10 without), `without_endpoint`.
template <execution_space Exec, result_view Out, scalar_value A, scalar_value B,
          call_option<log_base, without_endpoint_t>... Options>
void logspace(const Exec& exec, const Out& out, const A& start, const B& stop, const Options&... options) {
  static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, "quern::logspace: start and stop must be real");
  const impl::operation_name label("quern::logspace");
  impl::compare_ranges<Options...>(label, out, start, stop, impl::option_or(log_base{10}, options...).value);
  const std::int64_t n = impl::length_of_range(label, out);
  const impl::linspace_values<double> exponents(static_cast<double>(start), static_cast<double>(stop), n,
                                                impl::with_endpoint<Options...>);
  const double base = impl::option_or(log_base{10}, options...).value;
  impl::write_range(label, exec, out, impl::written_logspace{exponents, base}, options...);
}
template <result_view Out, scalar_value A, scalar_value B, call_option<log_base, without_endpoint_t>... Options>
void logspace(const Out& out, const A& start, const B& stop, const Options&... options) {
  logspace(impl::space_of(out), out, start, stop, options...);
}
QUERN_TAKES_NAME(logspace)

/// `out(i) = start (stop / start)^(i / (n - 1))`, the first and the last one as they are given (NumPy's `geomspace`),
/// computed in double as powers of 10. Option: `without_endpoint`.
/// @throws Error if a bound is 0 or not finite, or their signs differ
template <execution_space Exec, result_view Out, scalar_value A, scalar_value B,
          call_option<without_endpoint_t>... Options>
void geomspace(const Exec& exec, const Out& out, const A& start, const B& stop, const Options&... options) {
  static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, "quern::geomspace: start and stop must be real");
  const impl::operation_name label("quern::geomspace");
  impl::compare_ranges<Options...>(label, out, start, stop);
  const auto from = static_cast<double>(start), to = static_cast<double>(stop);
  if (!(std::isfinite(from) && std::isfinite(to) && from != 0 && to != 0 && (from < 0) == (to < 0)))
    throw Error(label, "start " + impl::text_of(from) + " and stop " + impl::text_of(to) +
                           " must be finite, of one sign, and not 0");
  const std::int64_t n = impl::length_of_range(label, out);
  const impl::linspace_values<double> exponents(std::log10(std::abs(from)), std::log10(std::abs(to)), n,
                                                impl::with_endpoint<Options...>);
  impl::write_range(label, exec, out, impl::written_geomspace{exponents, from, to}, options...);
}
template <result_view Out, scalar_value A, scalar_value B, call_option<without_endpoint_t>... Options>
void geomspace(const Out& out, const A& start, const B& stop, const Options&... options) {
  geomspace(impl::space_of(out), out, start, stop, options...);
}
QUERN_TAKES_NAME(geomspace)

}  // namespace quern

#endif
