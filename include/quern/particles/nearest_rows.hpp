// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAREST_ROWS_HPP
#define QUERN_PARTICLES_NEAREST_ROWS_HPP

/// @file
/// The nearest points of each query among all, in any number of dimensions: tiles of products, of which only what may
/// be among the nearest leaves registers.

#include <algorithm>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/particles/nearest_so_far.hpp>
#include <quern/particles/row_tiles.hpp>
#include <vector>

namespace quern::impl {

/// An origin amid the data: for each column the median of up to 63 values, which outliers do not move; zeros where
/// angles are compared.
template <class T>
struct sample_origin {
  static constexpr std::int64_t samples = 63;
  const T* data;
  std::int64_t step, across, count;
  bool wanted;
  T* origin;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t taken = count < samples ? count : samples, apart = count / (taken > 0 ? taken : 1) * step;
    origin[t] = 0;
    for (std::int64_t s = 0; wanted && s < taken; ++s) {
      const T x = data[s * apart + t * across];
      int less = 0, equal = 0, all = 0;
      for (std::int64_t r = 0; r < taken; ++r) {
        const T other = data[r * apart + t * across];
        less += other < x ? 1 : 0;
        equal += other == x ? 1 : 0;
        all += other == other ? 1 : 0;
      }
      if (less <= all / 2 && all / 2 < less + equal && is_finite_square(x * x)) origin[t] = x;
    }
  }
};

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

/// Where the search of the nearest keeps what it found: for each slice of the points and each query a list.
template <class T>
struct nearest_lists {
  T* values;
  std::int32_t* points;
  int k;

