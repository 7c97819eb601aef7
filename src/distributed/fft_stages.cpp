// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/distributed/fft.hpp>

namespace quern::distributed::impl {
namespace {

axes from_axis(int first, int rank) {
  axes a;
  for (int d = first; d < rank; ++d) a.number[a.count++] = d;
  return a;
}

/// The greatest divisor of n up to its root.
int near_root(int n) {
  int p = static_cast<int>(std::sqrt(static_cast<double>(n)));
  while (n % p != 0) --p;
  return p;
}

}  // namespace

std::vector<fft_stage> fft_stages(const shape& extents, int ranks) {
  const auto grid = [&](std::initializer_list<std::pair<int, int>> cuts) {
    std::vector<int> g(extents.rank, 1);
    for (const auto& [d, count] : cuts) g[d] = count;
    return g;
  };
  const bool slabs = extents.rank == 2 || std::min(extents.extent[0], extents.extent[1]) >= ranks;
  if (slabs) return {{grid({{0, ranks}}), from_axis(1, extents.rank)}, {grid({{1, ranks}}), axis(0)}};
  const int p = near_root(ranks), q = ranks / p;
  return {{grid({{0, p}, {1, q}}), from_axis(2, extents.rank)},
          {grid({{0, p}, {2, q}}), axis(1)},
          {grid({{1, p}, {2, q}}), axis(0)}};
}

}  // namespace quern::distributed::impl
