// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_PRODUCTS_HPP
#define QUERN_FITS_PRODUCTS_HPP

/// @file
/// The sums of products of all columns of a fit, in double, by one read of the data.

#include <algorithm>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/fits/fit_rows.hpp>
#include <quern/fits/lane_products.hpp>
#include <quern/fits/tuning.hpp>
#include <vector>

namespace quern::impl {

/// What a thread of a device reads of each tile, while its team multiplies the tile before. Where that is in memory and
/// in the tile is computed once.
template <class Exec, class T>
struct tile_reader {
  static constexpr int slots = fits_tuning<Exec>::slots;
  T value[slots];
  const T* from[slots];
  std::uint32_t place[slots];  // the row and, in the last 8 bits, the column; or a row that no tile has
  std::int64_t x_step, y_step;

  template <class Kernel>
  KOKKOS_FUNCTION tile_reader(const Kernel& k, int rank, int threads, std::int64_t row)
      : x_step(k.tile_rows * k.of.x.row_step), y_step(k.tile_rows * k.of.y.row_step) {
    // Adjacent threads read along the smaller stride.
    const bool along_rows = k.of.x.column_step <= k.of.x.row_step;
    const int inner = along_rows ? k.columns() : k.tile_rows, outer = along_rows ? k.tile_rows : k.columns();
    for (int u = 0; u < slots; ++u) {
      const int e = rank + u * threads, o = e / inner, i = e - o * inner;
      const int r = along_rows ? o : i, c = along_rows ? i : o;
      place[u] = o < outer ? static_cast<std::uint32_t>(r << 8 | c) : ~std::uint32_t{0};
      from[u] = k.of.element(row + r, c);
    }
  }
  /// The next tile, of which so many rows are left.
  template <class Kernel>
  KOKKOS_FUNCTION void read(const Kernel& k, std::int64_t left) {
    for (int u = 0; u < slots; ++u) {
      value[u] = static_cast<std::int64_t>(place[u] >> 8) < left && is_there(u) ? *from[u] : T(0);
      from[u] += static_cast<int>(place[u] & 255) < k.of.x.columns ? x_step : y_step;
    }
  }
  template <class Kernel>
  KOKKOS_FUNCTION void store(const Kernel& k, double* tile, std::int64_t row, std::int64_t left) const {
    for (int u = 0; u < slots; ++u) {
      if (!is_there(u)) continue;
      const int r = static_cast<int>(place[u] >> 8), c = static_cast<int>(place[u] & 255);
      tile[r * k.ld() + c] = r < left ? k.element(value[u], c, row + r) : 0;
    }
  }

 private:
  KOKKOS_FUNCTION bool is_there(int u) const { return place[u] != ~std::uint32_t{0}; }
};

/// A team adds up the products of its rows, tile by tile: each thread those of a pair of blocks of columns, in every
/// `groups`-th row of a tile. Elements are taken without an origin for each column, so that sums of products that are
/// centred afterwards have not lost their digits.
template <class Exec, class T>
struct product_sums {
  using tune = fits_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tune::threads, tune::teams_at_once>>;
  using member = typename policy::member_type;
  static constexpr bool device = is_device<Exec>;
  static constexpr int block = tune::block, level = device ? 0 : 1, max_teams = tune::teams;
  struct pair_of_blocks {
    int left, right;
  };

  fit_columns<T> of;
  int blocks, groups, tile_rows;
  double* partial = nullptr;  // of each team
  std::int64_t rows_of_team = 0;

