// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/distributed/fft.hpp>

namespace quern::impl {
namespace {

/// The axes of a request from `first` to before `end`.
axes between(int first, int end, const fourier::request& wanted) {
  axes a;
  for (int d = first; d < end; ++d)
    if (std::find(wanted.axis.begin(), wanted.axis.begin() + wanted.count, d) != wanted.axis.begin() + wanted.count)
      a.number[a.count++] = d;
  return a;
}

/// The greatest divisor of n up to its root.
int near_root(int n) {
  int p = static_cast<int>(std::sqrt(static_cast<double>(n)));
  while (n % p != 0) --p;
  return p;
}

}  // namespace

std::vector<fft_stage> fft_stages(const shape& extents, int ranks, const fourier::request& wanted) {
  std::vector<fft_stage> stages;
  const auto add = [&](std::initializer_list<std::pair<int, int>> cuts, const axes& whole) {
    std::vector<int> grid(extents.rank, 1);
    for (const auto& [d, count] : cuts) grid[d] = count;
    if (whole.count > 0) stages.push_back({grid, whole});
  };
  const bool slabs = extents.rank == 2 || std::min(extents.extent[0], extents.extent[1]) >= ranks;
  if (slabs) {
    add({{0, ranks}}, between(1, extents.rank, wanted));
    add({{1, ranks}}, between(0, 1, wanted));
  } else {
    const int p = near_root(ranks), q = ranks / p;
    add({{0, p}, {1, q}}, between(2, extents.rank, wanted));
    add({{0, p}, {2, q}}, between(1, 2, wanted));
    add({{1, p}, {2, q}}, between(0, 1, wanted));
  }
  return stages;
}

}  // namespace quern::impl
