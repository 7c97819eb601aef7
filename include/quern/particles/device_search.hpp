// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_DEVICE_SEARCH_HPP
#define QUERN_PARTICLES_DEVICE_SEARCH_HPP

/// @file
/// On devices: the search of the nearest of tiles of queries in slices of the points.

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/particles/nearest_lists.hpp>
#include <quern/particles/product_tiles.hpp>

namespace quern::impl {

/// The points of a table in tiles, and half their squares: infinity for those that are near nothing, and for rows
/// beyond them. Where angles are compared, rows have the length 1, or 0.
template <class T>
struct make_point_tiles {
  using tile = product_tile<T>;
  centred_rows<T> points;
  bool angles;
  tiled_rows<T, tile::others> rows;
  T* half_squares;

  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    double square = 0;
    T* row = rows.row(j);
    copy_row<T, tile::others>(points, j, rows.columns, row, [&](T x) {
      square = Kokkos::fma(static_cast<double>(x), static_cast<double>(x), square);
    });
    const bool finite = j < points.count && is_finite_square(static_cast<T>(square));
    const double length = finite ? Kokkos::sqrt(square) : 0;
    half_squares[j] = !finite ? Kokkos::Experimental::infinity_v<T> : angles ? T(0) : static_cast<T>(square / 2);
    if (finite && !(angles && length > 0)) return;
    for (int t = 0; t < points.columns; ++t) {
      T& x = row[t * tile::others];
      x = finite ? static_cast<T>(static_cast<double>(x) / length) : T(0);
    }
  }

  /// Copies row i of some, or zeros beyond them, to where values are `Apart` apart, and calls f with each value: of as
  /// many columns at a time as are in one sector of memory, from which a thread gets them all at once.
  template <class V, int Apart, class F>
  static KOKKOS_FORCEINLINE_FUNCTION void copy_row(const centred_rows<V>& from, std::int64_t i, int columns, V* to,
                                                   const F& f) {
    constexpr int together = tile::depth;
    for (int t = 0; t < columns; t += together) {
      V x[together];
      for (int u = 0; u < together; ++u) x[u] = i < from.count && t + u < from.columns ? from.at(i, t + u) : V(0);
      for (int u = 0; u < together; ++u) {
        f(x[u]);
        to[(t + u) * Apart] = x[u];
      }
    }
  }
};

/// The queries in tiles, and what sums of each must be below: infinity, and its negative for a query that nothing is
/// near.
template <class T>
struct make_query_tiles {
  using tile = product_tile<T>;
  centred_rows<T> queries;
  tiled_rows<T, tile::points> rows;
  T* limits;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T square = 0;
    T* row = rows.row(i);
    make_point_tiles<T>::template copy_row<T, tile::points>(queries, i, rows.columns, row,
                                                            [&](T x) { square = Kokkos::fma(x, x, square); });
    const bool searched = i < queries.count && is_finite_square(square);
    limits[i] = searched ? Kokkos::Experimental::infinity_v<T> : -Kokkos::Experimental::infinity_v<T>;
    for (int t = 0; !searched && t < queries.columns; ++t) row[t * tile::points] = 0;
  }
};

/// What teams search: each a tile of queries in a slice of the tiles of points.
template <class T>
struct tiled_search {
  using tile = product_tile<T>;
  tiled_rows<T, tile::points> queries;
  tiled_rows<T, tile::others> points;
  const T* half_squares;
  T* limits;  // of each query: no farther are k points of some slice
  nearest_lists<T> lists;
  int steps;  // of columns
  std::int64_t query_count, slices, query_tiles, point_tiles;

  KOKKOS_FUNCTION std::int64_t slice_begin(std::int64_t s) const { return point_tiles * s / slices; }
};

/// Into how many slices points are cut, so that a device that has `at_once` teams at a time is busy until the end. A
/// team takes as long for what it finds in its first tiles as for some more tiles.
inline std::int64_t device_slices(std::int64_t query_tiles, std::int64_t point_tiles, std::int64_t at_once) {
  constexpr std::int64_t begin = 6, least = 8, max_waves = 8;
  const std::int64_t most = std::clamp<std::int64_t>(point_tiles / least, 1, max_waves * at_once / query_tiles + 1);
  std::int64_t best = 1, best_time = 0;
  for (std::int64_t s = 1; s <= most; ++s) {
    const std::int64_t waves = (query_tiles * s + at_once - 1) / at_once;
    const std::int64_t time = waves * ((point_tiles + s - 1) / s + begin);
    if (s > 1 && time >= best_time) continue;
    best = s;
    best_time = time;
  }
  return best;
}

