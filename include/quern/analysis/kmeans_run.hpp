// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_RUN_HPP
#define QUERN_ANALYSIS_KMEANS_RUN_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <quern/analysis/kmeans_start.hpp>
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

/// The two matrices, and what one iteration leaves to the next, in scratch memory of `exec`: of all points, or of those
/// that are here. `Rows` has them in memory, or brings them in chunks.
template <bool Exact, class Exec, class T, class Rows = resident_points<T>>
class kmeans_run {
 public:
  // Kernels, which nvcc names.
  struct copy_rows {
    const T* from;
    std::int64_t step, across, columns;
    T* to;
    KOKKOS_FUNCTION void operator()(std::int64_t e) const { to[e] = from[e / columns * step + e % columns * across]; }
  };
  struct gather_points {
    centred_rows<T> points;  // without data where they come in chunks
    const T* squares;
    const std::int64_t* positions;
    std::int64_t first;
    const std::int32_t* labels;
    double* to;  // as `far_points`
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      double* row = to + k * (points.columns + 3);
      row[0] = static_cast<double>(squares[k]);
      row[1] = static_cast<double>(first + positions[k]);
      row[2] = labels[positions[k]];
      for (int t = 0; points.data != nullptr && t < points.columns; ++t)
        row[t + 3] = static_cast<double>(points.at(positions[k], t));
    }
  };

  /// @param others none where all points are here
  kmeans_run(const std::string& label, const Exec& exec, const Rows& points, std::int64_t k,
             const other_points* others = nullptr)
      : label_(label),
        exec_(exec),
        points_(points),
        others_(others),
        n_(points.extents().extent[0]),
        first_(others == nullptr ? 0 : others->first),
        columns_(static_cast<int>(points.extents().extent[1])),
        k_(k),
        clusters_(k, columns_),
        plan_(Exact ? parts_of(all(), k, columns_).part(first_, n_) : parts_of(n_, k, columns_)),
        lanes_(kmeans_parts(all(), 0).part(first_, n_)),
        origin_(columns_),
        memory_(exec, scratch_part{labels_, n_}, scratch_part{about_, columns_},
                scratch_part{exchanged_, exchange_words(k)},
                scratch_part{parts_, max_parts() * std::max(between(k), between(1))},
                scratch_part{in_segments_, is_device<Exec> ? 1 : (max_segments + 1) * k * columns_},
                scratch_part{lane_sums_, lanes_.parts * point_lanes::lanes + lanes_.all}) {
    set_origin();
  }

  /// How many points of n those of others must begin at a multiple of.
  static std::int64_t points_together(std::int64_t n, std::int64_t k, std::int64_t columns) {
    return (Exact ? parts_of(n, k, columns) : kmeans_parts(n, 0)).length;
  }

  void start_at(const strided<const T>& centers) {
    Kokkos::parallel_for(kernel_label(label_, "/centers"), index_range(exec_, clusters_.clusters * columns_),
                         copy_rows{centers.data, centers.stride[0], centers.stride[1], columns_, table()});
    read_centers();
    if (!std::all_of(clusters_.centers.begin(), clusters_.centers.end(), [](double v) { return std::isfinite(v); }))
      throw Error(label_, "initial has a NaN or an infinity");
    for (std::int64_t e = 0; e < clusters_.clusters * columns_; ++e)
      clusters_.centers[e] -= static_cast<double>(origin_[e % columns_]);
  }
  void start_at_random(const random::key& key) {
    const center_draws<Exact, Exec, T, Rows> draws(label_, exec_, points_, about_, origin_, lanes_, others_,
                                                   clusters_.clusters);
    for (std::int64_t c = 0; c < clusters_.clusters; ++c) draws.draw(c, key, table());
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
    kmeans_clusters saved(1, columns_);
    std::swap(saved, clusters_);
    assign(1, false);
    const double squares = inertia(nullptr), n = static_cast<double>(clusters_.counts[0]);
    std::swap(saved, clusters_);
    return n > 0 ? squares / (n * static_cast<double>(columns_)) : 0;
  }
  template <class Centers>
  void write_centers(const Centers& centers) {
    const auto rows = [&]<class V>(V* data, std::int64_t n, std::int64_t m) {
      const std::size_t extents[] = {static_cast<std::size_t>(n), static_cast<std::size_t>(m)};
      return as_view<typename Exec::memory_space>(data, extents);
    };
    map_checked(label_text(label_, "/centers"), exec_, centers, op::add(), rows(table(), clusters_.clusters, columns_),
                rows(about_, 1, columns_));
  }
  auto labels() const {
    const std::size_t each[] = {static_cast<std::size_t>(n_)};
    return as_view<typename Exec::memory_space>(static_cast<const std::int32_t*>(labels_), each);
  }
  template <class Centers, class Labels>
  void write(const Centers& centers, const Labels& to) {
    write_centers(centers);
    map_checked(label_text(label_, "/labels"), exec_, to, op::identity(), labels());
  }

 private:
  static std::int64_t row_bytes(std::int64_t k, std::int64_t columns) {
    return k * columns * static_cast<std::int64_t>(sizeof(T));
  }
  static kmeans_parts parts_of(std::int64_t n, std::int64_t k, std::int64_t columns) {
    return {n, row_bytes(k, columns), k};
  }
  std::int64_t all() const { return others_ == nullptr ? n_ : others_->all; }
  /// Segments of parts, whose sums are added up at the same time.
  static constexpr std::int64_t max_segments = 32;
  /// Parts whose sums are in memory at a time.
  std::int64_t max_parts() const {
    if constexpr (Rows::in_chunks) return kmeans_parts::most(n_, row_bytes(clusters_.clusters, columns_));
    else return plan_.all;
  }

  static std::int64_t padded(std::int64_t k) { return is_device<Exec> ? k : host_row_tile<T>::padded(k); }
  /// A device may have no room for sums of all groups but in this memory.
  std::int64_t between(std::int64_t k) const {
    return k * columns_ * (is_device<Exec> ? plan_.with_clusters(row_bytes(k, columns_), k).groups : 1);
  }

  /// What goes to the device before an iteration, and comes from it after, in words of 8 bytes: the table and half its
  /// squares, the counts, which begin with zeros, and the sums.
  T* table() const { return reinterpret_cast<T*>(exchanged_); }
  T* half_squares(std::int64_t k) const { return table() + padded(k) * columns_; }
  std::int64_t table_words(std::int64_t k) const {
    return (padded(k) * (columns_ + 1) * static_cast<std::int64_t>(sizeof(T)) + 7) / 8;
  }
  std::uint64_t* counts(std::int64_t k) const { return exchanged_ + table_words(k); }
  double* sums(std::int64_t k) const { return reinterpret_cast<double*>(counts(k) + k + 1); }
  std::int64_t exchange_words(std::int64_t k) const { return table_words(k) + k + 1 + k * columns_; }

  template <class V>
  void to_device(V* to, const std::vector<V>& from) const {
    copy_from_host(exec_, to, from);
  }
  template <class V>
  void to_host(V* to, const V* from, std::int64_t count) const {
    copy_items_to_host(exec_, to, from, count);
  }
  void wait() const { exec_.fence(kernel_label(label_, ": sums")); }

  void read_centers() {
    std::vector<T> rows(clusters_.centers.size());
    to_host(rows.data(), table(), static_cast<std::int64_t>(rows.size()));
    wait();
    std::copy(rows.begin(), rows.end(), clusters_.centers.begin());
  }
  /// The table, and zeros as counts.
  void upload() {
    const std::int64_t k = clusters_.clusters;
    clusters_.make_table(rows_on_host_, half_on_host_, padded(k));
    on_host_.assign(table_words(k) + k + 1, 0);
    auto* const table_on_host = reinterpret_cast<std::byte*>(on_host_.data());
    std::memcpy(table_on_host, rows_on_host_.data(), rows_on_host_.size() * sizeof(T));
    std::memcpy(table_on_host + rows_on_host_.size() * sizeof(T), half_on_host_.data(),
                half_on_host_.size() * sizeof(T));
    to_device(exchanged_, on_host_);
  }
  /// Labels of points, numbers of points of clusters, and of points whose label changed; and the sums of clusters.
  void assign(std::int64_t k, bool with_sums) {
    upload();
    if (with_sums && Rows::in_chunks) Kokkos::deep_copy(exec_, scratch_view<Exec, double*>(sums(k), k * columns_), 0.0);
    points_.for_each(exec_, [&](const Exec& e, const strided<const T>& x, std::int64_t first) {
      assign_some(e, x, first, k, with_sums);
    });
    on_host_.resize(k + 1 + (with_sums ? k * columns_ : 0));
    to_host(on_host_.data(), counts(k), static_cast<std::int64_t>(on_host_.size()));
    wait();
    std::copy_n(on_host_.begin(), k + 1, clusters_.counts.begin());
    if (with_sums) std::memcpy(clusters_.sums.data(), on_host_.data() + k + 1, k * columns_ * sizeof(double));
    if (others_ != nullptr) add_others(with_sums && !Exact);
  }
  /// The same of all points, or of a chunk of them, whose sums are added to those of the chunks before.
  void assign_some(const Exec& e, const strided<const T>& x, std::int64_t first, std::int64_t k, bool with_sums) {
    const bool for_others = Exact && with_sums && others_ != nullptr;  // who have the other parts
    const kmeans_parts plan = (Rows::in_chunks ? parts_of(x.extents.extent[0], k_, columns_) : plan_)
                                  .with_clusters(row_bytes(k, columns_), k);
    const std::int64_t apart = between(k);
    if (for_others) Kokkos::deep_copy(e, scratch_view<Exec, T*>(parts_, plan.all * apart), T(0));
    T* const own = with_sums ? parts_ + plan.first * apart : nullptr;
    const assign_points<T> a{{x, about_}, {table(), half_squares(k), k}, plan, labels_ + first, own, apart, counts(k)};
    if (x.extents.extent[0] > 0) launch_assign<Exact>(label_text(label_, "/assign"), e, a);
    if (for_others) others_->sum(parts_, plan.all * apart);
    if (with_sums)
      launch_add_parts(label_text(label_, "/sums"), e, parts_, apart, plan, k * columns_, Rows::in_chunks, in_segments_,
                       sums(k));
  }
  /// Adds the numbers of points of others, and the sums where these are not of all parts, by one message.
  void add_others(bool with_sums) {
    std::vector<double> message(clusters_.counts.begin(), clusters_.counts.end());
    if (with_sums) message.insert(message.end(), clusters_.sums.begin(), clusters_.sums.end());
    others_->sum_on_host(message.data(), static_cast<std::int64_t>(message.size()));
    const auto sums = message.begin() + static_cast<std::ptrdiff_t>(clusters_.counts.size());
    std::transform(message.begin(), sums, clusters_.counts.begin(),
                   [](double v) { return static_cast<std::uint64_t>(v); });
    std::copy(sums, message.end(), clusters_.sums.begin());
  }
  /// The first point whose square is finite; where there is none, but large points are, the first of these.
  std::int64_t first_finite() const {
    for (const bool of_square : {true, false}) {
      std::int64_t found = first_finite(of_square);
      if (others_ != nullptr) found = others_->least(found);
      if (found < all()) return found;
    }
    return -1;
  }
  std::int64_t first_finite(bool of_square) const {
    for (std::int64_t first = 0, count = 256; first < n_; first += count, count *= 16) {
      const std::int64_t some = std::min(count, n_ - first);
      std::int64_t found = some;
      if constexpr (Rows::in_chunks) found = points_.first_finite(first, some, of_square);
      else
        found = least_position(exec_, label_text(label_, "/origin"), some,
                               least_finite_point<T>{points_.x, first, of_square});
      if (found < some) return first_ + first + found;
    }
    return all();
  }
  /// Takes a point as origin; those who do not have it have zeros.
  void copy_origin(std::int64_t point) {
    if constexpr (Rows::in_chunks) {
      to_device(about_, points_.read({point}, origin_));
    } else if (point >= 0 && point < n_) {
      const auto& x = points_.x;
      Kokkos::parallel_for(kernel_label(label_, "/origin"), index_range(exec_, columns_),
                           copy_rows{x.data + point * x.stride[0], x.stride[0], x.stride[1], columns_, about_});
    }
    if (others_ != nullptr) others_->sum(about_, columns_);
    to_host(origin_.data(), about_, columns_);
    wait();
  }
  /// The mean of the points, by an iteration with one centre, which adds up deviations from one of them.
  void set_origin() {
    to_device(about_, origin_);
    if (const std::int64_t found = first_finite(); found >= 0) copy_origin(found - first_);
    const kmeans_clusters all(1, columns_);
    kmeans_clusters saved = std::exchange(clusters_, all);
    assign(1, true);
    clusters_.update();
    for (int t = 0; t < columns_; ++t)
      origin_[t] = static_cast<T>(static_cast<double>(origin_[t]) + clusters_.centers[t]);
    clusters_ = std::move(saved);
    to_device(about_, origin_);
    wait();
  }
  /// The sum of the squared distances of points from their centres; each of them, too, where they are wanted.
  double inertia(T* squares) {
    constexpr int W = point_lanes::width<Exec>;
    double* of_parts = lane_sums_ + lanes_.parts * point_lanes::lanes;
    points_.for_each(exec_, [&](const Exec& e, const strided<const T>& x, std::int64_t first) {
      launch_units(e, label_text(label_, "/inertia"), point_lanes::units<Exec>(lanes_),
                   assigned_squares<T, Exact, W>{{x, about_},
                                                 lanes_,
                                                 first,
                                                 table(),
                                                 labels_ + first,
                                                 squares == nullptr ? nullptr : squares + first,
                                                 lane_sums_});
    });
    launch_units(exec_, label_text(label_, "/inertia_sums"), lanes_.parts, sum_lanes{lanes_, lane_sums_, of_parts});
    std::vector<double> sums(lanes_.all);
    to_host(sums.data() + lanes_.first, of_parts + lanes_.first, lanes_.parts);
    wait();
    if (others_ != nullptr) others_->sum_on_host(sums.data(), lanes_.all);
    double all = 0;
    for (const double s : sums) all += s;
    return all;
  }
  /// Moves the points that are farthest from their centres to clusters that are empty, one to each.
  void relocate() {
    const auto empty = clusters_.empty();
    const auto count = static_cast<std::int64_t>(empty.size());
    if (count == 0) return;
    far_points far = farthest(count);
    if (others_ != nullptr) far.take_farthest(*others_);
    if (!(far.point(0)[0] > 0)) return;  // fewer points that differ than clusters
    for (std::int64_t e = 0; e < count && far.point(e)[0] >= 0; ++e)
      clusters_.move(far.point(e) + 3, static_cast<std::int64_t>(far.point(e)[2]), empty[e]);
  }
  /// Points that are here, fewer than `count` where no more are.
  far_points farthest(std::int64_t count) {
    const std::int64_t some = std::min(count, n_);
    T *squares = nullptr, *values = nullptr;
    std::int64_t* positions = nullptr;
    double* gathered = nullptr;
    const scratch_arrays<Exec> memory(exec_, scratch_part{squares, n_}, scratch_part{values, some},
                                      scratch_part{positions, some}, scratch_part{gathered, some * (columns_ + 3)});
    inertia(squares);
    far_points far(columns_, count);
    for (std::int64_t e = some; e < count; ++e) far.point(e)[0] = -1;
    if (some == 0) return far;
    const auto row = [&]<class V>(V* data, std::int64_t n) {
      return part_view<V, 1, Kokkos::LayoutRight, Exec>(data, n);
    };
    top_k(exec_, row(values, some), row(positions, some), row(static_cast<const T*>(squares), n_));
    strided<const T> x{nullptr, points_.extents(), {}};
    if constexpr (!Rows::in_chunks) x = points_.x;
    Kokkos::parallel_for(kernel_label(label_, "/farthest"), index_range(exec_, some),
                         gather_points{{x, about_}, values, positions, first_, labels_, gathered});
    to_host(far.values.data(), gathered, some * (columns_ + 3));
    wait();
    if constexpr (Rows::in_chunks) read_coordinates(far, some);
    return far;
  }
  void read_coordinates(far_points& far, std::int64_t count) const {
    std::vector<std::int64_t> numbers;
    for (std::int64_t e = 0; e < count; ++e) numbers.push_back(static_cast<std::int64_t>(far.point(e)[1]));
    const std::vector<T> rows = points_.read(numbers, origin_);
    for (std::int64_t e = 0; e < count; ++e) std::copy_n(rows.begin() + e * columns_, columns_, far.point(e) + 3);
  }

  const std::string& label_;
  const Exec& exec_;
  const Rows& points_;
  const other_points* others_;
  std::int64_t n_, first_;
  int columns_;
  const std::int64_t k_;  // also while `clusters_` is the one of all points
  kmeans_clusters clusters_;
  kmeans_parts plan_, lanes_;
  std::vector<T> origin_, rows_on_host_, half_on_host_;
  std::vector<std::uint64_t> on_host_;
  std::int32_t* labels_ = nullptr;
  T *about_ = nullptr, *parts_ = nullptr;
  double *in_segments_ = nullptr, *lane_sums_ = nullptr;
  std::uint64_t* exchanged_ = nullptr;
  scratch_arrays<Exec> memory_;
};

}  // namespace impl
}  // namespace quern

#endif
