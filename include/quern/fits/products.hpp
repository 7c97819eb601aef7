// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_PRODUCTS_HPP
#define QUERN_FITS_PRODUCTS_HPP

/// @file
/// The sums of products of all columns of a fit, in double, by one read of the data.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/fits/tuning.hpp>
#include <vector>

namespace quern::impl {

/// The rows of a fit. The columns of a row are those of x, (n, d), those of y, (n, t), and a one.
template <class T>
struct fit_rows {
  strided<const T> x, y;
  const T* weight = nullptr;
  std::int64_t weight_step = 0;
  shape weight_extents{};

  std::int64_t count() const { return x.extents.extent[0]; }
  int d() const { return static_cast<int>(x.extents.extent[1]); }
  int t() const { return static_cast<int>(y.extents.extent[1]); }
  int columns() const { return d() + t() + 1; }
};

/// Columns of a matrix as kernels read them.
template <class T>
struct column_range {
  const T* data;
  std::int64_t row_step, column_step;
  int columns, first;  // and the number of the first of them among all
};
template <class T>
column_range<T> columns_from(const strided<const T>& a, int first) {
  return {a.data, a.stride[0], a.stride[1], static_cast<int>(a.extents.extent[1]), first};
}

/// A team adds up the products of its rows, tile by tile: each thread those of a pair of blocks of columns, in every
/// `groups`-th row of a tile. Elements are taken without an origin for each column, so that sums of products that are
/// centred afterwards have not lost their digits.
template <class Exec, class T>
struct product_sums {
  using tune = fits_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  static constexpr bool device = is_device<Exec>;
  static constexpr int block = tune::block, level = device ? 0 : 1;
  struct pair_of_blocks {
    int left, right;
  };

  column_range<T> x, y;
  const T* weight;
  std::int64_t weight_step, rows;
  const double* origin;  // of the columns of x and y; null: zeros
  double* partial;       // of each team
  int blocks, groups, tile_rows;
  std::int64_t rows_of_team;

  KOKKOS_FUNCTION int pairs() const { return blocks * (blocks + 1) / 2; }
  KOKKOS_FUNCTION int ld() const { return blocks * block; }
  KOKKOS_FUNCTION int sums() const { return pairs() * block * block; }
  KOKKOS_FUNCTION int threads() const { return device ? (pairs() * groups + 31) / 32 * 32 : 1; }
  KOKKOS_FUNCTION int tile_size() const { return tile_rows * ld(); }
  std::int64_t scratch_bytes() const {
    const int elements = device ? Kokkos::max(tile_size(), sums()) : tile_size() + sums();
    return 128 + elements * static_cast<std::int64_t>(sizeof(double));
  }
  KOKKOS_FUNCTION pair_of_blocks pair(int number) const {
    int left = 0;
    while (number >= blocks - left) number -= blocks - left++;
    return {left, left + number};
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t begin = team.league_rank() * rows_of_team,
                       end = Kokkos::min(begin + rows_of_team, rows);
    auto* const tile = static_cast<double*>(
        team.team_scratch(device ? 0 : 1).get_shmem_aligned(scratch_bytes_of(tile_size(), sums()), 64));
    double* const to = partial + team.league_rank() * sums();
    if constexpr (device) on_device(team, begin, end, tile, to);
    else on_host(begin, end, tile, to);
  }
  KOKKOS_FUNCTION static std::size_t scratch_bytes_of(int tile, int sums) {
    return sizeof(double) * static_cast<std::size_t>(device ? Kokkos::max(tile, sums) : tile + sums);
  }

  KOKKOS_FUNCTION void on_device(const member& team, std::int64_t begin, std::int64_t end, double* tile,
                                 double* to) const {
    const int rank = team.team_rank(), group = rank / pairs(), number = rank - group * pairs();
    const pair_of_blocks mine = pair(number);
    double sum[block][block] = {};
    for (std::int64_t row = begin; row < end; row += tile_rows) {
      load_tile(rank, team.team_size(), tile, row, end);
      team.team_barrier();
      if (group < groups) add_rows(sum, tile, mine, group, groups);
      team.team_barrier();
    }
    // Group by group, so that the order of the additions is always the same.
    for (int g = 0; g < groups; ++g) {
      if (g == group)
        for (int i = 0; i < block; ++i)
          for (int j = 0; j < block; ++j) {
            double& all = tile[(number * block + i) * block + j];
            all = g == 0 ? sum[i][j] : all + sum[i][j];
          }
      team.team_barrier();
    }
    for (int e = rank; e < sums(); e += team.team_size()) to[e] = tile[e];
  }

