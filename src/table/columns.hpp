// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_COLUMNS_HPP
#define QUERN_SRC_TABLE_COLUMNS_HPP

/// @file
/// What the operations of tables share: columns that they make, and copies of columns with rows taken or types changed.

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/table/table.hpp>

namespace quern::impl {

template <class Exec>
using column_in = table_column<typename Exec::memory_space>;
template <class Exec, class T>
using row_view = Kokkos::View<T*, typename Exec::memory_space>;

template <class Exec>
struct table_access {
  using table = Table<Exec>;
  static const std::vector<column_in<Exec>>& columns(const table& t) { return t.columns_; }
  static const column_in<Exec>& find(const table& t, const std::string& label, std::string_view name) {
    for (const auto& c : t.columns_)
      if (c.name == name) return c;
    reject_name(label, name, t.names());
  }
  [[noreturn]] static void reject_name(const std::string& label, std::string_view name,
                                       const std::vector<std::string>& names);
  /// A table of columns of one length.
  static table make(const Exec& exec, std::vector<column_in<Exec>> columns) {
    table t(exec);
    t.columns_ = std::move(columns);
    return t;
  }
};
template <class Exec>
const std::vector<column_in<Exec>>& columns_of(const Table<Exec>& t) {
  return table_access<Exec>::columns(t);
}

/// @throws Error that names a name that is there twice
void check_distinct(const std::string& label, const std::vector<std::string>& names, const std::string& where = "");
/// A list of names in a message: 'a', 'b'.
std::string in_quotes(const std::vector<std::string>& names);
inline std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

inline bool is_floating(column_type type) { return type == column_type::float32 || type == column_type::float64; }
inline bool is_number(column_type type) { return type != column_type::boolean && type != column_type::text; }
std::int64_t bytes_of(column_type type);

/// f(T()) for the type of a column's elements.
template <class F>
auto with_element(column_type type, const F& f) {
  switch (type) {
    case column_type::float32:
      return f(float());
    case column_type::float64:
      return f(double());
    case column_type::int32:
    case column_type::text:
      return f(std::int32_t());
    case column_type::int64:
      return f(std::int64_t());
    case column_type::boolean:
      break;
  }
  return f(bool());
}

/// A column that is not initialized.
template <class Exec>
column_in<Exec> new_values(const Exec& exec, std::string name, column_type type, std::int64_t rows,
                           categories_ptr categories = {}) {
  using memory_space = typename Exec::memory_space;
  const std::size_t bytes = bytes_of_array("quern::Table", {rows}, static_cast<std::size_t>(bytes_of(type)));
  const auto block = take_block<memory_space>(instance_ref(exec), bytes);
  return {std::move(name), type, block, block.data(), rows, 1, std::move(categories)};
}
/// The elements of a column that was made here.
template <class T, class Space>
T* data_of(const table_column<Space>& c) {
  return static_cast<T*>(const_cast<void*>(c.data));
}
/// A column as an input of other operations.
template <class T, class Exec>
typename Table<Exec>::template column_view<T> view_of(const Exec&, const column_in<Exec>& c) {
  return typename Table<Exec>::template column_view<T>(static_cast<const T*>(c.data),
                                                       Kokkos::LayoutStride(c.rows, c.stride));
}
/// A packed column as an output.
template <class T, class Exec>
auto packed_of(const Exec&, const column_in<Exec>& c) {
  return Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      data_of<T>(c), static_cast<std::size_t>(c.rows));
}
/// Elements in the host's memory as a View.
template <class T>
auto on_host_view(T* data, std::size_t n) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, n);
}
template <class Space>
table_column<Space> renamed(table_column<Space> c, std::string name) {
  c.name = std::move(name);
  return c;
}
/// Part of a column, in its memory.
template <class Space>
table_column<Space> rows_of(table_column<Space> c, std::int64_t begin, std::int64_t end) {
  c.data = static_cast<const std::byte*>(c.data) + begin * c.stride * bytes_of(c.type);
  c.rows = end - begin;
  return c;
}

/// A column with the rows of these numbers. With `may_miss` a negative number makes a missing value, for which integers
/// and bools become double.
template <class Exec>
column_in<Exec> gather_rows(const std::string& label, const Exec& exec, const column_in<Exec>& c,
                            const std::int64_t* rows, std::int64_t n, bool may_miss = false);
