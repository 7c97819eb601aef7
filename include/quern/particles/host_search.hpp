// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_HOST_SEARCH_HPP
#define QUERN_PARTICLES_HOST_SEARCH_HPP

/// @file
/// On hosts: the search of the nearest of tiles of queries in slices of the points.

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/particles/nearest_lists.hpp>
#include <quern/particles/row_tiles.hpp>
#include <vector>

namespace quern::impl {

/// The table of points, of those beyond them rows that are near nothing. Where angles are compared, rows have the
/// length 1, or 0.
template <class T>
struct make_row_table {
  centred_rows<T> points;
  bool angles;
  T *rows, *half_squares;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    T* row = rows + j * points.columns;
    double square = 0;
    for (int t = 0; t < points.columns; ++t) {
      row[t] = j < points.count ? points.at(j, t) : T(0);
      square = Kokkos::fma(static_cast<double>(row[t]), static_cast<double>(row[t]), square);
    }
    const bool finite = j < points.count && is_finite_square(static_cast<T>(square));
    if (!finite) square = 0;
    const double length = Kokkos::sqrt(square);
    for (int t = 0; t < points.columns; ++t) {
      if (!finite) row[t] = 0;
      else if (angles && length > 0) row[t] = static_cast<T>(static_cast<double>(row[t]) / length);
    }
    half_squares[j] = !finite ? Kokkos::Experimental::infinity_v<T> : angles ? T(0) : static_cast<T>(square / 2);
  }
};

template <class T>
struct search_rows {
  centred_rows<T> queries;
  row_table<T> table;
  nearest_lists<T> lists;
  std::int64_t slices, tiles;  // of the table, and of the queries

  KOKKOS_FUNCTION std::int64_t slice_begin(std::int64_t s) const {
    constexpr std::int64_t together = host_row_tile<T>::together;
    return s == slices ? table.count : table.count * s / slices / together * together;
  }
};

template <class T>
struct host_search_rows {
  search_rows<T> of;

  void operator()(std::int64_t unit) const {
    using tile_type = host_row_tile<T>;
    const std::int64_t slice = unit / of.tiles, first = unit % of.tiles * tile_type::points;
    const int count = static_cast<int>(std::min<std::int64_t>(tile_type::points, of.queries.count - first));
    tile_memory<T> memory(of.queries.columns);
    tile_type& tile = memory.tile;
    tile.load(of.queries, first, count);
    std::vector<nearest_so_far<T>> nearest;
    alignas(64) T limit[tile_type::points];  // what is below it may be among the nearest
    for (int p = 0; p < tile_type::points; ++p) {
      nearest.push_back(of.lists.of(slice, first + std::min(p, count - 1)));
      const bool searched = p < count && is_finite_square(tile.squares[p]);
      limit[p] = searched ? Kokkos::Experimental::infinity_v<T> : -Kokkos::Experimental::infinity_v<T>;
    }
    for (std::int64_t j = of.slice_begin(slice); j < of.slice_begin(slice + 1); j += tile_type::together) {
      alignas(64) T value[tile_type::together][tile_type::points];
      tile.template compare<false>(of.table, j, value);
      if (any_below(value, limit)) take(value, static_cast<std::int32_t>(j), nearest, limit);
    }
    for (int p = 0; p < count; ++p) nearest_lists<T>::close(nearest[p]);
  }

 private:
  template <class Value, std::size_t N>
  static bool any_below(const Value& value, const T (&limit)[N]) {
    int found = 0;
    for (std::size_t p = 0; p < N; ++p) {
      T least = value[0][p];
      for (int i = 1; i < host_row_tile<T>::together; ++i) least = value[i][p] < least ? value[i][p] : least;
      found |= least < limit[p] ? 1 : 0;
    }
    return found != 0;
  }
  template <class Value, std::size_t N>
  static void take(const Value& value, std::int32_t j, std::vector<nearest_so_far<T>>& nearest, T (&limit)[N]) {
    for (int i = 0; i < host_row_tile<T>::together; ++i)
      for (std::size_t p = 0; p < N; ++p) {
        if (!(value[i][p] < limit[p])) continue;
        nearest[p].add(value[i][p], j + i);
        if (nearest[p].found == nearest[p].k) limit[p] = nearest[p].farthest();
      }
  }
};

/// A search and its memory.
template <class T>
struct host_search {
  using tile = host_row_tile<T>;
  std::int64_t table_rows, columns, tiles, slices;

  template <class Exec>
  host_search(const Exec& exec, std::int64_t queries, std::int64_t points, std::int64_t d)
      : table_rows(tile::padded(points)), columns(d), tiles((queries + tile::points - 1) / tile::points) {
    // Units for each thread, unless slices get too short.
    constexpr std::int64_t min_slice = 4096;
    const std::int64_t units = 4 * std::int64_t{exec.concurrency()};
    slices = std::clamp<std::int64_t>(points / min_slice, 1, (units + tiles - 1) / tiles);
  }
  std::int64_t table_values() const { return table_rows * columns; }
  std::int64_t rows() const { return table_rows; }

  template <class Exec>
  void run(const std::string& label, const Exec& exec, const centred_rows<T>& queries, const centred_rows<T>& points,
           bool angles, T* table, T* half_squares, const nearest_lists<T>& lists) const {
    Kokkos::parallel_for(kernel_label(label, "/points"), index_range(exec, table_rows),
                         make_row_table<T>{points, angles, table, half_squares});
    const search_rows<T> search{queries, {table, half_squares, points.count}, lists, slices, tiles};
    launch_units(exec, label_text(label, "/search"), tiles * slices, host_search_rows<T>{search});
  }
};

}  // namespace quern::impl

#endif
