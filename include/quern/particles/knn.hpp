// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_KNN_HPP
#define QUERN_PARTICLES_KNN_HPP

#include <quern/core/call/places.hpp>
#include <quern/particles/box_of_most.hpp>
#include <quern/particles/near_points.hpp>
#include <quern/particles/nearest_rows.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/transfer/as_view.hpp>

namespace quern {

/// What is near: by Euclidean distances, or by angles, `1 - x y / (|x| |y|)`, where a point without a length is at a
/// distance of 1 from all.
enum class metric { euclidean, cosine };

namespace impl {

template <>
inline constexpr bool marked_option<metric> = true;

/// Looks for the nearest points in the cell of a query, then in those around it, and so on, until no point of the next
/// cells can be nearer than what is found.
template <class T, int Rank>
struct search_nearest {
  binned_points<T, Rank> points;
  point_rows<T, Rank> queries;
  T* distances;
  std::int32_t* found;
  std::int64_t across, step;  // from query to query, and from one of its points to the next
  int k;
  bool among_themselves;  // the queries are the points, and no point is its own neighbour
  T rounding;             // that coordinates of cells may be off, of queries in the box

  /// The cells around one, `ring` away along at least one axis. `low` and `high` are how far it goes along each.
  struct shell {
    std::int32_t cell[Rank], low[Rank], high[Rank];
    bool complete;
  };
  KOKKOS_FUNCTION shell shell_of(const Kokkos::Array<T, Rank>& q, std::int32_t ring) const {
    const auto& g = points.geometry;
    shell s;
    s.complete = true;
    for (int d = 0; d < Rank; ++d) {
      const std::int32_t c = s.cell[d] = g.cell_of(d, q[d]);
      const std::int32_t before = g.periodic[d] ? (g.count[d] - 1) / 2 : c;
      const std::int32_t behind = g.periodic[d] ? g.count[d] / 2 : g.count[d] - 1 - c;
      s.low[d] = -Kokkos::min(ring, before);
      s.high[d] = Kokkos::min(ring, behind);
      s.complete = s.complete && ring >= before && ring >= behind;
    }
    return s;
  }
  /// How near a point may be at least that is in none of the cells up to a shell.
  KOKKOS_FUNCTION T distance_beyond(const Kokkos::Array<T, Rank>& q, const shell& s) const {
    const auto& g = points.geometry;
    T off = rounding;  // more of queries far from the box
    for (int d = 0; d < Rank; ++d) off = Kokkos::max(off, 8 * Kokkos::Experimental::epsilon_v<T> * Kokkos::abs(q[d]));
    T least = Kokkos::Experimental::infinity_v<T>;
    for (int d = 0; d < Rank; ++d) {
      const T width = g.length[d] / static_cast<T>(g.count[d]);
      const T inside = q[d] - g.low[d] - static_cast<T>(s.cell[d]) * width;
      const bool all = s.high[d] - s.low[d] + 1 >= g.count[d];
      if (!all && (g.periodic[d] || s.cell[d] + s.low[d] > 0))
        least = Kokkos::min(least, inside + static_cast<T>(-s.low[d]) * width);
      if (!all && (g.periodic[d] || s.cell[d] + s.high[d] < g.count[d] - 1))
        least = Kokkos::min(least, static_cast<T>(s.high[d] + 1) * width - inside);
    }
    return Kokkos::max(T(0), least - off);
  }
  /// Calls f with ranges of points in the cells of a shell.
  template <class F>
  KOKKOS_FUNCTION void for_shell(const shell& s, std::int32_t ring, const F& f) const {
    const auto& g = points.geometry;
    constexpr int last = Rank - 1;
    const auto wrapped = [&](int d, std::int32_t by) {
      const std::int32_t c = s.cell[d] + by;
      return c < 0 ? c + g.count[d] : c >= g.count[d] ? c - g.count[d] : c;
    };
    const auto along_last = [&](std::int64_t line, bool whole) {
      for (std::int32_t z = s.low[last]; z <= s.high[last]; ++z) {
        if (!whole && z != -ring && z != ring) {  // cells of a shell before
          z = s.high[last] < ring ? s.high[last] : ring - 1;
          continue;
        }
        const std::int64_t cell = line * g.count[last] + wrapped(last, z);
        f(points.offsets[cell], points.offsets[cell + 1]);
      }
    };
    const auto edge = [&](std::int32_t a) { return a == -ring || a == ring; };
    if constexpr (Rank == 1) {
      along_last(0, false);
    } else if constexpr (Rank == 2) {
      for (std::int32_t x = s.low[0]; x <= s.high[0]; ++x) along_last(wrapped(0, x), edge(x));
    } else {
      for (std::int32_t x = s.low[0]; x <= s.high[0]; ++x)
        for (std::int32_t y = s.low[1]; y <= s.high[1]; ++y)
          along_last(std::int64_t{wrapped(0, x)} * g.count[1] + wrapped(1, y), edge(x) || edge(y));
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const std::int64_t i = among_themselves ? points.order[n] : n;
    Kokkos::Array<T, Rank> q;
    for (int d = 0; d < Rank; ++d) q[d] = points.geometry.inside(d, queries.at(i, d));
    nearest_so_far<T> nearest{distances + i * across, found + i * across, step, k};
    for (std::int32_t ring = 0; points.is_somewhere(q); ++ring) {
      const shell s = shell_of(q, ring);
      for_shell(s, ring, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j)
          if (!among_themselves || j != n) nearest.add(points.squared_distance(q, j), points.order[j]);
      });
      if (s.complete) break;
      const T beyond = distance_beyond(q, s);
      if (nearest.found == k && nearest.farthest() < beyond * beyond) break;
    }
    for (int j = nearest.found; j < k; ++j) {
      nearest.distances[j * step] = Kokkos::Experimental::infinity_v<T>;
      nearest.points[j * step] = -1;
    }
  }
};

struct square_root {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::sqrt(x);
  }
};

