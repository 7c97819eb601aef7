// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of tables.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/core.hpp>
#include <quern/random.hpp>
#include <quern/table.hpp>
#include <vector>

#include "workload.hpp"

namespace app {
namespace {

using quern::column_type;
using quern::random::key;
using table = quern::Table<exec_space>;

/// A packed column on the host.
template <class T>
std::vector<T> on_host(const table& t, const std::string& name) {
  const auto column = t.column<T>(name);
  const device_view<const T*> packed(column.data(), column.extent(0));
  const auto copy = quern::to_host(packed);
  return std::vector<T>(copy.data(), copy.data() + copy.extent(0));
}
/// A column of numbers on the host in double.
std::vector<double> numbers_of(const table& t, const std::string& name) {
  const auto in_double = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
  switch (t.type(name)) {
    case column_type::float32:
      return in_double(on_host<float>(t, name));
    case column_type::float64:
      return on_host<double>(t, name);
    case column_type::int32:
      return in_double(on_host<std::int32_t>(t, name));
    default:
      return in_double(on_host<std::int64_t>(t, name));
  }
}
bool is_number(column_type type) { return type != column_type::boolean && type != column_type::text; }

/// count, mean, std, min, quartiles and max of the first numbers, without NaN, from their sorted order.
std::vector<double> described(const std::vector<double>& values, std::int64_t n) {
  std::vector<double> x;
  std::copy_if(values.begin(), values.begin() + n, std::back_inserter(x), [](double v) { return v == v; });
  std::sort(x.begin(), x.end());
  std::vector<double> found(8, std::numeric_limits<double>::quiet_NaN());
  const auto count = static_cast<std::int64_t>(x.size());
  found[0] = static_cast<double>(count);
  if (count == 0) return found;
  long double sum = 0, squares = 0;
  for (const double v : x) sum += v;
  const long double mean = sum / count;
  for (const double v : x) squares += (v - mean) * (v - mean);
  found[1] = static_cast<double>(mean);
  if (count > 1) found[2] = static_cast<double>(std::sqrt(squares / (count - 1)));
  for (int k = 0; k <= 4; ++k) {  // between a number and an infinity lies the infinity
    const double at = 0.25 * k * static_cast<double>(count - 1);
    const auto i = static_cast<std::int64_t>(at);
    const double low = x[i], high = x[std::min(i + 1, count - 1)];
    const double part = at - static_cast<double>(i);
    found[3 + k] = low == high || part == 0               ? low
                   : std::isinf(low) && !std::isinf(high) ? low
                                                          : low + (high - low) * part;
  }
  return found;
}
/// Whether a description of a column is right.
bool is_description(const std::vector<double>& found, const std::vector<double>& expected) {
  const double spread = std::isfinite(expected[2]) ? expected[2] : 0,
               size = std::isfinite(expected[1]) ? std::fabs(expected[1]) : 0;
  return all_right(8, [&](std::int64_t k) {
    if (k == 0 || k == 3 || k == 7) return agrees(found[k], expected[k], 0);
    return agrees(found[k], expected[k], 1e-12 * (size + spread) + 1e-14 * std::fabs(expected[k]));
  });
}

/// Describes a table, verifies that, and says it where the table is of a file.
measurement describe_table(const settings& s, const table& t, std::int64_t size) {
  std::vector<std::string> names;
  for (const auto& name : t.names())
    if (is_number(t.type(name))) names.push_back(name);
  const auto n = t.rows();
  const auto bytes = 8.0 * static_cast<double>(n) * static_cast<double>(names.size());
  measurement m = timed(s, size > 0 ? problem_size({size}) : problem_size(fmt::format("{} rows", n)), bytes, 0,
                        [&] { t.describe(); });
  const auto found = t.describe();
  std::vector<std::vector<double>> columns;
  m.verified = true;
  for (const auto& name : names) {
    columns.push_back(numbers_of(t, name));
    const bool right = is_description(on_host<double>(found, name), described(columns.back(), n));
    m.verified = m.verified && right;
  }
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (const auto& c : columns) keep(described(c, k)[0]);
  });
  m.note = found.to_string();
  return m;
}

