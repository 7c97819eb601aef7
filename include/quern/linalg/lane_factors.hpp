// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_LANE_FACTORS_HPP
#define QUERN_LINALG_LANE_FACTORS_HPP

/// @file
/// Cholesky and QR factorizations of matrices of up to 32 rows and columns on devices, each on lanes of a warp that
/// have a row or a column in their registers.

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/register_lanes.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/matrix_checks.hpp>
#include <quern/linalg/small_kernels.hpp>

namespace quern::impl {

/// L, A = L L^H, column by column: each lane has a row of up to N elements, of which those behind the diagonal mean
/// nothing.
template <class T, int Width, int N>
struct cholesky_on_lanes {
  static_assert(N <= Width);
  using R = real_type<T>;
  matrix_batch<T> l;
  matrix_batch<const T> a;
  item_info info;

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, bool is_own) const {
    lanes.each([&](const auto& lane) {
      T row[N];
      unrolled<0, N>([&](auto j) { row[j] = lane.lane < a.rows && j <= lane.lane ? a(item, lane.lane, j) : T(0); });
      int failed = 0;
      unrolled<0, N>([&](auto k) {
        if (k < a.rows) factor_column<k>(lane, row, failed);
      });
      if (is_own) store(lane.lane, item, row, failed);
    });
  }

  /// Divides column K by the root of its pivot, and subtracts its products from the columns behind it.
  template <int K, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void factor_column(const Lane& lane, T (&row)[N], int& failed) const {
    const R pivot = real_value(lane.from(K, row[K])), root = Kokkos::sqrt(pivot);
    if (pivot <= 0 && failed == 0) failed = K + 1;  // NaN passes, and shows in the result
    row[K] = lane.lane == K ? T(root) : row[K] / root;
    unrolled<K + 1, N>([&](auto j) { row[j] -= row[K] * conjugate(lane.from(j, row[K])); });
  }

  KOKKOS_FUNCTION void store(int i, std::int64_t item, const T (&row)[N], int failed) const {
    const T nan(Kokkos::Experimental::quiet_NaN_v<R>);
    if (i == 0) info(item) = failed;
    if (i >= a.rows) return;
    unrolled<0, N>([&](auto j) {
      if (j < a.rows) l(item, i, j) = failed != 0 ? nan : j <= i ? row[j] : T(0);
    });
  }
};

/// A reflection 1 - tau v v^H that leaves beta of a column, where v is 1 in the first row and 0 above it.
template <class T>
struct reflection_values {
  using R = real_type<T>;
  T tau, factor;  // v below the first row is the column divided by the scale and multiplied by the factor
  R beta, inverse_scale;

  /// Of a column in registers from row K on.
  template <int K, int N>
  static KOKKOS_FORCEINLINE_FUNCTION reflection_values of(const T (&x)[N]) {
    R inverse = 1, below = squares<K + 1>(x, inverse);
    const R square = squared(x[K]) + below;
    if (!(square >= least_square<R> && square <= Kokkos::Experimental::finite_max_v<R>)) {
      R largest = 0;
      unrolled<K, N>([&](auto i) { largest = Kokkos::max(largest, largest_part(x[i])); });
      inverse = 1 / binary_scale(largest);
      below = squares<K + 1>(x, inverse);
    }
    const T alpha = x[K] * inverse;
    if (below == 0 && alpha == T(real_value(alpha))) return {T(0), T(0), real_value(x[K]), R(1)};
    const R length = Kokkos::sqrt(squared(alpha) + below), beta = real_value(alpha) > 0 ? -length : length;
    return {(T(beta) - alpha) / beta, T(1) / (alpha - beta), beta / inverse, inverse};
  }

 private:
  template <int First, int N>
  static KOKKOS_FORCEINLINE_FUNCTION R squares(const T (&x)[N], R inverse) {
    R sum = 0;
    unrolled<First, N>([&](auto i) { sum += squared(x[i] * inverse); });
    return sum;
  }
};

/// A = Q R by reflections: each lane has a column of A, and then one of Q, of up to N elements.
template <class T, int Width, int N>
struct qr_on_lanes {
  matrix_batch<T> q, r;
  matrix_batch<const T> a;

