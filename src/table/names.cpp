// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

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

void check_distinct(const std::string& label, const std::vector<std::string>& names, const std::string& where) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw Error(label, "the name " + in_quotes(std::string_view(*twice)) + " occurs twice" + where);
}

column_type common_type(const std::string& label, const std::string& name, column_type a, column_type b) {
  if (a == b) return a;
  if (!is_number(a) || !is_number(b))
    throw Error(label, "the column " + in_quotes(std::string_view(name)) + " holds " + std::string(name_of(a)) +
                           " and " + std::string(name_of(b)));
  return is_floating(a) || is_floating(b) ? column_type::float64 : column_type::int64;
}

void check_codes(const std::string& label, std::size_t texts) {
  if (texts > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(label, "a column has " + std::to_string(texts) + " different texts, more than codes of int32 number");
}

categories_ptr all_categories(const std::vector<categories_ptr>& lists) {
  if (std::all_of(lists.begin(), lists.end(),
                  [&](const auto& l) { return l == lists.front() || *l == *lists.front(); }))
    return lists.front();
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list->begin(), list->end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  check_codes("quern::Table", all.size());
  return std::make_shared<const std::vector<std::string>>(std::move(all));
}

}  // namespace impl
}  // namespace quern
