// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_BOX_OF_MOST_HPP
#define QUERN_PARTICLES_BOX_OF_MOST_HPP

#include <algorithm>
#include <quern/particles/bin_by.hpp>
#include <vector>

namespace quern::impl {

template <class T>
struct sample_points {
  strided<const T> points;
  std::int64_t count;
  T* to;  // a row for each axis
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t n = points.extents.extent[0], d = e / count, k = e % count;
    // Anywhere in a part of the points, since equal steps may meet the rows of a grid.
    const std::int64_t begin = k * n / count, size = (k + 1) * n / count - begin;
    const auto spread = static_cast<std::int64_t>(static_cast<std::uint64_t>(k + 1) * 0x9e3779b97f4a7c15u >> 32);
    const std::int64_t i = begin + spread % size;
    to[e] = points.data[i * points.stride[0] + d * points.stride[1]];
  }
};

/// The part of a box in which most points are, so that a few far away do not make cells wide: along each axis the range
/// of the middle 31 of 32 of a sample, and a sixteenth more on either side. Along a single axis all but the two ends of
/// the sample: what is beyond is in two cells alone. The whole box where that is at most 8 times as large, as the cells
/// of most points then are. Waits.
template <class Exec, class T>
domain box_of_most(const std::string& label, const Exec& exec, const strided<const T>& points, const domain& all) {
  constexpr std::int64_t most = 512;
  const std::int64_t beyond = all.rank() == 1 ? most : 64;  // one of so many of the sample at each end
  const std::int64_t count = std::min(most, points.extents.extent[0]);
  std::vector<T> sample(count * all.rank());
  const scratch_array<Exec, T> memory(exec, count * all.rank());
  Kokkos::parallel_for(kernel_label(label, "/sample"), index_range(exec, count * all.rank()),
                       sample_points<T>{points, count, memory.data()});
  copy_items_to_host(exec, sample.data(), memory.data(), count * all.rank());
  exec.fence(kernel_label(label, ": the box of most points"));
  std::array<double, 3> low{}, high{};
  double part = 1;
  for (int d = 0; d < all.rank(); ++d) {
    const auto begin = sample.begin() + d * count, end = begin + count;
    std::sort(begin, end);
    const auto first = static_cast<double>(begin[count / beyond]);
    const auto last = static_cast<double>(begin[count - 1 - count / beyond]);
    const bool is_range = last > first;  // not where most are equal
    const double more = (last - first) / 16;
    low[d] = is_range ? std::max(all.low(d), first - more) : all.low(d);
    high[d] = is_range ? std::min(all.high(d), last + more) : all.high(d);
    if (all.high(d) > all.low(d)) part *= (high[d] - low[d]) / (all.high(d) - all.low(d));
  }
  if (part >= 0.125) return all;
  return open_domain(all.rank(), low, high);
}

}  // namespace quern::impl

#endif
