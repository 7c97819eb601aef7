// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_START_HPP
#define QUERN_ANALYSIS_KMEANS_START_HPP

/// @file
/// Where k-means starts.

#include <cmath>
#include <cstring>
#include <quern/analysis/kmeans_kernels.hpp>
#include <quern/analysis/kmeans_lanes.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/random/generator.hpp>
#include <quern/transfer/staging.hpp>

namespace quern::impl {

/// What a point weighs where a centre is drawn: 1 before there is one, its squared distance from the nearest one then.
template <class T>
KOKKOS_FUNCTION double weight_of(T closest, bool first) {
  return first ? (closest > 0 ? 1.0 : 0.0) : static_cast<double>(closest);
}

/// The squared distances of points from the nearest centre so far, with one more, and the sums of their weights.
template <class T, bool Exact, int W>
struct start_distances {
  centred_rows<T> points;
  kmeans_parts plan;
  std::int64_t begin;  // the number of the first of the points
  const T* center;
  bool first;
  T* closest;
  double* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    double sum[W];
    point_lanes::begin_sums(sum, begin, sums + unit * W);
    point_lanes::for_each<W>(plan, begin, points.count, unit, [&](std::int64_t i, int from, int to) {
      T square[W];
      squares_from<Exact>(points, i, from, to, center, square);
      for (int w = from; w < to; ++w) {
        const T before = first ? Kokkos::Experimental::infinity_v<T> : closest[i + w];
        T now = square[w] < before ? square[w] : before;
        if (first) now = is_finite_square(square[w]) ? Kokkos::Experimental::infinity_v<T> : T(0);
        closest[i + w] = now;
        sum[w] += weight_of(now, first);
      }
    });
    for (int w = 0; w < W; ++w) sums[unit * W + w] = sum[w];
  }
};
/// The sums of squared distances from the nearest centre if a candidate were one, for each of these.
template <class T, bool Exact, int W>
struct start_potentials {
  centred_rows<T> points;
  kmeans_parts plan;
  std::int64_t begin;  // the number of the first of the points
  const T* candidates;
  int trials;
  const T* closest;
  double* sums;
  /// On devices a point is read once for some candidates.
  static constexpr int together = 4;
  KOKKOS_FUNCTION double* sum_of(int trial, std::int64_t unit) const {
    return sums + trial * plan.parts * point_lanes::lanes + unit;
  }
  KOKKOS_FUNCTION void add_together(int trial, std::int64_t unit) const {
    double sum[together];
    const T* others[together];
    for (int k = 0; k < together; ++k) {
      const int own = Kokkos::min(trial + k, trials - 1);
      others[k] = candidates + std::int64_t{own} * points.columns;
      sum[k] = begin > 0 ? *sum_of(own, unit) : 0.0;
    }
    const T* const(&each)[together] = others;
    point_lanes::for_each<1>(plan, begin, points.count, unit, [&](std::int64_t i, int, int) {
      T square[together];
      squares_from_each<Exact>(points, i, each, square);
      const T before = closest[i];
      for (int k = 0; k < together; ++k) sum[k] += static_cast<double>(square[k] < before ? square[k] : before);
    });
    for (int k = 0; k < together && trial + k < trials; ++k) *sum_of(trial + k, unit) = sum[k];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    if constexpr (W == 1) {
      for (int trial = 0; trial < trials; trial += together) add_together(trial, unit);
    } else {
      for (int trial = 0; trial < trials; ++trial) {
        double* const of_trial = sums + trial * plan.parts * point_lanes::lanes + unit * W;
        double sum[W];
        point_lanes::begin_sums(sum, begin, of_trial);
        point_lanes::for_each<W>(plan, begin, points.count, unit, [&](std::int64_t i, int from, int to) {
          T square[W];
          squares_from<Exact>(points, i, from, to, candidates + trial * points.columns, square);
          for (int w = from; w < to; ++w)
            sum[w] += static_cast<double>(square[w] < closest[i + w] ? square[w] : closest[i + w]);
        });
        for (int w = 0; w < W; ++w) of_trial[w] = sum[w];
      }
    }
  }
};
/// Lowers its argument to a point whose square about zero is finite, or which is finite itself.
template <class T>
struct least_finite_point {
  strided<const T> x;
  std::int64_t first;
  bool of_square;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& least) const {
    T square = 0;
    bool finite = true;
    for (std::int64_t t = 0; t < x.extents.extent[1]; ++t) {
      const T v = x.data[(first + k) * x.stride[0] + t * x.stride[1]];
      square = minus_product<true>(square, -v, v);
      finite = finite && Kokkos::isfinite(v);
    }
    if (k < least && (of_square ? is_finite_square(square) : finite)) least = k;
  }
};
/// Draws candidates, each with a probability of its weight: its part, its lane there, and the point. The coordinates of
/// one that is not here are 0, to which those who have it add them.
template <class T>
struct draw_candidates {
  centred_rows<T>
      points;  // without data where they come in chunks: only the numbers of those that are drawn are wanted
  kmeans_parts plan;
  bool first;
  const T* closest;
  const double *of_parts, *sums;
  random::key key;
  std::int64_t* chosen;  // the first centre if it is here, or -1, taken where all others weigh nothing
  std::int64_t* drawn;
  T* candidates;

