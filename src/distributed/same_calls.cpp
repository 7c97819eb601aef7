// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/distributed/same_calls.hpp>

namespace quern::impl {

std::string text_of_type(const char* kind, std::size_t bytes) { return kind + std::to_string(8 * bytes); }

std::string joined_texts(std::initializer_list<std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

void check_same_texts(const Communicator& comm, const std::string& label, const std::string& operands,
                      const std::string& more, const std::string& values) {
  check_same(comm, label, "the calls", label + " of" + operands + more + values_follow + values);
}

std::string text_of_array(const std::string& type, const shape& extents, const Decomposition* cut) {
  std::string text = " " + type + " " + extents.str();
  if (cut == nullptr) return text;
  text += " on a grid of";
  for (int axis = 0; axis < extents.rank; ++axis) text += " " + std::to_string(cut->grid(axis));
  std::string halo;
  bool has_halo = false;
  for (int axis = 0; axis < extents.rank; ++axis) {
    halo += " " + std::to_string(cut->halo(axis));
    has_halo = has_halo || cut->halo(axis) > 0;
  }
  return has_halo ? text + " with a halo of" + halo : text;
}

std::string text_of_axes(const axes* wanted, int rank) {
  if (wanted == nullptr) return "";
  std::vector<int> numbers(wanted->number.begin(), wanted->number.begin() + wanted->count);
  for (int& n : numbers) n = axis_from_front(n, rank);
  std::sort(numbers.begin(), numbers.end());
  std::string text = numbers.size() == 1 ? " along axis" : " along axes";
  for (const int n : numbers) text += " " + std::to_string(n);
  return text;
}

}  // namespace quern::impl
