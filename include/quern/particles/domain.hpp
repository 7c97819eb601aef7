// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_DOMAIN_HPP
#define QUERN_PARTICLES_DOMAIN_HPP

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <quern/core/call/per_axis.hpp>
#include <quern/core/views/concepts.hpp>

namespace quern {

/// Whether the end of an axis is beside its beginning: of all axes, `periodic{true}`, or each, `periodic{true, false}`.
struct periodic : per_axis<char> {
  using option_of = impl::any_place;
  template <std::same_as<bool>... Each>
  explicit periodic(Each... each) : per_axis<char>({static_cast<char>(each)...}) {}
};

/// A box of points in one to three dimensions, `domain{{0, 0, 0}, {1, 1, 2}, periodic{true}}`. Along periodic axes a
/// point stands for its images in all boxes beside it, so that it may lie outside. Along others points outside are
/// right, too, but all in the cells at the ends, where many are slow.
class domain {
 public:
  /// @throws Error if `low` and `high` have not one to three coordinates each, or `high` is not above `low`
  domain(std::initializer_list<double> low, std::initializer_list<double> high, const periodic& ends = periodic(false));
  int rank() const { return static_cast<int>(low_.size()); }
  double low(int axis) const { return low_[axis]; }
  double high(int axis) const { return high_[axis]; }
  bool is_periodic(int axis) const { return periodic_[axis] != 0; }

 private:
  impl::axis_list<double> low_, high_;
  impl::axis_list<char> periodic_;
};

/// Equal cells of a domain, at least `width` wide along each axis; along an axis that is shorter, one. Of two points
/// that are at most `width` apart, less what rounding their coordinates may take, one is in the cell of the other or
/// beside it.
class CellGrid {
 public:
  /// @param most the greatest number of cells, beyond which they get wider
  /// @throws Error if the width is not above zero
  CellGrid(const domain& box, double width, std::int64_t most = std::int64_t{1} << 30);
  const domain& box() const { return box_; }
  std::int64_t count(int axis) const { return count_[axis]; }
  std::int64_t size() const;

 private:
  domain box_;
  impl::axis_list<std::int64_t> count_;
};

}  // namespace quern

#endif