  /// The first of `count` from which on the weights before exceed `rest`, which is reduced by those; the last one that
  /// weighs anything where rounding leaves none.
  template <class Weight>
  static KOKKOS_FUNCTION std::int64_t find(std::int64_t count, double& rest, const Weight& weight) {
    std::int64_t last = 0;
    double below = 0;
    for_each_value(count, weight, [&](std::int64_t i, double w) {
      if (!(w > 0)) return true;
      last = i;
      if (below + w > rest) return false;
      below += w;
      return true;
    });
    rest -= below;
    return last;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t trial) const {
    const double total = sum_of_values(plan.all, [&](std::int64_t v) { return of_parts[v]; });
    std::int64_t point = first ? (plan.first == 0 && points.count > 0 ? 0 : -1) : *chosen;
    if (total > 0) {
      double rest = rounded_product(random::Generator(key, trial).uniform(), total);  // before `find` subtracts
      const std::int64_t part = find(plan.all, rest, [&](std::int64_t v) { return of_parts[v]; }) - plan.first;
      point = part >= 0 && part < plan.parts ? find_point(part, rest) : -1;
    }
    if (first) *chosen = point;
    drawn[trial] = point;
    for (int t = 0; points.data != nullptr && t < points.columns; ++t)
      candidates[trial * points.columns + t] = point >= 0 ? points.at(point, t) : T(0);
  }

 private:
  KOKKOS_FUNCTION std::int64_t find_point(std::int64_t part, double rest) const {
    const std::int64_t lane =
        find(point_lanes::lanes, rest, [&](std::int64_t l) { return sums[part * point_lanes::lanes + l]; });
    const std::int64_t start = part * plan.length + lane, end = Kokkos::min(points.count, (part + 1) * plan.length);
    return start + point_lanes::lanes *
                       find((end - start + point_lanes::lanes - 1) / point_lanes::lanes, rest,
                            [&](std::int64_t i) { return weight_of(closest[start + i * point_lanes::lanes], first); });
  }
};
/// Takes the candidate with the least sum as the next centre.
template <class T>
struct take_candidate {
  std::int64_t parts;
  int columns, trials;
  const double* of_parts;
  const T* candidates;
  T* center;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    int best = 0;
    double least = Kokkos::Experimental::infinity_v<double>;
    for (int trial = 0; trial < trials; ++trial) {
      const double sum = sum_of_values(parts, [&](std::int64_t v) { return of_parts[trial * parts + v]; });
      if (!(sum < least)) continue;
      least = sum;
      best = trial;
    }
    for (int t = 0; t < columns; ++t) center[t] = candidates[best * columns + t];
  }
};

/// All points of a run, in memory that kernels reach.
template <class T>
struct resident_points {
  static constexpr bool in_chunks = false;
  strided<const T> x;

  const shape& extents() const { return x.extents; }
  /// Calls f(exec, points, number of the first one).
  template <class Exec, class F>
  void for_each(const Exec& exec, const F& f) const {
    f(exec, x, std::int64_t{0});
  }
};

template <class Exec, class V>
void copy_from_host(const Exec& exec, V* to, const std::vector<V>& from) {
  const auto bytes = static_cast<std::int64_t>(from.size() * sizeof(V));
  if constexpr (is_device<Exec>) copy_to_device(exec, to, from.data(), bytes);
  else std::memcpy(to, from.data(), bytes);
}

