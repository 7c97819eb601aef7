// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_FEW_COLUMNS_HPP
#define QUERN_ANALYSIS_KMEANS_FEW_COLUMNS_HPP

/// @file
/// Assigns points of few columns on devices. A thread has some points in registers and compares them with rows of the
/// table that all threads of a team read at the same time, so that a load serves as many products as registers allow.
/// Labels and sums have the bits of `host_assign`.

#include <quern/analysis/add_in_order.hpp>

namespace quern::impl {

/// A team for each part.
template <class T, class Member>
struct assign_few_columns {
  using plan = few_columns_memory<T>;
  static constexpr int team = plan::team, each = plan::each, points = plan::points, pack_values = plan::pack_values;
  using values_pack = pack<T, pack_values>;
  using order_type = tile_order<team, points>;
  assign_points<T> of;
  plan memory;
  bool in_packs;  // whether rows of points are

  /// The memory of a team, by what is in it.
  struct shared_memory {
    T *origin, *rows, *half_squares, *sums;
    order_type order;
    std::uint32_t* counts;
    KOKKOS_FUNCTION shared_memory(const Member& member, const plan& m)
        : shared_memory(static_cast<std::byte*>(member.team_shmem().get_shmem_aligned(m.end, plan::alignment)), m) {}

   private:
    KOKKOS_FUNCTION shared_memory(std::byte* memory, const plan& m)
        : origin(reinterpret_cast<T*>(memory)),
          rows(reinterpret_cast<T*>(memory + plan::rows)),
          half_squares(reinterpret_cast<T*>(memory + m.half_squares)),
          sums(reinterpret_cast<T*>(memory + m.sums)),
          order(memory + m.order),
          counts(reinterpret_cast<std::uint32_t*>(memory + m.counts)) {}
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const shared_memory shared(member, memory);
    const std::int64_t part = member.league_rank(), end = of.end_of(part);
    const int rank = member.team_rank();
    begin(shared, part, rank);
    member.team_barrier();
    std::uint32_t changed = 0;
    for (std::int64_t first = part * of.plan.length; first < end; first += points) {
      const int count = static_cast<int>(Kokkos::min<std::int64_t>(points, end - first));
      std::int32_t label[each];
      find_labels(member, shared, first, count, label);
      changed += store_labels(shared, first, count, label, rank);
      if (of.sums == nullptr) continue;
      sort_points(member, shared, count, label);
      const add_in_order<T, team, order_type, true> add{of.points, shared.origin, in_packs, memory.pitch / pack_values};
      if (memory.has_sums) add(sums_in_packs<T>{shared.sums, memory.pitch}, shared.order, first, rank);
      else add(sums_in_rows<T>{global_sums(part), of.points.columns}, shared.order, first, rank);
    }
    if (changed > 0) Kokkos::atomic_add(of.counts + of.table.count, static_cast<std::uint64_t>(changed));
    member.team_barrier();
    finish(shared, part, rank);
  }

 private:
  KOKKOS_FUNCTION T* global_sums(std::int64_t part) const { return of.sums + part * of.between; }
  KOKKOS_FUNCTION void begin(const shared_memory& shared, std::int64_t part, int rank) const {
    if (rank < plan::columns) shared.origin[rank] = rank < of.points.columns ? of.points.origin[rank] : T(0);
    if (memory.has_counts)
      for (std::int64_t j = rank; j < of.table.count; j += team) shared.counts[j] = 0;
    if (of.table.count <= plan::rows_at_once) load_rows(shared, 0, rank);
    if (of.sums == nullptr) return;
    const std::int64_t rows = of.plan.groups * of.table.count;
    if (memory.has_sums)
      for (std::int64_t e = rank; e < rows * memory.pitch; e += team) shared.sums[e] = 0;
    else
      for (std::int64_t e = rank; e < rows * of.points.columns; e += team) global_sums(part)[e] = 0;
  }
  /// Adds the counts to those of all, and joins the groups of sums.
  KOKKOS_FUNCTION void finish(const shared_memory& shared, std::int64_t part, int rank) const {
    if (memory.has_counts)
      for (std::int64_t j = rank; j < of.table.count; j += team)
        if (shared.counts[j] > 0) Kokkos::atomic_add(of.counts + j, static_cast<std::uint64_t>(shared.counts[j]));
    if (of.sums == nullptr) return;
    if (memory.has_sums) join(global_sums(part), shared.sums, memory.pitch, rank);
    else if (of.plan.groups > 1) join(global_sums(part), global_sums(part), of.points.columns, rank);
  }
  KOKKOS_FUNCTION void join(T* to, const T* sum, std::int32_t pitch, int rank) const {
    const int columns = of.points.columns;
    const std::int64_t between = of.table.count * pitch;
    for (std::int64_t e = rank; e < of.elements(); e += team) {
      const T* from = sum + e / columns * pitch + e % columns;
      T all = *from;
      for (int g = 1; g < of.plan.groups; ++g) all += from[g * between];
      to[e] = all;
    }
  }

