// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_DISTRIBUTED_TABLE_PARTS_HPP
#define QUERN_TESTS_DISTRIBUTED_TABLE_PARTS_HPP

/// @file
/// Tables whose rows every rank knows, parts of them on each rank, and what all ranks have found, as one table.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <distributed/world.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <quern/table.hpp>

namespace test {

using space = Kokkos::DefaultExecutionSpace;
using table = quern::Table<space>;
inline const double nan = std::numeric_limits<double>::quiet_NaN();

/// A column of these values; of 8 bytes each with a gap behind each.
template <class T>
auto column_of(const std::vector<T>& values) {
  using layout = std::conditional_t<sizeof(T) == 8, Kokkos::LayoutStride, Kokkos::LayoutRight>;
  return make_array<T, 1, layout, space>({static_cast<std::int64_t>(values.size())}, values);
}
template <class T>
void insert(table& t, const std::string& name, const std::vector<T>& values) {
  t.insert(name, column_of(values));
}
/// Texts, with the categories that they need and no others; none of them is missing.
inline void insert_texts(table& t, const std::string& name, const std::vector<std::optional<std::string>>& texts) {
  std::vector<std::string> categories;
  for (const auto& text : texts)
    if (text) categories.push_back(*text);
  std::sort(categories.begin(), categories.end());
  categories.erase(std::unique(categories.begin(), categories.end()), categories.end());
  std::vector<std::int32_t> codes;
  for (const auto& text : texts)
    codes.push_back(text ? static_cast<std::int32_t>(std::lower_bound(categories.begin(), categories.end(), *text) -
                                                     categories.begin())
                         : -1);
  t.insert(name, column_of(codes), categories);
}
/// f(i) of the rows from `first` to before `last`.
template <class T, class F>
std::vector<T> values_from(std::int64_t first, std::int64_t last, const F& f) {
  std::vector<T> values;
  for (std::int64_t i = first; i < last; ++i) values.push_back(static_cast<T>(f(i)));
  return values;
}

/// Where the rows of each rank begin, of n: as many on each, none on the odd ones, or all on the last one.
inline std::vector<std::vector<std::int64_t>> cuts(std::int64_t n, int ranks) {
  std::vector<std::vector<std::int64_t>> all(3);
  for (std::int64_t r = 0; r <= ranks; ++r) {
    all[0].push_back(n * r / ranks);
    all[1].push_back(n * ((r + 1) / 2) / ((ranks + 1) / 2));
    all[2].push_back(r < ranks ? 0 : n);
  }
  return all;
}

/// f(T()) for the type of a column's elements.
template <class F>
void with_type(quern::column_type type, const F& f) {
  if (type == quern::column_type::float32) f(float());
  else if (type == quern::column_type::float64) f(double());
  else if (type == quern::column_type::int64) f(std::int64_t());
  else if (type == quern::column_type::boolean) f(bool());
  else f(std::int32_t());
}
/// The rows that all ranks have, those of rank 0 first, on each. Columns have the same types, and texts the same
/// categories. By few messages, as tests call it often.
inline table gathered(const quern::Communicator& comm, const table& part) {
  std::string bytes, layout;
  for (const auto& name : part.names()) {
    layout += " " + name + " " + std::string(quern::name_of(part.type(name)));
    if (part.type(name) == quern::column_type::text)
      for (const auto& text : part.categories(name)) layout += ", " + text;
    with_type(part.type(name), [&]<class T>(T) {
      for (const T v : contents(part.column<T>(name))) bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    });
  }
  quern::impl::check_same(comm, "gathered", "columns", layout);
  std::vector<std::string> of_ranks;
  for (int r = 0; r < comm.size(); ++r) of_ranks.push_back(quern::impl::values_of_rank(comm, bytes, r));
  const auto rows = quern::impl::all_gather(comm, part.rows());
  table all;
  std::vector<std::size_t> at(of_ranks.size(), 0);
  for (const auto& name : part.names())
    with_type(part.type(name), [&]<class T>(T) {
      std::vector<T> values;
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::int64_t i = 0; i < rows[r]; ++i, at[r] += sizeof(T)) {
          T v;
          std::memcpy(&v, of_ranks[r].data() + at[r], sizeof v);
          values.push_back(v);
        }
      if constexpr (std::is_same_v<T, std::int32_t>)
        if (part.type(name) == quern::column_type::text) {
          all.insert(name, column_of(values), part.categories(name));
          return;
        }
      insert(all, name, values);
    });
  return all;
}

/// A column in double, or the codes of texts ; -1 where a text is missing.
inline std::vector<double> numbers_of(const table& t, const std::string& name) {
  std::vector<double> numbers;
  with_type(t.type(name), [&]<class T>(T) {
    const auto values = contents(t.column<T>(name));
    numbers.assign(values.begin(), values.end());
  });
  return numbers;
}
/// The error that a value of a column may have.
using errors = std::function<double(const std::string&, double)>;
/// That two tables have the same columns and values in the same rows, where NaN is equal to NaN.
inline void expect_same_rows(const table& expected, const table& found, const errors& error_of = {}) {
  ASSERT_EQ(expected.names(), found.names());
  ASSERT_EQ(expected.rows(), found.rows());
  for (const auto& name : expected.names()) {
    ASSERT_EQ(expected.type(name), found.type(name)) << name;
    const bool is_text = expected.type(name) == quern::column_type::text;
    const auto e = numbers_of(expected, name), f = numbers_of(found, name);
    for (std::size_t i = 0; i < e.size(); ++i) {
      if (is_text && e[i] >= 0 && f[i] >= 0) {
        EXPECT_EQ(expected.categories(name)[static_cast<std::size_t>(e[i])],
                  found.categories(name)[static_cast<std::size_t>(f[i])])
            << name << ", row " << i;
        continue;
      }
      const double error = error_of ? error_of(name, e[i]) : 0;
      EXPECT_TRUE(std::isnan(e[i]) ? std::isnan(f[i]) : e[i] == f[i] || std::abs(e[i] - f[i]) <= error)
          << name << ", row " << i << ": " << e[i] << " and " << f[i];
    }
  }
}

}  // namespace test

#endif
