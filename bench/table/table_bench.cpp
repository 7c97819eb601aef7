// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations of tables, whose results are new tables. Bytes count each column that is read and each that is made.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <quern/keyed/is_sorted.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/table.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;
using table = quern::Table<exec_space>;

bench::view<std::int64_t*> permuted(const exec_space& exec, std::int64_t n, int seed) {
  const auto keys = make_view<std::int64_t*>("keys", n);
  quern::random::permutation(exec, keys, key(seed));
  return keys;
}
bench::view<double*> sampled(const exec_space& exec, std::int64_t n, int seed) {
  const auto values = make_view<double*>("values", n);
  quern::random::uniform(exec, values, key(seed));
  return values;
}
double total(const exec_space& exec, const table& t, const char* name) {
  return quern::sum(exec, t.column<double>(name));
}

/// n rows with `right` ones, keys of which each has one partner where the other table has as many rows.
template <std::int64_t Part>
prepared merge(const exec_space& exec, std::int64_t n) {
  const std::int64_t m = std::max<std::int64_t>(n / Part, 1);
  table left(exec), right(exec);
  const auto x = sampled(exec, n, 3), y = sampled(exec, m, 4);
  left.insert("id", permuted(exec, n, 1)).insert("x", x);
  right.insert("id", permuted(exec, m, 2)).insert("y", y);
  const auto made = std::make_shared<table>();
  prepared p{16.0 * n + 16.0 * m + 24.0 * m, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = left.merge(right, {.on = "id"}); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const double expected = quern::sum(exec, y), found = total(exec, *made, "y");
    return made->rows() == m && std::abs(found - expected) <= 1e-9 * expected;
  };
  return p;
}

/// Sums of n rows by a key from 0 to `Different` - 1: all as frequent, or key k about 1 / k times as frequent as key 1.
template <bool Skewed, std::int64_t Different = 1'000'000>
prepared group_by(const exec_space& exec, std::int64_t n) {
  const auto keys = make_view<std::int64_t*>("keys", n);
  const double logarithm = std::log(static_cast<double>(Different));
  Kokkos::parallel_for(
      "keys", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        const double u = bench::hashed(i, 1);
        keys(i) = static_cast<std::int64_t>(Skewed ? Kokkos::exp(logarithm * u) : u * static_cast<double>(Different));
      });
  table rows(exec);
  const auto x = sampled(exec, n, 3);
  rows.insert("key", keys).insert("x", x);
  const auto made = std::make_shared<table>();
  prepared p{16.0 * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = rows.group_by("key").aggregate({{"sum", "x", quern::statistic::sum}}); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const double expected = quern::sum(exec, x);
    return std::abs(total(exec, *made, "sum") - expected) <= 1e-9 * expected;
  };
  return p;
}

/// n rows of a key in the order of nothing and a number.
table keyed_rows(const exec_space& exec, std::int64_t n) {
  table rows(exec);
  rows.insert("id", permuted(exec, n, 1)).insert("x", sampled(exec, n, 3));
  return rows;
}
prepared sort_by(const exec_space& exec, std::int64_t n) {
  const auto rows = keyed_rows(exec, n);
  const auto made = std::make_shared<table>();
  prepared p{32.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = rows.sort_by("id"); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const double expected = total(exec, rows, "x");
    return made->rows() == n && quern::is_sorted(exec, made->column<std::int64_t>("id")) &&
           std::abs(total(exec, *made, "x") - expected) <= 1e-9 * expected;
  };
  return p;
}
/// Four tables of as many rows.
prepared concat(const exec_space& exec, std::int64_t n) {
  const auto rows = keyed_rows(exec, n / 4);
  const auto made = std::make_shared<table>();
  prepared p{32.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = table::concat({rows, rows, rows, rows}); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const double expected = 4 * total(exec, rows, "x");
    return made->rows() == n / 4 * 4 && std::abs(total(exec, *made, "x") - expected) <= 1e-9 * expected;
  };
  return p;
}
/// The sums of n rows in 1000 rows and 16 columns.
prepared pivot(const exec_space& exec, std::int64_t n) {
  const auto row = make_view<std::int64_t*>("row", n), column = make_view<std::int64_t*>("column", n);
  Kokkos::parallel_for(
      "keys", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        row(i) = i / 16 * 611 % 1000;
        column(i) = i % 16;
      });
  table rows(exec);
  const auto x = sampled(exec, n, 3);
  rows.insert("row", row).insert("column", column).insert("x", x);
  const auto made = std::make_shared<table>();
  prepared p{24.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   *made = rows.pivot(
                       {.index = "row", .columns = "column", .values = "x", .aggregate = quern::statistic::sum});
                 }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    double found = 0;
    for (int c = 0; c < 16; ++c) found += total(exec, *made, std::to_string(c).c_str());
    const double expected = quern::sum(exec, x);
    return made->rows() == 1000 && std::abs(found - expected) <= 1e-9 * expected;
  };
  return p;
}

