// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_FILTERS_HPP
#define QUERN_STENCIL_DEVICE_FILTERS_HPP

/// @file
/// Filters of wide windows on devices: with a weight for each cell, and along two axes one after the other.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/stencil/device_tiles.hpp>
#include <quern/stencil/filter_windows.hpp>
#include <quern/stencil/window_parts.hpp>

namespace quern::impl {

/// Sums S of windows with weights. A window that is too large for a team's scratch memory is added in parts of up to
/// `max_part` rows and columns.
template <class Tiles, class S, class W>
struct tiled_window : Tiles {
  using In = typename Tiles::input;
  static constexpr int max_part = sizeof(In) > 8 ? 8 : 16;
  static constexpr int threads_across = Tiles::tune::narrow_team, strip = Tiles::strip;
  static constexpr int rows = Tiles::tune::team / threads_across * strip;
  static constexpr int tile_bytes = (rows + max_part) * threads_across * sizeof(In);

  weight_list<W> weights;
  int weight_stride[3];  // along the axes of the grid
  int part_rows, part_columns;

  tiled_window(const Tiles& tiles, const weight_list<W>& list) : Tiles(tiles), weights(list) {
    int next = 1;
    for (int d = Tiles::rank - 1; d >= 0; --d) {
      const int a = grid_axis<Tiles::rank, Tiles::reversed>(d);
      weight_stride[a] = next;
      next *= this->window.count[a];
    }
    const auto parts = [](int count) { return (count + max_part - 1) / max_part; };
    const int high = this->window.count[Tiles::along], wide = this->window.count[Tiles::across];
    part_rows = (high + parts(high) - 1) / parts(high);
    part_columns = (wide + parts(wide) - 1) / parts(wide);
    this->shape(threads_across, part_columns);
  }
  KOKKOS_FUNCTION static int scratch_bytes() { return tile_bytes + max_part * max_part * static_cast<int>(sizeof(W)); }

  KOKKOS_FUNCTION void operator()(const typename Tiles::member& team) const {
    const window_extents& w = this->window;
    const grid_index corner = this->corner(team.league_rank());
    auto* const memory = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), 16));
    S sums[strip] = {};
    for (int k = 0; k < w.count[Tiles::plane]; ++k)
      for (int j = 0; j < w.count[Tiles::along]; j += part_rows)
        for (int i = 0; i < w.count[Tiles::across]; i += part_columns) add_part(team, memory, corner, sums, k, j, i);
    this->store(team, corner, sums, op::identity());
  }

 private:
  /// Adds the part of the window that begins with row j and column i of plane k.
  KOKKOS_FUNCTION void add_part(const typename Tiles::member& team, char* memory, const grid_index& corner,
                                S (&sums)[strip], int k, int j, int i) const {
    const window_extents& w = this->window;
    auto* const tile = reinterpret_cast<In*>(memory);
    auto* const part = reinterpret_cast<W*>(memory + tile_bytes);
    const int high = Kokkos::min(part_rows, w.count[Tiles::along] - j);
    const int wide = Kokkos::min(part_columns, w.count[Tiles::across] - i);
    grid_index from;
    from.of[Tiles::plane] = corner.of[Tiles::plane] + w.first[Tiles::plane] + k;
    from.of[Tiles::along] = corner.of[Tiles::along] + w.first[Tiles::along] + j;
    from.of[Tiles::across] = corner.of[Tiles::across] + w.first[Tiles::across] + i;
    team.team_barrier();  // what was there has been read
    this->load(team, tile, from, this->rows_at(corner) + high - 1, this->columns_at(corner) + wide - 1);
    for (int n = team.team_rank(); n < max_part * wide; n += Tiles::tune::team)
      if (n % max_part < high)
        part[n] = weights[k * weight_stride[Tiles::plane] + (j + n % max_part) * weight_stride[Tiles::along] +
                          (i + n / max_part) * weight_stride[Tiles::across]];
    team.team_barrier();
    if (this->column_of(team) >= this->columns) return;
    const In* const column = tile + this->first_row(team) * threads_across + this->column_of(team);
    for (int c = 0; c < wide; ++c) add_rows(sums, column + c, part + c * max_part, high);
  }
  /// Adds one column of the part. Unrolled, so that each value stays in its register; that of the next row is read
  /// ahead of the sums, which hide its latency.
  KOKKOS_FUNCTION static void add_rows(S (&sums)[strip], const In* from, const W* weights, int count) {
    column_value<S, In> v[strip + max_part];
    for (int r = 0; r < strip; ++r) v[r] = from[r * threads_across];
    for (int k = 0; k < max_part; ++k) {
      if (k == count) break;
      v[k + strip] = from[(k + strip) * threads_across];
      for (int r = 0; r < strip; ++r) add_weighted(sums[r], weights[k], v[k + r]);
    }
  }
};