/// What a file has that no description of numbers shows.
std::string other_columns(const table& t) {
  std::string text;
  for (const auto& name : t.names())
    if (!is_number(t.type(name)))
      text += fmt::format("{}'{}' ({})", text.empty() ? "" : ", ", name, quern::name_of(t.type(name)));
  return text.empty() ? text : "\nnot described: " + text;
}
measurement describe_file(const settings& s) {
  try {
    const auto t = quern::read_csv(s.exec, s.input, {.fill_short_lines = true});
    measurement m = describe_table(s, t, 0);
    m.type = "csv";
    m.note += other_columns(t);
    for (std::size_t at = m.note.find('\n'); at != std::string::npos; at = m.note.find('\n', at + 1))
      m.note.insert(at + 1, "  ");  // below each other
    return m;
  } catch (const quern::Error& e) {  // of names, or without numbers
    throw usage_error(s.input + ": " + e.what());
  }
}

struct own_number {
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return static_cast<double>(i); }
};
struct few_values {
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return Kokkos::floor(100 * hashed(i, 4)); }
};
struct with_gaps {
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const double v = hashed(i, 5);
    return v < 0.01 ? Kokkos::Experimental::quiet_NaN_v<double> : v * v;
  }
};
measurement describe(const settings& s, std::int64_t n) {
  if (!s.input.empty()) return describe_file(s);
  const auto normal = uninitialized<device_view<double*>>("normal", n);
  const auto whole = uninitialized<device_view<double*>>("whole", n);
  quern::random::normal(s.exec, normal, key(1));
  fill_with(s.exec, whole, few_values());
  table t(s.exec);
  t.insert("uniform", filled<device_view<double*>>(s, hashes{3, -1, 1}, n)).insert("normal", normal);
  t.insert("whole", whole).insert("gaps", filled<device_view<double*>>(s, with_gaps(), n));
  return describe_table(s, t, n);
}

/// Rows of two tables with equal keys.
struct pairs {
  std::vector<std::int64_t> left, right;
};
/// Those of the first left rows, by lists of the right rows of each key.
pairs merged(const std::vector<std::int64_t>& left, std::int64_t n, const std::vector<std::int64_t>& right,
             std::int64_t keys) {
  std::vector<std::int64_t> begin(keys + 1), rows(right.size());
  for (const auto k : right) ++begin[k + 1];
  for (std::int64_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
  auto at = begin;
  for (std::size_t i = 0; i < right.size(); ++i) rows[at[right[i]]++] = static_cast<std::int64_t>(i);
  pairs found;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = begin[left[i]]; j < begin[left[i] + 1]; ++j) {
      found.left.push_back(i);
      found.right.push_back(rows[j]);
    }
  return found;
}

measurement merge(const settings& s, std::int64_t n) {
  const std::int64_t m_rows = std::max<std::int64_t>(n / 5, 1);  // and as many keys
  const auto numbered = [&](std::int64_t rows, std::uint64_t seed, const std::string& name) {
    const auto keys = uninitialized<device_view<std::int64_t*>>("keys", rows);
    quern::random::integers(s.exec, keys, key(seed), 0, m_rows);
    table t(s.exec);
    t.insert("key", keys).insert(name, filled<device_view<std::int64_t*>>(s, own_number(), rows));
    return t;
  };
  const auto left = numbered(n, 1, "left"), right = numbered(m_rows, 2, "right");
  table found(s.exec);
  measurement m = timed(s, {n, m_rows}, 0, 0, [&] { found = left.merge(right, {.on = "key"}); });
  // Reads both tables, and writes the result.
  m.bytes = 16.0 * static_cast<double>(n + m_rows) + 24.0 * static_cast<double>(found.rows());
  const auto a = on_host<std::int64_t>(left, "key"), b = on_host<std::int64_t>(right, "key");
  const auto expected = merged(a, n, b, m_rows);
  const auto keys = on_host<std::int64_t>(found, "key");
  m.verified = on_host<std::int64_t>(found, "left") == expected.left &&
               on_host<std::int64_t>(found, "right") == expected.right &&
               all_right(found.rows(), [&](std::int64_t i) { return keys[i] == a[expected.left[i]]; });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) { keep(merged(a, k, b, m_rows).left.size()); });
  return m;
}

}  // namespace

std::vector<workload> table_workloads() {
  std::vector<workload> all = {{"merge", "int64", "two tables by a key, the right one of a fifth of the rows",
                                sizes(1'000'000, 5'000'000), arrays(100), merge},
                               {"describe", "float64", "count, mean, std and quartiles of four columns",
                                sizes(1'000'000, 5'000'000), arrays(80), describe}};
  all.back().takes.push_back(option::input);
  return all;
}

}  // namespace app
