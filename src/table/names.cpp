// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "columns.hpp"

namespace quern {

std::string_view name_of(column_type type) {
  constexpr std::string_view names[] = {"float32", "float64", "int32", "int64", "bool", "text"};
  return names[static_cast<int>(type)];
}

namespace impl {

std::int64_t bytes_of(column_type type) {
  return with_element(type, [](auto value) { return static_cast<std::int64_t>(sizeof value); });
}

std::string in_quotes(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + in_quotes(std::string_view(name));
  return text;
}

void check_distinct(const std::string& label, const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error(label, "the name " + in_quotes(std::string_view(*twice)) + " occurs twice");
}

}  // namespace impl
}  // namespace quern
