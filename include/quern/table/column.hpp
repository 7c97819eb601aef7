// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_COLUMN_HPP
#define QUERN_TABLE_COLUMN_HPP

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <quern/core/memory/pool.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quern {

/// What a column of a table holds. A text column holds `std::int32_t` codes: positions in its categories, which are
/// sorted and differ from each other, so that codes compare as their texts; -1 is a missing text.
enum class column_type : std::uint8_t { float32, float64, int32, int64, boolean, text };
/// `float32`, `float64`, `int32`, `int64`, `bool` or `text`.
std::string_view name_of(column_type type);

/// Names of columns: `"u"`, or `{"u", "v"}`.
class column_names {
 public:
  column_names() = default;
  column_names(const char* one) : names_{one} {}             // NOLINT(google-explicit-constructor)
  column_names(std::string one) : names_{std::move(one)} {}  // NOLINT(google-explicit-constructor)
  column_names(std::initializer_list<std::string> names) : names_(names) {}
  column_names(std::vector<std::string> names) : names_(std::move(names)) {}  // NOLINT(google-explicit-constructor)
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }
  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::size_t i) const { return names_[i]; }

 private:
  std::vector<std::string> names_;
};

namespace impl {

/// The type of a column of T's.
template <class T>
consteval bool is_column_value() {
  return std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, bool> ||
         (std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
}
template <class T>
consteval column_type type_of_column() {
  if constexpr (std::is_same_v<T, float>) return column_type::float32;
  else if constexpr (std::is_same_v<T, double>) return column_type::float64;
  else if constexpr (std::is_same_v<T, bool>) return column_type::boolean;
  else return sizeof(T) == 4 ? column_type::int32 : column_type::int64;
}

/// What the sources of the component see of a table.
template <class Exec>
struct table_access;

using categories_ptr = std::shared_ptr<const std::vector<std::string>>;

/// A column without its type: where its elements are, and what keeps that memory.
template <class Space>
struct table_column {
  std::string name;
  column_type type = column_type::float64;
  pool_block<Space> owner{};  // of memory that counts its users
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t stride = 1;
  categories_ptr categories{};  // of a text column
};

/// A View's share of its memory; nothing where the View does not count.
template <class Space, class V>
pool_block<Space> owner_of(const V& v) {
  if constexpr (requires { v.data_handle().tracker(); }) {
    auto* const bytes =
        reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<typename V::value_type>*>(v.data()));
    return pool_block<Space>(typename pool_block<Space>::data_handle_type(v.data_handle().tracker(), bytes),
                             typename pool_block<Space>::array_layout(v.extent(0)));
  } else {
    return {};
  }
}
template <class Space, class V>
table_column<Space> column_of_view(std::string name, column_type type, const V& v) {
  return {std::move(name),
          type,
          owner_of<Space>(v),
          v.data(),
          static_cast<std::int64_t>(v.extent(0)),
          v.extent(0) > 1 ? static_cast<std::int64_t>(v.stride(0)) : 1,
          {}};
}

}  // namespace impl
}  // namespace quern

#endif
