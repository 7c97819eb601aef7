// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_LABEL_HPP
#define QUERN_ANALYSIS_LABEL_HPP

/// @file
/// Features of a mask: its connected cells.

#include <algorithm>
#include <cstring>
#include <quern/analysis/components.hpp>
#include <quern/analysis/tuning.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/particles/domain.hpp>
#include <quern/stencil/footprint.hpp>
#include <quern/transfer/as_view.hpp>

namespace quern {

namespace impl {

template <class T>
concept label_option = is_option<periodic, T> || size_option<T>;

/// Which cells of an array are connected, with its axes as the last of three.
struct mask_grid {
  static constexpr int max_before = 13;
  std::int64_t extent[3] = {1, 1, 1};
  bool periodic[3] = {};
  bool along_lines = false;  // whether cells are connected to the ones beside them along the last axis
  int count = 0;
  cell_offset before[max_before];  // steps to the connected cells that come before a cell in row-major order
  bool wide[max_before] = {};      // whether the step that is one less along the last axis is among them

  std::int64_t size() const { return extent[0] * extent[1] * extent[2]; }
  /// The line that is a step away, or -1 beyond the ends.
  KOKKOS_FUNCTION std::int64_t line_beside(const std::int64_t (&at)[3], const cell_offset& step) const {
    std::int64_t line = 0;
    for (int d = 0; d < 2; ++d) {
      std::int64_t x = at[d] + step.of[d];
      if (x < 0 || x >= extent[d]) {
        if (!periodic[d]) return -1;
        x += x < 0 ? extent[d] : -extent[d];
      }
      line = line * extent[d] + x;
    }
    return line;
  }
};

/// `cells` are those that are connected to one in the middle.
/// @throws Error if they are not symmetric about it
mask_grid make_mask_grid(const std::string& label, const host_weights<cell_offset>& cells);
template <int Rank>
mask_grid make_mask_grid(const std::string& label, const shape& extents, const footprint& structure,
                         const quern::periodic& ends) {
  window_cells<Rank> window(label, structure, 0);
  for (const int size : window.size)
    if (size != 3) throw Error(label, "a structure of " + std::to_string(size) + " cells along an axis, expected 3");
  window.list_all();
  mask_grid grid = make_mask_grid(label, window.offsets);
  const auto periodic = ends.all<Rank>(label);
  for (int d = 0; d < Rank; ++d) {
    grid.extent[3 - Rank + d] = extents.extent[d];
    grid.periodic[3 - Rank + d] = periodic[d] != 0;
  }
  return grid;
}

/// Calls kernel(first, last, at) for cells that follow each other within a segment of a line, `at` being where the
/// first is along the axes: on hosts for whole segments, on devices for each cell.
template <class Kernel, bool Cells>
struct for_segments {
  Kernel kernel;
  mask_grid grid;
  std::int64_t segment, per_line, count, group;  // segments of a line, of all, and those of one call

