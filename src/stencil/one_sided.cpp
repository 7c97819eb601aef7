// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/core/call/error.hpp>
#include <quern/stencil/one_sided.hpp>
#include <string>

namespace quern::impl {

std::vector<int> gradient_axes(const std::string& label, const axes* wanted, int outputs, const shape& extents,
                               int edge_order) {
  std::vector<int> along;
  if (wanted == nullptr) {
    for (int d = 0; d < extents.rank; ++d) along.push_back(d);
  } else {
    axis_set(label, *wanted, extents.rank);  // rejects what is out of range or repeated
    for (int k = 0; k < wanted->count; ++k)
      along.push_back(wanted->number[k] < 0 ? wanted->number[k] + extents.rank : wanted->number[k]);
  }
  if (static_cast<int>(along.size()) != outputs)
    throw Error(label, std::to_string(outputs) + " outputs for " + std::to_string(along.size()) + " axes");
  for (const int d : along)
    if (extents.extent[d] <= edge_order)
      throw Error(label, "in has extents " + extents.str() + ", expected at least " + std::to_string(edge_order + 1) +
                             " along axis " + std::to_string(d));
  return along;
}

void check_spacing(const std::string& label, double distance, int axis) {
  if (!(std::isfinite(distance) && distance != 0))
    throw Error(label, "the spacing along axis " + std::to_string(axis) + " is zero or not finite");
}

}  // namespace quern::impl