/// Greedy k-means++: each centre is the best of a few points that are drawn with a probability of their squared
/// distance from those before (D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA
/// 2007), as many as scikit-learn tries.
template <bool Exact, class Exec, class T, class Rows>
class center_draws {
 public:
  /// @param others none where all points are those of `rows`
  /// @param about  the origin, and `origin` the same on the host
  center_draws(const std::string& label, const Exec& exec, const Rows& rows, const T* about,
               const std::vector<T>& origin, const kmeans_parts& plan, const other_points* others, std::int64_t k)
      : label_(label),
        exec_(exec),
        rows_(rows),
        about_(about),
        origin_(origin),
        plan_(plan),
        others_(others),
        trials_(2 + static_cast<int>(std::log(static_cast<double>(k)))),
        memory_(exec, scratch_part{closest_, rows.extents().extent[0]}, scratch_part{candidates_, trials_ * columns()},
                scratch_part{sums_, trials_ * plan.parts * point_lanes::lanes},
                scratch_part{of_parts_, trials_ * plan.all}, scratch_part{chosen_, 1}, scratch_part{drawn_, trials_}) {}

  /// The next centre, number c, behind those before.
  void draw(std::int64_t c, const random::key& key, T* centers) const {
    const bool first = c == 0;
    const int now = first ? 1 : trials_;
    const T* before = first ? nullptr : centers + (c - 1) * columns();
    rows_.for_each(exec_, [&](const Exec& e, const strided<const T>& x, std::int64_t begin) {
      launch_units(e, label_text(label_, "/distances"), units(),
                   start_distances<T, Exact, W>{{x, about_}, plan_, begin, before, first, closest_ + begin, sums_});
    });
    add_lanes(1);
    find_candidates(now, first, random::fold_in(key, c));
    if (!first) {
      rows_.for_each(exec_, [&](const Exec& e, const strided<const T>& x, std::int64_t begin) {
        launch_units(
            e, label_text(label_, "/trials"), units(),
            start_potentials<T, Exact, W>{{x, about_}, plan_, begin, candidates_, now, closest_ + begin, sums_});
      });
      add_lanes(now);
    }
    launch_units(exec_, label_text(label_, "/take"), 1,
                 take_candidate<T>{plan_.all, static_cast<int>(columns()), now, of_parts_, candidates_,
                                   centers + c * columns()});
  }

 private:
  static constexpr int W = point_lanes::width<Exec>;
  std::int64_t columns() const { return rows_.extents().extent[1]; }
  std::int64_t units() const { return point_lanes::units<Exec>(plan_); }
  void add_lanes(int trials) const {
    const std::int64_t parts = trials * plan_.all;
    if (others_ != nullptr) Kokkos::deep_copy(exec_, scratch_view<Exec, double*>(of_parts_, parts), 0.0);
    launch_units(exec_, label_text(label_, "/sums"), trials * plan_.parts, sum_lanes{plan_, sums_, of_parts_});
    if (others_ != nullptr) others_->sum(of_parts_, parts);
  }
  void find_candidates(int count, bool first, const random::key& key) const {
    strided<const T> x{nullptr, rows_.extents(), {}};
    if constexpr (!Rows::in_chunks) x = rows_.x;
    launch_units(
        exec_, label_text(label_, "/draw"), count,
        draw_candidates<T>{{x, about_}, plan_, first, closest_, of_parts_, sums_, key, chosen_, drawn_, candidates_});
    if constexpr (Rows::in_chunks) {
      std::vector<std::int64_t> drawn(count);
      copy_items_to_host(exec_, drawn.data(), drawn_, count);
      exec_.fence(kernel_label(label_, ": draws"));
      copy_from_host(exec_, candidates_, rows_.read(drawn, origin_));
    }
    if (others_ != nullptr) others_->sum(candidates_, count * columns());
  }

  const std::string& label_;
  const Exec& exec_;
  const Rows& rows_;
  const T* about_;
  const std::vector<T>& origin_;
  kmeans_parts plan_;
  const other_points* others_;
  int trials_;
  T *closest_ = nullptr, *candidates_ = nullptr;
  double *sums_ = nullptr, *of_parts_ = nullptr;
  std::int64_t *chosen_ = nullptr, *drawn_ = nullptr;
  scratch_arrays<Exec> memory_;
};

}  // namespace quern::impl

#endif
