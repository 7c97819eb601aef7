// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/core/call/error.hpp>
#include <quern/particles/domain.hpp>

namespace quern {

domain::domain(std::initializer_list<double> low, std::initializer_list<double> high, const periodic& ends)
    : low_(low), high_(high) {
  const std::string label = "quern::domain";
  if (low.size() < 1 || low.size() > 3 || low.size() != high.size())
    throw Error(label, std::to_string(low.size()) + " and " + std::to_string(high.size()) +
                           " coordinates, expected 1 to 3 of each end");
  const auto each = [&]<int Rank>(std::integral_constant<int, Rank>) {
    for (const char p : ends.all<Rank>(label)) periodic_.push_back(p);
  };
  if (rank() == 1) each(std::integral_constant<int, 1>());
  else if (rank() == 2) each(std::integral_constant<int, 2>());
  else each(std::integral_constant<int, 3>());
  for (int d = 0; d < rank(); ++d)
    if (!(high_[d] > low_[d]) || !std::isfinite(high_[d] - low_[d]))
      throw Error(label, "axis " + std::to_string(d) + " is from " + impl::text_of(low_[d]) + " to " +
                             impl::text_of(high_[d]) + ", expected a finite length above 0");
}

CellGrid::CellGrid(const domain& box, double width, std::int64_t most) : box_(box) {
  if (!(width > 0)) throw Error("quern::CellGrid", "a width of " + impl::text_of(width) + ", expected one above 0");
  // Where there would be too many, all are wider by the same factor; short axes have one all the same.
  double side = 1;  // of a cube, if so many cells of one filled the box
  const double share = 1.0 / box.rank();
  for (int d = 0; d < box.rank(); ++d) side *= std::pow(box.high(d) - box.low(d), share);
  side /= std::pow(static_cast<double>(std::max<std::int64_t>(most, 1)), share);
  for (double wide = std::max(width, 0.99 * side);; wide *= 1.05) {
    double all = 1;
    count_ = {};
    for (int d = 0; d < box.rank(); ++d) {
      const double fit = std::floor((box.high(d) - box.low(d)) / wide);
      const double count = std::max(fit, 1.0);
      all *= count;
      count_.push_back(static_cast<std::int64_t>(std::min(count, 1e18)));
    }
    if (all <= static_cast<double>(std::max<std::int64_t>(most, 1))) return;
  }
}

std::int64_t CellGrid::size() const {
  std::int64_t all = 1;
  for (const std::int64_t n : count_) all *= n;
  return all;
}

}  // namespace quern
