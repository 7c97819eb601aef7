// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_HPP
#define QUERN_ANALYSIS_KMEANS_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <quern/analysis/kmeans_start.hpp>
#include <quern/core/call/tolerance.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/keyed/top_k.hpp>
#include <quern/map/functions.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/staging.hpp>

namespace quern {

/// What `kmeans` found: the sum of the squared distances of points from their centres, how many iterations it took, and
/// whether it converged before their limit.
struct kmeans_result {
  double inertia;
  std::int64_t iterations;
  bool converged;
};

namespace impl {

/// The two matrices, and what one iteration leaves to the next, in scratch memory of `exec`.
template <bool Exact, class Exec, class T>
class kmeans_run {
 public:
  kmeans_run(const std::string& label, const Exec& exec, const strided<const T>& points, std::int64_t k)
      : label_(label),
        exec_(exec),
        x_(points),
        n_(points.extents.extent[0]),
        columns_(static_cast<int>(points.extents.extent[1])),
        clusters_(k, columns_),
        plan_(n_, k * columns_ * static_cast<std::int64_t>(sizeof(T))),
        lanes_(n_, 0),
        rows_(padded(k)),
        origin_(columns_),
        memory_(exec, scratch_part{labels_, n_}, scratch_part{about_, columns_}, scratch_part{table_, rows_ * columns_},
                scratch_part{half_squares_, rows_}, scratch_part{parts_, plan_.parts * between()},
                scratch_part{totals_, (segments() + 1) * k * columns_}, scratch_part{counts_, k + 1},
                scratch_part{lane_sums_, lanes_.parts * (point_lanes::lanes + 1)}) {
    set_origin();
  }

  void start_at(const strided<const T>& centers) {
    Kokkos::parallel_for(kernel_label(label_, "/centers"), index_range(exec_, clusters_.clusters * columns_),
                         copy_rows{centers.data, centers.stride[0], centers.stride[1], columns_, table_});
    read_centers();
    if (!std::all_of(clusters_.centers.begin(), clusters_.centers.end(), [](double v) { return std::isfinite(v); }))
      throw Error(label_, "initial has a NaN or an infinity");
    for (std::int64_t e = 0; e < clusters_.clusters * columns_; ++e)
      clusters_.centers[e] -= static_cast<double>(origin_[e % columns_]);
  }
  void start_at_random(const random::key& key) {
    draw_centers<Exact>(label_, exec_, points(), clusters_.clusters, key, table_);
    read_centers();
  }

  /// Until labels do not change, or the sum of the squares by which centres move is at most `squared`.
  kmeans_result iterate(double squared, std::int64_t limit) {
    kmeans_result r{0, 0, false};
    Kokkos::deep_copy(exec_, scratch_view<Exec, std::int32_t*>(labels_, n_), -2);  // so that all labels change
    bool labels_are_of_centers = false;
    while (r.iterations < limit && !r.converged) {
      ++r.iterations;
      assign(clusters_.clusters, true);
      relocate();
      const double moved = clusters_.update();
      labels_are_of_centers = clusters_.counts.back() == 0;
      r.converged = labels_are_of_centers || moved <= squared;
    }
    if (!labels_are_of_centers) assign(clusters_.clusters, false);
    else upload();
    r.inertia = inertia(nullptr);
    return r;
  }
  /// The mean of the variances of columns.
  double variance() {
    kmeans_clusters kept(1, columns_);
    std::swap(kept, clusters_);
    assign(1, false);
    const double squares = inertia(nullptr), n = static_cast<double>(clusters_.counts[0]);
    std::swap(kept, clusters_);
    return squares / (n * static_cast<double>(columns_));
  }
  template <class Centers, class Labels>
  void write(const Centers& centers, const Labels& labels) {
    const auto rows = [&]<class V>(V* data, std::int64_t n, std::int64_t m) {
      const std::size_t extents[] = {static_cast<std::size_t>(n), static_cast<std::size_t>(m)};
      return as_view<typename Exec::memory_space>(data, extents);
    };
    map_checked(label_text(label_, "/centers"), exec_, centers, op::add(), rows(table_, clusters_.clusters, columns_),
                rows(about_, 1, columns_));
    const std::size_t each[] = {static_cast<std::size_t>(n_)};
    map_checked(label_text(label_, "/labels"), exec_, labels, op::identity(),
                as_view<typename Exec::memory_space>(labels_, each));
  }

 private:
  /// Segments of parts, whose sums are added up at the same time.
  std::int64_t segments() const { return std::min<std::int64_t>(32, plan_.parts); }

