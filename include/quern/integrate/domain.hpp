// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_DOMAIN_HPP
#define QUERN_INTEGRATE_DOMAIN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/workspace.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace quern {

/// The range of one variable of integration. `upper` may be below `lower`: the integral then changes its sign.
template <class T>
struct interval {
  T lower;
  T upper;
};

/// An integral by a method that estimates its error.
template <class T>
struct estimate {
  T value;
  T error;                   ///< adaptive: what the integral is expected to be off by at most; else one standard error
  std::int64_t evaluations;  ///< of the functor
  bool converged;            ///< the error is within the tolerance, where the method has one
};

namespace impl {

/// An argument from which T is not deduced, so that it may be `{lower, upper}`.
template <class T>
using interval_of = std::type_identity_t<interval<T>>;

/// The numbers strictly between the ends of an interval, which open rules keep to where coordinates round: f need not
/// exist at the ends. An interval without a number inside keeps its ends.
template <class T>
struct inside {
  T least, greatest;

  inside() = default;
  explicit inside(const interval<T>& x) : least(std::min(x.lower, x.upper)), greatest(std::max(x.lower, x.upper)) {
    const T after = std::nextafter(least, greatest), before = std::nextafter(greatest, least);
    if (after <= before && after != greatest) {
      least = after;
      greatest = before;
    }
  }
  KOKKOS_FUNCTION T operator()(T x) const { return x < least ? least : x > greatest ? greatest : x; }
};

/// Whether f may be called with one coordinate of type T for each axis.
template <class F, class T, std::size_t... D>
constexpr bool takes_coordinates(std::index_sequence<D...>) {
  return std::is_invocable_v<const F&, std::conditional_t<(D < sizeof...(D)), T, void>...>;
}

template <class F, class T, std::size_t Rank>
void check_domain(const std::string& operation, const std::array<interval<T>, Rank>& box) {
  static_assert(takes_coordinates<F, T>(std::make_index_sequence<Rank>()),
                "quern::integrate: f must be callable with one coordinate for each axis");
  for (std::size_t d = 0; d < Rank; ++d)
    if (!std::isfinite(box[d].lower) || !std::isfinite(box[d].upper))
      throw Error(operation, "the interval of axis " + std::to_string(d) + " is not finite");
}

/// For methods whose nodes are at parts of the lengths.
template <class T, std::size_t Rank>
void check_lengths(const std::string& operation, const std::array<interval<T>, Rank>& box) {
  for (std::size_t d = 0; d < Rank; ++d)
    if (!std::isfinite(box[d].upper - box[d].lower))
      throw Error(operation, "the length of the interval of axis " + std::to_string(d) + " overflows");
}

/// A type that names itself a method of integration.
template <class T>
concept integration_method = requires { typename T::integration_method; };

}  // namespace impl
}  // namespace quern

#endif
