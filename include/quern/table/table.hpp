// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_TABLE_HPP
#define QUERN_TABLE_TABLE_HPP

#include <quern/stencil/window.hpp>
#include <quern/table/column.hpp>
#include <quern/table/merge.hpp>
#include <quern/table/pivot.hpp>
#include <quern/table/sort_keys.hpp>

namespace quern {

template <execution_space Exec>
class TableGroups;

/// Named columns of equal length, whose types are known at run time: pandas' DataFrame over Views.
///
/// @code
/// quern::Table particles(exec);
/// particles.insert("cell", cell).insert("mass", mass);  // the Views themselves: nothing is copied
/// const auto heavy = particles.sort_by({{"mass", quern::sort_order::descending}}).head(3);
/// const auto m = heavy.column<double>("mass");  // a View, for any operation
/// const double total = quern::sum(exec, m);
/// @endcode
///
/// Columns are of float, double, int32, int64, bool or text (`column_type`). NaN is the missing value of floating-point
/// columns and the code -1 that of texts; integers and bools have none, and become double where one is needed. A table
/// is a handle, as a View is: copies, and tables that `select`, `head` or `rename` make, share the columns' memory,
/// which lives as long as one of them. Elements are read-only through a table. There is no index beside the columns:
/// rows are numbered from 0. Names, defaults and results are otherwise pandas'.
///
/// What an operation makes belongs to its result: columns are from the pool of the table's memory space
/// (`quern::pool`), names and categories of the host's heap. This is the one place where Quern allocates its results.
/// All operations run on the instance that the table was made with, those of several tables on the first one's, which
/// then waits for the others. Those wait whose result's length depends on the data or that check numbers of rows or
/// codes, those that bring texts of different categories together, `describe`, `to_string` and `print`. The memory of
/// a View that was inserted must not be written while they run.
///
/// Everything is compiled in the component `Quern::table`.
template <execution_space Exec = Kokkos::DefaultExecutionSpace>
class Table {
 public:
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  /// A column as a View. Its stride is 1 unless a strided View was inserted; where it is 1, a
  /// `Kokkos::View<const T*, memory_space>` can be made of it.
  template <class T>
  using column_view = Kokkos::View<const T*, Kokkos::LayoutStride, memory_space>;

  /// Of no columns.
  explicit Table(const Exec& exec = Exec()) : exec_(exec) {}

  /// Puts a column behind the others. The table uses the View's memory, and keeps it alive where the View counts its
  /// users (is not unmanaged).
  /// @param column a View of rank 1 and any stride, of float, double, bool, or signed integers of 32 or 64 bits
  /// @throws Error if the name is taken, or the length is not that of the other columns
  template <class V>
    requires(Kokkos::is_view_v<V>)
  Table& insert(std::string name, const V& column) {
    using T = typename V::non_const_value_type;
    check_view<V>();
    static_assert(impl::is_column_value<T>(),
                  "quern::Table::insert: a column is of float, double, bool, or signed integers of 32 or 64 bits");
    if constexpr (impl::is_column_value<T>()) {
      put(impl::column_of_view<memory_space>(std::move(name), impl::type_of_column<T>(), column));
      record_use(column, exec_);
    }
    return *this;
  }
  /// Puts a text column behind the others.
  /// @param codes a View of rank 1 of `std::int32_t`: positions in the categories, or -1 for a missing text
  /// @throws Error as above; if the categories are not sorted or not distinct, or a code is out of range. Waits.
  template <class V>
    requires(Kokkos::is_view_v<V>)
  Table& insert(std::string name, const V& codes, std::vector<std::string> categories) {
    check_view<V>();
    static_assert(std::is_same_v<typename V::non_const_value_type, std::int32_t>,
                  "quern::Table::insert: codes of texts are std::int32_t");
    put_text(impl::column_of_view<memory_space>(std::move(name), column_type::text, codes), std::move(categories));
    record_use(codes, exec_);
    return *this;
  }