/// What a team knows of each query, in its memory behind a tile: registers are for products. Behind it are buffers, and
/// lists where there is room for them.
template <class T>
struct search_team {
  using tile = product_tile<T>;
  static constexpr int points = tile::points;

  T limit[points];  // what sums of later points must be below, and of which point the sum at the limit is
  std::int32_t limit_point[points];
  std::int32_t count[points];  // in the buffer, also what had no room
  std::int32_t found[points];  // in the list
  std::int32_t flag[2];
  T *values, *list_values;
  std::int32_t *numbers, *list_points;
  T* limits;  // of all teams
  std::int64_t step;
  int k, room, queries;

  KOKKOS_FUNCTION nearest_so_far<T> list(int q) const { return {list_values + q, list_points + q, step, k, found[q]}; }
  /// More than x, by little; infinities remain. No sum of a query that is searched is the negative one.
  static KOKKOS_FUNCTION T above(T x) {
    constexpr T most = Kokkos::Experimental::finite_max_v<T>;
    if (x < -most) return x;
    const T by = 4 * Kokkos::Experimental::epsilon_v<T> * Kokkos::abs(x);
    return x + (by + Kokkos::Experimental::norm_min_v<T>);
  }
  /// By the list of this slice, or by what others have found, where any point may have the same sum.
  KOKKOS_FUNCTION void set_limit(int q, const nearest_so_far<T>& nearest) {
    const T others = Kokkos::atomic_load(limits + q);
    if (nearest.found == k && !(others < nearest.farthest())) {
      limit[q] = nearest.farthest();
      limit_point[q] = nearest.points[(k - 1) * step];
      if (nearest.farthest() < others) Kokkos::atomic_min(limits + q, nearest.farthest());
    } else {
      limit[q] = above(others);
      limit_point[q] = -1;
    }
  }
  /// Empties the buffer of a query into its list.
  static KOKKOS_FORCEINLINE_FUNCTION void merge(search_team* team, int q) {
    const int in_buffer = team->count[q];
    if (in_buffer == 0) return;
    nearest_so_far<T> nearest = team->list(q);
    nearest.merge(team->values + q, team->numbers + q, points, in_buffer < team->room ? in_buffer : team->room);
    team->found[q] = nearest.found;
    team->count[q] = 0;
    team->set_limit(q, nearest);
  }
};

/// How many results of each query have room in a team's memory: of its buffer, and all or none of its list. Longer
/// buffers where lists are in global memory, and are better read rarely.
template <class T>
struct search_memory {
  using tile = product_tile<T>;
  static constexpr int alignment = 16, min_room = 8, max_room = 32;
  int listed, room;

  search_memory(int k, std::int64_t bytes_there)
      : listed(alignment + bytes_of(k, min_room) <= bytes_there ? k : 0), room(min_room) {
    while (room < max_room && alignment + bytes_of(listed, room + 1) <= bytes_there) ++room;
  }
  KOKKOS_FUNCTION static std::int64_t bytes_of(int listed, int room) {
    return tile::values * static_cast<std::int64_t>(sizeof(T)) + static_cast<std::int64_t>(sizeof(search_team<T>)) +
           std::int64_t{tile::points} * (listed + room) * static_cast<std::int64_t>(sizeof(T) + sizeof(std::int32_t));
  }
  /// With what aligning them may take, and without it.
  std::int64_t bytes() const { return alignment + bytes_of(listed, room); }
  KOKKOS_FUNCTION std::int64_t aligned_bytes() const { return bytes_of(listed, room); }
  /// A fourth of a buffer, at least two results, is for what comes until all threads know that it is nearly full.
  KOKKOS_FUNCTION static int nearly_full(int room) { return room - (room < 8 ? 2 : room / 4); }
};