  struct copy_rows {
    const T* from;
    std::int64_t step, across, columns;
    T* to;
    KOKKOS_FUNCTION void operator()(std::int64_t e) const { to[e] = from[e / columns * step + e % columns * across]; }
  };
  struct gather_points {
    centred_rows<T> points;
    const std::int64_t* positions;
    const std::int32_t* labels;
    double* to;  // its label, and its coordinates
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      double* row = to + k * (points.columns + 1);
      row[0] = labels[positions[k]];
      for (int t = 0; t < points.columns; ++t) row[t + 1] = static_cast<double>(points.at(positions[k], t));
    }
  };

  static std::int64_t padded(std::int64_t k) { return is_device<Exec> ? k : host_row_tile<T>::padded(k); }
  /// A device may have no room for sums of all groups but in this memory.
  std::int64_t between() const { return clusters_.clusters * columns_ * (is_device<Exec> ? plan_.groups : 1); }
  centred_rows<T> points() const { return {x_, about_}; }

  template <class V>
  void to_device(V* to, const std::vector<V>& from) const {
    const auto bytes = static_cast<std::int64_t>(from.size() * sizeof(V));
    if constexpr (is_device<Exec>) copy_to_device(exec_, to, from.data(), bytes);
    else std::memcpy(to, from.data(), bytes);
  }
  template <class V>
  void to_host(V* to, const V* from, std::int64_t count) const {
    copy_items_to_host(exec_, to, from, count);
  }
  void wait() const { exec_.fence(kernel_label(label_, ": sums")); }

  void read_centers() {
    std::vector<T> rows(clusters_.centers.size());
    to_host(rows.data(), table_, static_cast<std::int64_t>(rows.size()));
    wait();
    std::copy(rows.begin(), rows.end(), clusters_.centers.begin());
  }
  void upload() {
    clusters_.make_table(rows_on_host_, half_on_host_, padded(clusters_.clusters));
    to_device(table_, rows_on_host_);
    to_device(half_squares_, half_on_host_);
  }
  /// Labels of points, numbers of points of clusters, and of points whose label changed; and the sums of clusters.
  void assign(std::int64_t k, bool with_sums) {
    upload();
    to_device(counts_, std::vector<unsigned long long>(k + 1));
    const assign_points<T> a{
        points(), {table_, half_squares_, k}, plan_, labels_, with_sums ? parts_ : nullptr, between(), counts_};
    launch_assign<Exact>(label_text(label_, "/assign"), exec_, a);
    const std::int64_t elements = k * columns_;
    if (with_sums) {
      double* all = totals_ + segments() * elements;
      launch_add_parts(label_text(label_, "/sums"), exec_, parts_, between(), plan_.parts, segments(), elements,
                       totals_);
      launch_add_parts(label_text(label_, "/sums"), exec_, totals_, elements, segments(), 1, elements, all);
      to_host(clusters_.sums.data(), all, elements);
    }
    to_host(clusters_.counts.data(), counts_, k + 1);
    wait();
  }
  /// The first point whose square is finite; where there is none, but large points are, the first of these.
  std::int64_t first_finite() const {
    for (const bool of_square : {true, false})
      for (std::int64_t first = 0, count = 256; first < n_; first += count, count *= 16) {
        const std::int64_t some = std::min(count, n_ - first);
        const std::int64_t found =
            least_position(exec_, label_text(label_, "/origin"), some, least_finite_point<T>{x_, first, of_square});
        if (found < some) return first + found;
      }
    return -1;
  }
  /// The mean of the points, by an iteration with one centre, which adds up deviations from one of them.
  void set_origin() {
    to_device(about_, origin_);
    if (const std::int64_t first = first_finite(); first >= 0) {
      Kokkos::parallel_for(kernel_label(label_, "/origin"), index_range(exec_, columns_),
                           copy_rows{x_.data + first * x_.stride[0], x_.stride[0], x_.stride[1], columns_, about_});
      to_host(origin_.data(), about_, columns_);
      wait();
    }
    const kmeans_clusters all(1, columns_);
    kmeans_clusters kept = std::exchange(clusters_, all);
    assign(1, true);
    clusters_.update();
    for (int t = 0; t < columns_; ++t)
      origin_[t] = static_cast<T>(static_cast<double>(origin_[t]) + clusters_.centers[t]);
    clusters_ = std::move(kept);
    to_device(about_, origin_);
    wait();
  }
  /// The sum of the squared distances of points from their centres; each of them, too, where they are wanted.
  double inertia(T* squares) {
    constexpr int W = point_lanes::width<Exec>;
    double* of_parts = lane_sums_ + lanes_.parts * point_lanes::lanes;
    launch_units(exec_, label_text(label_, "/inertia"), point_lanes::units<Exec>(lanes_),
                 assigned_squares<T, Exact, W>{points(), lanes_, table_, labels_, squares, lane_sums_});
    launch_units(exec_, label_text(label_, "/inertia_sums"), lanes_.parts, sum_lanes{lane_sums_, of_parts});
    std::vector<double> sums(lanes_.parts);
    to_host(sums.data(), of_parts, lanes_.parts);
    wait();
    double all = 0;
    for (const double s : sums) all += s;
    return all;
  }
  /// Moves the points that are farthest from their centres to clusters that are empty, one to each.
  void relocate() {
    const auto empty = clusters_.empty();
    const auto count = static_cast<std::int64_t>(empty.size());
    if (count == 0) return;
    T *squares = nullptr, *values = nullptr;
    std::int64_t* positions = nullptr;
    double* gathered = nullptr;
    const scratch_arrays<Exec> memory(exec_, scratch_part{squares, n_}, scratch_part{values, count},
                                      scratch_part{positions, count}, scratch_part{gathered, count * (columns_ + 1)});
    inertia(squares);
    const auto row = [&]<class V>(V* data, std::int64_t n) {
      return part_view<V, 1, Kokkos::LayoutRight, Exec>(data, n);
    };
    top_k(exec_, row(values, count), row(positions, count), row(static_cast<const T*>(squares), n_));
    Kokkos::parallel_for(kernel_label(label_, "/farthest"), index_range(exec_, count),
                         gather_points{points(), positions, labels_, gathered});
    std::vector<T> distances(count);
    std::vector<double> points(count * (columns_ + 1));
    to_host(distances.data(), values, count);
    to_host(points.data(), gathered, count * (columns_ + 1));
    wait();
    if (!(distances[0] > 0)) return;  // fewer points that differ than clusters
    for (std::int64_t e = 0; e < count && distances[e] >= 0; ++e) {
      const double* point = points.data() + e * (columns_ + 1);
      clusters_.move(point + 1, static_cast<std::int64_t>(point[0]), empty[e]);
    }
  }

