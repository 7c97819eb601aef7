// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_DISTRIBUTIONS_HPP
#define QUERN_RANDOM_DISTRIBUTIONS_HPP

#include <concepts>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/values.hpp>
#include <quern/random/draws.hpp>
#include <quern/random/fill.hpp>
#include <quern/random/poisson_table.hpp>

/// @file
/// Views of random numbers.
///
/// Each number is a function of the key and of its position in `out` (row-major, whatever the layout), or in the larger
/// field of which `out` is a part: the same on every back end, in every layout and sub-range, and with any number of
/// threads and processes. All bits are the same but where a comment says otherwise. Code that is compiled with
/// `-ffast-math` is refused; CUDA's `--use_fast_math` is not known to the headers and changes the arithmetic of
/// devices. Where a host has no instruction for a fused multiply-add (x86-64 before v3), all but `bits`, `integers` and
/// `bernoulli` call a library function for it and are slow.
///
/// All are asynchronous on `exec`, allocate nothing, use no scratch memory (but `poisson`) and may be captured in a
/// device graph.
///
/// Of a DistributedView `out`, each rank fills its block with the numbers that these cells have in the whole array,
/// with any number of ranks and any grid; no messages. Parameters may be DistributedViews of the same blocks, or Views,
/// which are whole on every rank.

namespace quern::impl {

/// Parameters that are Views cannot be looked at.
template <class P, class Holds>
void check_parameter(const std::string& label, const char* name, const P& value, const Holds& holds,
                     const char* expected) {
  if constexpr (scalar_value<P>) {
    const auto x = convert<double>(value);
    if (!holds(x)) throw Error(label, std::string(name) + " is " + std::to_string(x) + ", expected " + expected);
  }
}
inline bool not_negative(double x) { return x >= 0 && x <= std::numeric_limits<double>::max(); }

template <class T>
inline constexpr bool is_real = requires(T x) { convert<float>(x) < convert<float>(x); } && !std::is_integral_v<T>;

/// An integer of any type of up to 64 bits.
__extension__ using wide_integer = __int128;
inline std::string text_of(wide_integer x) {
  return x < 0 ? std::to_string(static_cast<std::int64_t>(x)) : std::to_string(static_cast<std::uint64_t>(x));
}

/// Whole numbers from `low` to `last`.
template <class Exec, class Out>
void fill_integers(const operation_name& label, const Exec& exec, const Out& out, const random::part_of& where,
                   wide_integer low, wide_integer last) {
  using T = value_of<Out>;
  static_assert(std::is_integral_v<T>, "quern::random::integers: out must be of an integer type");
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    if (low < static_cast<wide_integer>(limits::min()) || last > static_cast<wide_integer>(limits::max()))
      throw Error(label, "numbers from " + text_of(low) + " to " + text_of(last) + " do not fit out's type of " +
                             std::to_string(limits::digits + (limits::is_signed ? 1 : 0)) + " bits");
    const auto start = static_cast<std::uint64_t>(low), width = static_cast<std::uint64_t>(last) - start;
    const std::uint64_t range = width + 1;  // 0 means 2^64
    if (width < std::uint64_t{1} << 32)
      fill_random<integers_draw<T, std::uint32_t>>(label, exec, out, where, start, range);
    else fill_random<integers_draw<T, std::uint64_t>>(label, exec, out, where, start, range);
  }
}

}  // namespace quern::impl