  KOKKOS_FUNCTION int steps() const { return Kokkos::min(a.rows - 1, a.columns); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, bool is_own) const {
    lanes.each([&](const auto& lane) {
      T x[N], tau(0);
      unrolled<0, N>([&](auto i) { x[i] = i < a.rows && lane.lane < a.columns ? a(item, i, lane.lane) : T(0); });
      unrolled<0, N - 1>([&](auto k) {
        if (k < steps()) reflect<k>(lane, x, tau);
      });
      if (is_own && lane.lane < r.columns)
        unrolled<0, N>([&](auto i) {
          if (i < r.rows) r(item, i, lane.lane) = i <= lane.lane ? x[i] : T(0);
        });
      T basis[N];
      unrolled<0, N>([&](auto i) { basis[i] = T(lane.lane == i ? 1 : 0); });
      unrolled<0, N - 1>([&](auto from_last) {
        constexpr int k = N - 2 - from_last;
        if (k < steps()) turn_basis<k>(lane, basis, x, tau);
      });
      if (is_own && lane.lane < q.columns)
        unrolled<0, N>([&](auto i) {
          if (i < q.rows) q(item, i, lane.lane) = basis[i];
        });
    });
  }

  /// Makes the reflection of column K, which keeps v below its diagonal, and reflects the columns behind it.
  template <int K, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void reflect(const Lane& lane, T (&x)[N], T& tau) const {
    T v[N];
    unrolled<K, N>([&](auto i) { v[i] = lane.from(K, x[i]); });
    const auto h = reflection_values<T>::template of<K>(v);
    unrolled<K + 1, N>([&](auto i) { v[i] = v[i] * h.inverse_scale * h.factor; });
    const T product = lane.lane > K ? conjugate(h.tau) * product_from<K>(v, x) : T(0);
    const bool is_column = lane.lane == K;
    if (is_column) tau = h.tau;
    x[K] = is_column ? T(h.beta) : x[K] - product;
    unrolled<K + 1, N>([&](auto i) { x[i] = is_column ? v[i] : x[i] - v[i] * product; });
  }

  /// Reflects the columns of Q by the reflection of column K.
  template <int K, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void turn_basis(const Lane& lane, T (&basis)[N], const T (&x)[N], const T& tau) const {
    T v[N];
    unrolled<K + 1, N>([&](auto i) { v[i] = lane.from(K, x[i]); });
    const T product = lane.from(K, tau) * product_from<K>(v, basis);
    basis[K] -= product;
    unrolled<K + 1, N>([&](auto i) { basis[i] -= v[i] * product; });
  }

  /// v^H x.
  template <int K>
  static KOKKOS_FORCEINLINE_FUNCTION T product_from(const T (&v)[N], const T (&x)[N]) {
    T sum = x[K];
    unrolled<K + 1, N>([&](auto i) { sum += conjugate(v[i]) * x[i]; });
    return sum;
  }
};

/// The rows and columns of T up to which a lane has registers for a column, for one of Q and for a reflection.
template <class T>
inline constexpr int max_lane_qr = sizeof(T) <= 8 ? 32 : 16;

/// Calls `launch(Width, N)`, as constants, for matrices of up to n <= Max rows and columns.
template <int Max, class Launch>
void with_lane_size(int n, const Launch& launch) {
  if (n <= 4) return launch(std::integer_sequence<int, 4, 4>());
  if (n <= 8) return launch(std::integer_sequence<int, 8, 8>());
  if (Max <= 16 || n <= 16) return launch(std::integer_sequence<int, 16, 16>());
  if constexpr (Max > 16) {
    if (n <= 24) launch(std::integer_sequence<int, 32, 24>());
    else launch(std::integer_sequence<int, 32, 32>());
  }
}

template <class Exec, class T>
void cholesky_by_lanes(const Exec& exec, const std::string& label, std::int64_t items, const matrix_batch<T>& l,
                       const matrix_batch<const T>& a, const item_info& info) {
  with_lane_size<32>(a.rows, [&]<int Width, int N>(std::integer_sequence<int, Width, N>) {
    launch_lanes<Width>(label, exec, items, cholesky_on_lanes<T, Width, N>{l, a, info});
  });
}
template <class Exec, class T>
void qr_by_lanes(const Exec& exec, const std::string& label, std::int64_t items, const matrix_batch<T>& q,
                 const matrix_batch<T>& r, const matrix_batch<const T>& a) {
  const auto launch = [&]<int Width, int N>(std::integer_sequence<int, Width, N>) {
    launch_lanes<Width>(label, exec, items, qr_on_lanes<T, Width, N>{q, r, a});
  };
  with_lane_size<max_lane_qr<T>>(std::max({a.rows, a.columns, q.columns}), launch);
}

#define QUERN_FACTORS_BY_LANES(HOW, Exec, T)                                                                 \
  HOW template void cholesky_by_lanes(const Exec&, const std::string&, std::int64_t, const matrix_batch<T>&, \
                                      const matrix_batch<const T>&, const item_info&);                       \
  HOW template void qr_by_lanes(const Exec&, const std::string&, std::int64_t, const matrix_batch<T>&,       \
                                const matrix_batch<T>&, const matrix_batch<const T>&);
QUERN_DEVICE_MATRICES_ELSEWHERE(QUERN_FACTORS_BY_LANES)

}  // namespace quern::impl

#endif