  const std::string& label_;
  const Exec& exec_;
  strided<const T> x_;
  std::int64_t n_;
  int columns_;
  kmeans_clusters clusters_;
  kmeans_parts plan_, lanes_;
  std::int64_t rows_;  // of the table
  std::vector<T> origin_, rows_on_host_, half_on_host_;
  std::int32_t* labels_ = nullptr;
  T *about_ = nullptr, *table_ = nullptr, *half_squares_ = nullptr, *parts_ = nullptr;
  double *totals_ = nullptr, *lane_sums_ = nullptr;
  unsigned long long* counts_ = nullptr;
  scratch_arrays<Exec> memory_;
};

template <class Labels, class Exec, class Centers, class Points>
void check_kmeans(const call<Exec>& c, const Centers& centers, const Labels& labels, const Points& points) {
  if (points.extents.rank != 2 || points.extents.extent[0] < 1 || points.extents.extent[1] < 1)
    reject_extents(c.label, "points", points.extents, "(n, d), of one point and one column at least");
  const std::int64_t n = points.extents.extent[0], d = points.extents.extent[1];
  if (centers.extents.rank != 2 || centers.extents.extent[0] < 1 || centers.extents.extent[1] != d)
    reject_extents(c.label, "centers", centers.extents,
                   "(k, " + std::to_string(d) + "), k > 0, a row for each cluster");
  const std::int64_t k = centers.extents.extent[0];
  if (k > n) throw Error(c.label, std::to_string(k) + " clusters of " + std::to_string(n) + " points");
  constexpr std::int64_t most = Kokkos::Experimental::finite_max_v<std::int32_t>;
  if (k > most || d > most || k * d > most) throw Error(c.label, "centers of more than 2147483647 values");
  check_extents(c.label, "labels", labels.extents, shape{n}, ", one for each point");
  check_overlap(c.label, centers, points, "points", false);
  check_overlap(c.label, labels, points, "points", false);
  check_apart(c.label, {"centers", "labels"}, centers, labels);
}

template <class Exec, class Centers, class Labels, class Points, class Start, class... Options>
kmeans_result kmeans_call(const Exec& exec, const Centers& centers_view, const Labels& labels_view,
                          const Points& points_view, const Start& start, const Options&... options) {
  using T = std::remove_const_t<value_of<Points>>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "quern::kmeans: points must be of float or double");
  static_assert(std::is_same_v<value_of<Centers>, T>, "quern::kmeans: centers and points must be of one type");
  static_assert(is_integer<value_of<Labels>> && std::is_signed_v<value_of<Labels>>,
                "quern::kmeans: labels must be of signed integers");
  constexpr bool exact = reproducibly<Options...>;
  static_assert(!exact || exact_arithmetic,
                "quern::reproducible: not with -ffast-math, -fassociative-math or x87 arithmetic");
  const call c("quern::kmeans", exec);
  const auto centers = c.output(centers_view);
  const strided<const T> points = c.input(points_view);
  check_kmeans(c, centers, c.output(labels_view), points);
  check_positions<value_of<Labels>>(c.label, "labels", centers.extents.extent[0]);
  const tolerances within = tolerances_of(c.label, {1e-4, 0}, options...);
  const int limit = option_or(max_iterations{300}, options...).value;
  if (limit < 1) throw Error(c.label, "max_iterations is " + std::to_string(limit) + ", expected at least 1");
  start.check(c, centers);
  kmeans_run<exact, Exec, T> run(c.label, exec, points, centers.extents.extent[0]);
  const double part = within.relative > 0 ? rounded_product(within.relative, run.variance()) : 0;
  const double squared = (std::isfinite(part) ? part : 0) + within.absolute;
  start.begin(c, run);
  const kmeans_result result = run.iterate(squared, limit);
  run.write(centers_view, labels_view);
  return result;
}