template <class Exec, class Neighbors, class Distances, class Queries, class Points>
void knn_into(const call<Exec>& c, const Neighbors& neighbors, const Distances& distances, const Queries& queries_view,
              const Points& points_view, const domain& box, bool among_themselves) {
  const std::int64_t n = view_extents(points_view).extent[0], m = view_extents(queries_view).extent[0];
  const std::int64_t k = view_extents(neighbors).extent[1];
  if (m == 0 || k == 0) return;
  double width = 1;  // of a cube for two points, if they fill the box
  for (int d = 0; d < box.rank(); ++d) width *= std::pow(box.high(d) - box.low(d), 1.0 / box.rank());
  width *= std::pow(2.0 / static_cast<double>(n), 1.0 / box.rank());
  const auto queries = points_input(c, "queries", queries_view, box.rank());
  with_points(c, points_view, box, [&]<class T, int Rank>(const point_rows<T, Rank>& rows) {
    with_binned_points(c.label, c.exec, box, width, rows, n, [&](const binned_points<T, Rank>& points) {
      T* squares = nullptr;
      std::int32_t* found = nullptr;
      const scratch_arrays<Exec> memory(c.exec, scratch_part{squares, m * k}, scratch_part{found, m * k});
      // A device's threads have the nearest points beside each other, then the second ones.
      const std::int64_t across = is_device<Exec> ? 1 : k, step = is_device<Exec> ? m : 1;
      const auto rounding = static_cast<T>(with_rounding<T>(box, width) - width);
      Kokkos::parallel_for(kernel_label(c.label, "/search"), index_range(c.exec, m),
                           search_nearest<T, Rank>{points, point_rows<T, Rank>(queries), squares, found, across, step,
                                                   static_cast<int>(k), among_themselves, rounding});
      const auto table = [&]<class V>(V* data) {
        const std::size_t extents[] = {static_cast<std::size_t>(m), static_cast<std::size_t>(k)};
        const std::size_t strides[] = {static_cast<std::size_t>(across), static_cast<std::size_t>(step)};
        return as_view<typename Exec::memory_space>(data, extents, strides);
      };
      map_checked(label_text(c.label, "/neighbors"), c.exec, neighbors, op::identity(), table(found));
      map_checked(label_text(c.label, "/distances"), c.exec, distances, square_root(), table(squares));
    });
  });
}