/// A pass of a separable filter with sums S down the columns, from memory.
template <class Tiles, class S, class Down>
struct tiled_columns : Tiles {
  static constexpr int strip = Tiles::strip, half = std::min(strip, 8);
  using rule = typename Down::rule;
  using down_weight = typename Down::weight_type;
  /// Extremes of windows that are wide enough, of parts.
  static constexpr bool by_parts = joins_parts<rule> && std::is_same_v<down_weight, unit_weight>;
  /// What registers hold: narrow integers as words, whose comparisons take one instruction.
  using held = std::conditional_t<by_parts && std::is_integral_v<S> && sizeof(S) < sizeof(int), int, S>;
  Down down_columns;

  tiled_columns(const Tiles& tiles, const Down& d) : Tiles(tiles), down_columns(d) {
    this->shape(Tiles::tune::narrow_team, 1);
  }
  bool usable() const {
    return this->worthwhile() &&
           scratch_bytes() <= team_scratch_room<typename Tiles::policy::execution_space>(Tiles::tune::team);
  }
  std::int64_t scratch_bytes() const { return 16 + high() * std::int64_t{sizeof(down_weight)}; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const down_weight* const weights = load_weights(team, down_columns.weights, high());
    team.team_barrier();
    const grid_index corner = this->corner(team.league_rank());
    const int column = this->column_of(team), first = this->first_row(team);
    if (first >= this->rows_at(corner) || column >= this->columns_at(corner)) return;
    held total[strip];
    add_down(corner, first, column, weights, total);
    this->store(team, corner, total, down_columns.finish);
  }

 protected:
  /// The rows of the window.
  KOKKOS_FUNCTION int high() const { return down_columns.offsets.cells; }
  /// The weights of a pass, in the memory of the team.
  template <class Member, class Weights>
  KOKKOS_FUNCTION static auto* load_weights(const Member& team, const Weights& weights, int count) {
    using W = typename Weights::value_type;
    auto* const to = static_cast<W*>(team.team_shmem().get_shmem_aligned(count * sizeof(W), sizeof(W)));
    for (int k = team.team_rank(); k < count; k += Tiles::tune::team) to[k] = weights[k];
    return to;
  }
  /// The sums of a strip.
  KOKKOS_FUNCTION void add_down(const grid_index& corner, int first, int column, const down_weight* weights,
                                held (&total)[strip]) const {
    const window_extents& w = this->window;
    grid_index from = corner;
    from.of[Tiles::along] += w.first[Tiles::along] + first;
    from.of[Tiles::across] += w.first[Tiles::across] + column;
    for (int r = 0; r < strip; ++r) total[r] = rule::template initial<held>();
    const int rows = Kokkos::min(int{strip}, this->rows_at(corner) - first);
    if (by_parts && high() >= strip) reduce_column<strip>(total, from, rows);
    else if (by_parts && strip > half && high() >= half) reduce_column<half>(total, from, rows);
    else
      this->with_column(from, strip + high() - 1, rows + high() - 1, 1, [&](const auto& next) {
        add_column(total, high(), next, [&](held& s, int k, const auto& v) { rule::add(s, weights[k], v); });
      });
  }

 private:
  /// The first `rows` rows of a strip by parts, N at a time.
  template <int N>
  KOKKOS_FUNCTION void reduce_column(held (&total)[strip], const grid_index& first, int rows) const {
    if constexpr (by_parts)
      unrolled<0, strip / N>([&](auto part) {
        constexpr int r = decltype(part)() * N;
        if (r >= rows) return;
        grid_index from = first;
        from.of[Tiles::along] += r;
        this->with_column(from, N + high() - 1, Kokkos::min(N, rows - r) + high() - 1, 1,
                          [&](const auto& next) { reduce_by_parts<rule, N>(total + r, high(), next); });
      });
  }
};

/// Two passes of a separable filter: down the columns that the windows of the tile reach, and across from the teams'
/// scratch memory. For windows of 8 cells or more a thread then goes along a row, too, whose values it reads once, and
/// the results change places through the scratch memory.
template <class Tiles, class S, class Down, class Across>
struct tiled_lines : tiled_columns<Tiles, S, Down> {
  using columns_pass = tiled_columns<Tiles, S, Down>;
  using columns_pass::strip, columns_pass::half, columns_pass::high, columns_pass::by_parts;
  using typename columns_pass::rule, typename columns_pass::held, typename columns_pass::down_weight;
  using across_weight = typename Across::weight_type;
  static_assert(!by_parts || std::is_same_v<across_weight, unit_weight>);
  Across across_rows;