  explicit product_sums(const fit_rows<T>& r) : of(r), blocks((r.columns() + block - 1) / block), tile_rows(0) {
    groups = std::max(1, tune::threads / pairs());
    tile_rows = device ? std::max(rows_at_once() / groups, 1) * groups : tune::host_rows;
  }
  KOKKOS_FUNCTION int columns() const { return of.named(); }
  KOKKOS_FUNCTION int pairs() const { return blocks * (blocks + 1) / 2; }
  KOKKOS_FUNCTION int ld() const { return blocks * block; }
  KOKKOS_FUNCTION int sums() const { return pairs() * block * block; }
  KOKKOS_FUNCTION int threads() const { return device ? (pairs() * groups + 31) / 32 * 32 : 1; }
  KOKKOS_FUNCTION int tile_size() const { return tile_rows * ld(); }
  static constexpr std::int64_t of_alignment = 128;
  std::int64_t scratch_bytes() const {
    return of_alignment + static_cast<std::int64_t>(scratch_bytes_of(tile_size(), sums()));
  }
  /// Rows that a team of a device reads at a time: as many as its threads load, and as there is room for. A tile has
  /// whole blocks, also of few columns.
  int rows_at_once() const {
    const std::int64_t room = team_scratch_room<Exec>(threads()) - of_alignment;
    return static_cast<int>(std::min<std::int64_t>(fits_tuning<Exec>::slots * threads() / columns(),
                                                   room / (ld() * static_cast<std::int64_t>(sizeof(double)))));
  }
  KOKKOS_FUNCTION pair_of_blocks pair(int number) const {
    int left = 0;
    while (number >= blocks - left) number -= blocks - left++;
    return {left, left + number};
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t begin = team.league_rank() * rows_of_team, end = Kokkos::min(begin + rows_of_team, of.rows);
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
    tile_reader<Exec, T> reader(*this, rank, team.team_size(), begin);
    for (int e = rank; e < tile_size(); e += team.team_size()) tile[e] = e % ld() == columns() ? 1 : 0;
    team.team_barrier();
    reader.read(*this, end - begin);
    for (std::int64_t row = begin; row < end; row += tile_rows) {
      reader.store(*this, tile, row, end - row);
      if (of.weight != nullptr || row + tile_rows > end)
        for (int r = rank; r < tile_rows; r += team.team_size())
          tile[r * ld() + columns()] = row + r < end ? of.root_of_weight(row + r) : 0;
      team.team_barrier();
      reader.read(*this, end - row - tile_rows);
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
      load_tile(tile, row, end);
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
      load_block(a, left + r * ld());
      load_block(b, right + r * ld());
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) sum[i][j] += a[i] * b[j];
    }
  }
  /// In packs: the memory that a team shares delivers 16 bytes to each thread at a time.
  KOKKOS_FUNCTION static void load_block(double (&to)[block], const double* from) {
    for (int i = 0; i < block; i += 2) {
      const auto two = *reinterpret_cast<const pack<double, 2>*>(from + i);
      to[i] = two.value[0];
      to[i + 1] = two.value[1];
    }
  }

  /// What is in a tile of a value of a column.
  KOKKOS_FUNCTION double element(T value, int column, std::int64_t row) const {
    const double v = static_cast<double>(value), centred = of.origin == nullptr ? v : v - of.origin[column];
    return of.weight == nullptr ? centred : centred * of.root_of_weight(row);
  }

  /// On a host, the rows from `row` on, with zeros behind the last row and the last column.
  KOKKOS_FUNCTION void load_tile(double* tile, std::int64_t row, std::int64_t end) const {
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(end - row, tile_rows));
    load_columns(tile, of.x, row, count);
    load_columns(tile, of.y, row, count);
    for (int r = 0; r < tile_rows; ++r) {
      tile[r * ld() + columns()] = r < count ? of.root_of_weight(row + r) : 0;
      const int from = r < count ? columns() + 1 : 0;
      for (int c = from; c < ld(); ++c) tile[r * ld() + c] = 0;
    }
  }
  KOKKOS_FUNCTION void load_columns(double* tile, const column_range<T>& from, std::int64_t row, int count) const {
    const bool along_rows = from.column_step <= from.row_step;
    const int inner = along_rows ? from.columns : count, outer = along_rows ? count : from.columns;
    for (int o = 0; o < outer; ++o)
      for (int i = 0; i < inner; ++i) {
        const int r = along_rows ? o : i, c = along_rows ? i : o;
        tile[r * ld() + from.first + c] =
            element(from.data[(row + r) * from.row_step + c * from.column_step], from.first + c, row + r);
      }
  }
};

/// The sums of all teams, in their order.
struct sum_of_teams {
  const double* partial;
  double* to;
  std::int64_t teams, sums;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    constexpr int ahead = 16;  // loads before the additions that wait for each other
    double sum = 0;
    std::int64_t i = 0;
    for (; i + ahead <= teams; i += ahead) {
      double of_team[ahead];
      for (int u = 0; u < ahead; ++u) of_team[u] = partial[(i + u) * sums + e];
      for (int u = 0; u < ahead; ++u) sum += of_team[u];
    }
    for (; i < teams; ++i) sum += partial[i * sums + e];
    to[e] = sum;
  }
};
template <class T>
struct one_row {
  fit_columns<T> of;
  std::int64_t row;
  double* to;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    to[j] = static_cast<double>(*of.element(row, static_cast<int>(j)));
  }
};
template <class T>
struct first_that_weighs {
  const T* weight;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& least) const {
    if (i < least && weight[i * step] != T(0)) least = i;
  }
};
/// The first row that has a weight, from which columns that do not vary are counted as zeros. Waits if there are
/// weights.
template <class Exec, class T>
std::int64_t first_row_of_fit(const Exec& exec, const std::string& label, const fit_rows<T>& rows) {
  const std::int64_t n = rows.weight == nullptr ? 0 : rows.count();
  for (std::int64_t first = 0, count = 256; first < n; first += count, count *= 16) {
    const std::int64_t some = std::min(count, n - first);
    const std::int64_t found =
        least_position(exec, label_text(label, "/origin"), some,
                       first_that_weighs<T>{rows.weight + first * rows.weight_step, rows.weight_step});
    if (found < some) return first + found;
  }
  return 0;
}

