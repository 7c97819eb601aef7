// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_LANE_INVERSE_HPP
#define QUERN_LINALG_LANE_INVERSE_HPP

/// @file
/// Inverses of matrices of up to 32 rows on devices, each on as many lanes of a warp as it has rows.

#include <quern/linalg/lane_factors.hpp>
#include <quern/linalg/lane_solve.hpp>

namespace quern::impl {

/// A^-1 in place of A, by Gauss and Jordan's elimination with partial pivoting (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 14.4): each lane has a row of up to N elements, and rows stay where they are. When the
/// row p(k) has given the pivot of step k, for all k, it is row k of the inverse, and column k is its column p(k).
template <class T, int Width, int N>
struct inverse_on_lanes {
  static_assert(N <= Width && N % 4 == 0);
  static constexpr int none = N;
  matrix_batch<T> out;
  matrix_batch<const T> a;
  item_info info;

  struct state {
    T row[N];
    int step;                    // in which the row gave the pivot, or `none`
    int zero;                    // the first step, from 1, without a pivot, or 0
    std::uint32_t order[N / 4];  // the rows of the pivots, in a byte each
  };

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, bool is_own) const {
    lanes.each([&](const auto& lane) {
      state s{};
      s.step = none;
      const bool has_row = lane.lane < a.rows;
      unrolled<0, N>([&](auto j) { s.row[j] = has_row && j < a.rows ? a(item, lane.lane, j) : T(0); });
      unrolled<0, N>([&](auto k) {
        if (k < a.rows) eliminate<k>(lane, s);
      });
      if (is_own) store(lane.lane, item, s);
    });
  }

  /// Divides the row of the K-th pivot by it and subtracts it from all others, and so does with column K of the
  /// identity, which takes the place of column K. That of linalg/lane_solve.hpp leaves the rows that have given a pivot
  /// as they are, and substitutes backwards, which would take as many steps again for each column of an inverse.
  template <int K, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(const Lane& lane, state& s) const {
    const int p = largest_of_lanes(lane, s.step == none && lane.lane < a.rows, pivot_size(s.row[K]));
    s.order[K / 4] |= static_cast<std::uint32_t>(p) << 8 * (K % 4);
    const T pivot = lane.from(p, s.row[K]);
    if (pivot == T(0) && s.zero == 0) s.zero = K + 1;
    const auto by_pivot = multiplied_inverse<T>::of(pivot);
    const bool is_pivot = lane.lane == p;
    if (is_pivot) s.step = K;
    const T factor = s.row[K];
    s.row[K] = T(is_pivot ? 1 : 0);
    const auto subtract = [&](T& mine, const T& of_pivot) {
      const T quotient = by_pivot(of_pivot);
      mine = is_pivot ? quotient : mine - factor * quotient;
    };
    unrolled<0, N>([&](auto j) {
      if (j < a.rows) subtract(s.row[j], lane.from(p, s.row[j]));
    });
  }

  KOKKOS_FUNCTION void store(int lane, std::int64_t item, const state& s) const {
    const T nan(Kokkos::Experimental::quiet_NaN_v<real_type<T>>);
    if (lane == 0) info(item) = s.zero;
    if (lane >= a.rows) return;
    unrolled<0, N>([&](auto k) {
      const int column = static_cast<int>(s.order[k / 4] >> 8 * (k % 4) & 255);
      if (k >= a.rows) return;
      if (s.zero == 0) out(item, s.step, column) = s.row[k];
      else out(item, lane, k) = nan;
    });
  }
};

template <class Exec, class T>
void invert_by_lanes(const Exec& exec, const std::string& label, std::int64_t items, const matrix_batch<T>& out,
                     const matrix_batch<const T>& a, const item_info& info) {
  with_lane_size<32>(a.rows, [&]<int Width, int N>(std::integer_sequence<int, Width, N>) {
    launch_lanes<Width>(label, exec, items, inverse_on_lanes<T, Width, N>{out, a, info});
  });
}

#define QUERN_INVERT_BY_LANES(HOW, Exec, T)                                                                \
  HOW template void invert_by_lanes(const Exec&, const std::string&, std::int64_t, const matrix_batch<T>&, \
                                    const matrix_batch<const T>&, const item_info&);
QUERN_DEVICE_MATRICES_ELSEWHERE(QUERN_INVERT_BY_LANES)

}  // namespace quern::impl

#endif