  tiled_lines(const Tiles& tiles, const Down& d, const Across& a) : columns_pass(tiles, d), across_rows(a) {
    const int threads = wide() <= Tiles::tune::narrow_team / 4 ? Tiles::tune::narrow_team : Tiles::tune::team;
    this->shape(threads, std::min(wide(), threads));
  }
  /// Whether windows are narrow enough for a good part of the threads to compute a column, and their weights few enough
  /// for the teams' memory.
  bool usable() const {
    return this->worthwhile() && wide() <= Tiles::tune::team * 3 / 4 &&
           scratch_bytes() <= team_scratch_room<typename Tiles::policy::execution_space>(Tiles::tune::team);
  }
  std::int64_t scratch_bytes() const {
    return columns_pass::scratch_bytes() + static_cast<std::int64_t>(between_bytes()) +
           wide() * std::int64_t{sizeof(across_weight)};
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const between = static_cast<S*>(team.team_shmem().get_shmem_aligned(between_bytes(), 16));
    const across_weight* const a = this->load_weights(team, across_rows.weights, wide());
    const down_weight* const d = this->load_weights(team, this->down_columns.weights, high());
    team.team_barrier();
    const grid_index corner = this->corner(team.league_rank());
    const int column = this->column_of(team), first = this->first_row(team);
    S* const row = between + first * pitch() + column;
    held total[strip];
    if (first < this->rows_at(corner) && column < this->columns_at(corner) + wide() - 1) {
      this->add_down(corner, first, column, d, total);
      for (int r = 0; r < strip; ++r) row[r * pitch()] = static_cast<S>(total[r]);
    }
    team.team_barrier();
    for (int r = 0; r < strip; ++r) total[r] = rule::template initial<held>();
    if (wide() >= half) {
      add_row(team.team_rank(), between, a, total);
      team.team_barrier();
      put_row(team.team_rank(), between, total);
      team.team_barrier();
      for (int r = 0; r < strip; ++r) total[r] = row[r * pitch()];
    } else if (column < this->columns) {
      for (int k = 0; k < wide(); ++k)
        for (int r = 0; r < strip; ++r) rule::add(total[r], a[k], row[r * pitch() + k]);
    }
    this->store(team, corner, total, across_rows.finish);
  }

 private:
  /// The columns of the window.
  KOKKOS_FUNCTION int wide() const { return across_rows.offsets.cells; }
  /// From row to row in scratch memory: an odd number of words, which threads in one column find in different banks.
  KOKKOS_FUNCTION int pitch() const {
    constexpr int more = sizeof(S) < 4 ? 4 / static_cast<int>(sizeof(S)) : 1;
    return this->threads_across + more;
  }
  /// The last windows of a row, which are not used, reach less than a strip into the next one.
  KOKKOS_FUNCTION std::size_t between_bytes() const {
    return static_cast<std::size_t>(this->rows * pitch() + strip) * sizeof(S);
  }
  /// A strip of a row. Threads beside each other have rows below each other.
  KOKKOS_FUNCTION void add_row(int rank, const S* between, const across_weight* weights, held (&total)[strip]) const {
    const int first = rank / this->rows * strip;
    if (first >= this->columns) return;
    const S* from = between + rank % this->rows * pitch() + first;
    if (by_parts && wide() >= strip) reduce_cells<strip>(total, from);
    else if (by_parts) reduce_cells<half>(total, from);
    else
      add_column(
          total, wide(), [&] { return *from++; }, [&](held& s, int k, const auto& v) { rule::add(s, weights[k], v); });
  }
  template <int N>
  KOKKOS_FUNCTION void reduce_cells(held (&total)[strip], const S* from) const {
    if constexpr (by_parts)
      unrolled<0, strip / N>([&](auto part) {
        constexpr int r = decltype(part)() * N;
        const S* at = from + r;
        reduce_by_parts<rule, N>(total + r, wide(), [&] { return *at++; });
      });
  }
  KOKKOS_FUNCTION void put_row(int rank, S* between, const held (&total)[strip]) const {
    const int first = rank / this->rows * strip;
    if (first >= this->columns) return;
    S* const to = between + rank % this->rows * pitch() + first;
    for (int r = 0; r < strip; ++r) to[r] = static_cast<S>(total[r]);
  }
};

template <class Exec, class Kernel>
void launch_tiles(const Exec& exec, const std::string& label, const Kernel& kernel) {
  const auto scratch = team_scratch<Exec>(label, Kernel::tune::team, kernel.scratch_bytes());
  Kokkos::parallel_for(kernel_label(label),
                       typename Kernel::policy(exec, kernel.teams(), Kernel::tune::team).set_scratch_size(0, scratch),
                       kernel);
}

}  // namespace quern::impl

#endif