/// Of four columns of doubles.
prepared describe(const exec_space& exec, std::int64_t n) {
  table rows(exec);
  for (int c = 0; c < 4; ++c) rows.insert("x" + std::to_string(c), sampled(exec, n, c + 1));
  const auto made = std::make_shared<table>();
  prepared p{32.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = rows.describe(); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const auto x0 = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), made->column<double>("x0"));
    return x0(0) == static_cast<double>(n) && x0(3) >= 0 && x0(3) <= x0(4) && x0(7) < 1;
  };
  return p;
}

/// A file of numbers that ends with the benchmark.
struct csv_file {
  std::string path =
      (std::filesystem::temp_directory_path() / ("quern-bench-" + std::to_string(getpid()) + ".csv")).string();
  explicit csv_file(const table& rows) { quern::write_csv(path, rows); }
  csv_file(const csv_file&) = delete;
  csv_file& operator=(const csv_file&) = delete;
  ~csv_file() { std::remove(path.c_str()); }
};

/// Four columns of doubles of 17 digits. Bytes are those of the file, which the system has in memory.
prepared read_csv(const exec_space& exec, std::int64_t n) {
  table rows(exec);
  for (int c = 0; c < 4; ++c) rows.insert("x" + std::to_string(c), sampled(exec, n, c + 1));
  const auto file = std::make_shared<csv_file>(rows);
  const auto made = std::make_shared<table>();
  prepared p{static_cast<double>(std::filesystem::file_size(file->path)), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { *made = quern::read_csv(exec, file->path); }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    const auto same = [&](const char* name) {
      return quern::array_equal(exec, made->column<double>(name), rows.column<double>(name));
    };
    return made->rows() == n && same("x0") && same("x3");
  };
  return p;
}

/// The same table written. Bytes are those of the file.
prepared write_csv(const exec_space& exec, std::int64_t n) {
  table rows(exec);
  for (int c = 0; c < 4; ++c) rows.insert("x" + std::to_string(c), sampled(exec, n, c + 1));
  const auto file = std::make_shared<csv_file>(rows);
  const auto bytes = std::filesystem::file_size(file->path);
  prepared p{static_cast<double>(bytes), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::write_csv(file->path, rows); }}};
  p.poison = [=] { std::filesystem::resize_file(file->path, 0); };
  p.right = [=] {
    return std::filesystem::file_size(file->path) == bytes &&
           quern::array_equal(exec, quern::read_csv(exec, file->path).template column<double>("x3"),
                              rows.column<double>("x3"));
  };
  return p;
}

/// A batch of four columns of doubles, of which every tenth is missing, in Arrow's memory, which it keeps.
struct arrow_batch {
  std::int64_t rows;
  std::vector<double> values;
  std::vector<std::uint8_t> bits;
  const void* column_buffers[4][2];
  const void* batch_buffers[1] = {nullptr};
  std::string names[4] = {"x0", "x1", "x2", "x3"};
  ArrowSchema schemas[5] = {};
  ArrowArray arrays[5] = {};
  ArrowSchema* schema_children[4];
  ArrowArray* array_children[4];