/// Threads put what is below the limit of a query into its buffer, from which one thread merges it into the list of
/// the query, and lowers the limit, when some buffer is nearly full.
template <class T, class Member>
struct device_search_rows {
  using tile = product_tile<T>;
  using place = typename tile::place;
  using sums = typename tile::sums;
  using team_type = search_team<T>;
  static constexpr int team_size = tile::team, points = tile::points;
  tiled_search<T> of;
  search_memory<T> memory;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    T* values =
        static_cast<T*>(member.team_shmem().get_shmem_aligned(memory.aligned_bytes(), search_memory<T>::alignment));
    auto* team = reinterpret_cast<team_type*>(values + tile::values);
    const int rank = member.team_rank();
    const std::int64_t slice = member.league_rank() / of.query_tiles, number = member.league_rank() % of.query_tiles;
    const std::int64_t begin = of.slice_begin(slice);
    start(member, team, slice, number * points);
    int round = 0;
    tile(values).compare(member, of.queries.tile(number), of.points, of.half_squares, of.steps, begin,
                         static_cast<int>(of.slice_begin(slice + 1) - begin),
                         [&](const sums& sum, std::int32_t first) { take(member, team, sum, first, round); });
    if (rank < team->queries) finish(team, rank, slice, number * points);
  }

 private:
  KOKKOS_FUNCTION void start(const Member& member, team_type* team, std::int64_t slice, std::int64_t query) const {
    const int rank = member.team_rank();
    if (rank == 0) {
      const nearest_so_far<T> list = of.lists.of(slice, query);
      const int room = memory.room;
      const bool here = memory.listed > 0;
      team->values = reinterpret_cast<T*>(team + 1);
      T* shared_list = team->values + points * room;
      team->numbers = reinterpret_cast<std::int32_t*>(shared_list + points * memory.listed);
      team->list_values = here ? shared_list : list.distances;
      team->list_points = here ? team->numbers + points * room : list.points;
      team->limits = of.limits + query;
      team->step = here ? points : list.step;
      team->k = list.k;
      team->room = room;
      team->queries = static_cast<int>(Kokkos::min<std::int64_t>(points, of.query_count - query));
      team->flag[0] = team->flag[1] = -1;
    }
    if (rank < points) {
      team->count[rank] = team->found[rank] = 0;
      team->limit[rank] = team_type::above(Kokkos::atomic_load(of.limits + query + rank));
      team->limit_point[rank] = -1;
    }
    member.team_barrier();
  }
  KOKKOS_FUNCTION void finish(team_type* team, int rank, std::int64_t slice, std::int64_t query) const {
    team_type::merge(team, rank);
    const nearest_so_far<T> nearest = team->list(rank), to = of.lists.of(slice, query + rank);
    nearest_lists<T>::close(nearest);
    for (int j = 0; memory.listed > 0 && j < to.k; ++j) {
      to.distances[j * to.step] = nearest.distances[j * points];
      to.points[j * to.step] = nearest.points[j * points];
    }
  }

  /// Threads wait for each other once where no buffer is nearly full. Flags of a round are read while those of the next
  /// one are written, and hold its number, so that none is ever reset.
  static KOKKOS_FORCEINLINE_FUNCTION void take(const Member& member, team_type* team, const sums& sum,
                                               std::int32_t first, int& round) {
    const place at(member.team_rank());
    std::uint64_t left = 0;  // the sums within the limits
    if (const unsigned rows = rows_with_near(team, sum, at); rows != 0) left = all_near(team, sum, rows, at);
    for (bool again = true; again; ++round) {
      if (left != 0) put(team, sum, first, at, round, left);
      member.team_barrier();
      again = team->flag[round % 2] == round;
      if (!again) continue;
      if (member.team_rank() < points) team_type::merge(team, member.team_rank());
      member.team_barrier();
    }
  }
  static KOKKOS_FORCEINLINE_FUNCTION unsigned rows_with_near(const team_type* team, const sums& sum, const place& at) {
    T limit[tile::down];
    tile::load_packs(limit, team->limit + at.row * tile::width, tile::threads_down * tile::width);
    unsigned rows = 0;
    for (int p = 0; p < tile::down; ++p) {
      bool near = false;
      for (int o = 0; o < tile::across; ++o) near = near | (sum[p][o] < limit[p]);
      rows |= near ? 1u << p : 0u;
    }
    return rows;
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t all_near(const team_type* team, const sums& sum, unsigned rows,
                                                            const place& at) {
    std::uint64_t near = 0;
    unrolled<0, tile::down>([&](auto p) {
      if ((rows >> p & 1) == 0) return;
      const T limit = team->limit[at.point(p)];
      unrolled<0, tile::across>(
          [&](auto o) { near |= std::uint64_t{sum[p][o] < limit ? 1u : 0u} << (p * tile::across + o); });
    });
    return near;
  }
  /// Puts what there is room for into the buffers, and leaves the rest.
  static KOKKOS_FORCEINLINE_FUNCTION void put(team_type* team, const sums& sum, std::int32_t first, const place& at,
                                              int round, std::uint64_t& left) {
    bool full = false;
    constexpr unsigned all = (1u << tile::across) - 1;
    unrolled<0, tile::down>([&](auto p) {
      unsigned missing = 0;  // from the buffers, for want of room
      for (auto row = static_cast<unsigned>(left >> (p * tile::across)) & all; row != 0; row &= row - 1) {
        const int o = Kokkos::Experimental::countr_zero_builtin(row);
        T value = sum[p][0];
        unrolled<1, tile::across>([&](auto i) { value = i == o ? sum[p][i] : value; });
        if (!put(team, at.point(p), value, first + at.other(o), full)) missing |= 1u << o;
      }
      left &= ~(std::uint64_t{all} << (p * tile::across));
      left |= std::uint64_t{missing} << (p * tile::across);
    });
    if (full) Kokkos::atomic_store(team->flag + round % 2, round);
  }
  /// False where it is to be put once more.
  static KOKKOS_FORCEINLINE_FUNCTION bool put(team_type* team, int q, T value, std::int32_t point, bool& full) {
    const T limit = team->limit[q];
    if (!(value < limit || (value == limit && point < team->limit_point[q]))) return true;
    int at = Kokkos::atomic_load(team->count + q);
    const int room = team->room;
    if (at < room) at = Kokkos::atomic_fetch_add(team->count + q, 1);
    full = full || at + 1 >= search_memory<T>::nearly_full(room);
    if (at >= room) return false;
    team->values[at * points + q] = value;
    team->numbers[at * points + q] = point;
    return true;
  }
};