  KOKKOS_FUNCTION nearest_so_far<T> of(std::int64_t list) const { return {values + list * k, points + list * k, 1, k}; }
  KOKKOS_FUNCTION static void close(const nearest_so_far<T>& list) {
    for (int j = list.found; j < list.k; ++j) {
      list.distances[j * list.step] = Kokkos::Experimental::infinity_v<T>;
      list.points[j * list.step] = -1;
    }
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
      nearest.push_back(of.lists.of(slice * of.queries.count + first + std::min(p, count - 1)));
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

/// A team searches the nearest of a tile of queries in a slice of the points. Threads put what may be among them into
/// a short buffer of each query, from which one thread takes it into its list.
template <class T, class Member>
struct device_search_rows {
  using tile_type = device_row_tile<T, 8>;
  static constexpr int team = tile_type::team, points = tile_type::points, room = 8;
  search_rows<T> of;
  bool lists_in_shared;

  /// Of the tile, limits, buffers, counts and a flag.
  static constexpr int alignment = 16;  // of packs
  static constexpr std::int64_t fixed_bytes =
      (tile_type::values + points + points * room) * sizeof(T) + (points * room + points + 4) * sizeof(std::int32_t);
  static std::int64_t list_bytes(int k) { return std::int64_t{points} * k * (sizeof(T) + sizeof(std::int32_t)); }

  struct shared_memory {
    T *tile, *limit, *value, *list_value;
    std::int32_t *point, *count, *flag, *list_point;
    KOKKOS_FUNCTION shared_memory(void* memory, int k) {
      tile = static_cast<T*>(memory);
      limit = tile + tile_type::values;
      value = limit + points;
      list_value = value + points * room;
      point = reinterpret_cast<std::int32_t*>(list_value + points * k);
      count = point + points * room;
      flag = count + points;
      list_point = flag + 4;
    }
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int rank = member.team_rank(), listed = lists_in_shared ? of.lists.k : 0;
    const shared_memory shared(
        member.team_shmem().get_shmem_aligned(
            fixed_bytes + points * listed * static_cast<std::int64_t>(sizeof(T) + sizeof(std::int32_t)), alignment),
        listed);
    const std::int64_t slice = member.league_rank() / of.tiles, first = member.league_rank() % of.tiles * points;
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(points, of.queries.count - first));
    const std::int64_t list = slice * of.queries.count + first + rank;
    nearest_so_far<T> nearest =
        lists_in_shared ? nearest_so_far<T>{shared.list_value + rank, shared.list_point + rank, points, of.lists.k}
                        : of.lists.of(list);
    const bool owner = rank < count;
    if (rank < points) {
      shared.limit[rank] = owner ? Kokkos::Experimental::infinity_v<T> : -Kokkos::Experimental::infinity_v<T>;
      shared.count[rank] = 0;
    }
    if (rank == 0) shared.flag[0] = 0;
    T square = 0;
    tile_type(shared.tile)
        .compare(member, of.queries, first, count, of.table, of.slice_begin(slice), of.slice_begin(slice + 1), square,
                 [&](const typename tile_type::sums& sum, std::int64_t j) {
                   take(member, shared, sum, static_cast<std::int32_t>(j), owner, nearest);
                 });
    member.team_barrier();
    if (!owner) return;
    empty_buffer(shared, rank, nearest);
    if (!is_finite_square(square)) nearest.found = 0;
    nearest_lists<T>::close(nearest);
    if (!lists_in_shared) return;
    const nearest_so_far<T> to = of.lists.of(list);
    for (int i = 0; i < to.k; ++i) {
      to.distances[i] = nearest.distances[i * points];
      to.points[i] = nearest.points[i * points];
    }
  }

 private:
  KOKKOS_FUNCTION void empty_buffer(const shared_memory& shared, int q, nearest_so_far<T>& nearest) const {
    const int count = shared.count[q] < room ? shared.count[q] : room;
    for (int b = 0; b < count; ++b) nearest.add(shared.value[b * points + q], shared.point[b * points + q]);
    shared.count[q] = 0;
    if (nearest.found == nearest.k) shared.limit[q] = nearest.farthest();
  }
  /// Sums at the limit, too: threads come in any order, and of equal sums the list keeps those of the first points.
  static KOKKOS_FUNCTION bool may_be_near(T sum, T limit) {
    return sum <= limit && sum < Kokkos::Experimental::infinity_v<T>;
  }
  KOKKOS_FUNCTION void take(const Member& member, const shared_memory& shared, const typename tile_type::sums& sum,
                            std::int32_t j, bool owner, nearest_so_far<T>& nearest) const {
    const int rank = member.team_rank();
    std::uint64_t left = 0;  // the sums of this thread within the limits of their queries
    for (int p = 0; p < tile_type::down; ++p) {
      const T limit = shared.limit[tile_type::point(rank, p)];
      for (int i = 0; i < tile_type::across; ++i)
        if (may_be_near(sum[p][i], limit)) left |= std::uint64_t{1} << (p * tile_type::across + i);
    }
    for (bool again = true; again;) {
      if (left != 0) put(shared, sum, j, rank, left);
      if (left != 0) Kokkos::atomic_store(shared.flag, 1);
      member.team_barrier();
      again = shared.flag[0] != 0;
      if (owner && (shared.count[rank] >= room / 2)) empty_buffer(shared, rank, nearest);
      member.team_barrier();
      if (rank == 0) shared.flag[0] = 0;
      if (again) member.team_barrier();
    }
  }
  /// Puts what there is room for into the buffers, and leaves the rest.
  KOKKOS_FUNCTION void put(const shared_memory& shared, const typename tile_type::sums& sum, std::int32_t j, int rank,
                           std::uint64_t& left) const {
    for (int p = 0; p < tile_type::down; ++p) {
      const int q = tile_type::point(rank, p);
      for (int i = 0; i < tile_type::across; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (p * tile_type::across + i);
        if ((left & bit) == 0) continue;
        if (!may_be_near(sum[p][i], shared.limit[q])) {
          left &= ~bit;
          continue;
        }
        const int at = Kokkos::atomic_fetch_add(shared.count + q, 1);
        if (at >= room) continue;
        shared.value[at * points + q] = sum[p][i];
        shared.point[at * points + q] = j + tile_type::other(rank, i);
        left &= ~bit;
      }
    }
  }
};

/// The result of a query: what the slices have found, by distances from differences, of equal ones the first point.
template <class T, class Neighbor, class Distance>
struct finish_search {
  strided<const T> queries, points;
  nearest_lists<T> lists;
  std::int64_t slices;
  bool angles;
  strided<Neighbor> neighbors;
  strided<Distance> distances;
  T* values;  // a list for each query
  std::int32_t* found;

