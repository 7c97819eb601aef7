// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_ADD_IN_ORDER_HPP
#define QUERN_ANALYSIS_ADD_IN_ORDER_HPP

#include <quern/analysis/assign_points.hpp>
#include <quern/analysis/tile_order.hpp>

namespace quern::impl {

/// Sums of rows that are so far from each other, as packs, with zeros behind their columns.
template <class T>
struct sums_in_packs {
  static constexpr int width = row_pack_values<T>;
  T* data;
  std::int32_t pitch;
  KOKKOS_FUNCTION void load(T (&sum)[width], std::uint32_t key, int t0, int) const {
    const auto p = load_row_pack(data + static_cast<std::int32_t>(key) * pitch + t0);
    for (int v = 0; v < width; ++v) sum[v] = p.value[v];
  }
  KOKKOS_FUNCTION void store(const T (&sum)[width], std::uint32_t key, int t0, int) const {
    pack<T, width> p;
    for (int v = 0; v < width; ++v) p.value[v] = sum[v];
    *reinterpret_cast<pack<T, width>*>(data + static_cast<std::int32_t>(key) * pitch + t0) = p;
  }
};
/// The same as values without any behind them.
template <class T>
struct sums_in_rows {
  static constexpr int width = row_pack_values<T>;
  T* data;
  std::int64_t pitch;
  KOKKOS_FUNCTION void load(T (&sum)[width], std::uint64_t key, int t0, int columns) const {
    for (int v = 0; v < width; ++v)
      sum[v] = t0 + v < columns ? data[static_cast<std::int64_t>(key) * pitch + t0 + v] : T(0);
  }
  KOKKOS_FUNCTION void store(const T (&sum)[width], std::uint64_t key, int t0, int columns) const {
    for (int v = 0; v < width; ++v)
      if (t0 + v < columns) data[static_cast<std::int64_t>(key) * pitch + t0 + v] = sum[v];
  }
};

/// Adds the points of a team's tile to the sums that are their keys, in their order: to a sum all of them some threads,
/// each a pack of columns. These have the sums whose points begin among so many, which are as many as others have.
/// Once: the threads of a sum have all its columns, and the origin has zeros behind them.
template <class T, int Team, class Order, bool Once>
struct add_in_order {
  static constexpr int width = row_pack_values<T>;
  const centred_rows<T>& points;
  const T* origin;
  bool in_packs;
  int lanes;

  /// Whoever has packs of so many columns, a power of two.
  static int lanes_of(int columns) {
    int lanes = 1;
    while (lanes < 32 && lanes * width < columns) lanes *= 2;
    return lanes;
  }
  /// @param first the point at place 0
  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Sums& sums, const Order& order, std::int64_t first,
                                              int rank) const {
    const auto* entries = order.entries;
    const int all = order.count(), threads = Team / lanes, share = (all + threads - 1) / threads;
    int begin = rank / lanes * share;
    const int end = Kokkos::min(begin + share, all);
    while (begin > 0 && begin < end && Order::key(entries[begin]) == Order::key(entries[begin - 1])) ++begin;
    int t0 = rank % lanes * width;
    if constexpr (Once) add_columns(sums, entries, all, begin, end, first, t0);
    else
      for (; t0 < points.columns; t0 += lanes * width) add_columns(sums, entries, all, begin, end, first, t0);
  }

 private:
  template <class Sums, class Entry>
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(const Sums& sums, const Entry* entries, int all, int at, int end,
                                               std::int64_t first, int t0) const {
    T about[width];
    for (int v = 0; v < width; ++v) about[v] = Once || t0 + v < points.columns ? origin[t0 + v] : T(0);
    while (at < end) {
      const Entry key = Order::key(entries[at]);
      T sum[width];
      sums.load(sum, key, t0, points.columns);
      while (add_some(entries, at, all, key, first, t0, about, sum)) {
      }
      sums.store(sum, key, t0, points.columns);
    }
  }
  /// Adds up to some points of a key, which are loaded before sums wait for each other. Whether there may be more.
  template <class Entry>
  KOKKOS_FORCEINLINE_FUNCTION bool add_some(const Entry* entries, int& at, int all, Entry key, std::int64_t first,
                                            int t0, const T (&about)[width], T (&sum)[width]) const {
    constexpr int ahead = 4;
    Entry entry[ahead];
    bool same[ahead];
    T x[ahead][width];
    for (int u = 0; u < ahead; ++u) entry[u] = entries[Kokkos::min(at + u, all - 1)];
    for (int u = 0; u < ahead; ++u) same[u] = at + u < all && Order::key(entry[u]) == key;
    for (int u = 0; u < ahead; ++u)
      if (same[u]) load_columns(x[u], first + Order::place(entry[u]), t0);
    for (int u = 0; u < ahead; ++u) {
      if (!same[u]) continue;
      for (int v = 0; v < width; ++v) sum[v] += x[u][v] - about[v];
      ++at;
    }
    return same[ahead - 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_columns(T (&x)[width], std::int64_t i, int t0) const {
    const T* from = points.data + i * points.step + t0 * points.across;
    if (in_packs && (!Once || t0 < points.columns)) {
      const auto p = load_row_pack(from);
      for (int v = 0; v < width; ++v) x[v] = p.value[v];
    } else {
      for (int v = 0; v < width; ++v) x[v] = t0 + v < points.columns ? from[v * points.across] : T(0);
    }
  }
};

}  // namespace quern::impl

#endif
