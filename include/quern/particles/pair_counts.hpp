// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_PAIR_COUNTS_HPP
#define QUERN_PARTICLES_PAIR_COUNTS_HPP

#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/particles/near_points.hpp>
#include <vector>

namespace quern {

/// Whether counts are of all up to each limit, which is so without it, or of those beyond the limit before.
struct cumulative {
  using option_of = impl::any_place;
  bool value = true;
};

namespace impl {

/// Pairs of queries and points near them, by the first of the radii that is not below their distance.
template <class T, int Rank>
struct near_pairs {
  binned_points<T, Rank> points;
  point_rows<T, Rank> others;
  bool among_themselves;  // the queries are the points: each pair of two is counted once
  std::int64_t queries;
  const T* squares;  // of the radii
  std::int64_t radii;
  static constexpr std::int64_t block = 256;  // queries in a row

  KOKKOS_FUNCTION std::int64_t blocks() const { return (queries + block - 1) / block; }
  KOKKOS_FUNCTION Kokkos::Array<T, Rank> query(std::int64_t q) const {
    if (among_themselves) return points.point(q);
    Kokkos::Array<T, Rank> p;
    for (int d = 0; d < Rank; ++d) p[d] = points.geometry.inside(d, others.at(q, d));
    return p;
  }
  /// Calls add(bin, count) for pairs of a query.
  template <class Add>
  KOKKOS_FUNCTION void count(std::int64_t q, const Add& add) const {
    const auto p = query(q);
    const T largest = squares[radii - 1];
    std::int64_t bin = -1, found = 0;  // those of one bin in a row
    points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t end = among_themselves && last > q ? q : last;
      for (std::int64_t j = first; j < end; ++j) {
        const T square = points.squared_distance(p, j);
        if (!(square <= largest)) continue;
        const std::int64_t b = partition_point(squares, 1, radii, [=](T s) { return s < square; });
        if (b != bin && found > 0) add(bin, found);
        found = b == bin ? found + 1 : 1;
        bin = b;
      }
    });
    if (found > 0) add(bin, found);
  }
};

/// A unit counts every so many blocks of queries in a row of its own.
template <class T, int Rank>
struct host_count_pairs {
  near_pairs<T, Rank> pairs;
  std::int64_t units, *counts;
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    std::int64_t* const own = counts + unit * pairs.radii;
    for (std::int64_t r = 0; r < pairs.radii; ++r) own[r] = 0;
    for (std::int64_t b = unit; b < pairs.blocks(); b += units)
      for (std::int64_t q = b * pairs.block; q < pairs.queries && q < (b + 1) * pairs.block; ++q)
        pairs.count(q, [&](std::int64_t bin, std::int64_t found) { own[bin] += found; });
  }
};
/// A team counts in its shared memory where there is room.
template <class T, int Rank, class Member>
struct device_count_pairs {
  near_pairs<T, Rank> pairs;
  bool shared;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (shared) {
      auto* own = static_cast<std::int64_t*>(
          team.team_shmem().get_shmem(pairs.radii * static_cast<std::int64_t>(sizeof(std::int64_t))));
      for (std::int64_t b = team.team_rank(); b < pairs.radii; b += team.team_size()) own[b] = 0;
      team.team_barrier();
      count(team, own);
      team.team_barrier();
      for (std::int64_t b = team.team_rank(); b < pairs.radii; b += team.team_size())
        if (own[b] > 0) Kokkos::atomic_add(counts + b, own[b]);
    } else {
      count(team, counts);
    }
  }
  KOKKOS_FUNCTION void count(const Member& team, std::int64_t* to) const {
    for (std::int64_t b = team.league_rank(); b < pairs.blocks(); b += team.league_size())
      for (std::int64_t i = team.team_rank(); i < pairs.block && b * pairs.block + i < pairs.queries;
           i += team.team_size())
        pairs.count(b * pairs.block + i,
                    [&](std::int64_t bin, std::int64_t found) { Kokkos::atomic_add(to + bin, found); });
  }
};
/// Adds up the rows of counts in the first one.
struct sum_pair_counts {
  std::int64_t rows, bins, factor, *counts;
  KOKKOS_FUNCTION void operator()(std::int64_t bin) const {
    std::int64_t all = 0;
    for (std::int64_t r = 0; r < rows; ++r) all += counts[r * bins + bin];
    counts[bin] = factor * all;
  }
};

