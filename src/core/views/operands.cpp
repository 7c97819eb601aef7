// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/operands.hpp>

namespace quern::impl {

shape broadcast_extents(const std::string& label, const shape& a, const shape& b) {
  shape both = a.rank >= b.rank ? a : b;
  const shape& other = a.rank >= b.rank ? b : a;
  for (int d = 0; d < other.rank; ++d) {
    std::int64_t& extent = both.extent[both.rank - other.rank + d];
    if (extent == 1) extent = other.extent[d];
    else if (other.extent[d] != 1 && other.extent[d] != extent)
      throw Error(label,
                  "the inputs have extents " + a.str() + " and " + b.str() + ", which do not broadcast to each other");
  }
  return both;
}

}  // namespace quern::impl