/// The columns that `sums_of_products` takes at most.
template <class Exec>
constexpr int max_product_columns() {
  constexpr int block = fits_tuning<Exec>::block;
  int blocks = 1;
  while ((blocks + 1) * (blocks + 2) / 2 <= 128) ++blocks;
  return block * blocks;
}

/// Where columns are counted from: nowhere, the first row that weighs anything, or numbers of the host.
struct column_origin {
  bool centred = false;
  std::vector<double> values{};  // empty: those of that row, which is what it then becomes
};

/// The sums of the products of all columns, by a kernel, as a matrix of all columns. Waits.
template <class Exec, class T, class Kernel>
std::vector<double> sums_of_kernel(const Exec& exec, const std::string& label, const fit_rows<T>& rows,
                                   column_origin& origin, Kernel k) {
  const int p = rows.columns(), named = rows.d() + rows.t();
  const std::int64_t tiles = (rows.count() + k.tile_rows - 1) / k.tile_rows;
  k.rows_of_team = std::max<std::int64_t>((tiles + Kernel::max_teams - 1) / Kernel::max_teams, 4) * k.tile_rows;
  const std::int64_t teams = (rows.count() + k.rows_of_team - 1) / k.rows_of_team;
  const scratch_array<Exec, double> memory(exec, named + k.sums() * (teams + 1));
  double* const all = memory.data() + named;
  k.partial = all + k.sums();
  if (origin.centred) {
    k.of.origin = memory.data();
    if (origin.values.empty())
      Kokkos::parallel_for(kernel_label(label, "/origin"), index_range(exec, named),
                           one_row<T>{k.of, first_row_of_fit(exec, label, rows), memory.data()});
    else copy_items_from_host(exec, memory.data(), origin.values.data(), named);
  }
  typename Kernel::policy policy(exec, static_cast<int>(teams), k.threads());
  Kokkos::parallel_for(
      kernel_label(label, "/products"),
      policy.set_scratch_size(Kernel::level, team_scratch<Exec>(label, k.threads(), k.scratch_bytes())), k);
  Kokkos::parallel_for(kernel_label(label, "/sums"), index_range(exec, k.sums()),
                       sum_of_teams{k.partial, all, teams, k.sums()});
  std::vector<double> found(named + k.sums());
  copy_items_to_host(exec, found.data(), memory.data(), named + k.sums());
  exec.fence(kernel_label(label, ": sums"));
  if (origin.centred) origin.values.assign(found.begin(), found.begin() + named);
  std::vector<double> products(static_cast<std::size_t>(p) * p);
  for (int number = 0, e = named; number < k.pairs(); ++number)
    for (int i = 0; i < Kernel::block; ++i)
      for (int j = 0; j < Kernel::block; ++j, ++e) {
        const int a = k.pair(number).left * Kernel::block + i, b = k.pair(number).right * Kernel::block + j;
        if (a < p && b < p && a <= b) products[a * p + b] = products[b * p + a] = found[e];
      }
  return products;
}
/// The same by the kernel that is the fastest for so many columns, without their origins.
template <class Exec, class T>
std::vector<double> sums_of_products(const Exec& exec, const std::string& label, const fit_rows<T>& rows,
                                     column_origin& origin) {
  if constexpr (has_matrix_lanes<Exec>) {
    const auto by_lanes = [&]<int Blocks>(std::integral_constant<int, Blocks>) {
      if (are_paired(rows))
        return sums_of_kernel(exec, label, rows, origin, lane_products<Exec, T, Blocks, true>(rows));
      return sums_of_kernel(exec, label, rows, origin, lane_products<Exec, T, Blocks, false>(rows));
    };
    const int blocks = (rows.columns() + matrix_lane::columns - 1) / matrix_lane::columns;
    if (blocks <= 2) return by_lanes(std::integral_constant<int, 2>());
    if (blocks == 3) return by_lanes(std::integral_constant<int, 3>());
    if (blocks <= 5) return by_lanes(std::integral_constant<int, 5>());
  }
  return sums_of_kernel(exec, label, rows, origin, product_sums<Exec, T>(rows));
}

}  // namespace quern::impl

#endif