/// @throws Error unless the results are those of m queries, each of which has n points
template <class Neighbors, class Distances>
void check_results_of_knn(const std::string& label, const Neighbors& neighbors, const Distances& distances,
                          std::int64_t m, std::int64_t n) {
  static_assert(std::is_signed_v<value_of<Neighbors>>, "quern::knn: neighbors must be of signed integers");
  const shape out = view_extents(neighbors);
  if (out.rank != 2 || out.extent[0] != m)
    reject_extents(label, "neighbors", out, "(" + std::to_string(m) + ", k), a row for each query");
  check_extents(label, "distances", view_extents(distances), out, ", as neighbors");
  if (m > 0 && out.extent[1] > n)
    throw Error(label, std::to_string(out.extent[1]) + " neighbours of each among " + std::to_string(n) + " points");
  check_positions<value_of<Neighbors>>(label, "neighbors", n);
}
template <class Exec, class Neighbors, class Distances, class... In>
void check_knn_apart(const call<Exec>& c, const Neighbors& neighbors, const Distances& distances, const In&... in) {
  check_apart(c.label, {"neighbors", "distances"}, c.output(neighbors), c.output(distances));
  const char* name = "points";
  const auto check_in = [&](const auto& input) {
    check_overlap(c.label, c.output(neighbors), c.input(input), name, false);
    check_overlap(c.label, c.output(distances), c.input(input), name, false);
    name = "queries";
  };
  (check_in(in), ...);
}
template <class Exec, class Neighbors, class Distances, class Queries, class Points>
void check_knn(const call<Exec>& c, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
               const Points& points, bool among_themselves) {
  static_assert(std::is_same_v<value_of<Queries>, value_of<Points>>,
                "quern::knn: queries and points must be of one type");
  const std::int64_t n = view_extents(points).extent[0];
  check_point_numbers(c.label, n);
  check_results_of_knn(c.label, neighbors, distances, view_extents(queries).extent[0], among_themselves ? n - 1 : n);
  check_knn_apart(c, neighbors, distances, points, queries);
}

template <class Exec, class Neighbors, class Distances, class Queries, class Points>
void knn_call(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
              const Points& points, const domain& box, bool among_themselves) {
  const call c("quern::knn", exec);
  check_knn(c, neighbors, distances, queries, points, among_themselves);
  knn_into(c, neighbors, distances, queries, points, box, among_themselves);
}

/// Whether a domain around the points can be made, and all is at a distance from all.
template <class Exec, class V>
bool has_finite_box(const Exec& exec, const V& view) {
  const auto range = quern::minmax(exec, view);
  return Kokkos::isfinite(range.max - range.min) && Kokkos::isfinite(range.min);
}
template <class Exec, class Neighbors, class Distances, class Queries, class Points>
void knn_of_all(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries_view,
                const Points& points_view, metric by) {
  using T = std::remove_const_t<value_of<Points>>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "quern: points must be of float or double");
  const call c("quern::knn", exec);
  const strided<const T> points = c.input(points_view), queries = c.input(queries_view);
  if (points.extents.rank != 2 || points.extents.extent[1] < 1)
    reject_extents(c.label, "points", points.extents, "(n, d), d > 0");
  const std::int64_t d = points.extents.extent[1];
  if (queries.extents.rank != 2 || queries.extents.extent[1] != d)
    reject_extents(c.label, "queries", queries.extents, "(m, " + std::to_string(d) + "), as many columns as points");
  check_knn(c, neighbors, distances, queries_view, points_view, false);
  if (view_extents(neighbors).extent[1] < 1)
    reject_extents(c.label, "neighbors", view_extents(neighbors), "(m, k), k > 0");
  if (queries.extents.extent[0] == 0) return;
  // Lists of cells take their time to be made: that of comparing each query with this many points.
  constexpr std::int64_t few_points = 1024;
  if (d <= 3 && by == metric::euclidean && points.extents.extent[0] >= few_points &&
      has_finite_box(exec, points_view) && has_finite_box(exec, queries_view))
    return knn_into(c, neighbors, distances, queries_view, points_view,
                    box_of_most(c.label, exec, points, bounding_domain(exec, points_view)), false);
  search_all<Exec, T>(c.label, exec, c.output(neighbors), c.output(distances), queries, points, by == metric::cosine);
}