  /// How many rows there are; 0 without columns.
  std::int64_t rows() const { return columns_.empty() ? 0 : columns_.front().rows; }
  /// The names of the columns in their order.
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const;
  /// @throws Error if there is no such column, as all below
  column_type type(std::string_view name) const;
  /// A column's elements, of exactly its type; of a text column the codes.
  /// @throws Error if it holds another type
  template <class T>
  column_view<T> column(std::string_view name) const {
    static_assert(impl::is_column_value<T>(),
                  "quern::Table::column: a column is of float, double, bool, std::int32_t or std::int64_t");
    const impl::table_column<memory_space>& c = typed(name, impl::type_of_column<T>());
    using handle = typename column_view<T>::data_handle_type;
    return column_view<T>(handle(c.owner.data_handle().tracker(), static_cast<const T*>(c.data)),
                          Kokkos::LayoutStride(c.rows, c.stride));
  }
  /// The texts that a text column's codes number.
  const std::vector<std::string>& categories(std::string_view name) const;

  /// Some columns, in the order of the names. Shares their memory.
  /// @throws Error if a name does not exist or occurs twice
  Table select(const column_names& names) const;
  /// All columns except some.
  Table drop(const column_names& names) const;
  /// The same columns, one with another name.
  Table rename(std::string_view from, std::string to) const;

  /// The rows where a mask is true. Waits.
  /// @param mask a View of rank 1 of bool
  /// @throws Error if the mask is not of the table's length
  template <class V>
    requires(Kokkos::is_view_v<V>)
  Table where(const V& mask) const {
    check_view<V>();
    static_assert(std::is_same_v<typename V::non_const_value_type, bool>, "quern::Table::where: a mask is of bool");
    return where_true(impl::column_of_view<memory_space>("the mask", column_type::boolean, mask));
  }
  /// The rows where a bool column is true.
  Table where(std::string_view name) const { return where_true(typed(name, column_type::boolean)); }
  /// Rows by their numbers, each any number of times. Waits.
  /// @param rows a View of rank 1 of `std::int64_t`
  /// @throws Error if a number is not from 0 to before `this->rows()`
  template <class V>
    requires(Kokkos::is_view_v<V>)
  Table take(const V& rows) const {
    check_view<V>();
    static_assert(std::is_same_v<typename V::non_const_value_type, std::int64_t>,
                  "quern::Table::take: rows are of std::int64_t");
    record_use(rows, exec_);
    return take_rows(impl::column_of_view<memory_space>("rows", column_type::int64, rows));
  }
  /// The rows from `begin` to before `end`. Shares the columns' memory, as `head` and `tail` do.
  /// @throws Error unless `0 <= begin <= end <= rows()`
  Table slice(std::int64_t begin, std::int64_t end) const;
  /// The first n rows, or all there are; with a negative n, all but the last -n.
  Table head(std::int64_t n = 5) const;
  /// The last n rows, or all there are; with a negative n, all but the first -n.
  Table tail(std::int64_t n = 5) const;

  /// The rows in the order of the values of some columns: pandas' `sort_values(kind="stable")`. Rows of equal keys keep
  /// their order; missing values come last in both directions; texts are ordered by their bytes.
  /// @throws Error if there is no key, or a name does not exist or occurs twice
  Table sort_by(const sort_keys& keys) const;
  /// The rows in groups of equal values of some columns, for `aggregate`: see quern/table/groups.hpp. Groups are in the
  /// order of their keys; rows of which a key is missing are in none. Waits.
  /// @throws Error as `sort_by`
  TableGroups<Exec> group_by(const column_names& keys) const;

  /// Statistics of windows of rows that follow each other: pandas' `rolling(window)`, in a table of one column for
  /// each.
  ///
  /// @code
  /// const auto smooth = runs.rolling(quern::window{5}, {{"u", quern::statistic::mean}});
  /// const auto hourly = runs.rolling("time", quern::value_window{3600}, {{"most", "u", quern::statistic::max}});
  /// @endcode
  ///
  /// Each is `quern::rolling` of a column in double (see quern/stencil/rolling.hpp), with ddof 1: NaN is missing, and a
  /// window of too few values has NaN.
  /// @throws Error if a column does not exist or is of texts, a result's name occurs twice, a statistic is none of
  /// windows (`first`, `last`, `size`), or a window has no element, more `min_periods` than elements, or no step
  Table rolling(const window& window, const std::vector<aggregation>& results) const;
  /// The same of windows of a part of a column of numbers that ascends: pandas' `rolling(window, on=...)`. That column
  /// comes first, and shares its memory. Waits.
  /// @throws Error also if values of that column are missing or not in order
  Table rolling(std::string_view on, const value_window& window, const std::vector<aggregation>& results) const;
  /// A statistic of a column for each pair of keys, side by side: pandas' `pivot_table`.
  ///
  /// @code
  /// const auto wide = runs.pivot({.index = "time", .columns = "sensor", .values = "u"});  // time, and each sensor
  /// @endcode
  ///
  /// Rows are of the different keys of `index`, in their order; behind these stands a column for each value of
  /// `columns`, in order, named by it as `write_csv` writes it. Where a pair does not occur the value is missing, and
  /// all columns of integers and bools become double. Rows of which a key is missing take no part, nor do pairs whose
  /// statistic is missing. Waits.
  /// @throws Error if there is no key, a name does not exist or occurs twice, also in the result, or a text column has
  /// no such statistic
  Table pivot(const pivot_options& options) const;

