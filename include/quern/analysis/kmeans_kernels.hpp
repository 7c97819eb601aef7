// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_KERNELS_HPP
#define QUERN_ANALYSIS_KMEANS_KERNELS_HPP

#include <algorithm>
#include <quern/analysis/kmeans_few_columns.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <vector>

namespace quern::impl {

template <class T, bool Exact>
struct host_assign {
  assign_points<T> of;

  void operator()(std::int64_t part) const {
    using tile_type = host_row_tile<T>;
    using flag = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;  // as wide as T, for vectors
    tile_memory<T> memory(of.points.columns);
    tile_type& tile = memory.tile;
    part_sums sums(of, part);
    for (std::int64_t first = part * of.plan.length; first < of.end_of(part); first += tile_type::points) {
      const int count = static_cast<int>(std::min<std::int64_t>(tile_type::points, of.end_of(part) - first));
      tile.load(of.points, first, count);
      alignas(64) T best[tile_type::points];
      alignas(64) flag nearest[tile_type::points];
      for (int p = 0; p < tile_type::points; ++p) {
        best[p] = Kokkos::Experimental::infinity_v<T>;
        nearest[p] = -1;
      }
      for (std::int64_t j = 0; j < of.table.count; j += tile_type::together) {
        alignas(64) T value[tile_type::together][tile_type::points];
        tile.template compare<Exact>(of.table, j, value);
        take_least(value, static_cast<flag>(j), best, nearest);
      }
      for (int p = 0; p < count; ++p)
        sums.add(first + p, is_finite_square(tile.squares[p]) ? static_cast<std::int32_t>(nearest[p]) : -1);
    }
    sums.join();
  }

 private:
  template <class Value, class Flag, std::size_t N>
  static void take_least(const Value& value, Flag j, T (&best)[N], Flag (&nearest)[N]) {
    for (std::size_t p = 0; p < N; ++p) {
      T least = best[p];
      Flag at = nearest[p];
      for (int i = 0; i < host_row_tile<T>::together; ++i) {
        at = value[i][p] < least ? j + i : at;
        least = value[i][p] < least ? value[i][p] : least;
      }
      best[p] = least;
      nearest[p] = at;
    }
  }

  struct part_sums {
    const assign_points<T>& of;
    std::vector<T> memory;
    std::vector<std::uint32_t> counts;
    T* to;

    part_sums(const assign_points<T>& a, std::int64_t part) : of(a), counts(a.table.count + 1), to(nullptr) {
      if (of.sums == nullptr) return;
      if (of.plan.groups > 1) memory.resize(of.plan.groups * of.elements());
      result = of.sums + part * of.between;
      to = of.plan.groups > 1 ? memory.data() : result;
      if (of.plan.groups == 1) std::fill(to, to + of.elements(), T(0));
    }
    void add(std::int64_t i, std::int32_t label) {
      counts[of.table.count] += of.labels[i] != label ? 1 : 0;
      of.labels[i] = label;
      if (label < 0) return;
      ++counts[label];
      if (to == nullptr) return;
      const int columns = of.points.columns;
      T* sum = to + (i % of.plan.groups * of.table.count + label) * columns;
      const T* x = of.points.data + i * of.points.step;
      if (of.points.across == 1)
        for (int t = 0; t < columns; ++t) sum[t] += x[t] - of.points.origin[t];
      else
        for (int t = 0; t < columns; ++t) sum[t] += x[t * of.points.across] - of.points.origin[t];
    }
    void join() {
      for (std::int64_t j = 0; j <= of.table.count; ++j)
        if (counts[j] > 0) Kokkos::atomic_add(of.counts + j, static_cast<std::uint64_t>(counts[j]));
      if (to == result) return;
      const std::int64_t n = of.elements();
      for (std::int64_t e = 0; e < n; ++e) result[e] = to[e];
      for (int g = 1; g < of.plan.groups; ++g)
        for (std::int64_t e = 0; e < n; ++e) result[e] += to[g * n + e];
    }

   private:
    T* result = nullptr;
  };
};

/// A team for each part.
template <class T, int Across, class Member>
struct device_assign {
  using tile_type = device_row_tile<T, Across>;
  static constexpr int team = tile_type::team;
  using plan = assign_memory<tile_type, T>;
  using order_type = tile_order<team, tile_type::points, std::uint64_t>;
  static_assert(order_type::bytes <= plan::labels - plan::best, "in the place of the best of each thread");
  assign_points<T> of;
  plan memory;
  bool in_packs;  // whether rows of points are
  int lanes;      // that add to a sum