/// Writes numbers of the host behind what else is launched, without waiting.
template <class T>
struct put_squares {
  static constexpr int most = 32;
  Kokkos::Array<T, most> squares;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = squares[i]; }
};
template <class Exec, class T>
void squares_of_radii(const std::string& label, const Exec& exec, const std::vector<double>& radii, T* to) {
  constexpr int most = put_squares<T>::most;
  for (std::size_t first = 0; first < radii.size(); first += most) {
    const auto count = static_cast<int>(std::min<std::size_t>(most, radii.size() - first));
    put_squares<T> put{{}, to + first};
    for (int i = 0; i < count; ++i) put.squares[i] = square_of_radius<T>(radii[first + i]);
    Kokkos::parallel_for(kernel_label(label, "/radii"), index_range(exec, count), put);
  }
}

/// How many rows of counts are wanted.
template <class Exec>
std::int64_t count_rows(const Exec& exec, std::int64_t blocks) {
  return is_device<Exec> ? 1 : std::min<std::int64_t>(blocks, 4 * std::int64_t{exec.concurrency()});
}
template <class Exec, class T, int Rank>
void launch_count_pairs(const std::string& label, const Exec& exec, const near_pairs<T, Rank>& pairs,
                        std::int64_t* counts) {
  if constexpr (is_device<Exec>) {
    using policy = Kokkos::TeamPolicy<Exec>;
    using kernel = device_count_pairs<T, Rank, typename policy::member_type>;
    constexpr int team = static_cast<int>(near_pairs<T, Rank>::block);
    fill_scratch(label_text(label, "/zero"), exec, counts, pairs.radii, std::int64_t{0});
    const std::int64_t bytes = pairs.radii * static_cast<std::int64_t>(sizeof(std::int64_t));
    constexpr std::int64_t fast_bytes = 40 << 10;  // several teams on a multiprocessor have as much
    const bool shared = bytes <= std::min(fast_bytes, team_scratch_room<Exec>(team));
    const std::int64_t teams = std::min<std::int64_t>(pairs.blocks(), 4 * std::max(1, exec.concurrency() / team));
    policy p(exec, static_cast<int>(std::max<std::int64_t>(teams, 1)), team);
    if (shared) p.set_scratch_size(0, team_scratch<Exec>(label, team, bytes));
    Kokkos::parallel_for(kernel_label(label), p, kernel{pairs, shared, counts});
  } else {
    const std::int64_t units = count_rows(exec, pairs.blocks());
    launch_units(exec, label, units, host_count_pairs<T, Rank>{pairs, units, counts});
  }
}

template <class T>
void check_radii(const std::string& label, const std::vector<double>& radii) {
  for (std::size_t i = 0; i < radii.size(); ++i) {
    check_radius<T>(label, radii[i]);
    if (i > 0 && radii[i] < radii[i - 1])
      throw Error(label, "a radius of " + text_of(radii[i]) + " behind " + text_of(radii[i - 1]) +
                             ", expected them in ascending order");
  }
}

/// The others are queries; without them (`among_themselves`) they are the points.
template <class Exec, class Counts, class Points, class Others>
void pair_counts_into(const call<Exec>& c, const Counts& counts, const Points& points_view, const Others& others_view,
                      bool among_themselves, const domain& box, const std::vector<double>& radii, bool cumulated) {
  const std::int64_t n = view_extents(points_view).extent[0], m = view_extents(others_view).extent[0];
  const auto others = points_input(c, "others", others_view, box.rank());
  const auto bins = static_cast<std::int64_t>(radii.size());
  with_points(c, points_view, box, [&]<class T, int Rank>(const point_rows<T, Rank>& rows) {
    with_points_by_radius(c.label, c.exec, box, radii.back(), rows, n, [&](const binned_points<T, Rank>& points) {
      near_pairs<T, Rank> pairs{points, point_rows<T, Rank>(others), among_themselves, m, nullptr, bins};
      const std::int64_t found_rows = count_rows(c.exec, pairs.blocks());
      T* squares = nullptr;
      std::int64_t* found = nullptr;
      const scratch_arrays<Exec> memory(c.exec, scratch_part{squares, bins},
                                        scratch_part{found, std::max<std::int64_t>(found_rows, 1) * bins});
      squares_of_radii(c.label, c.exec, radii, squares);
      pairs.squares = squares;
      launch_count_pairs(c.label, c.exec, pairs, found);
      Kokkos::parallel_for(kernel_label(c.label, "/sum"), index_range(c.exec, bins),
                           sum_pair_counts{found_rows, bins, among_themselves ? 2 : 1, found});
      const scratch_view<Exec, std::int64_t*> all(found, bins);
      if (cumulated) quern::cumsum(c.exec, counts, all);
      else map_checked(label_text(c.label, "/counts"), c.exec, counts, op::identity(), all);
    });
  });
}