  /// Rows of this table and another one side by side, where keys are equal: pandas' `merge`.
  ///
  /// Missing keys are equal to each other. Keys of different types of numbers are compared in int64, or in double where
  /// one is floating-point. Columns are those of this table, then the other's without the keys that have the name of
  /// this table's. Where a row has no partner values are missing, and columns of integers and bools become double.
  /// Waits.
  ///
  /// The right keys are sorted and the left ones searched among them (see quern/keyed/join.hpp); several keys are
  /// numbered first, as by `group_by`.
  /// @throws Error if a name does not exist or occurs twice, also in the result, there is no key, `left_on` and
  /// `right_on` are not of one length, or keys of a pair are not both numbers, bools or texts
  Table merge(const Table& right, const merge_options& options = {}) const;
  /// Every row of this table beside the row of another one whose key is nearest: pandas' `merge_asof`, for samples at
  /// different times. Keys are numbers in ascending order, in both tables. A row without a match has missing values
  /// there. Shares the memory of this table's columns. Waits.
  /// @throws Error if a name does not exist or occurs twice, keys are no numbers, missing or not in order, types of
  /// `by` do not go together, or the tolerance is negative
  Table merge_asof(const Table& right, const merge_asof_options& options) const;
  /// The rows of several tables below each other: pandas' `concat(ignore_index=True)`. Columns are found by their names
  /// and stand in the order in which they first occur; a table without one of them has missing values there.
  ///
  /// Columns of one name are of one type, or of different types of numbers, which become int64, or double where one is
  /// floating-point.
  /// @throws Error if types of a column do not go together, or there is no table
  static Table concat(const std::vector<Table>& tables);

  /// Of each column of numbers (not bool, not text) `count`, `mean`, `std`, `min`, quantiles and `max` of what is not
  /// missing, in double. The first column, `statistic`, names the rows: a quantile as `25%`. The standard deviation
  /// divides by count - 1; quantiles are interpolated linearly, and one between a number and an infinity is the
  /// infinity, where pandas has NaN. What does not exist is NaN. Waits.
  /// @throws Error if there is no column of numbers, one is called `statistic`, or a quantile is not from 0 to 1 or has
  /// the name of another one: names have up to 6 digits, `33.333333%`
  Table describe(const std::vector<double>& quantiles = {0.25, 0.5, 0.75}) const;

  /// The table as the text that pandas prints of it: columns aligned to the right with the rows' numbers before them,
  /// floats with at most 6 digits behind the point, and of more than 60 rows the five at each end, with a line that
  /// says how many there are. All columns stand side by side, whatever that makes of the lines' length. Waits; only
  /// what is printed is copied from a device.
  std::string to_string() const;
  /// Writes `to_string()` and the end of a line to standard output.
  void print() const;

  /// The instance that operations run on.
  const Exec& exec() const { return exec_; }

 private:
  using column_data = impl::table_column<memory_space>;
  template <class>
  friend struct impl::table_access;

  template <class V>
  static constexpr void check_view() {
    static_assert(V::rank() == 1, "quern::Table: a column is a View of rank 1");
    static_assert(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible,
                  "quern::Table: the execution space of the table cannot reach the View");
  }
  void put(column_data column);
  void put_text(column_data column, std::vector<std::string> categories);
  const column_data& typed(std::string_view name, column_type type) const;
  Table where_true(const column_data& mask) const;
  Table take_rows(const column_data& rows) const;

  Exec exec_;
  std::vector<column_data> columns_;
};

}  // namespace quern

#endif
