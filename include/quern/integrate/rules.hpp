// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_RULES_HPP
#define QUERN_INTEGRATE_RULES_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <quern/core/call/error.hpp>
#include <quern/core/views/concepts.hpp>
#include <string>

namespace quern::impl {

/// What rules with one node in each cell share: it is the lower end of the cell where they use the ends, else the
/// centre.
template <bool Closed>
struct one_node_rule {
  using option_of = any_place;
  static constexpr bool weighted = Closed, closed = Closed;
  static void check(const std::string&, std::int64_t) {}
  KOKKOS_FUNCTION static constexpr int points() { return 1; }
  KOKKOS_FUNCTION static double offset(int) { return Closed ? 0.0 : 0.5; }
};

}  // namespace quern::impl

/// Composite quadrature rules for `quern::integrate`. Each divides an interval into n cells of width h.
///
/// A rule has the nodes `offset(p)`, p < points(), of a cell, in cell widths from its lower end, and their weights
/// `weight(cell, p, n)`. Rules that use the ends of the cells have a last cell with the upper end alone.
namespace quern::rule {

/// The values at the centres of the cells, times h. Error of order h^2; never evaluates the ends of the interval.
struct midpoint : quern::impl::one_node_rule<false> {
  KOKKOS_FUNCTION static double weight(std::int64_t, int, std::int64_t) { return 1; }
};

/// The values at the n + 1 ends of the cells, the first and the last half. Error of order h^2; far less for periodic
/// functions.
struct trapezoid : quern::impl::one_node_rule<true> {
  KOKKOS_FUNCTION static double weight(std::int64_t cell, int, std::int64_t n) {
    return cell == 0 || cell == n ? 0.5 : 1.0;
  }
};

/// Simpson's rule: a parabola through the three ends of each two cells, so n must be even. Error of order h^4.
struct simpson : quern::impl::one_node_rule<true> {
  static void check(const std::string& operation, std::int64_t n) {
    if (n % 2 != 0)
      throw Error(operation, "Simpson's rule with " + std::to_string(n) + " cells, expected an even number");
  }
  KOKKOS_FUNCTION static double weight(std::int64_t cell, int, std::int64_t n) {
    return (cell == 0 || cell == n ? 1.0 : cell % 2 == 0 ? 2.0 : 4.0) / 3;
  }
};

/// The Gauss-Legendre rule of up to 16 points in each cell: exact for polynomials of degree 2 points - 1, error of
/// order h^(2 points). Nodes and weights are correct to about 1 ulp (Newton's method on the Legendre polynomial).
class gauss_legendre {
 public:
  using option_of = quern::impl::any_place;
  static constexpr bool weighted = true, closed = false;
  static constexpr int max_points = 16;

  /// @param points of each cell
  /// @throws Error if that is below 1 or above 16
  explicit gauss_legendre(int points) : points_(points) {
    if (points < 1 || points > max_points)
      throw Error("quern::rule::gauss_legendre", std::to_string(points) + " points, expected 1 to 16");
    for (int p = 0; p < points; ++p) {
      long double x = std::cos(std::numbers::pi_v<long double> * (p + 0.75L) / (points + 0.5L)), slope = 1;
      for (int step = 0; step < 100; ++step) {
        const long double change = legendre(x, slope) / slope;
        x -= change;
        if (std::fabs(change) < 1e-18L) break;
      }
      offset_[points - 1 - p] = static_cast<double>((1 + x) / 2);
      legendre(x, slope);
      weight_[points - 1 - p] = static_cast<double>(1 / ((1 - x * x) * slope * slope));
    }
  }

  static void check(const std::string&, std::int64_t) {}
  KOKKOS_FUNCTION int points() const { return points_; }
  KOKKOS_FUNCTION double offset(int p) const { return offset_[p]; }
  KOKKOS_FUNCTION double weight(std::int64_t, int p, std::int64_t) const { return weight_[p]; }

 private:
  /// The Legendre polynomial of degree points at x, by its recurrence, and its derivative.
  long double legendre(long double x, long double& slope) const {
    long double before = 1, value = x;
    for (int k = 2; k <= points_; ++k) {
      const long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
      before = value;
      value = next;
    }
    slope = points_ * (x * value - before) / (x * x - 1);
    return value;
  }

  int points_;
  double offset_[max_points] = {}, weight_[max_points] = {};
};

}  // namespace quern::rule

#endif