  KOKKOS_FUNCTION void on_host(std::int64_t begin, std::int64_t end, double* tile, double* to) const {
    for (int e = 0; e < sums(); ++e) to[e] = 0;
    for (std::int64_t row = begin; row < end; row += tile_rows) {
      load_tile(0, 1, tile, row, end);
      for (int p = 0; p < pairs(); ++p) {
        double sum[block][block] = {};
        add_rows(sum, tile, pair(p), 0, 1);
        for (int i = 0; i < block; ++i)
          for (int j = 0; j < block; ++j) to[(p * block + i) * block + j] += sum[i][j];
      }
    }
  }

  KOKKOS_FUNCTION void add_rows(double (&sum)[block][block], const double* tile, const pair_of_blocks& p, int first,
                                int step) const {
    const double *left = tile + p.left * block, *right = tile + p.right * block;
    for (int r = first; r < tile_rows; r += step) {
      double a[block], b[block];
      for (int i = 0; i < block; ++i) {
        a[i] = left[r * ld() + i];
        b[i] = right[r * ld() + i];
      }
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) sum[i][j] += a[i] * b[j];
    }
  }

  /// The rows from `row` on, with zeros behind the last row and the last column.
  KOKKOS_FUNCTION void load_tile(int rank, int threads_of_team, double* tile, std::int64_t row,
                                 std::int64_t end) const {
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(end - row, tile_rows));
    load_columns(rank, threads_of_team, tile, x, row, count);
    if (y.columns > 0) load_columns(rank, threads_of_team, tile, y, row, count);
    const int ones = y.first + y.columns;
    for (int r = rank; r < tile_rows; r += threads_of_team) {
      tile[r * ld() + ones] = r < count ? root_of_weight(row + r) : 0;
      for (int c = ones + 1; c < ld(); ++c) tile[r * ld() + c] = 0;
    }
  }
  KOKKOS_FUNCTION double root_of_weight(std::int64_t row) const {
    return weight == nullptr ? 1 : Kokkos::sqrt(static_cast<double>(weight[row * weight_step]));
  }
  KOKKOS_FUNCTION double element(const column_range<T>& from, double value, std::int64_t row, int column) const {
    const double centred = origin == nullptr ? value : value - origin[from.first + column];
    return weight == nullptr ? centred : centred * root_of_weight(row);
  }

  /// Adjacent threads read along the smaller stride, several elements each before they store one.
  KOKKOS_FUNCTION void load_columns(int rank, int threads_of_team, double* tile, const column_range<T>& from,
                                    std::int64_t row, int count) const {
    const bool along_rows = from.column_step <= from.row_step;
    const int inner = along_rows ? from.columns : tile_rows, outer = along_rows ? tile_rows : from.columns;
    const int outer_step = threads_of_team / inner, inner_step = threads_of_team - outer_step * inner;
    constexpr int loads = tune::loads;
    int o = rank / inner, i = rank - o * inner;
    while (o < outer) {
      T value[loads];
      int r[loads], c[loads];
      for (int u = 0; u < loads; ++u) {
        r[u] = along_rows ? o : i;
        c[u] = along_rows ? i : o;
        const bool inside = o < outer && r[u] < count;
        value[u] = inside ? from.data[(row + r[u]) * from.row_step + c[u] * from.column_step] : T(0);
        if (o >= outer) r[u] = -1;
        o += outer_step;
        i += inner_step;
        if (i >= inner) {
          i -= inner;
          ++o;
        }
      }
      for (int u = 0; u < loads; ++u)
        if (r[u] >= 0)
          tile[r[u] * ld() + from.first + c[u]] =
              r[u] < count ? element(from, static_cast<double>(value[u]), row + r[u], c[u]) : 0;
    }
  }
};