  device_assign(const assign_points<T>& a, const plan& m)
      : of(a),
        memory(m),
        in_packs(has_row_packs(a.points)),
        lanes(add_in_order<T, team, order_type, false>::lanes_of(a.points.columns)) {}

  /// The memory of a team, by what is in it.
  struct shared_memory {
    T* tile;
    std::byte* best;
    std::int32_t* label;
    T* sums;
    std::uint32_t* counts;
    KOKKOS_FUNCTION shared_memory(const Member& member, const plan& m)
        : shared_memory(static_cast<std::byte*>(member.team_shmem().get_shmem_aligned(m.end, plan::alignment)), m) {}

   private:
    KOKKOS_FUNCTION shared_memory(std::byte* memory, const plan& m)
        : tile(reinterpret_cast<T*>(memory)),
          best(memory + plan::best),
          label(reinterpret_cast<std::int32_t*>(memory + plan::labels)),
          sums(reinterpret_cast<T*>(memory + plan::sums)),
          counts(reinterpret_cast<std::uint32_t*>(memory + m.counts)) {}
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const shared_memory shared(member, memory);
    const std::int64_t part = member.league_rank(), end = of.end_of(part);
    const int rank = member.team_rank();
    if (memory.has_counts)
      for (std::int64_t j = rank; j <= of.table.count; j += team) shared.counts[j] = 0;
    if (of.sums != nullptr) on_sums(shared, part, [&](T* sums) { clear(sums, rank); });
    for (std::int64_t first = part * of.plan.length; first < end; first += tile_type::points) {
      const int count = static_cast<int>(Kokkos::min<std::int64_t>(tile_type::points, end - first));
      find_labels(member, shared, first, count);
      if (rank < count) store_label(first + rank, shared.label[rank], shared.counts);
      if (of.sums != nullptr) add(member, shared, part, first, count);
    }
    member.team_barrier();
    if (memory.has_counts)
      for (std::int64_t j = rank; j <= of.table.count; j += team)
        if (shared.counts[j] > 0) Kokkos::atomic_add(of.counts + j, static_cast<std::uint64_t>(shared.counts[j]));
    if (of.sums != nullptr) on_sums(shared, part, [&](T* sums) { join(of.sums + part * of.between, sums, rank); });
  }