/// Searches for the points that are nearest to queries: in a domain, or by a metric.
struct nearest_searches {};
struct search_in_domain {
  const domain& box;
  /// What ranks must agree on.
  std::string text() const {
    std::string all = ", domain";
    for (int d = 0; d < box.rank(); ++d)
      all += " " + text_of(box.low(d)) + ":" + text_of(box.high(d)) + (box.is_periodic(d) ? " periodic" : "");
    return all;
  }
  /// Of points of T with so many columns, for so many results.
  template <class T>
  void check(const std::string& label, std::int64_t columns, std::int64_t) const {
    if (columns != box.rank())
      throw Error(label, "points have " + std::to_string(columns) + " columns, and the domain the rank " +
                             std::to_string(box.rank()));
    check_box<T>(label, box);
  }
  template <class Exec, class Neighbors, class Distances, class Queries, class Points>
  void operator()(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
                  const Points& points) const {
    knn_call(exec, neighbors, distances, queries, points, box, false);
  }
};
struct search_by_metric {
  metric by;
  std::string text() const { return by == metric::cosine ? ", cosine" : ""; }
  template <class T>
  void check(const std::string& label, std::int64_t columns, std::int64_t results) const {
    if (columns < 1 || results < 1)
      throw Error(label, std::to_string(results) + " neighbours of points with " + std::to_string(columns) +
                             " columns, expected at least 1 of both");
  }
  template <class Exec, class Neighbors, class Distances, class Queries, class Points>
  void operator()(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
                  const Points& points) const {
    knn_of_all(exec, neighbors, distances, queries, points, by);
  }
};

template <>
struct engine<in_memory, nearest_searches> {
  template <class Search, class Exec, class... Arrays>
  static void run(const Search& search, const Exec& exec, const Arrays&... arrays) {
    search(exec, arrays...);
  }
};
/// Searches for the points that are nearest to each other point.
struct searches_among_points {};
template <>
struct engine<in_memory, searches_among_points> {
  template <class Exec, class Neighbors, class Distances, class Points>
  static void run(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Points& points,
                  const domain& box) {
    knn_call(exec, neighbors, distances, points, points, box, true);
  }
};

}  // namespace impl

