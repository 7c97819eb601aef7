// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <quern/stencil/footprint.hpp>

namespace quern {

footprint generate_binary_structure(int rank, int connectivity) {
  if (rank < 1 || rank > 3)
    throw Error("quern::generate_binary_structure", "a rank of " + std::to_string(rank) + ", expected 1 to 3");
  int count = 1;
  impl::axis_list<int> sizes;
  for (int d = 0; d < rank; ++d) {
    sizes.push_back(3);
    count *= 3;
  }
  std::vector<char> cells;
  for (int n = 0; n < count; ++n) {
    int steps = 0, rest = n;
    for (int d = 0; d < rank; ++d) {
      steps += std::abs(rest % 3 - 1);
      rest /= 3;
    }
    cells.push_back(steps <= std::max(connectivity, 1) ? 1 : 0);
  }
  return footprint(sizes, cells);
}

}  // namespace quern
