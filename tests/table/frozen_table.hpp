// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_TABLE_FROZEN_TABLE_HPP
#define QUERN_TESTS_TABLE_FROZEN_TABLE_HPP

/// @file
/// Tables that tools/table_reference.py has written, as Tables and beside some.

#include <cmath>
#include <quern/table.hpp>
#include <sstream>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace test {

inline const reference_archive pandas("table/data/pandas.npz");

inline std::string frozen_text(const std::string& name) {
  const auto bytes = pandas.values<std::uint8_t>(name);
  return {bytes.begin(), bytes.end()};
}
inline std::vector<std::string> frozen_list(const std::string& name) {
  std::istringstream text(frozen_text(name));
  std::vector<std::string> texts;
  for (std::string one; std::getline(text, one, '\x1e');) texts.push_back(one);
  return texts;
}

/// f(T()) for the type of a frozen column.
template <class F>
void with_frozen_type(const std::string& column, const F& f) {
  if (pandas.holds<double>(column)) f(double());
  else if (pandas.holds<float>(column)) f(float());
  else if (pandas.holds<std::int64_t>(column)) f(std::int64_t());
  else if (pandas.holds<std::int32_t>(column)) f(std::int32_t());
  else if (pandas.holds<std::uint8_t>(column)) f(bool());
  else FAIL() << column << " is of a type that tables do not have";
}

/// A column of a table of these values: std::vector<bool> has no elements in memory.
template <class Exec, class T>
Kokkos::View<T*, Exec> column_view(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("column", values.size());
  const auto mirror = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) mirror(i) = values[i];
  Kokkos::deep_copy(view, mirror);
  return view;
}
template <class T>
std::vector<T> frozen_values(const std::string& name) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = frozen_text(name);
    return {bytes.begin(), bytes.end()};
  } else {
    return pandas.values<T>(name);
  }
}

template <class Exec>
quern::Table<Exec> frozen_table(const std::string& name) {
  quern::Table<Exec> t;
  for (const auto& column : frozen_list(name + "/columns")) {
    const std::string array = name + "/" + column;
    if (pandas.contains(array + "/categories"))
      t.insert(column, column_view<Exec>(pandas.values<std::int32_t>(array)), frozen_list(array + "/categories"));
    else with_frozen_type(array, [&]<class T>(T) { t.insert(column, column_view<Exec>(frozen_values<T>(array))); });
  }
  return t;
}

template <class T, class Exec>
std::vector<T> values_of(const quern::Table<Exec>& t, const std::string& name) {
  const auto column = t.template column<T>(name);
  const Kokkos::View<T*, Exec> copy("copy", column.extent(0));
  Kokkos::deep_copy(copy, column);
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy);
  return std::vector<T>(mirror.data(), mirror.data() + mirror.extent(0));
}
inline std::vector<std::string> texts_of(const std::vector<std::int32_t>& codes,
                                         const std::vector<std::string>& categories) {
  std::vector<std::string> texts;
  for (const auto code : codes) texts.push_back(code < 0 ? "(missing)" : categories.at(static_cast<std::size_t>(code)));
  return texts;
}
template <class Exec>
std::vector<std::string> texts_of(const quern::Table<Exec>& t, const std::string& name) {
  return texts_of(values_of<std::int32_t>(t, name), t.categories(name));
}

/// Of equal bits except for NaN, or with a tolerance of equal values except for that share of them.
template <class T>
bool agree(T expected, T found, double tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    if (tolerance > 0) return std::abs(expected - found) <= tolerance * std::abs(expected);
  }
  return expected == found;
}

template <class Exec>
void expect_column(const std::string& array, const quern::Table<Exec>& found, const std::string& name,
                   double tolerance) {
  if (pandas.contains(array + "/categories")) {
    const auto expected = texts_of(pandas.values<std::int32_t>(array), frozen_list(array + "/categories"));
    EXPECT_EQ(expected, texts_of(found, name)) << array;
    return;
  }
  with_frozen_type(array, [&]<class T>(T) {
    ASSERT_EQ(quern::name_of(quern::impl::type_of_column<T>()), quern::name_of(found.type(name))) << array;
    const std::vector<T> expected = frozen_values<T>(array), values = values_of<T>(found, name);
    ASSERT_EQ(expected.size(), values.size()) << array;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(agree<T>(expected[i], values[i], tolerance))
          << array << ", row " << i << ": " << expected[i] << " and " << values[i];
  });
}
/// That a table has the columns of a frozen one, in their order. Computed values may differ by a share of them.
template <class Exec>
void expect_table(const std::string& name, const quern::Table<Exec>& found, double tolerance = 0) {
  const auto columns = frozen_list(name + "/columns");
  ASSERT_EQ(columns, found.names()) << name;
  for (const auto& column : columns) expect_column(name + "/" + column, found, column, tolerance);
}

/// The message of an Error that f throws.
template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const quern::Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace test

#endif