/// The nearest points of each query, by lists of cells: SciPy's `cKDTree(points).query(queries, k)`. Those of query i
/// are `neighbors(i, 0)` to `neighbors(i, k - 1)`, the nearest first, and of equal distances the one with the smaller
/// number first.
///
/// Asynchronous on `exec`. It takes long where most points are in few cells of the domain, which has about one for two
/// points: a domain of most of them, beyond which are a few, is the better one. Scratch memory is that of `bin_by`, and
/// for each result 4 bytes and a distance. A query with a NaN has no neighbours, and one has fewer than k where points
/// have a NaN: the others are -1, at an infinite distance.
///
/// Over ranks, points is a DistributedView, cut along axis 0 alone; the other arrays are Views, and queries whole and
/// equal on all ranks. Each rank searches its own points; all get the k nearest of those, by their distances and then
/// by their numbers among the points of all ranks. One message brings k results of each query and rank, which are in
/// scratch memory, so that queries are best taken some at a time where ranks are many. Collective; waits.
///
/// @param neighbors (queries, k) of a signed integer type
/// @param distances (queries, k)
/// @param queries, points (n, rank of the domain) of float or double, in either layout; distances are formed in their
///                  type
/// @param box       a `domain`. Along periodic axes the distance is that to the nearest image
/// @throws Error if extents or types do not fit, or k is more than there are points
template <execution_space Exec, result_view Neighbors, result_view Distances, result_view Queries, result_view Points>
void knn(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
         const Points& points, const domain& box) {
  impl::engine_of<impl::nearest_searches, Neighbors, Distances, Queries, Points>::run(
      impl::search_in_domain{box}, exec, neighbors, distances, queries, points);
}
template <result_view Neighbors, result_view Distances, result_view Queries, result_view Points>
void knn(const Neighbors& neighbors, const Distances& distances, const Queries& queries, const Points& points,
         const domain& box) {
  knn(impl::space_of(neighbors), neighbors, distances, queries, points, box);
}
/// The nearest other points of each point, which is none of its own neighbours, as scikit-learn's `kneighbors`.
template <execution_space Exec, result_view Neighbors, result_view Distances, result_view Points>
void knn(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Points& points,
         const domain& box) {
  impl::engine_of<impl::searches_among_points, Neighbors, Distances, Points>::run(exec, neighbors, distances, points,
                                                                                  box);
}
template <result_view Neighbors, result_view Distances, result_view Points>
void knn(const Neighbors& neighbors, const Distances& distances, const Points& points, const domain& box) {
  knn(impl::space_of(neighbors), neighbors, distances, points, box);
}
/// The nearest points of each query without a domain, in any number of dimensions: scikit-learn's
/// `NearestNeighbors(n_neighbors=k, metric=...)`. In up to three dimensions by lists of cells in the box of most
/// points, beside which a few may be far away, for which the call waits; else each query is compared with each point,
/// asynchronously, by tiles of products that are never stored.
///
/// @param neighbors, distances (queries, k), of which neighbors is of a signed integer type: the nearest first, and of
///                equal distances the one with the smaller number
/// @param queries, points (m, d) and (n, d) of float or double, in any layout
/// @param options `metric::cosine`; Euclidean distances without it
///
/// Products are taken about the middle of the points, and k + 4 points chosen by them; of these the nearest are found
/// by differences, in double (by cells in the points' type). So a point may be missed that is nearer than the last
/// result by less than some epsilon of its squared distance from that middle. Scratch memory: a copy of the points,
/// on devices also of the queries, and some 16 bytes for each result and slice of the points. A point or a query with a
/// NaN or an infinity, or whose square is not finite, is near nothing: results that are missing are -1, at an infinite
/// distance. By cells, which are searched where all coordinates are finite, a point counts also where the square of its
/// distance overflows, at an infinite one. Squares that underflow, of floats less than some 1e-20 apart, tell nothing
/// of what is nearer: scale such points. Over ranks as in a domain; each rank takes cells or products by what it has.
///
/// @throws Error if extents or types do not fit, or k is 0 or more than there are points
template <execution_space Exec, result_view Neighbors, result_view Distances, result_view Queries, result_view Points,
          option<metric>... Options>
void knn(const Exec& exec, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
         const Points& points, const Options&... options) {
  const impl::search_by_metric search{impl::option_or(metric::euclidean, options...)};
  impl::engine_of<impl::nearest_searches, Neighbors, Distances, Queries, Points>::run(search, exec, neighbors,
                                                                                      distances, queries, points);
}
template <result_view Neighbors, result_view Distances, result_view Queries, result_view Points,
          option<metric>... Options>
void knn(const Neighbors& neighbors, const Distances& distances, const Queries& queries, const Points& points,
         const Options&... options) {
  knn(impl::space_of(neighbors), neighbors, distances, queries, points, options...);
}
QUERN_TAKES_NAME(knn)

}  // namespace quern

#endif
