// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_QUANTILE_RULE_HPP
#define QUERN_REDUCERS_QUANTILE_RULE_HPP

#include <quern/core/values/values.hpp>
#include <quern/reducers/reproducible.hpp>

namespace quern {

/// The value of a quantile that falls between two elements, as in NumPy's `quantile`.
enum class interpolation { linear, lower, higher, midpoint, nearest };
template <>
inline constexpr bool impl::marked_option<interpolation> = true;

namespace impl {

/// Where a quantile falls among n sorted values: between those of two ranks, which are equal or adjacent.
struct quantile_position {
  std::int64_t first, second;
  double fraction;
};

/// A quantile as kernels see it.
struct quantile_rule {
  double q;
  interpolation how = interpolation::linear;
  bool skip_nan = false;

  KOKKOS_FUNCTION quantile_position among(std::int64_t n) const {
    const double at = rounded_product(q, static_cast<double>(n - 1));
    quantile_position p;
    p.first = Kokkos::min(static_cast<std::int64_t>(at), n - 1);
    p.second = Kokkos::min(p.first + 1, n - 1);
    p.fraction = at - static_cast<double>(p.first);
    switch (how) {
      case interpolation::linear:
        break;
      case interpolation::lower:
        p.fraction = 0;
        break;
      case interpolation::higher:
        p.fraction = p.fraction > 0 ? 1 : 0;
        break;
      case interpolation::midpoint:
        p.fraction = p.fraction > 0 ? 0.5 : 0;
        break;
      case interpolation::nearest:  // the even rank of two that are as near
        p.fraction = p.fraction > 0.5 || (p.fraction == 0.5 && p.first % 2 == 1) ? 1 : 0;
        break;
    }
    return p;
  }
  /// Whether no value is the result. `hidden` of the NaN are elements that a mask hides.
  KOKKOS_FUNCTION bool is_nan(std::int64_t n, std::int64_t nans, std::int64_t hidden = 0) const {
    return n == nans || (nans > hidden && !skip_nan);
  }
};

/// The value at a fraction of the way from a to b >= a: an end itself where it is asked for, whatever the other is.
/// Between a number and an infinity lies the infinity, and between two infinities NaN.
KOKKOS_INLINE_FUNCTION double between(double a, double b, double fraction) {
  constexpr double largest = Kokkos::Experimental::finite_max_v<double>;
  if (fraction == 0 || a == b) return a;
  if (fraction == 1) return b;
  if (!(a >= -largest && b <= largest)) return a + b;
  if (!(b - a <= largest)) return rounded_product(a, 1 - fraction) + rounded_product(b, fraction);
  return fraction < 0.5 ? a + rounded_product(b - a, fraction) : b - rounded_product(b - a, 1 - fraction);
}

}  // namespace impl
}  // namespace quern

#endif