struct sum_of_teams {
  const double* partial;
  double* to;
  std::int64_t teams, sums;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    double sum = 0;
    for (std::int64_t i = 0; i < teams; ++i) sum += partial[i * sums + e];
    to[e] = sum;
  }
};
template <class T>
struct first_row {
  column_range<T> x, y;
  double* to;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const int i = static_cast<int>(j);
    to[i] = static_cast<double>(i < x.columns ? x.data[i * x.column_step] : y.data[(i - x.columns) * y.column_step]);
  }
};

/// The columns that `sums_of_products` takes at most.
template <class Exec>
constexpr int max_product_columns() {
  constexpr int block = fits_tuning<Exec>::block;
  int blocks = 1;
  while ((blocks + 1) * (blocks + 2) / 2 <= 128) ++blocks;
  return block * blocks;
}

/// Where columns are counted from: nowhere, the first row, or numbers of the host.
struct column_origin {
  bool centred = false;
  std::vector<double> values{};  // empty: those of the first row, which is what it then becomes
};

/// The sums of the products of all columns, without their origins, as a matrix of all columns. Waits.
template <class Exec, class T>
std::vector<double> sums_of_products(const Exec& exec, const std::string& label, const fit_rows<T>& rows,
                                     column_origin& origin) {
  using kernel = product_sums<Exec, T>;
  using tune = fits_tuning<Exec>;
  const int p = rows.columns(), named = rows.d() + rows.t();
  kernel k{columns_from(rows.x, 0), columns_from(rows.y, rows.d()), rows.weight, rows.weight_step, rows.count(),
           nullptr, nullptr, (p + kernel::block - 1) / kernel::block, 1, 0, 0};
  k.groups = std::max(1, tune::threads / k.pairs());
  k.tile_rows = std::max<int>(k.groups * tune::rows_of_thread, tune::least_rows);
  const std::int64_t tiles = (rows.count() + k.tile_rows - 1) / k.tile_rows;
  k.rows_of_team = std::max<std::int64_t>((tiles + tune::teams - 1) / tune::teams, 4) * k.tile_rows;
  const std::int64_t teams = (rows.count() + k.rows_of_team - 1) / k.rows_of_team;
  const scratch_array<Exec, double> memory(exec, named + k.sums() * (teams + 1));
  double* const all = memory.data() + named;
  k.partial = all + k.sums();
  if (origin.centred) {
    k.origin = memory.data();
    if (origin.values.empty())
      Kokkos::parallel_for(kernel_label(label, "/origin"), index_range(exec, named),
                           first_row<T>{k.x, k.y, memory.data()});
    else copy_items_from_host(exec, memory.data(), origin.values.data(), named);
  }
  typename kernel::policy policy(exec, static_cast<int>(teams), k.threads());
  Kokkos::parallel_for(
      kernel_label(label, "/products"),
      policy.set_scratch_size(kernel::level, team_scratch<Exec>(label, k.threads(), k.scratch_bytes())), k);
  Kokkos::parallel_for(kernel_label(label, "/sums"), index_range(exec, k.sums()),
                       sum_of_teams{k.partial, all, teams, k.sums()});
  std::vector<double> found(named + k.sums());
  copy_items_to_host(exec, found.data(), memory.data(), named + k.sums());
  exec.fence(kernel_label(label, ": sums"));
  if (origin.centred) origin.values.assign(found.begin(), found.begin() + named);
  std::vector<double> products(static_cast<std::size_t>(p) * p);
  for (int number = 0, e = named; number < k.pairs(); ++number)
    for (int i = 0; i < kernel::block; ++i)
      for (int j = 0; j < kernel::block; ++j, ++e) {
        const int a = k.pair(number).left * kernel::block + i, b = k.pair(number).right * kernel::block + j;
        if (a < p && b < p && a <= b) products[a * p + b] = products[b * p + a] = found[e];
      }
  return products;
}

}  // namespace quern::impl

#endif