  KOKKOS_FUNCTION void call(std::int64_t line, std::int64_t column, std::int64_t size) const {
    const std::int64_t at[3] = {line / grid.extent[1], line % grid.extent[1], column};
    const std::int64_t first = line * grid.extent[2] + column;
    kernel(first, first + size, at);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    if constexpr (Cells) {
      call(unit / grid.extent[2], unit % grid.extent[2], 1);
    } else {
      const std::int64_t end = Kokkos::min(count, (unit + 1) * group);
      for (std::int64_t s = unit * group; s < end; ++s) {
        const std::int64_t column = s % per_line * segment;
        call(s / per_line, column, Kokkos::min(segment, grid.extent[2] - column));
      }
    }
  }
};
template <class Exec, class Kernel>
void launch_segments(const std::string& label, const Exec& exec, const mask_grid& grid, const Kernel& kernel) {
  using tune = analysis_tuning<Exec>;
  const std::int64_t size = std::clamp<std::int64_t>(grid.extent[2], 1, tune::label_segment);
  const std::int64_t per_line = (grid.extent[2] + size - 1) / size;
  const std::int64_t count = grid.extent[0] * grid.extent[1] * per_line, group = 1 + tune::label_tile / size;
  launch_units(exec, label, is_device<Exec> ? grid.size() : (count + group - 1) / group,
               for_segments<Kernel, is_device<Exec>>{kernel, grid, tune::label_segment, per_line, count, group});
}

/// Calls f(i) for each i for which marked(i) is 1 and not 0, which hosts find out by vector instructions.
template <class Marked, class F>
void for_marked_by_blocks(std::int64_t first, std::int64_t last, const Marked& marked, const F& f) {
  constexpr int block = 256;
  for (; first < last; first += block) {
    const int size = static_cast<int>(std::min<std::int64_t>(block, last - first));
    std::uint8_t marks[block];
    for (int k = 0; k < size; ++k) marks[k] = static_cast<std::uint8_t>(marked(first + k));
    std::fill(marks + size, marks + (size + 7) / 8 * 8, std::uint8_t{0});
    for (int k = 0; k < size; k += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, marks + k, sizeof eight);
      for (int b = k; eight != 0 && b < k + 8; ++b)
        if (marks[b] != 0) f(first + b);
    }
  }
}
template <class Marked, class F>
KOKKOS_FUNCTION void for_marked(std::int64_t first, std::int64_t last, const Marked& marked, const F& f) {
  KOKKOS_IF_ON_DEVICE((for (std::int64_t i = first; i < last; ++i) if (marked(i) != 0) f(i);))
  KOKKOS_IF_ON_HOST((for_marked_by_blocks(first, last, marked, f);))
}

/// Which cells are those of features, as ones and zeros, and the trees of these.
template <class Index>
struct marked_cells {
  const std::uint8_t* cell;
  component_trees<Index> trees;
  std::int64_t segment;
  bool along_lines;

  KOKKOS_FUNCTION bool starts_segment(std::int64_t column) const { return (column & (segment - 1)) == 0; }
};

/// Makes one tree of each run of cells within a segment, with its first cell as the root; without runs, of each cell.
template <class Index>
struct plant_runs {
  marked_cells<Index> of;
  KOKKOS_FUNCTION void operator()(std::int64_t first, std::int64_t last, const std::int64_t (&at)[3]) const {
    std::int64_t start = first;
    for (std::int64_t c = at[2]; of.along_lines && !of.starts_segment(c) && of.cell[start - 1] != 0; --c) --start;
    // By bits, since branches of random masks are guessed wrong.
    const std::int64_t runs = of.along_lines ? -1 : 0;
    std::int64_t in_run = runs;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t is_cell = -static_cast<std::int64_t>(of.cell[i]);
      start = (start & in_run) | (i & ~in_run);
      of.trees.above[i] = static_cast<Index>(start | ~is_cell);
      in_run = is_cell & runs;
    }
  }
};

/// Joins the trees of connected cells. Two are left to others where the cells before them in their lines, or the one
/// before the second, are connected, too.
template <class Index>
struct join_cells {
  marked_cells<Index> of;
  mask_grid grid;