/// A column as another type, packed; texts as their codes. From a floating-point type only to another one, or from what
/// was converted to it.
template <class Exec>
column_in<Exec> converted(const std::string& label, const Exec& exec, const column_in<Exec>& c, column_type to);
/// The same column where it is of that type, whatever its stride.
template <class Exec>
column_in<Exec> as_type(const std::string& label, const Exec& exec, const column_in<Exec>& c, column_type type) {
  return c.type == type ? c : converted(label, exec, c, type);
}
/// Lets another instance use the columns of a table, after what was launched on the table's own.
template <class Exec>
void use_on(const std::string& label, const Exec& exec, const Table<Exec>& t) {
  if (t.exec() == exec) return;
  t.exec().fence(kernel_label(label));
  for (const auto& c : columns_of(t)) record_use<typename Exec::memory_space>(c.data, instance_ref(exec));
}
/// How many values of a column are missing. Waits.
template <class Exec>
std::int64_t count_missing(const std::string& label, const Exec& exec, const column_in<Exec>& c);

/// A column of the host's values. Waits.
template <class Exec, class T>
column_in<Exec> column_of_host(const Exec& exec, std::string name, column_type type, const T* values, std::size_t rows,
                               categories_ptr categories = {}) {
  const auto c = new_values(exec, std::move(name), type, static_cast<std::int64_t>(rows), std::move(categories));
  Kokkos::deep_copy(exec, packed_of<T>(exec, c), on_host_view(values, rows));
  exec.fence(kernel_label("quern::Table: wait for a copy"));
  return c;
}

/// The least and the greatest of whole numbers or codes, of which there is one. Waits.
template <class Exec>
Kokkos::MinMaxScalar<std::int64_t> bounds_of(const std::string& label, const Exec& exec, const column_in<Exec>& c);

/// The type that holds the values of columns of two types: the same one, or one of numbers.
/// @throws Error if there is none
column_type common_type(const std::string& label, const std::string& name, column_type a, column_type b);
/// @throws Error if there are more texts than codes for them
void check_codes(const std::string& label, std::size_t texts);
/// All texts of some lists, sorted.
categories_ptr all_categories(const std::vector<categories_ptr>& lists);
/// Copies a column to the rows of another one from `at` on. Texts become codes of the other one's categories.
template <class Exec>
void copy_rows(const std::string& label, const Exec& exec, const column_in<Exec>& from, const column_in<Exec>& to,
               std::int64_t at);
/// Writes missing values to rows of a column.
template <class Exec>
void fill_missing(const std::string& label, const Exec& exec, const column_in<Exec>& to, std::int64_t begin,
                  std::int64_t end);

/// A text column with its codes in other categories, which hold all of its texts.
template <class Exec>
column_in<Exec> with_categories(const std::string& label, const Exec& exec, const column_in<Exec>& c,
                                const categories_ptr& categories) {
  if (c.categories == categories || *c.categories == *categories) return c;
  const auto out = new_values(exec, c.name, column_type::text, c.rows, categories);
  copy_rows(label, exec, c, out, 0);
  return out;
}
/// Two columns in one type.
template <class Exec>
void unify(const std::string& label, const Exec& exec, column_in<Exec>& a, column_in<Exec>& b) {
  const auto type = common_type(label, a.name, a.type, b.type);
  if (type != column_type::text) {
    a = as_type(label, exec, a, type);
    b = as_type(label, exec, b, type);
    return;
  }
  const auto categories = all_categories({a.categories, b.categories});
  a = with_categories(label, exec, a, categories);
  b = with_categories(label, exec, b, categories);
}
/// A column and another one below it, of one type.
template <class Exec>
column_in<Exec> below(const std::string& label, const Exec& exec, const column_in<Exec>& a, const column_in<Exec>& b) {
  const auto both = new_values(exec, a.name, a.type, a.rows + b.rows, a.categories);
  copy_rows(label, exec, a, both, 0);
  copy_rows(label, exec, b, both, a.rows);
  return both;
}

/// Columns by their names, at least one.
template <class Exec>
std::vector<column_in<Exec>> key_columns(const std::string& label, const Table<Exec>& t,
                                         const std::vector<std::string>& names) {
  if (names.empty()) throw Error(label, "there is no key");
  check_distinct(label, names);
  std::vector<column_in<Exec>> keys;
  for (const auto& name : names) keys.push_back(table_access<Exec>::find(t, label, name));
  return keys;
}
/// The numbers of the rows, in int64, in the stable order of columns of one length.
template <class Exec>
column_in<Exec> order_of(const std::string& label, const Exec& exec, const std::vector<column_in<Exec>>& keys,
                         const std::vector<sort_order>& orders);

/// A table of rows of another one.
template <class Exec>
Table<Exec> gather_table(const std::string& label, const Table<Exec>& t, const std::int64_t* rows, std::int64_t n) {
  std::vector<column_in<Exec>> columns;
  for (const auto& c : columns_of(t)) columns.push_back(gather_rows(label, t.exec(), c, rows, n));
  return table_access<Exec>::make(t.exec(), std::move(columns));
}

}  // namespace quern::impl

#endif