 private:
  /// Calls f(sums), by pointers of their own for what is in shared memory and what is not, as compilers need them.
  template <class F>
  KOKKOS_FUNCTION void on_sums(const shared_memory& shared, std::int64_t part, const F& f) const {
    if (memory.has_sums) f(shared.sums);
    else f(of.sums + part * of.between);
  }
  KOKKOS_FUNCTION void clear(T* sums, int rank) const {
    for (std::int64_t e = rank; e < of.plan.groups * of.elements(); e += team) sums[e] = 0;
  }
  KOKKOS_FUNCTION void join(T* to, const T* sum, int rank) const {
    const std::int64_t n = of.elements();
    for (std::int64_t e = rank; e < n; e += team) {
      T all = sum[e];
      for (int g = 1; g < of.plan.groups; ++g) all += sum[g * n + e];
      to[e] = all;
    }
  }
  KOKKOS_FUNCTION void store_label(std::int64_t i, std::int32_t label, std::uint32_t* counts) const {
    const bool changed = of.labels[i] != label;
    of.labels[i] = label;
    if (memory.has_counts) {
      if (changed) Kokkos::atomic_inc(counts + of.table.count);
      if (label >= 0) Kokkos::atomic_inc(counts + label);
    } else {
      if (changed) Kokkos::atomic_add(of.counts + of.table.count, std::uint64_t{1});
      if (label >= 0) Kokkos::atomic_add(of.counts + label, std::uint64_t{1});
    }
  }
  /// The nearest rows of a tile's points, of equally near ones the first.
  KOKKOS_FUNCTION void find_labels(const Member& member, const shared_memory& shared, std::int64_t first,
                                   int count) const {
    constexpr int down = tile_type::down;
    const int rank = member.team_rank();
    T best[down], square = 0;
    std::int32_t nearest[down];
    for (int p = 0; p < down; ++p) {
      best[p] = Kokkos::Experimental::infinity_v<T>;
      nearest[p] = -1;
    }
    tile_type(shared.tile)
        .compare(member, of.points, first, count, of.table, 0, of.table.count, square,
                 [&](const typename tile_type::sums& sum, std::int64_t j) {
                   for (int i = 0; i < tile_type::across; ++i) {
                     const auto at = static_cast<std::int32_t>(j) + tile_type::other(rank, i);
                     for (int p = 0; p < down; ++p)
                       if (sum[p][i] < best[p]) {
                         best[p] = sum[p][i];
                         nearest[p] = at;
                       }
                   }
                 });
    join_threads(member, shared, best, nearest, square);
  }
  /// The nearest row of each point among those that the threads of its row of blocks have found.
  KOKKOS_FUNCTION void join_threads(const Member& member, const shared_memory& shared, const T (&best)[tile_type::down],
                                    const std::int32_t (&nearest)[tile_type::down], T square) const {
    constexpr int points = plan::pass_points, down = tile_type::down / plan::passes;
    static_assert(down % tile_type::down_pack == 0, "the first points are those of the first pass");
    const int rank = member.team_rank(), column = rank % tile_type::threads_across;
    T* values = reinterpret_cast<T*>(shared.best);
    auto* rows = reinterpret_cast<std::int32_t*>(shared.best + plan::best_values * sizeof(T));
    for (int pass = 0; pass < plan::passes; ++pass) {
      const int first = pass * points, own = rank - first;
      member.team_barrier();
      for (int p = pass * down; p < (pass + 1) * down; ++p) {
        values[column * points + tile_type::point(rank, p) - first] = best[p];
        rows[column * points + tile_type::point(rank, p) - first] = nearest[p];
      }
      member.team_barrier();
      if (own < 0 || own >= points) continue;
      T least = Kokkos::Experimental::infinity_v<T>;
      std::int32_t at = -1;
      for (int c = 0; c < tile_type::threads_across; ++c) {
        const T value = values[c * points + own];
        const std::int32_t row = rows[c * points + own];
        if (!(value < least || (value == least && row < at))) continue;
        least = value;
        at = row;
      }
      shared.label[rank] = is_finite_square(square) ? at : -1;
    }
    member.team_barrier();
  }
  /// Adds up the points of a tile, in the order of their labels.
  KOKKOS_FUNCTION void add(const Member& member, const shared_memory& shared, std::int64_t part, std::int64_t first,
                           int count) const {
    const order_type order(shared.best);
    const int rank = member.team_rank();
    const auto rows = static_cast<std::uint64_t>(of.table.count), groups = static_cast<std::uint64_t>(of.plan.groups);
    std::uint64_t entry[1] = {order_type::none};
    if (rank < count && shared.label[rank] >= 0)
      entry[0] = order_type::entry(
          (static_cast<std::uint64_t>(rank) & (groups - 1)) * rows + static_cast<std::uint64_t>(shared.label[rank]),
          rank);
    order.sort(member, entry, groups * rows);
    const add_in_order<T, team, order_type, false> add_points{of.points, of.points.origin, in_packs, lanes};
    on_sums(shared, part, [&](T* sums) { add_points(sums_in_rows<T>{sums, of.points.columns}, order, first, rank); });
  }
};

/// Sums of parts in double: those of a segment of parts, in their order.
template <class In>
struct add_parts {
  const In* from;
  std::int64_t between, parts, segments, elements;
  double* to;
  void operator()(std::int64_t s) const {
    const std::int64_t begin = s * parts / segments, end = (s + 1) * parts / segments;
    for (std::int64_t e = 0; e < elements; ++e) to[s * elements + e] = 0;
    for (std::int64_t v = begin; v < end; ++v)
      for (std::int64_t e = 0; e < elements; ++e) to[s * elements + e] += static_cast<double>(from[v * between + e]);
  }
};
/// On devices those of all segments as well, behind what was there before: a team has some elements, and each of its
/// threads a segment of one.
template <class In, class Member>
struct add_all_parts {
  static constexpr int max_segments = 32, together = 8, team = max_segments * together;
  const In* from;
  std::int64_t between, parts, segments, elements;
  bool more;  // behind what is there
  double* to;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* sums = static_cast<double*>(member.team_shmem().get_shmem_aligned(team * sizeof(double), sizeof(double)));
    const int rank = member.team_rank();
    const std::int64_t e = std::int64_t{member.league_rank()} * together + rank % together, s = rank / together;
    double sum = 0;
    if (e < elements && s < segments)
      for (std::int64_t v = s * parts / segments; v < (s + 1) * parts / segments; ++v)
        sum += static_cast<double>(from[v * between + e]);
    sums[rank] = sum;
    member.team_barrier();
    if (e >= elements || s > 0) return;
    double all = more ? to[e] : 0.0;
    for (int v = 0; v < segments; ++v) all += sums[v * together + rank];
    to[e] = all;
  }
};
/// @param in_segments their sums, for hosts
template <class Exec, class In>
void launch_add_parts(const std::string& label, const Exec& exec, const In* from, std::int64_t between,
                      const kmeans_parts& plan, std::int64_t elements, bool more, double* in_segments, double* to) {
  constexpr std::int64_t max_segments = 32;
  const std::int64_t segments = std::min(max_segments, plan.all);
  if constexpr (is_device<Exec>) {
    using policy = Kokkos::TeamPolicy<Exec>;
    using kernel = add_all_parts<In, typename policy::member_type>;
    const auto teams = static_cast<int>((elements + kernel::together - 1) / kernel::together);
    Kokkos::parallel_for(
        kernel_label(label),
        policy(exec, teams, kernel::team)
            .set_scratch_size(0, team_scratch<Exec>(label, kernel::team, (kernel::team + 1) * sizeof(double))),
        kernel{from, between, plan.all, segments, elements, more, to});
  } else {
    double* const first = in_segments + elements;
    if (more) std::copy_n(to, elements, in_segments);
    launch_units(exec, label, segments, add_parts<In>{from, between, plan.all, segments, elements, first});
    const std::int64_t before = more ? 1 : 0;
    launch_units(exec, label, 1,
                 add_parts<double>{first - before * elements, elements, before + segments, 1, elements, to});
  }
}