  /// Cells each of which is connected to the one that is `by` further.
  template <class Also>
  KOKKOS_FUNCTION void join(std::int64_t first, std::int64_t last, std::int64_t by, const Also& also) const {
    const std::uint8_t* cell = of.cell;
    for_marked(
        first, last, [=](std::int64_t i) { return cell[i] & cell[i + by] & also(i); },
        [&](std::int64_t i) { of.trees.unite(static_cast<Index>(i), static_cast<Index>(i + by)); });
  }
  KOKKOS_FUNCTION void join(std::int64_t first, std::int64_t last, std::int64_t by) const {
    join(first, last, by, [](std::int64_t) { return 1; });
  }
  /// Those of a line beyond its first two cells.
  KOKKOS_FUNCTION void join_runs(std::int64_t first, std::int64_t last, std::int64_t by, bool wide) const {
    const std::uint8_t* cell = of.cell;
    if (!of.along_lines) join(first, last, by);
    else if (wide) join(first, last, by, [=](std::int64_t i) { return cell[i + by - 1] ^ 1; });
    else join(first, last, by, [=](std::int64_t i) { return (cell[i - 1] & cell[i + by - 1]) ^ 1; });
  }
  KOKKOS_FUNCTION void operator()(std::int64_t first, std::int64_t last, const std::int64_t (&at)[3]) const {
    const std::int64_t width = grid.extent[2], line = first - at[2];
    for (int k = 0; k < grid.count; ++k) {
      const cell_offset& step = grid.before[k];
      const std::int64_t other = grid.line_beside(at, step) * width, across = step.of[2];
      if (other < 0) continue;
      const std::int64_t by = other - line + across;
      const std::int64_t low = line + (across < 0 ? 1 : 0), high = line + width - (across > 0 ? 1 : 0);
      if (other == line && step.of[0] == 0 && step.of[1] == 0) {
        // Runs are trees already; segments are joined at their first cells.
        if (!of.along_lines || of.starts_segment(at[2]))
          join(Kokkos::max(first, low), of.along_lines ? first + 1 : last, by);
      } else {
        const std::int64_t begin = Kokkos::max(first, low), end = Kokkos::min(last, high);
        const std::int64_t lead = Kokkos::min(end, Kokkos::max(begin, low + 1));
        join(begin, lead, by);
        join_runs(lead, end, by, grid.wide[k]);
      }
      if (!grid.periodic[2]) continue;
      if (across < 0 && at[2] == 0) join(first, first + 1, by + width);
      if (across > 0 && last == line + width) join(last - 1, last, by - width);
    }
  }
};

/// Puts the first cell of each run right below the root of its tree.
template <class Index>
struct flatten_runs {
  marked_cells<Index> of;
  KOKKOS_FUNCTION void operator()(std::int64_t first, std::int64_t last, const std::int64_t (&at)[3]) const {
    const std::uint8_t* cell = of.cell;
    const flatten_tree<Index> flatten{of.trees};
    const bool starts = !of.along_lines || of.starts_segment(at[2]) || cell[first - 1] == 0;
    if (starts && cell[first] != 0) flatten(first);
    const int runs = of.along_lines ? 1 : 0;
    for_marked(first + 1, last, [=](std::int64_t i) { return cell[i] & ~(cell[i - 1] & runs); }, flatten);
  }
};
/// The number of a cell's feature, from what is above it: the start of its run, above which is the root.
template <class Index>
struct number_of_feature {
  const Index* above;
  KOKKOS_FUNCTION std::int64_t operator()(Index next) const {
    for (int step = 0; step < 2; ++step) {  // without branches, which would be guessed wrong
      const Index further = above[next < 0 ? 0 : next];
      next = next < 0 ? next : further;
    }
    return std::int64_t{-1} - next;
  }
};

template <class Exec, class Labels, class Mask>
void label_into(const call<Exec>& c, const Labels& out, const Mask& mask, const mask_grid& grid, std::int64_t* number) {
  const std::int64_t n = grid.size();
  constexpr int rank = rank_of<Mask>;
  with_vertex_type(n, [&]<class Index>(Index) {
    std::uint8_t* cells = nullptr;
    Index* above = nullptr;
    const scratch_arrays<Exec> memory(c.exec, scratch_part{above, n}, scratch_part{cells, n});
    const auto in_rows = [&]<class T>(T* data) {
      Kokkos::LayoutRight layout;
      for (int d = 0; d < rank; ++d) layout.dimension[d] = grid.extent[3 - rank + d];
      return borrowed_view<T, rank, Kokkos::LayoutRight, typename Exec::memory_space>(data, layout);
    };
    map_checked(label_text(c.label, "/cells"), c.exec, in_rows(cells), op::not_zero(), mask);
    const marked_cells<Index> of{cells, {above}, analysis_tuning<Exec>::label_segment, grid.along_lines};
    launch_segments(label_text(c.label, "/runs"), c.exec, grid, plant_runs<Index>{of});
    launch_segments(label_text(c.label, "/join"), c.exec, grid, join_cells<Index>{of, grid});
    launch_segments(label_text(c.label, "/flatten"), c.exec, grid, flatten_runs<Index>{of});
    number_trees(c.label, c.exec, of.trees, n, number);
    map_checked(c.label, c.exec, out, number_of_feature<Index>{above}, in_rows(static_cast<const Index*>(above)));
  });
}

}  // namespace impl