/// Where k-means starts: at points drawn at random, or at centres that are given.
struct random_start {
  random::key key;
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
/// are drawn from the
///   points by greedy k-means++ with the numbers of a `random::key`
///
/// Waits, and returns `inertia`, the sum of the squared distances of points from their centres, `iterations`, and
/// `converged`, false where centres still moved after the last iteration that the limit allows. Labels are those of the
/// centres that are returned. A cluster without points gets the point that is farthest from its centre, as in
/// scikit-learn; where several are empty, the farthest ones in turn. A point with a NaN or an infinity, or whose square
/// is not finite, is of no cluster: its label is -1, and nothing else depends on it. Squares that underflow (of floats
/// between points that are less than some 1e-20 apart) are 0 without a word: scale such points.
///
/// The result does not depend on the number of threads. Distances are compared by products with the centres about the
/// mean of all points, as scikit-learn does, with an error of about epsilon times the squared distance from that mean;
/// centres are sums in double of sums of parts of the points, and the inertia is of differences, in double. With
/// `reproducible` results have the same bits on all back ends; that costs nothing where there are instructions for
/// fused operations, as on all devices. Scratch memory: for each point 4 bytes, with k-means++ and where a
/// cluster is empty another value; for the sums of parts up to 128 MB, or 16 times the centres where these are large,
/// and up to 33 times the centres in double; for sums of squares 1 MB, with k-means++ about 2 + log(k) more.
///
/// @param options `tolerance`: it has also converged when the sum of the squares by which the centres move is at most
///                `relative` times the mean of the variances of the columns plus `absolute`; `tolerance{.relative =
///                1e-4, .absolute = 0}` without it; a mean that overflows counts as 0. `max_iterations`, 300 without
///                it. `reproducible`. Without `initial`, a `random::key`, `key(0)` without it
/// @throws Error if extents do not fit, there are more clusters than points, outputs share memory with each other or
///         with points, `initial` has a NaN or an infinity, a tolerance is negative, or the limit below 1
template <execution_space Exec, view_like Centers, view_like Labels, view_like Points,
          option<tolerance, max_iterations, reproducible_t, random::key>... Options>
kmeans_result kmeans(const Exec& exec, const Centers& centers, const Labels& labels, const Points& points,
                     const Options&... options) {
  const impl::random_start start{impl::option_or(random::key(0), options...)};
  return impl::kmeans_call(exec, centers, labels, points, start, options...);
}
template <execution_space Exec, view_like Centers, view_like Labels, view_like Points, view_like Initial,
          option<tolerance, max_iterations, reproducible_t>... Options>
kmeans_result kmeans(const Exec& exec, const Centers& centers, const Labels& labels, const Points& points,
                     const Initial& initial, const Options&... options) {
  return impl::kmeans_call(exec, centers, labels, points, impl::given_start<Initial>{initial}, options...);
}
template <view_like Centers, view_like Labels, view_like Points,
          option<tolerance, max_iterations, reproducible_t, random::key>... Options>
kmeans_result kmeans(const Centers& centers, const Labels& labels, const Points& points, const Options&... options) {
  return kmeans(impl::space_of(centers), centers, labels, points, options...);
}
template <view_like Centers, view_like Labels, view_like Points, view_like Initial,
          option<tolerance, max_iterations, reproducible_t>... Options>
kmeans_result kmeans(const Centers& centers, const Labels& labels, const Points& points, const Initial& initial,
                     const Options&... options) {
  return kmeans(impl::space_of(centers), centers, labels, points, initial, options...);
}
QUERN_TAKES_NAME_NOT(place, kmeans)

}  // namespace quern

#endif
