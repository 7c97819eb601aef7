// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/analysis/label.hpp>

namespace quern::impl {

namespace {
/// Cells of a box of 3 along each axis by their row-major numbers; the middle is 13.
int number_of(const cell_offset& c) { return ((c.of[0] + 1) * 3 + c.of[1] + 1) * 3 + c.of[2] + 1; }
}  // namespace

mask_grid make_mask_grid(const std::string& label, const host_weights<cell_offset>& cells) {
  constexpr int middle = 13;
  bool connected[27] = {};
  for (const cell_offset& c : cells) connected[number_of(c)] = true;
  mask_grid grid;
  for (const cell_offset& c : cells) {
    const int n = number_of(c);
    if (!connected[2 * middle - n]) throw Error(label, "a structure that is not symmetric about its middle");
    if (n >= middle) continue;
    grid.wide[grid.count] = c.of[2] > -1 && connected[n - 1];
    grid.before[grid.count++] = c;
  }
  grid.along_lines = connected[middle - 1];
  return grid;
}

}  // namespace quern::impl