namespace quern::random {

/// Includes the upper end: see `integers`.
struct endpoint_t {
  using option_of = impl::any_place;
};
inline constexpr endpoint_t endpoint{};

/// Random bits: `out` of unsigned integers of 32 or 64 bits, all values equally likely. Philox4x32-10 (Salmon, Moraes,
/// Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11, 2011) with the key's seed as its key, on the
/// counters (number of the block of 128 bits, the key's stream).
///
/// @param where a key, or a part of its field
/// @throws Error if the part is not within its field
template <execution_space Exec, result_view Out>
void bits(const Exec& exec, const Out& out, const part_of& where) {
  using T = impl::value_of<Out>;
  static_assert(std::is_unsigned_v<T> && sizeof(T) >= 4, "quern::random::bits: out must be of 32 or 64 unsigned bits");
  impl::compare_fields("quern::random::bits", out, where);
  impl::fill_random<impl::bits_draw<T>>("quern::random::bits", exec, out, where);
}
template <result_view Out>
void bits(const Out& out, const part_of& where) {
  bits(impl::space_of(out), out, where);
}
QUERN_TAKES_NAME_NOT(option, bits)

/// Uniform numbers on [low, high): `low + u (high - low)` with u a multiple of 2^-53 (2^-24 where out is of float or of
/// a half type), rounded once, and never `high`. NumPy's `uniform` may return `high`.
///
/// @param where a key, or a part of its field
/// @param low, high scalars, or Views that broadcast to `out`
/// @throws Error if scalars are not finite or `low` is not less than `high`; if the part is not within its field
template <execution_space Exec, result_view Out, impl::not_named Low = float, impl::not_named High = float>
void uniform(const Exec& exec, const Out& out, const part_of& where, const Low& low = Low(0),
             const High& high = High(1)) {
  using T = impl::value_of<Out>;
  static_assert(impl::is_real<T>, "quern::random::uniform: out must be of a floating-point type");
  const std::string& label = impl::compare_fields("quern::random::uniform", out, where, low, high);
  if constexpr (scalar_value<Low> && scalar_value<High>) {
    using impl::convert;
    const auto a = convert<double>(convert<T>(low)), b = convert<double>(convert<T>(high));
    if (!(a < b && b - a <= convert<double>(Kokkos::Experimental::finite_max_v<impl::drawn_in<T>>)))
      throw Error(label, "low is " + std::to_string(a) + " and high " + std::to_string(b) +
                             ", expected low < high at a finite distance");
    if constexpr (sizeof(T) >= 4)
      if (a == 0 && b == 1) return impl::fill_random<impl::unit_draw<T>>(label, exec, out, where);
  }
  impl::fill_random<impl::uniform_draw<T>>(label, exec, out, where, low, high);
}
template <result_view Out, impl::not_named Low = float, impl::not_named High = float>
void uniform(const Out& out, const part_of& where, const Low& low = Low(0), const High& high = High(1)) {
  uniform(impl::space_of(out), out, where, low, high);
}
QUERN_TAKES_NAME_NOT(option, uniform)

/// Whole numbers from `low` to before `high`, each exactly as likely as the others (Lemire's method: bits that would
/// favour some are refused, and a `Generator` of the position gives others). Option: `endpoint`, with `high` among
/// them, so that all of a type can be: `integers(out, key, 0, UINT64_MAX, endpoint)`, NumPy's `endpoint=True`.
///
/// @param out of any integer type that holds the numbers, also bool
/// @param where a key, or a part of its field
/// @param low,high of any integer types, which count as the numbers that they are: `integers(out, key, -5, 0u)`
/// @throws Error if `low` is not less than `high` (with `endpoint`, if it is greater), or out's type does not hold the
/// numbers; if the part is not within its field
template <execution_space Exec, result_view Out, std::integral Low, std::integral High, option<endpoint_t>... Options>
void integers(const Exec& exec, const Out& out, const part_of& where, Low low, High high, const Options&...) {
  static_assert(!impl::repeated_option<Options...>::value);
  constexpr bool closed = impl::has_option<endpoint_t, Options...>;
  const std::string& label = impl::compare_fields("quern::random::integers", out, where, low, high, closed);
  const impl::wide_integer first = low, last = impl::wide_integer{high} - (closed ? 0 : 1);
  if (first > last)
    throw Error(label, "low is " + impl::text_of(first) + " and high " + impl::text_of(impl::wide_integer{high}) +
                           ", expected low " + (closed ? "<= high" : "< high"));
  impl::fill_integers(label, exec, out, where, first, last);
}
template <result_view Out, std::integral Low, std::integral High, option<endpoint_t>... Options>
void integers(const Out& out, const part_of& where, Low low, High high, const Options&... options) {
  integers(impl::space_of(out), out, where, low, high, options...);
}
QUERN_TAKES_NAME(integers)

/// Normal numbers of that mean and standard deviation. Box and Muller's method with a logarithm and a root of its own
/// (within 2 ulp) and a sine and cosine (within 1.5 ulp of 1); the largest magnitudes are 6.66 deviations in float and
/// half types, 8.57 in double.
///
/// @param where a key, or a part of its field
/// @param mean, stddev scalars, or Views that broadcast to `out`
/// @throws Error if a scalar stddev is negative or not finite; if the part is not within its field
template <execution_space Exec, result_view Out, impl::not_named Mean = float, impl::not_named Stddev = float>
void normal(const Exec& exec, const Out& out, const part_of& where, const Mean& mean = Mean(0),
            const Stddev& stddev = Stddev(1)) {
  using T = impl::value_of<Out>;
  static_assert(impl::is_real<T>, "quern::random::normal: out must be of a floating-point type");
  const std::string& label = impl::compare_fields("quern::random::normal", out, where, mean, stddev);
  impl::check_parameter(label, "stddev", stddev, impl::not_negative, "a finite number of at least 0");
  if constexpr (scalar_value<Mean> && scalar_value<Stddev>)
    if (mean == Mean(0) && stddev == Stddev(1))
      return impl::fill_random<impl::standard_normal_draw<T>>(label, exec, out, where);
  impl::fill_random<impl::normal_draw<T>>(label, exec, out, where, mean, stddev);
}
template <result_view Out, impl::not_named Mean = float, impl::not_named Stddev = float>
void normal(const Out& out, const part_of& where, const Mean& mean = Mean(0), const Stddev& stddev = Stddev(1)) {
  normal(impl::space_of(out), out, where, mean, stddev);
}
QUERN_TAKES_NAME_NOT(option, normal)

/// Exponential numbers of that mean: density `exp(-x / scale) / scale` for x >= 0, by the logarithm of uniform ones.
///
/// @param where a key, or a part of its field
/// @param scale a scalar, or a View that broadcasts to `out`
/// @throws Error if a scalar scale is negative or not finite; if the part is not within its field
template <execution_space Exec, result_view Out, impl::not_named Scale = float>
void exponential(const Exec& exec, const Out& out, const part_of& where, const Scale& scale = Scale(1)) {
  using T = impl::value_of<Out>;
  static_assert(impl::is_real<T>, "quern::random::exponential: out must be of a floating-point type");
  const std::string& label = impl::compare_fields("quern::random::exponential", out, where, scale);
  impl::check_parameter(label, "scale", scale, impl::not_negative, "a finite number of at least 0");
  impl::fill_random<impl::exponential_draw<T>>(label, exec, out, where, scale);
}
template <result_view Out, impl::not_named Scale = float>
void exponential(const Out& out, const part_of& where, const Scale& scale = Scale(1)) {
  exponential(impl::space_of(out), out, where, scale);
}
QUERN_TAKES_NAME_NOT(option, exponential)

/// 1 (true) with a probability of `p`, else 0: whether a uniform number of 53 bits is less than p.
///
/// @param out of bool or any arithmetic type
/// @param where a key, or a part of its field
/// @param p a scalar, or a View that broadcasts to `out`
/// @throws Error if a scalar p is not from 0 to 1; if the part is not within its field
template <execution_space Exec, result_view Out, class P>
void bernoulli(const Exec& exec, const Out& out, const part_of& where, const P& p) {
  using T = impl::value_of<Out>;
  static_assert(std::is_arithmetic_v<T>, "quern::random::bernoulli: out must be of an arithmetic type");
  const std::string& label = impl::compare_fields("quern::random::bernoulli", out, where, p);
  impl::check_parameter(label, "p", p, [](double x) { return x >= 0 && x <= 1; }, "a number from 0 to 1");
  impl::fill_random<impl::bernoulli_draw<T>>(label, exec, out, where, p);
}
template <result_view Out, class P>
void bernoulli(const Out& out, const part_of& where, const P& p) {
  bernoulli(impl::space_of(out), out, where, p);
}
QUERN_TAKES_NAME_NOT(option, bernoulli)

/// Poisson numbers: how many events there are where `rate` are expected, `exp(-rate) rate^k / k!`.
///
/// A scalar rate of at most 750 by inversion: the least k whose sum of probabilities exceeds a uniform number of 53
/// bits, from a table that a kernel makes in 5 KiB of scratch memory; so no k whose tail is less than 2^-53 occurs.
/// Otherwise as `Generator::poisson`, but that a scalar's first attempt is made with the bits of the position: other
/// numbers. Elements of a View that are negative or NaN give -1.
///
/// @param out of any arithmetic type that holds the numbers
/// @param where a key, or a part of its field
/// @param rate a scalar, or a View that broadcasts to `out`; less than 2^62
/// @throws Error if a scalar rate is negative, NaN or too large; if the part is not within its field
template <execution_space Exec, result_view Out, class Rate>
void poisson(const Exec& exec, const Out& out, const part_of& where, const Rate& rate) {
  using T = impl::value_of<Out>;
  static_assert(std::is_arithmetic_v<T>, "quern::random::poisson: out must be of an arithmetic type");
  const std::string& label = impl::compare_fields("quern::random::poisson", out, where, rate);
  impl::check_parameter(label, "rate", rate, [](double x) { return x >= 0 && x < 0x1p62; }, "from 0 to before 2^62");
  if constexpr (scalar_value<Rate>) {
    if (const auto r = impl::convert<double>(rate); r <= impl::poisson_table::largest_rate) {
      const impl::scratch_array<Exec, double> memory(exec, impl::poisson_table::doubles);
      impl::fill_drawn(label, exec, out, where,
                       impl::table_poisson_draw<T>{{}, impl::make_poisson_table(label, exec, r, memory.data())});
    } else {
      impl::fill_drawn(label, exec, out, where, impl::large_poisson_draw<T>(r));
    }
  } else {
    impl::fill_random<impl::poisson_draw<T>>(label, exec, out, where, rate);
  }
}
template <result_view Out, class Rate>
void poisson(const Out& out, const part_of& where, const Rate& rate) {
  poisson(impl::space_of(out), out, where, rate);
}
QUERN_TAKES_NAME_NOT(option, poisson)

/// Gamma numbers: density proportional to `x^(shape - 1) exp(-x / scale)` for x >= 0, computed in double as
/// `Generator::gamma`, but that the first attempt is made with the bits of the position: other numbers. A shape of 0
/// gives 0; elements of a View that are negative or NaN give NaN.
///
/// @param where a key, or a part of its field
/// @param shape, scale scalars, or Views that broadcast to `out`
/// @throws Error if a scalar is negative or not finite; if the part is not within its field
template <execution_space Exec, result_view Out, class Shape, impl::not_named Scale = float>
void gamma(const Exec& exec, const Out& out, const part_of& where, const Shape& shape, const Scale& scale = Scale(1)) {
  using T = impl::value_of<Out>;
  static_assert(impl::is_real<T>, "quern::random::gamma: out must be of a floating-point type");
  const std::string& label = impl::compare_fields("quern::random::gamma", out, where, shape, scale);
  impl::check_parameter(label, "shape", shape, impl::not_negative, "a finite number of at least 0");
  impl::check_parameter(label, "scale", scale, impl::not_negative, "a finite number of at least 0");
  impl::fill_random<impl::gamma_draw<T>>(label, exec, out, where, shape, scale);
}
template <result_view Out, class Shape, impl::not_named Scale = float>
void gamma(const Out& out, const part_of& where, const Shape& shape, const Scale& scale = Scale(1)) {
  gamma(impl::space_of(out), out, where, shape, scale);
}
QUERN_TAKES_NAME_NOT(option, gamma)

}  // namespace quern::random

#endif
