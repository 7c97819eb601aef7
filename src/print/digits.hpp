// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_DIGITS_HPP
#define QUERN_PRINT_DIGITS_HPP

/// @file
/// The decimal digits of floating-point numbers.

#include <string>

namespace quern::impl {

/// Significant bits and least exponent of a binary format whose numbers are given as double.
struct binary_format {
  int bits, least_exponent;  // numbers are multiples of 2^least_exponent
};
inline constexpr binary_format half_format{11, -24}, bhalf_format{8, -133}, float_format{24, -149},
    double_format{53, -1074};

/// x rounded to the format (to nearest, ties to even), without a greatest number.
double rounded_to(const binary_format& format, double x);

/// The parts of a finite number in positional or scientific notation: sign and digits before the point, those behind
/// it, and the exponent with its sign.
struct number_text {
  std::string whole, fraction, exponent;
};

/// With the fewest digits that read back as x, but at most `precision` behind the point, correctly rounded; without end
/// where it is negative.
number_text positional_text(const binary_format& format, double x, int precision);
number_text scientific_text(const binary_format& format, double x, int precision);
/// With `precision` digits behind the point.
number_text fixed_text(double x, int precision);
number_text fixed_scientific_text(double x, int precision);

}  // namespace quern::impl

#endif
