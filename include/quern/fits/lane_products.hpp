// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LANE_PRODUCTS_HPP
#define QUERN_FITS_LANE_PRODUCTS_HPP

/// @file
/// The sums of products of all columns of a fit where lanes multiply matrices together.

#include <quern/core/launch/matrix_lanes.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/fits/fit_rows.hpp>
#include <quern/fits/tuning.hpp>

namespace quern::impl {

/// Whether pairs of elements that follow each other in a column can be read at once.
template <class T>
bool are_paired(const column_range<T>& a) {
  const bool adjacent = a.row_step == 1 && (a.columns < 2 || a.column_step % 2 == 0);
  return adjacent && reinterpret_cast<std::uintptr_t>(a.data) % (2 * sizeof(T)) == 0;
}
template <class T>
bool are_paired(const fit_rows<T>& rows) {
  const fit_columns<T> of(rows);
  return are_paired(of.x) && are_paired(of.y);
}

/// The products of up to 8 `Blocks` columns: each 32 lanes read some rows, an element of each block of 8 columns a
/// lane, and multiply what they have in registers. A team adds up the sums of its lanes in order.
template <class Exec, class T, int Blocks, bool Paired>
struct lane_products {
  using tune = fits_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tune::lane_threads, tune::lane_teams_at_once>>;
  using member = typename policy::member_type;
  static constexpr int block = matrix_lane::columns, level = 0, max_teams = (Blocks == 2 ? 2 : 1) * tune::lane_teams,
                       tiles = Blocks * (Blocks + 1) / 2;
  /// Matrices of each block that a lane reads before it multiplies, and their rows; of columns that are in memory one
  /// after the other those of two adjacent elements.
  static constexpr int steps = Blocks == 2 ? 2 : 3, paired_steps = 2;
  static KOKKOS_FUNCTION constexpr int rows_of(int matrices) { return matrices * matrix_lane::rows; }
  struct pair_of_blocks {
    int left, right;
  };

  fit_columns<T> of;
  double* partial = nullptr;  // of each team
  std::int64_t rows_of_team = 0;

  explicit lane_products(const fit_rows<T>& rows) : of(rows) {}
  static KOKKOS_FUNCTION constexpr int pairs() { return tiles; }
  static KOKKOS_FUNCTION constexpr int sums() { return tiles * block * block; }
  static KOKKOS_FUNCTION constexpr int threads() { return tune::lane_threads; }
  static constexpr std::int64_t scratch_bytes() { return sums() * sizeof(double) + 64; }
  static constexpr int groups = tune::lane_threads / matrix_lane::lanes;
  static constexpr int rows_apart = groups * rows_of(steps), tile_rows = rows_apart;
  static pair_of_blocks pair(int number) {
    int right = 0;
    while (number > right) number -= ++right;
    return {number, right};
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const matrix_lane lane{team.team_rank() % matrix_lane::lanes};
    const int group = team.team_rank() / matrix_lane::lanes;
    double sum[tiles][2] = {};
    add_rows_of(lane, group, team.league_rank(), team.league_size(), sum);
    auto* const all = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(sums() * sizeof(double), 16));
    for (int g = 0; g < groups; ++g) {
      if (g == group)
        for (int t = 0; t < tiles; ++t)
          for (int i = 0; i < 2; ++i) {
            double& to = all[place(lane.lane, t, i)];
            to = g == 0 ? sum[t][i] : to + sum[t][i];
          }
      team.team_barrier();
    }
    for (int e = team.team_rank(); e < sums(); e += tune::lane_threads)
      partial[team.league_rank() * sums() + e] = all[e];
  }

  /// Adds the products of the rows of 32 lanes of a team.
  template <class Lane>
  KOKKOS_FUNCTION void add_rows_of(const Lane& lane, int group, std::int64_t team, std::int64_t teams,
                                   double (&sum)[tiles][2]) const {
    if constexpr (Paired) {
      // Teams read side by side: each by itself would have as many pages of memory in use as there are columns.
      constexpr int of_group = rows_of(paired_steps), of_team = groups * of_group;
      add_pairs(lane, team * of_team + group * of_group, teams * of_team, sum);
    } else {
      const std::int64_t begin = team * rows_of_team, end = Kokkos::min(begin + rows_of_team, of.rows);
      add_rows(lane, begin + group * rows_of(steps), end, sum);
    }
  }

  /// Where the sums of a lane are among those of all.
  static KOKKOS_FUNCTION int place(int lane, int tile, int i) {
    return tile * block * block + lane / matrix_lane::rows * block + lane % matrix_lane::rows * 2 + i;
  }