  KOKKOS_FUNCTION double at(const strided<const T>& x, std::int64_t i, std::int64_t t) const {
    return static_cast<double>(x.data[i * x.stride[0] + t * x.stride[1]]);
  }
  KOKKOS_FUNCTION double length(const strided<const T>& x, std::int64_t i) const {
    double square = 0;
    for (std::int64_t t = 0; t < x.extents.extent[1]; ++t) square += at(x, i, t) * at(x, i, t);
    return Kokkos::sqrt(square);
  }
  /// Of angles half the squared distance of vectors of length 1, which is 1 - cos without what that cancels.
  KOKKOS_FUNCTION T distance(std::int64_t q, std::int64_t i) const {
    double x_scale = 1, y_scale = 1, sum = 0;
    if (angles) {
      const double x = length(queries, q), y = length(points, i);
      if (x == 0 || y == 0) return 1;
      x_scale = 1 / x;
      y_scale = 1 / y;
    }
    for (std::int64_t t = 0; t < queries.extents.extent[1]; ++t) {
      // Each product rounded, so that vectors of one direction are at no distance where their lengths divide exactly.
      const double step = rounded_product(at(queries, q, t), x_scale) - rounded_product(at(points, i, t), y_scale);
      sum += step * step;
    }
    return static_cast<T>(angles ? sum / 2 : Kokkos::sqrt(sum));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    const std::int64_t m = queries.extents.extent[0], wanted = neighbors.extents.extent[1];
    nearest_so_far<T> nearest{values + q * lists.k, found + q * lists.k, 1, lists.k};
    for (std::int64_t s = 0; s < slices; ++s) {
      const nearest_so_far<T> list = lists.of(s * m + q);
      for (int j = 0; j < list.k && list.points[j] >= 0; ++j) nearest.add(list.distances[j], list.points[j]);
    }
    nearest_so_far<T> sorted{lists.values + q * lists.k, lists.points + q * lists.k, 1, lists.k};
    for (int j = 0; j < nearest.found; ++j) sorted.add(distance(q, nearest.points[j]), nearest.points[j]);
    nearest_lists<T>::close(sorted);
    for (std::int64_t j = 0; j < wanted; ++j) {
      neighbors.data[q * neighbors.stride[0] + j * neighbors.stride[1]] = static_cast<Neighbor>(sorted.points[j]);
      distances.data[q * distances.stride[0] + j * distances.stride[1]] = static_cast<Distance>(sorted.distances[j]);
    }
  }
};

template <class Exec, class T>
void launch_search(const std::string& label, const Exec& exec, const search_rows<T>& search) {
  if constexpr (is_device<Exec>) {
    using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<256, 2>>;
    using kernel = device_search_rows<T, typename policy::member_type>;
    const std::int64_t without = kernel::fixed_bytes + kernel::alignment;
    const std::int64_t with_lists = without + kernel::list_bytes(search.lists.k);
    // So that two teams are on a multiprocessor.
    const bool shared = 2 * with_lists <= team_scratch_room<Exec>(kernel::team);
    Kokkos::parallel_for(
        kernel_label(label),
        policy(exec, static_cast<int>(search.tiles * search.slices), kernel::team)
            .set_scratch_size(0, team_scratch<Exec>(label, kernel::team, shared ? with_lists : without)),
        kernel{search, shared});
  } else {
    launch_units(exec, label, search.tiles * search.slices, host_search_rows<T>{search});
  }
}

/// How many queries a tile has.
template <class Exec, class T>
constexpr int query_tile() {
  if constexpr (is_device<Exec>) return device_row_tile<T, 8>::points;
  else return host_row_tile<T>::points;
}

template <class Exec, class T, class Neighbor, class Distance>
void search_all(const std::string& label, const Exec& exec, const strided<Neighbor>& neighbors,
                const strided<Distance>& distances, const strided<const T>& queries, const strided<const T>& points,
                bool angles) {
  const std::int64_t n = points.extents.extent[0], m = queries.extents.extent[0], d = points.extents.extent[1];
  // A few more than are wanted, whose order by rounded values may be another one than that of distances.
  const auto k = static_cast<int>(std::min(n, neighbors.extents.extent[1] + 4));
  const std::int64_t rows = is_device<Exec> ? n : host_row_tile<T>::padded(n);
  const std::int64_t tiles = (m + query_tile<Exec, T>() - 1) / query_tile<Exec, T>();
  // Several waves of teams, or units for each thread, unless slices get too short.
  constexpr std::int64_t min_slice = 4096, device_teams = 1056;
  const std::int64_t units = is_device<Exec> ? device_teams : 4 * std::int64_t{exec.concurrency()};
  const std::int64_t slices = std::clamp<std::int64_t>(n / min_slice, 1, (units + tiles - 1) / tiles);
  T *origin = nullptr, *table = nullptr, *half_squares = nullptr, *values = nullptr, *all_values = nullptr;
  std::int32_t *found = nullptr, *all_found = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{origin, d}, scratch_part{table, rows * d},
                                    scratch_part{half_squares, rows}, scratch_part{values, slices * m * k},
                                    scratch_part{found, slices * m * k}, scratch_part{all_values, m * k},
                                    scratch_part{all_found, m * k});
  const auto each = [&](const char* part, std::int64_t count, const auto& kernel) {
    Kokkos::parallel_for(kernel_label(label, part), index_range(exec, count), kernel);
  };
  each("/origin", d, sample_origin<T>{points.data, points.stride[0], points.stride[1], n, !angles, origin});
  each("/points", rows, make_row_table<T>{centred_rows<T>(points, origin), angles, table, half_squares});
  const nearest_lists<T> lists{values, found, k};
  launch_search(label_text(label, "/search"), exec,
                search_rows<T>{centred_rows<T>(queries, origin), {table, half_squares, n}, lists, slices, tiles});
  each("/distances", m,
       finish_search<T, Neighbor, Distance>{queries, points, lists, slices, angles, neighbors, distances, all_values,
                                            all_found});
}

}  // namespace quern::impl

#endif