/// The features of a mask, its connected cells, as `scipy.ndimage.label`.
///
/// `n = label([exec,] labels, mask [, structure] [, periodic{...}] [, size_to{n}])`:
/// - labels: of an integer type and the mask's extents: 0 where the mask is zero, else the number of the feature. These
///   are numbered from 1 in the order of their first cells in row-major order, as SciPy's
/// - mask: of rank 1 to 3; NaN is not zero
/// - structure: which of the 3 cells along each axis around a cell are connected to it, a `footprint` that is symmetric
///   about its middle; `generate_binary_structure(rank, 1)` by default, the two beside it along each axis
/// - `periodic`: along these axes the last cell is beside the first, which SciPy does not have
///
/// Sizes, centres and any reduction of features are those of groups, `group_by(flat_labels, key_range{1, n + 1})`.
///
/// Waits, and returns the number of features; with `size_to` it does not. Scratch memory is 5 bytes for each cell, 9
/// from 2^31 - 1 on, and that of `compact`. The result does not depend on the number of threads.
///
/// @throws Error if extents do not fit, the type of `labels` does not hold as many numbers as there are cells, or the
///         structure is not symmetric or not of 3 cells along each axis
template <execution_space Exec, view_like Labels, array_like Mask, impl::label_option... Options>
auto label(const Exec& exec, const Labels& labels, const Mask& mask, const footprint& structure,
           const Options&... options) {
  constexpr int rank = impl::rank_of<Mask>;
  static_assert(rank >= 1 && rank <= 3, "quern::label: mask must have rank 1, 2 or 3");
  static_assert(impl::is_integer<impl::value_of<Labels>>, "quern::label: labels must be of integers");
  impl::call c("quern::label", exec);
  if constexpr (rank >= 1 && rank <= 3) {
    const shape extents = impl::view_extents(labels);
    impl::check_extents(c.label, "mask", impl::operand_extents(c.label, mask), extents, ", as labels");
    impl::check_positions<impl::value_of<Labels>>(c.label, "labels", extents.size() + 1);
    impl::check_overlap(c.label, c.output(labels), c.elements(mask), "mask", true);
    const auto grid =
        impl::make_mask_grid<rank>(c.label, extents, structure, impl::option_or(periodic(false), options...));
    return impl::unpack(
        [&](const auto&... size) {
          (impl::check_results<Exec>(c.label, labels, size.number), ...);
          return impl::run_counted(
              c, std::tuple<>(), [&](std::int64_t* number) { impl::label_into(c, labels, mask, grid, number); },
              size...);
        },
        impl::size_among(options...));
  }
}
template <execution_space Exec, view_like Labels, array_like Mask, impl::label_option... Options>
auto label(const Exec& exec, const Labels& labels, const Mask& mask, const Options&... options) {
  static const footprint beside = generate_binary_structure(impl::rank_of<Mask>, 1);
  return label(exec, labels, mask, beside, options...);
}
template <view_like Labels, array_like Mask, impl::label_option... Options>
auto label(const Labels& labels, const Mask& mask, const footprint& structure, const Options&... options) {
  return label(impl::space_of(labels), labels, mask, structure, options...);
}
template <view_like Labels, array_like Mask, impl::label_option... Options>
auto label(const Labels& labels, const Mask& mask, const Options&... options) {
  return label(impl::space_of(labels), labels, mask, options...);
}
QUERN_TAKES_NAME_NOT(place, label)

}  // namespace quern

#endif
