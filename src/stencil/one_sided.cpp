// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/core/call/error.hpp>
#include <quern/stencil/one_sided.hpp>
#include <string>

namespace quern::impl {

std::array<int, max_rank> gradient_axes(const std::string& label, const axes* wanted, int outputs, const shape& extents,
                                        int edge_order) {
  const int count = wanted == nullptr ? extents.rank : wanted->count;
  std::array<int, max_rank> along{};
  if (wanted == nullptr)
    for (int d = 0; d < count; ++d) along[d] = d;
  else along = axes_in_order(label, *wanted, extents.rank);
  if (count != outputs) throw Error(label, std::to_string(outputs) + " outputs for " + std::to_string(count) + " axes");
  for (int k = 0; k < count; ++k)
    if (extents.extent[along[k]] <= edge_order)
      throw Error(label, "in has extents " + extents.str() + ", expected at least " + std::to_string(edge_order + 1) +
                             " along axis " + std::to_string(along[k]));
  return along;
}

std::string text_of_gradient(const axes* wanted, int rank, int edge_order) {
  std::string text = edge_order == 1 ? "" : ", differences at the edges of order " + std::to_string(edge_order);
  for (int k = 0; wanted != nullptr && k < wanted->count; ++k)
    text += (k == 0 ? " along " : " ") + std::to_string(axis_from_front(wanted->number[k], rank));
  return text;
}

std::string text_of_spacing(const per_axis<double>& spacing) {
  std::string text = ", spacing";
  for (const double distance : spacing.given()) text += " " + text_of(distance);
  return text;
}

void check_spacing(const std::string& label, double distance, double factor, int axis) {
  const auto usable = [](double x) { return std::isfinite(x) && x != 0; };
  if (usable(distance) && usable(factor)) return;
  const std::string name = "the spacing along axis " + std::to_string(axis);
  if (!usable(distance)) throw Error(label, name + " is zero or not finite");
  throw Error(label, name + ", " + text_of(distance) + ", is too small or too large for the type of the differences");
}

}  // namespace quern::impl
