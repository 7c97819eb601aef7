// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_LANES_HPP
#define QUERN_ANALYSIS_KMEANS_LANES_HPP

/// @file
/// Sums over points of squared distances: what is added up has an order that depends on the number of points alone.

#include <quern/analysis/assign_points.hpp>
#include <quern/core/values/exact.hpp>

namespace quern::impl {

/// Points of a part in lanes: lane l has those at l, l + lanes, and so on, and a sum of its own. On hosts a unit is a
/// part, on devices a lane of one.
struct point_lanes {
  static constexpr int lanes = 256;
  /// Calls body(i, begin, end) for the points i + w, begin <= w < end, each of the unit's lane number w. Of all points
  /// there are n from number `first` on, which is number 0 for `body`.
  template <int W, class Body>
  static KOKKOS_FUNCTION void for_each(const kmeans_parts& plan, std::int64_t first, std::int64_t n, std::int64_t unit,
                                       const Body& body) {
    const std::int64_t part = unit / (lanes / W), lane = unit % (lanes / W) * W;
    const std::int64_t end = Kokkos::min(first + n, (part + 1) * plan.length);
    std::int64_t i = part * plan.length + lane;
    if (i + W <= first) i += (first - i - W + lanes) / lanes * lanes;
    for (; i < end; i += lanes)
      body(i - first, static_cast<int>(Kokkos::max<std::int64_t>(0, first - i)),
           static_cast<int>(Kokkos::min<std::int64_t>(W, end - i)));
  }
  /// The sums of a unit before a kernel adds to them: zeros, or where it begins with a later point what is there.
  template <int W>
  static KOKKOS_FUNCTION void begin_sums(double (&sum)[W], std::int64_t first, const double* sums) {
    for (int w = 0; w < W; ++w) sum[w] = first > 0 ? sums[w] : 0.0;
  }
  template <class Exec>
  static constexpr int width = is_device<Exec> ? 1 : lanes;
  template <class Exec>
  static std::int64_t units(const kmeans_parts& plan) {
    return plan.parts * (lanes / width<Exec>);
  }
};

/// Calls f(x, y) for each coordinate of a point, where y are those of N others, or zeros for none. On devices they are
/// loaded in packs where they can be.
template <int N, class T, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_column(const centred_rows<T>& points, std::int64_t i,
                                                 const T* const (&others)[N], const F& f) {
  constexpr int width = row_pack_values<T>;
  if (has_row_packs(points)) {
    for (int t = 0; t < points.columns; t += width) {
      const auto x = load_row_pack(points.data + i * points.step + t), about = load_row_pack(points.origin + t);
      pack<T, width> y[N];
      for (int k = 0; k < N; ++k) y[k] = others[k] == nullptr ? pack<T, width>{} : load_row_pack(others[k] + t);
      for (int v = 0; v < width; ++v) {
        T there[N];
        for (int k = 0; k < N; ++k) there[k] = y[k].value[v];
        f(x.value[v] - about.value[v], there);
      }
    }
  } else {
    for (int t = 0; t < points.columns; ++t) {
      T there[N];
      for (int k = 0; k < N; ++k) there[k] = others[k] == nullptr ? T(0) : others[k][t];
      f(points.at(i, t), there);
    }
  }
}
/// Squared distances of a point from N others.
template <bool Exact, int N, class T>
KOKKOS_FORCEINLINE_FUNCTION void squares_from_each(const centred_rows<T>& points, std::int64_t i,
                                                   const T* const (&others)[N], T (&square)[N]) {
  for (int k = 0; k < N; ++k) square[k] = 0;
  for_each_column(points, i, others, [&](T x, const T(&there)[N]) {
    for (int k = 0; k < N; ++k) {
      const T step = x - there[k];
      square[k] = minus_product<Exact>(square[k], -step, step);
    }
  });
}

/// Squared distances of points i + w, begin <= w < end, from one, or from the origin.
template <bool Exact, int W, class T>
KOKKOS_FUNCTION void squares_from(const centred_rows<T>& points, std::int64_t i, int begin, int end, const T* from,
                                  T (&square)[W]) {
  if constexpr (W == 1) {  // on devices
    const T* const others[1] = {from};
    squares_from_each<Exact>(points, i, others, square);
  } else {
    for (int w = 0; w < W; ++w) square[w] = 0;
    for (int t = 0; t < points.columns; ++t) {
      const T there = from == nullptr ? T(0) : from[t];
      for (int w = begin; w < end; ++w) {
        const T step = points.at(i + w, t) - there;
        square[w] = minus_product<Exact>(square[w], -step, step);
      }
    }
  }
}

/// Calls f(i, value(i)) for i below `count`, in their order, until it returns false. Several values are loaded before
/// the first is used: whoever waits for each before it asks for the next waits most of the time, on devices.
template <class Value, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_value(std::int64_t count, const Value& value, const F& f) {
  constexpr int ahead = 16;
  for (std::int64_t i = 0; i < count; i += ahead) {
    double loaded[ahead];
    for (int u = 0; u < ahead; ++u) loaded[u] = i + u < count ? value(i + u) : 0.0;
    for (int u = 0; u < ahead && i + u < count; ++u)
      if (!f(i + u, loaded[u])) return;
  }
}
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION double sum_of_values(std::int64_t count, const Value& value) {
  double all = 0;
  for_each_value(count, value, [&](std::int64_t, double v) {
    all += v;
    return true;
  });
  return all;
}

/// The sums of parts, once or for each of several trials, at their places among those of all parts.
struct sum_lanes {
  kmeans_parts plan;
  const double* sums;
  double* of_parts;
  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const double* const of_part = sums + part * point_lanes::lanes;
    of_parts[part / plan.parts * plan.all + plan.first + part % plan.parts] =
        sum_of_values(point_lanes::lanes, [&](std::int64_t l) { return of_part[l]; });
  }
};

/// Squared distances of points from their centres, in double: as a sum for each lane, or as values for each point,
/// negative for one that has none.
template <class T, bool Exact, int W>
struct assigned_squares {
  centred_rows<T> points;
  kmeans_parts plan;
  std::int64_t begin;  // the number of the first of the points
  const T* centers;
  const std::int32_t* labels;
  T* squares;  // or none
  double* sums;
  KOKKOS_FUNCTION double square(std::int64_t i) const {
    double sum = 0;
    const T* center = centers + std::int64_t{labels[i]} * points.columns;
    if constexpr (W == 1) {  // on devices
      const T* const others[1] = {center};
      for_each_column(points, i, others, [&](T x, const T(&there)[1]) {
        const double step = static_cast<double>(x) - static_cast<double>(there[0]);
        sum = minus_product<Exact>(sum, -step, step);
      });
    } else {
      for (int t = 0; t < points.columns; ++t) {
        const double step = static_cast<double>(points.at(i, t)) - static_cast<double>(center[t]);
        sum = minus_product<Exact>(sum, -step, step);
      }
    }
    return sum;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    double sum[W];
    point_lanes::begin_sums(sum, begin, sums + unit * W);
    point_lanes::for_each<W>(plan, begin, points.count, unit, [&](std::int64_t i, int from, int to) {
      for (int w = from; w < to; ++w) {
        const double s = labels[i + w] < 0 ? -1.0 : square(i + w);
        if (squares != nullptr) squares[i + w] = static_cast<T>(s);
        sum[w] += s < 0 ? 0.0 : s;
      }
    });
    for (int w = 0; w < W; ++w) sums[unit * W + w] = sum[w];
  }
};

}  // namespace quern::impl

#endif