  explicit arrow_batch(std::int64_t n)
      : rows(n), values(static_cast<std::size_t>(4 * n)), bits(static_cast<std::size_t>(n + 7) / 8) {
    for (std::int64_t i = 0; i < n; ++i)
      if (i % 10 != 0) bits[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>(1 << i % 8);
    for (int c = 0; c < 4; ++c) {
      double* const column = values.data() + c * n;
      for (std::int64_t i = 0; i < n; ++i) column[i] = static_cast<double>(i);
      column_buffers[c][0] = bits.data();
      column_buffers[c][1] = column;
      schema_children[c] = &schemas[c];
      array_children[c] = &arrays[c];
    }
  }
  arrow_batch(const arrow_batch&) = delete;
  arrow_batch& operator=(const arrow_batch&) = delete;

  /// Its structs as new ones, which are not released yet.
  std::pair<ArrowSchema*, ArrowArray*> exported() {
    for (int c = 0; c < 5; ++c) {
      const bool column = c < 4;
      schemas[c] = {};
      schemas[c].format = column ? "g" : "+s";
      schemas[c].name = column ? names[c].c_str() : "";
      schemas[c].n_children = column ? 0 : 4;
      schemas[c].children = column ? nullptr : schema_children;
      schemas[c].release = [](ArrowSchema* s) { s->release = nullptr; };
      arrays[c] = {};
      arrays[c].length = rows;
      arrays[c].null_count = column ? -1 : 0;
      arrays[c].n_buffers = column ? 2 : 1;
      arrays[c].buffers = column ? column_buffers[c] : batch_buffers;
      arrays[c].n_children = schemas[c].n_children;
      arrays[c].children = column ? nullptr : array_children;
      arrays[c].release = [](ArrowArray* a) { a->release = nullptr; };
    }
    return {&schemas[4], &arrays[4]};
  }
};

bool tenths_are_missing(const exec_space& exec, const table& t, const char* name) {
  const auto x = t.column<double>(name);
  exec.fence();
  return bench::failures(
             t.rows(), KOKKOS_LAMBDA(std::int64_t i) {
               return i % 10 == 0 ? x(i) != x(i) : x(i) == static_cast<double>(i);
             }) == 0;
}
/// Missing values become NaN, so that all columns are copied. Bytes are those of the values, read and written, and of
/// the bitmaps.
prepared from_arrow(const exec_space& exec, std::int64_t n) {
  const auto batch = std::make_shared<arrow_batch>(n);
  const auto made = std::make_shared<table>();
  prepared p{4 * (16.0 + 1.0 / 8) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   const auto [schema, array] = batch->exported();
                   *made = quern::from_arrow(exec, schema, array);
                 }}};
  p.poison = [=] { *made = table(); };
  p.right = [=] {
    return made->rows() == n && tenths_are_missing(exec, *made, "x0") && tenths_are_missing(exec, *made, "x3");
  };
  return p;
}

const bool registered = [] {
  bench::add({"read_csv/f64 n x 4", {1'000'000}, 4099, read_csv});
  bench::add({"write_csv/f64 n x 4", {1'000'000}, 4099, write_csv});
  bench::add({"from_arrow/f64 n x 4, missing", {1'000'000, 10'000'000}, 4099, from_arrow});
  bench::add({"sort_by/i64", {1'000'000, 10'000'000}, 4099, sort_by});
  bench::add({"concat/i64, f64", {1'000'000, 50'000'000}, 4100, concat});
  bench::add({"pivot 1000 x 16/f64", {1'000'000, 50'000'000}, 20'000, pivot});
  bench::add({"merge/i64", {1'000'000, 10'000'000}, 4099, merge<1>});
  bench::add({"merge with a fifth/i64", {5'000'000}, 4099, merge<5>});
  bench::add({"group_by and sum, 1e6 keys/i64", {5'000'000, 100'000'000}, 40'099, group_by<false>});
  bench::add({"group_by and sum, 1e6 skewed keys/i64", {5'000'000, 100'000'000}, 40'099, group_by<true>});
  bench::add({"describe/f64 n x 4", {5'000'000, 100'000'000}, 4099, describe});
  return true;
}();

}  // namespace
