// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_HPP
#define QUERN_ANALYSIS_KMEANS_HPP

#include <cmath>
#include <quern/analysis/kmeans_run.hpp>
#include <quern/core/call/places.hpp>
#include <quern/core/call/tolerance.hpp>

namespace quern {

namespace impl {

/// Clusterings of points.
struct clusterings {};

/// @throws Error unless these extents fit each other
inline void check_kmeans_extents(const std::string& label, const shape& points, const shape& centers,
                                 const shape& labels) {
  if (points.rank != 2 || points.extent[0] < 1 || points.extent[1] < 1)
    reject_extents(label, "points", points, "(n, d), of one point and one column at least");
  const std::int64_t n = points.extent[0], d = points.extent[1];
  if (centers.rank != 2 || centers.extent[0] < 1 || centers.extent[1] != d)
    reject_extents(label, "centers", centers, "(k, " + std::to_string(d) + "), k > 0, a row for each cluster");
  const std::int64_t k = centers.extent[0];
  if (k > n) throw Error(label, std::to_string(k) + " clusters of " + std::to_string(n) + " points");
  constexpr std::int64_t most = Kokkos::Experimental::finite_max_v<std::int32_t>;
  if (k > most || d > most || k * d > most) throw Error(label, "centers of more than 2147483647 values");
  check_extents(label, "labels", labels, shape{n}, ", one for each point");
}
template <class Centers, class Labels, class Points>
void check_kmeans_apart(const std::string& label, const Centers& centers, const Labels& labels, const Points& points) {
  check_overlap(label, centers, points, "points", false);
  check_overlap(label, labels, points, "points", false);
  check_apart(label, {"centers", "labels"}, centers, labels);
}

/// What a call of kmeans asks for beside its arrays.
template <class T, class Start>
struct kmeans_request {
  const std::string& label;
  const Start& start;
  tolerances within;
  int limit;

  template <class Run, class Exec>
  kmeans_result operator()(const call<Exec>& c, Run& run) const {
    const double part = within.relative > 0 ? rounded_product(within.relative, run.variance()) : 0;
    const double squared = (std::isfinite(part) ? part : 0) + within.absolute;
    start.begin(c, run);
    return run.iterate(squared, limit);
  }
};
/// @throws Error if the options are no request
template <class Centers, class Labels, class Points, class Start, class... Options>
auto request_of_kmeans(const std::string& label, const Start& start, const Options&... options) {
  using T = std::remove_const_t<value_of<Points>>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "quern::kmeans: points must be of float or double");
  static_assert(std::is_same_v<value_of<Centers>, T>, "quern::kmeans: centers and points must be of one type");
  static_assert(is_integer<value_of<Labels>> && std::is_signed_v<value_of<Labels>>,
                "quern::kmeans: labels must be of signed integers");
  static_assert(!reproducibly<Options...> || exact_arithmetic,
                "quern::reproducible: not with -ffast-math, -fassociative-math or x87 arithmetic");
  const kmeans_request<T, Start> r{label, start, tolerances_of(label, {1e-4, 0}, options...),
                                   option_or(max_iterations{300}, options...).value};
  if (r.limit < 1) throw Error(label, "max_iterations is " + std::to_string(r.limit) + ", expected at least 1");
  return r;
}

template <>
struct engine<in_memory, clusterings> {
  template <class Exec, class Centers, class Labels, class Points, class Start, class... Options>
  static kmeans_result run(const Exec& exec, const Centers& centers_view, const Labels& labels_view,
                           const Points& points_view, const Start& start, const Options&... options) {
    check_place_options<Options...>();
    using T = std::remove_const_t<value_of<Points>>;
    const call c("quern::kmeans", exec);
    const auto centers = c.output(centers_view);
    const auto labels = c.output(labels_view);
    const strided<const value_of<Points>> points = c.input(points_view);
    check_kmeans_extents(c.label, points.extents, centers.extents, labels.extents);
    check_kmeans_apart(c.label, centers, labels, points);
    check_positions<value_of<Labels>>(c.label, "labels", centers.extents.extent[0]);
    const auto request = request_of_kmeans<Centers, Labels, Points>(c.label, start, options...);
    start.check(c, centers);
    const resident_points<T> rows{points};
    kmeans_run<reproducibly<Options...>, Exec, T> found(c.label, exec, rows, centers.extents.extent[0]);
    const kmeans_result result = request(c, found);
    found.write(centers_view, labels_view);
    return result;
  }
};

/// Where k-means starts: at points drawn at random, or at centres that are given.
struct random_start {
  random::key key;
  std::string text() const { return ", key " + std::to_string(key.seed) + " " + std::to_string(key.stream); }
  template <class Exec, class Centers>
  void check(const call<Exec>&, const Centers&) const {}
  template <class Exec, class Run>
  void begin(const call<Exec>&, Run& run) const {
    run.start_at_random(key);
  }
};
template <class Initial>
struct given_start {
  const Initial& initial;
  std::string text() const { return ", initial"; }
  template <class Exec, class Centers>
  void check(const call<Exec>& c, const Centers& centers) const {
    static_assert(std::is_same_v<value_of<Initial>, typename Centers::value_type>,
                  "quern::kmeans: initial centres and points must be of one type");
    check_extents(c.label, "initial", view_extents(initial), centers.extents, ", as centers");
    check_overlap(c.label, centers, c.input(initial), "initial", true);
  }
  template <class Exec, class Run>
  void begin(const call<Exec>& c, Run& run) const {
    run.start_at(c.input(initial));
  }
};

}  // namespace impl