  /// Rows of the table from j on, with others that are never near up to a multiple of those that are compared at once.
  KOKKOS_FUNCTION void load_rows(const shared_memory& shared, std::int64_t j, int rank) const {
    const int pitch = memory.row_pitch, columns = of.points.columns,
              count = plan::padded(Kokkos::min<std::int64_t>(plan::rows_at_once, of.table.count - j));
    for (int e = rank; e < count * pitch; e += team) {
      const int i = e / pitch, t = e % pitch;
      shared.rows[e] = t < columns && j + i < of.table.count ? of.table.rows[(j + i) * columns + t] : T(0);
    }
    for (int i = rank; i < count; i += team)
      shared.half_squares[i] =
          j + i < of.table.count ? of.table.half_squares[j + i] : Kokkos::Experimental::infinity_v<T>;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int slot(int rank, int p) { return p * team + rank; }

  /// The nearest rows of a thread's points, of equally near ones the first.
  KOKKOS_FUNCTION void find_labels(const Member& member, const shared_memory& shared, std::int64_t first, int count,
                                   std::int32_t (&label)[each]) const {
    constexpr int quarter = plan::columns / 4;
    switch (memory.row_pitch / quarter) {
      case 1:
        return find_labels<quarter>(member, shared, first, count, label);
      case 2:
        return find_labels<2 * quarter>(member, shared, first, count, label);
      case 3:
        return find_labels<3 * quarter>(member, shared, first, count, label);
      default:
        return find_labels<4 * quarter>(member, shared, first, count, label);
    }
  }
  template <int Columns>
  KOKKOS_FORCEINLINE_FUNCTION void find_labels(const Member& member, const shared_memory& shared, std::int64_t first,
                                               int count, std::int32_t (&label)[each]) const {
    const int rank = member.team_rank();
    T x[each][Columns], best[each];
    load_points(shared, first, count, rank, x);
    bool finite[each];
    for (int p = 0; p < each; ++p) {
      T square = 0;
      for (int t = 0; t < Columns; ++t) square = Kokkos::fma(x[p][t], x[p][t], square);
      finite[p] = is_finite_square(square);
      best[p] = Kokkos::Experimental::infinity_v<T>;
      label[p] = -1;
    }
    for (std::int64_t j = 0; j < of.table.count; j += plan::rows_at_once) {
      if (of.table.count > plan::rows_at_once) {
        member.team_barrier();
        load_rows(shared, j, rank);
        member.team_barrier();
      }
      const auto some = Kokkos::min<std::int64_t>(plan::rows_at_once, of.table.count - j);
      compare(shared, static_cast<std::int32_t>(j), plan::padded(some), x, best, label);
    }
    for (int p = 0; p < each; ++p)
      if (!finite[p]) label[p] = -1;
  }
  /// A thread without a point takes the last one.
  template <int Columns>
  KOKKOS_FORCEINLINE_FUNCTION void load_points(const shared_memory& shared, std::int64_t first, int count, int rank,
                                               T (&x)[each][Columns]) const {
    for (int p = 0; p < each; ++p) {
      const std::int64_t i = first + Kokkos::min(slot(rank, p), count - 1);
      if (in_packs) {
        const auto* from = reinterpret_cast<const values_pack*>(of.points.data + i * of.points.step);
        for (int u = 0; u < Columns / pack_values; ++u)
          if (u * pack_values < of.points.columns) set_pack(x[p], u, from[u]);
          else set_pack(x[p], u, values_pack{});
      } else {
        for (int t = 0; t < Columns; ++t)
          x[p][t] = t < of.points.columns ? of.points.data[i * of.points.step + t * of.points.across] : T(0);
      }
    }
    for (int t = 0; t < Columns; ++t)
      for (int p = 0; p < each; ++p) x[p][t] -= shared.origin[t];
  }
  /// By value, so that it is loaded as one.
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void set_pack(T (&x)[N], int u, values_pack p) {
    for (int v = 0; v < pack_values; ++v) x[u * pack_values + v] = p.value[v];
  }
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void load_packs(T (&x)[N], const T* from) {
    for (int u = 0; u < N / pack_values; ++u) set_pack(x, u, reinterpret_cast<const values_pack*>(from)[u]);
  }
  template <int Columns>
  KOKKOS_FORCEINLINE_FUNCTION void compare(const shared_memory& shared, std::int32_t first_row, int count,
                                           const T (&x)[each][Columns], T (&best)[each],
                                           std::int32_t (&label)[each]) const {
    for (int j = 0; j < count; j += plan::rows_together) {
      T half[plan::rows_together];
      load_packs(half, shared.half_squares + j);
      for (int i = 0; i < plan::rows_together; ++i) {
        T row[Columns], sum[each];
        load_packs(row, shared.rows + (j + i) * Columns);
        for (int p = 0; p < each; ++p) sum[p] = half[i];
        for (int t = 0; t < Columns; ++t)
          for (int p = 0; p < each; ++p) sum[p] = Kokkos::fma(-x[p][t], row[t], sum[p]);
        for (int p = 0; p < each; ++p) {
          const bool nearer = sum[p] < best[p];
          best[p] = nearer ? sum[p] : best[p];
          label[p] = nearer ? first_row + j + i : label[p];
        }
      }
    }
  }
  /// Returns how many of the thread's labels changed.
  KOKKOS_FUNCTION std::uint32_t store_labels(const shared_memory& shared, std::int64_t first, int count,
                                             const std::int32_t (&label)[each], int rank) const {
    std::uint32_t changed = 0;
    std::int32_t before[each];
    for (int p = 0; p < each; ++p)
      before[p] = slot(rank, p) < count ? of.labels[first + slot(rank, p)] : std::int32_t{0};
    for (int p = 0; p < each; ++p) {
      if (slot(rank, p) >= count) continue;
      of.labels[first + slot(rank, p)] = label[p];
      changed += before[p] != label[p] ? 1 : 0;
      if (label[p] < 0) continue;
      if (memory.has_counts) Kokkos::atomic_add(shared.counts + label[p], 1u);
      else Kokkos::atomic_add(of.counts + label[p], std::uint64_t{1});
    }
    return changed;
  }

  /// Orders the points by the sums that they belong to.
  KOKKOS_FUNCTION void sort_points(const Member& member, const shared_memory& shared, int count,
                                   const std::int32_t (&label)[each]) const {
    const int rank = member.team_rank();
    const auto rows = static_cast<std::uint32_t>(of.table.count), groups = static_cast<std::uint32_t>(of.plan.groups);
    std::uint32_t entry[each];
    for (int p = 0; p < each; ++p) {
      const int at = slot(rank, p);
      const auto group = static_cast<std::uint32_t>(at) & (groups - 1);
      entry[p] = at < count && label[p] >= 0
                     ? order_type::entry(group * rows + static_cast<std::uint32_t>(label[p]), at)
                     : order_type::none;
    }
    shared.order.sort(member, entry, groups * rows);
  }
};

}  // namespace quern::impl

#endif