 private:
  /// Adds the products of rows from `row` on, those of `steps` matrices of every `rows_apart`.
  template <class Lane>
  KOKKOS_FUNCTION void add_rows(const Lane& lane, std::int64_t row, std::int64_t end, double (&sum)[tiles][2]) const {
    own_columns own(of, lane.lane, row);
    for (; row + rows_of(steps) <= end; row += rows_apart) {
      double v[steps][Blocks];
      for (int s = 0; s < steps; ++s) own.read(of, true, v[s]);
      own.go_on(rows_apart / matrix_lane::rows - steps);
      if (of.weight != nullptr)
        for (int s = 0; s < steps; ++s) own.weigh(of, row + s * matrix_lane::rows, end, v[s]);
      for (int s = 0; s < steps; ++s) multiply(lane, v[s], sum);
    }
    add_rest(lane, own, row, end, sum);
  }
  /// The same where columns are paired: a lane has two adjacent rows of eight, each as its row of a matrix.
  template <class Lane>
  KOKKOS_FUNCTION void add_pairs(const Lane& lane, std::int64_t row, std::int64_t apart,
                                 double (&sum)[tiles][2]) const {
    own_columns own(of, lane.lane, row);
    own.to_pairs();
    for (; row + rows_of(paired_steps) <= of.rows; row += apart) {
      double v[2][Blocks];
      own.read_two(of, v[0], v[1]);
      own.advance(apart);
      if (of.weight != nullptr)
        for (int s = 0; s < 2; ++s) own.weigh_row(of, row + own.row_in_pairs(s), v[s]);
      for (int s = 0; s < 2; ++s) multiply(lane, v[s], sum);
    }
    if (row >= of.rows) return;
    own.to_rows();
    add_rest(lane, own, row, of.rows, sum);
  }
  template <class Lane, class Columns>
  KOKKOS_FUNCTION void add_rest(const Lane& lane, Columns& own, std::int64_t row, std::int64_t end,
                                double (&sum)[tiles][2]) const {
    for (; row < end; row += matrix_lane::rows) {
      double v[Blocks];
      own.read(of, row + own.row_in_four < end, v);
      if (of.weight != nullptr) own.weigh(of, row, end, v);
      multiply(lane, v, sum);
    }
  }

  /// What a lane reads of each block: a column, and of every four rows one.
  struct own_columns {
    const T* from[Blocks];
    std::int64_t step[Blocks];  // four rows
    double origin[Blocks];
    int first, row_in_four;  // and the number of the first of them among all columns

    KOKKOS_FUNCTION own_columns(const fit_columns<T>& fit, int lane, std::int64_t row)
        : first(lane / matrix_lane::rows), row_in_four(lane % matrix_lane::rows) {
      for (int j = 0; j < Blocks; ++j) {
        const int c = first + j * block;
        from[j] = c < fit.named() ? fit.element(row + row_in_four, c) : fit.x.data;
        step[j] = c < fit.named() ? matrix_lane::rows * (c < fit.x.columns ? fit.x.row_step : fit.y.row_step) : 0;
        origin[j] = fit.origin != nullptr && c < fit.named() ? fit.origin[c] : 0;
      }
    }
    /// The elements of the next four rows, without their origins; zeros behind the last row and the last column.
    KOKKOS_FORCEINLINE_FUNCTION void read(const fit_columns<T>& fit, bool there, double (&v)[Blocks]) {
      for (int j = 0; j < Blocks; ++j) {
        const int c = first + j * block;
        v[j] = there && c == fit.named() ? 1 : 0;
        if (there && c < fit.named()) v[j] = static_cast<double>(*from[j]) - origin[j];
        from[j] += step[j];
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void go_on(int fours) {
      for (int j = 0; j < Blocks; ++j) from[j] += fours * step[j];
    }
    /// From one row of four to two of eight, of columns whose elements are adjacent.
    KOKKOS_FUNCTION void to_pairs() {
      for (int j = 0; j < Blocks; ++j) from[j] += step[j] == 0 ? 0 : row_in_four;
    }
    KOKKOS_FUNCTION void to_rows() {
      for (int j = 0; j < Blocks; ++j) from[j] -= step[j] == 0 ? 0 : row_in_four;
    }
    KOKKOS_FUNCTION int row_in_pairs(int second) const { return 2 * row_in_four + second; }
    KOKKOS_FORCEINLINE_FUNCTION void read_two(const fit_columns<T>& fit, double (&v)[Blocks],
                                              double (&next)[Blocks]) const {
      for (int j = 0; j < Blocks; ++j) {
        const int c = first + j * block;
        v[j] = next[j] = c == fit.named() ? 1 : 0;
        if (c >= fit.named()) continue;
        const auto two = *reinterpret_cast<const pack<T, 2>*>(from[j]);
        v[j] = static_cast<double>(two.value[0]) - origin[j];
        next[j] = static_cast<double>(two.value[1]) - origin[j];
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void advance(std::int64_t rows) {
      for (int j = 0; j < Blocks; ++j) from[j] += step[j] == 0 ? 0 : rows;
    }
    KOKKOS_FUNCTION void weigh_row(const fit_columns<T>& fit, std::int64_t row, double (&v)[Blocks]) const {
      const double root = fit.root_of_weight(row);
      for (int j = 0; j < Blocks; ++j) v[j] *= root;
    }
    KOKKOS_FUNCTION void weigh(const fit_columns<T>& fit, std::int64_t row, std::int64_t end,
                               double (&v)[Blocks]) const {
      const double root = row + row_in_four < end ? fit.root_of_weight(row + row_in_four) : 0;
      for (int j = 0; j < Blocks; ++j) v[j] *= root;
    }
  };

  template <class Lane>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const Lane& lane, const double (&v)[Blocks],
                                                   double (&sum)[tiles][2]) {
    for (int right = 0, t = 0; right < Blocks; ++right)
      for (int left = 0; left <= right; left += 2, ++t) {
        if (left == right) {
          lane.add_products(sum[t], v[left], v[right]);
        } else {
          lane.add_products(sum[t], sum[t + 1], v[left], v[left + 1], v[right]);
          ++t;
        }
      }
  }
};

}  // namespace quern::impl

#endif