/// Clusters of points by their nearest centres: scikit-learn's `KMeans`, by the iteration of S. P. Lloyd (Least squares
/// quantization in PCM, IEEE Trans. Inf. Theory 28, 1982). Each point is of the cluster of the nearest centre, of
/// equally near ones the first, and each centre is the mean of its points, until no label changes.
///
/// `r = kmeans([exec,] centers, labels, points [, initial], options...)`:
/// - centers: (k, d), the centres of k clusters
/// - labels: (n), of a signed integer type: the number of the cluster of each point, from 0 to k - 1
/// - points: (n, d) of float or double, in any layout; the centres are of their type
/// - initial: (k, d), where the centres are at first, all of them finite; it may be `centers` itself. Without it they
///   are drawn from the points by greedy k-means++ with the numbers of a `random::key`
///
/// Waits, and returns `inertia`, the sum of the squared distances of points from their centres, `iterations`, and
/// `converged`, false where centres still moved after the last iteration that the limit allows. Labels are those of the
/// centres that are returned. A cluster without points gets the point that is farthest from its centre, as in
/// scikit-learn; where several are empty, the farthest ones in turn. A point with a NaN or an infinity, or whose square
/// is not finite, is of no cluster: its label is -1, and nothing else depends on it. (scikit-learn refuses such
/// points.) Where all points are like that, centres stay where they are at first, with k-means++ at the first point,
/// and the inertia is 0. Squares that underflow (of floats between points that are less than some 1e-20 apart) are 0
/// without a word: scale such points.
///
/// The result does not depend on the number of threads. Distances are compared by products with the centres about the
/// mean of all points, as scikit-learn does, with an error of about epsilon times the squared distance from that mean;
/// centres are sums in double of sums of parts of the points, and the inertia is of differences, in double. With
/// `reproducible` results have the same bits on all back ends; that costs nothing where there are instructions for
/// fused operations, as on all devices. Scratch memory: for each point 4 bytes, with k-means++ and where a
/// cluster is empty another value; for the sums of parts up to 128 MB, or 16 times the centres where these are large,
/// and up to 33 times the centres in double; for sums of squares 1 MB, with k-means++ about 2 + log(k) more.
///
/// Over ranks, points and labels are DistributedViews, cut along axis 0 alone, and the other arrays Views that are
/// whole and equal on all ranks. It starts where a call in memory does, and finds the same: with `reproducible` in all
/// bits, on any number of ranks, else up to the rounding of sums. An iteration has one message, of the sums and the
/// numbers of points of clusters; with `reproducible`, the sums of all parts go to all ranks. Ranks draw and add up
/// whole parts of the points, at most 528 in all (fewer where the sums of a part are long, down to 16), so that more
/// ranks than that have nothing to do; a rank may have up to half a part of its neighbours' points, and a copy of all
/// that it has. Collective.
///
/// In chunks, points are what comes in chunks, and labels a View or what comes in chunks; centers and initial are
/// Views. An iteration reads the points once, in rows. k-means++ reads them twice for each centre, and starts where a
/// call in memory does; the sums are of chunks, so that centres differ from those in memory by the rounding of sums.
/// Labels and, with k-means++, the distances of all points are in memory of `exec` meanwhile.
///
/// @param options `tolerance`: it has also converged when the sum of the squares by which the centres move is at most
///                `relative` times the mean of the variances of the columns plus `absolute`; `tolerance{.relative =
///                1e-4, .absolute = 0}` without it; a mean that overflows counts as 0. `max_iterations`, 300 without
///                it. `reproducible`. Without `initial`, a `random::key`, `key(0)` without it
/// @throws Error if extents do not fit, there are more clusters than points, outputs share memory with each other or
///         with points, `initial` has a NaN or an infinity, a tolerance is negative, or the limit below 1
template <execution_space Exec, result_view Centers, result_view Labels, any_array Points,
          call_option<tolerance, max_iterations, reproducible_t, random::key>... Options>
kmeans_result kmeans(const Exec& exec, const Centers& centers, const Labels& labels, const Points& points,
                     const Options&... options) {
  const impl::random_start start{impl::option_or(random::key(0), options...)};
  return impl::engine_of<impl::clusterings, Centers, Labels, Points>::run(exec, centers, labels, points, start,
                                                                          options...);
}
template <execution_space Exec, result_view Centers, result_view Labels, any_array Points, view_like Initial,
          call_option<tolerance, max_iterations, reproducible_t>... Options>
kmeans_result kmeans(const Exec& exec, const Centers& centers, const Labels& labels, const Points& points,
                     const Initial& initial, const Options&... options) {
  return impl::engine_of<impl::clusterings, Centers, Labels, Points>::run(
      exec, centers, labels, points, impl::given_start<Initial>{initial}, options...);
}
template <result_view Centers, result_view Labels, any_array Points,
          call_option<tolerance, max_iterations, reproducible_t, random::key>... Options>
kmeans_result kmeans(const Centers& centers, const Labels& labels, const Points& points, const Options&... options) {
  return kmeans(impl::space_of(centers), centers, labels, points, options...);
}
template <result_view Centers, result_view Labels, any_array Points, view_like Initial,
          call_option<tolerance, max_iterations, reproducible_t>... Options>
kmeans_result kmeans(const Centers& centers, const Labels& labels, const Points& points, const Initial& initial,
                     const Options&... options) {
  return kmeans(impl::space_of(centers), centers, labels, points, initial, options...);
}
QUERN_TAKES_NAME(kmeans)

}  // namespace quern

#endif