template <class Exec, class Counts, class Points, class Others, class... Options>
void pair_counts_call(const Exec& exec, const Counts& counts, const Points& points, const Others& others,
                      bool among_themselves, const domain& box, const std::vector<double>& radii,
                      const Options&... options) {
  static_assert(std::is_same_v<value_of<Counts>, std::int64_t>,
                "quern::pair_counts: counts must be a View of std::int64_t");
  static_assert(std::is_same_v<value_of<Points>, value_of<Others>>,
                "quern::pair_counts: points and others must be of one type");
  const call c("quern::pair_counts", exec);
  check_point_numbers(c.label, view_extents(points).extent[0]);
  check_point_numbers(c.label, view_extents(others).extent[0]);
  check_radii<value_of<Points>>(c.label, radii);
  check_extents(c.label, "counts", view_extents(counts), shape{static_cast<std::int64_t>(radii.size())},
                ", one for each radius");
  check_overlap(c.label, c.output(counts), c.input(points), "points", false);
  check_overlap(c.label, c.output(counts), c.input(others), "others", false);
  if (radii.empty()) return;
  pair_counts_into(c, counts, points, others, among_themselves, box, radii, option_or(cumulative(), options...).value);
}

}  // namespace impl

/// How many pairs of points are within each radius: of a point and another one, `distance(i, j) <= radii[r]` for i
/// other than j, each pair in both directions.
///
/// @code
/// Kokkos::View<std::int64_t*> counts("counts", 3);
/// quern::pair_counts(exec, counts, points, box, {0.1, 0.2, 0.3});
/// quern::pair_counts(exec, counts, points, others, box, {0.1, 0.2, 0.3});  // of a point and one of the others
/// quern::pair_counts(exec, counts, points, box, {0.1, 0.2, 0.3}, quern::cumulative{false});
/// @endcode
///
/// SciPy's `cKDTree.count_neighbors`, which counts a point and itself, too, if both trees have it: n more than here, as
/// does `pair_counts(exec, counts, points, points, box, radii)`. The counts are exact, and asynchronous on `exec`.
///
/// All pairs within the largest radius are looked at, by cells of its width, as by `radius_neighbors`: the time grows
/// with their number, and a few points that are far away do not change it. Scratch memory is that of `bin_by`, a row of
/// coordinates and 4 bytes for each point, in a box of many more cells up to 40 more and those of an `argsort`, and
/// counts for each thread of a host. A point with a NaN is in no pair.
///
/// @param counts  of rank 1 and `std::int64_t`, an element for each radius
/// @param points  (n, rank of the domain) of float or double, in either layout; distances are formed in their type, and
///                their last bits may differ between back ends
/// @param box     a `domain`. Along periodic axes the distance is that to the nearest image, also where the radius is
///                more than half of the box
/// @param radii   on the host, in ascending order, at least 0; a point is near up to it
/// @param options `cumulative{false}`: count r is of the distances above `radii[r - 1]` up to `radii[r]`
/// @throws Error if extents do not fit, a radius is below 0, NaN or below the one before, its square is no normal
///         number, `counts` shares memory with points, or there are 2^31 points or more
template <execution_space Exec, view_like Counts, view_like Points, option<cumulative>... Options>
void pair_counts(const Exec& exec, const Counts& counts, const Points& points, const domain& box,
                 const std::vector<double>& radii, const Options&... options) {
  impl::pair_counts_call(exec, counts, points, points, true, box, radii, options...);
}
template <view_like Counts, view_like Points, option<cumulative>... Options>
void pair_counts(const Counts& counts, const Points& points, const domain& box, const std::vector<double>& radii,
                 const Options&... options) {
  pair_counts(impl::space_of(counts), counts, points, box, radii, options...);
}
/// The same of pairs of a point and one of the others, of which all are counted: SciPy's
/// `cKDTree(points).count_neighbors(cKDTree(others), radii)`. The other points are as `points`, of its type.
template <execution_space Exec, view_like Counts, view_like Points, view_like Others, option<cumulative>... Options>
void pair_counts(const Exec& exec, const Counts& counts, const Points& points, const Others& others, const domain& box,
                 const std::vector<double>& radii, const Options&... options) {
  impl::pair_counts_call(exec, counts, points, others, false, box, radii, options...);
}
template <view_like Counts, view_like Points, view_like Others, option<cumulative>... Options>
void pair_counts(const Counts& counts, const Points& points, const Others& others, const domain& box,
                 const std::vector<double>& radii, const Options&... options) {
  pair_counts(impl::space_of(counts), counts, points, others, box, radii, options...);
}
QUERN_TAKES_NAME_NOT(place, pair_counts)

}  // namespace quern

#endif
