// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_LANE_SOLVE_HPP
#define QUERN_LINALG_LANE_SOLVE_HPP

/// @file
/// Small systems of linear equations on devices, each on as many lanes of a warp as it has rows.

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/register_lanes.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/matrix_checks.hpp>
#include <quern/linalg/small_kernels.hpp>

namespace quern::impl {

/// The lane whose number has the largest size, among those that take part, of which there is one at least. Sizes and
/// lanes are compared as one integer: the last bits of a size, which is rounded up so that only zero stays zero, give
/// way to the number of the lane.
template <class Lane, class R>
KOKKOS_FORCEINLINE_FUNCTION int largest_of_lanes(const Lane& lane, bool takes_part, R size) {
  using bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  constexpr bits last = Lane::width - 1;
  bits best = (Kokkos::bit_cast<bits>(size) + last) & ~last;
  best = takes_part ? best | (last - static_cast<bits>(lane.lane)) : 0;
  for (int apart = Lane::width / 2; apart > 0; apart /= 2) best = Kokkos::max(best, lane.from(lane.lane ^ apart, best));
  return static_cast<int>(last - (best & last));
}

/// What divides by a number: a multiplication, before which both are scaled where the inverse would overflow.
template <class T>
struct multiplied_inverse {
  using R = real_type<T>;
  T inverse;
  R scale;

  static KOKKOS_FUNCTION multiplied_inverse of(const T& x) {
    const R scale = magnitude(x) < Kokkos::Experimental::norm_min_v<R> ? 2 / Kokkos::Experimental::epsilon_v<R> : R(1);
    return {T(1) / (x * scale), scale};
  }
  KOKKOS_FUNCTION T operator()(const T& y) const { return y * scale * inverse; }
};

/// A^-1 b for one right-hand side and up to N <= Width rows, of which each lane has one in its registers: Gaussian
/// elimination with partial pivoting, in which rows stay where they are, and back substitution.
template <class T, int Width, int N>
struct solve_on_lanes {
  static_assert(N <= Width && N % 4 == 0);
  using R = real_type<T>;
  static constexpr int none = N;
  matrix_batch<T> x;
  matrix_batch<const T> a, b;
  item_info info;

  /// What a lane knows of its system.
  struct state {
    T row[N], right;
    multiplied_inverse<T> by_pivot;  // of its row
    int step;                        // in which its row gave the pivot, or `none`
    int zero;                        // the first step, from 1, without a pivot, or 0
    std::uint32_t order[N / 4];      // the rows of the pivots, in a byte each
  };

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, bool is_own) const {
    lanes.each([&](const auto& lane) {
      state s = loaded(lane.lane, item);
      unrolled<0, N>([&](auto k) {
        if (k < a.rows) eliminate<k>(lane, s);
      });
      const T result = substitute(lane, s);
      if (!is_own) return;
      if (lane.lane < a.rows) x(item, lane.lane, 0) = s.zero == 0 ? result : T(Kokkos::Experimental::quiet_NaN_v<R>);
      if (lane.lane == 0) info(item) = s.zero;
    });
  }

  KOKKOS_FUNCTION state loaded(int lane, std::int64_t item) const {
    const int n = a.rows;
    state s{};
    unrolled<0, N>([&](auto j) { s.row[j] = lane < n && j < n ? a(item, lane, j) : T(0); });
    s.right = lane < n ? b(item, lane, 0) : T(0);
    s.step = none;
    return s;
  }

  /// Subtracts the row of the K-th pivot from those that have given none. `eliminate` of linalg/small_solve.hpp
  /// exchanges rows, which here stay in the registers of their lanes, and divides by the pivot.
  template <int K, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(const Lane& lane, state& s) const {
    const bool is_left = s.step == none && lane.lane < a.rows;
    const int p = largest_of_lanes(lane, is_left, pivot_size(s.row[K]));
    s.order[K / 4] |= static_cast<std::uint32_t>(p) << 8 * (K % 4);
    const T pivot = lane.from(p, s.row[K]);
    const auto by_pivot = multiplied_inverse<T>::of(pivot);
    if (pivot == T(0) && s.zero == 0) s.zero = K + 1;
    if (lane.lane == p) {
      s.step = K;
      s.by_pivot = by_pivot;
    }
    const bool changes = is_left && lane.lane != p && pivot != T(0);
    const T factor = by_pivot(s.row[K]);
    const auto subtract = [&](T& mine) {
      const T of_pivot = lane.from(p, mine);
      if (changes) mine -= factor * of_pivot;
    };
    unrolled<K + 1, N>([&](auto j) { subtract(s.row[j]); });
    subtract(s.right);
  }

  /// Solves U x = b; each lane gets the element of x of its number.
  template <class Lane>
  KOKKOS_FORCEINLINE_FUNCTION T substitute(const Lane& lane, state& s) const {
    T result(0);
    unrolled<0, N>([&](auto from_last) {
      constexpr int k = N - 1 - from_last;
      if (k >= a.rows) return;
      const int p = static_cast<int>(s.order[k / 4] >> 8 * (k % 4) & 255);
      const T solved = lane.from(p, s.by_pivot(s.right));
      if (s.step < k) s.right -= s.row[k] * solved;
      if (lane.lane == k) result = solved;
    });
    return result;
  }
};

/// Solves systems with one right-hand side and up to 32 rows.
template <class Exec, class T>
void solve_by_lanes(const Exec& exec, const std::string& label, std::int64_t items, const matrix_batch<T>& x,
                    const matrix_batch<const T>& a, const matrix_batch<const T>& b, const item_info& info) {
  const auto launch = [&]<int Width, int N>(std::integer_sequence<int, Width, N>) {
    launch_lanes<Width>(label, exec, items, solve_on_lanes<T, Width, N>{x, a, b, info});
  };
  if (a.rows <= 8) launch(std::integer_sequence<int, 8, 8>());
  else if (a.rows <= 12) launch(std::integer_sequence<int, 16, 12>());
  else if (a.rows <= 16) launch(std::integer_sequence<int, 16, 16>());
  else if (a.rows <= 24) launch(std::integer_sequence<int, 32, 24>());
  else launch(std::integer_sequence<int, 32, 32>());
}

#define QUERN_SOLVE_BY_LANES(HOW, Exec, T)                                                                \
  HOW template void solve_by_lanes(const Exec&, const std::string&, std::int64_t, const matrix_batch<T>&, \
                                   const matrix_batch<const T>&, const matrix_batch<const T>&, const item_info&);
QUERN_DEVICE_MATRICES_ELSEWHERE(QUERN_SOLVE_BY_LANES)

}  // namespace quern::impl

#endif