template <class Exec, class Policy, class Kernel>
void launch_assign_teams(const std::string& label, const Exec& exec, const Kernel& kernel) {
  Kokkos::parallel_for(kernel_label(label),
                       Policy(exec, static_cast<int>(kernel.of.plan.parts), Kernel::team)
                           .set_scratch_size(0, team_scratch<Exec>(label, Kernel::team, kernel.memory.bytes())),
                       kernel);
}
template <class Exec, class T>
void launch_device_assign(const std::string& label, const Exec& exec, const assign_points<T>& a) {
  const int groups = a.sums == nullptr ? 0 : a.plan.groups;
  const std::int64_t columns = a.points.columns, rows = a.table.count;
  if (few_columns_memory<T>::fits(columns, rows, a.plan.groups)) {
    using policy =
        Kokkos::TeamPolicy<Exec, registers_of_teams<few_columns_memory<T>::team, few_columns_memory<T>::teams>>;
    using kernel = assign_few_columns<T, typename policy::member_type>;
    const few_columns_memory<T> memory(columns, rows, groups, team_scratch_room<Exec>(kernel::team));
    launch_assign_teams<Exec, policy>(label, exec, kernel{a, memory, has_row_packs(a.points)});
    return;
  }
  const auto launch = [&]<int Across>(std::integral_constant<int, Across>) {
    using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<256, 2>>;
    using kernel = device_assign<T, Across, typename policy::member_type>;
    const typename kernel::plan memory(columns, rows, groups, team_scratch_room<Exec>(kernel::team));
    launch_assign_teams<Exec, policy>(label, exec, kernel(a, memory));
  };
  if (rows <= 16) launch(std::integral_constant<int, 2>());
  else launch(std::integral_constant<int, 8>());
}
template <bool Exact, class Exec, class T>
void launch_assign(const std::string& label, const Exec& exec, const assign_points<T>& a) {
  if constexpr (is_device<Exec>) launch_device_assign(label, exec, a);
  else launch_units(exec, label, a.plan.parts, host_assign<T, Exact>{a});
}

}  // namespace quern::impl

#endif