/// How many teams with all the memory that Kokkos gives one are on a multiprocessor: of CUDA it has more than that.
template <class Exec>
inline constexpr int teams_of_all_scratch = 1;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr int teams_of_all_scratch<Kokkos::Cuda> = 2;
#endif

/// A search and its memory.
template <class T>
struct device_search {
  using tile = product_tile<T>;
  static constexpr int teams = 2;  // on a multiprocessor, by their registers
  std::int64_t query_tiles, point_tiles, columns, slices;

  template <class Exec>
  device_search(const Exec& exec, std::int64_t queries, std::int64_t points, std::int64_t d)
      : query_tiles((queries + tile::points - 1) / tile::points),
        point_tiles((points + tile::others - 1) / tile::others),
        columns(d) {
    constexpr int threads = 2048;  // of a multiprocessor
    const std::int64_t at_once = std::max<std::int64_t>(teams * std::int64_t{exec.concurrency()} / threads, 1);
    slices = device_slices(query_tiles, point_tiles, at_once);
  }
  std::int64_t query_rows() const { return query_tiles * tile::points; }
  std::int64_t point_rows() const { return point_tiles * tile::others; }
  std::int64_t rows() const { return query_rows() + point_rows(); }
  std::int64_t table_values() const { return rows() * tile::padded_columns(columns); }

  tiled_search<T> in(T* tables, T* numbers, const nearest_lists<T>& lists) const {
    const int padded = static_cast<int>(tile::padded_columns(columns));
    T *limits = numbers, *half_squares = numbers + query_rows();
    return {{tables, padded},
            {tables + query_rows() * padded, padded},
            half_squares,
            limits,
            lists,
            padded / tile::depth,
            lists.queries,
            slices,
            query_tiles,
            point_tiles};
  }
  template <class Exec>
  void run(const std::string& label, const Exec& exec, const centred_rows<T>& queries, const centred_rows<T>& points,
           bool angles, T* tables, T* numbers, const nearest_lists<T>& lists) const {
    using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tile::team, teams>>;
    using kernel = device_search_rows<T, typename policy::member_type>;
    const tiled_search<T> search = in(tables, numbers, lists);
    Kokkos::parallel_for(kernel_label(label, "/queries"), index_range(exec, query_rows()),
                         make_query_tiles<T>{queries, search.queries, search.limits});
    Kokkos::parallel_for(kernel_label(label, "/points"), index_range(exec, point_rows()),
                         make_point_tiles<T>{points, angles, search.points, numbers + query_rows()});
    const std::int64_t room = team_scratch_room<Exec>(tile::team) * teams_of_all_scratch<Exec> / teams;
    const search_memory<T> memory(lists.k, room);
    const std::string& part = label_text(label, "/search");
    const auto scratch = team_scratch<Exec>(part, tile::team, memory.bytes());
    Kokkos::parallel_for(kernel_label(part),
                         policy(exec, static_cast<int>(query_tiles * slices), tile::team).set_scratch_size(0, scratch),
                         kernel{search, memory});
  }
};

}  // namespace quern::impl

#endif
