// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_DECOMPOSITION_HPP
#define QUERN_DISTRIBUTED_DECOMPOSITION_HPP

#include <algorithm>
#include <array>
#include <memory>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/distributed/communicator.hpp>
#include <vector>

namespace quern {

/// How an array is cut into blocks.
struct block_options {
  /// Ranks along each axis, whose product is the number of ranks; 0, or no number, where it is to be chosen. At most
  /// three axes are cut.
  std::vector<int> grid{};
  /// Cells around a block that belong to its neighbours: one width for all axes, or one for each.
  std::vector<int> halo{};
};

/// The cut of an array into one block for each rank, on a Cartesian grid of ranks: along an axis of n cells and g
/// ranks, blocks have n / g cells rounded up or down, the larger ones first. Where there are more ranks than cells, the
/// last ranks have none.
///
/// @code
/// const quern::Decomposition cut(comm, {nx, ny, nz}, {.halo = {1}});
/// const quern::DistributedView<double, 3> u("u", cut);
/// @endcode
///
/// Copies share one object, and arrays of one Decomposition fit each other. Of the grids whose blocks are at least as
/// wide as the halo, the one is chosen that has the fewest ranks without cells, and then the fewest cells at the
/// surfaces between blocks (of several such, the one that cuts earlier axes); the ranks are numbered with the last axis
/// as the fastest.
class Decomposition {
 public:
  /// A box of the array: its first index and its extents.
  struct Block {
    shape first, extents;
    bool operator==(const Block&) const = default;
  };

  /// Collective.
  /// @param extents those of the whole array, rank 1 to 8
  /// @throws Error, the same on every rank, if arguments differ between ranks, the grid has not the number of ranks, or
  /// a halo is wider than a block, on the grid that is asked for or on all that could be chosen
  Decomposition(const Communicator& comm, const shape& extents, const block_options& options = {});

  const Communicator& communicator() const;
  /// The extents of the whole array.
  const shape& extents() const;
  /// The number of ranks along an axis, and the position of a rank among them.
  int grid(int axis) const;
  int coordinate(int axis) const { return coordinate(axis, communicator().rank()); }
  int coordinate(int axis, int rank) const;
  int halo(int axis) const;

  /// The block of this rank, or of another.
  Block local() const { return of(communicator().rank()); }
  Block of(int rank) const;
  /// The rank whose block holds a cell.
  /// @throws Error if the cell is outside
  int owner(const shape& index) const;

  /// Whether both are copies of one object.
  bool operator==(const Decomposition&) const = default;
  /// Whether both cut arrays of the same extents into the same blocks, for the same communicator.
  bool same_blocks(const Decomposition& other) const;

  /// The ranks that share a block's position along all axes but these, in the order of their position along these.
  const Communicator& along(const std::array<bool, max_rank>& axes) const;

  /// The cut of the rows along the last axis, which are elements of an array of one axis less.
  /// @throws Error if that axis is cut
  Decomposition of_rows() const;

  struct state;
  state& shared() const { return *state_; }

 private:
  explicit Decomposition(std::shared_ptr<state> of) : state_(std::move(of)) {}
  std::shared_ptr<state> state_;
};

namespace impl {

/// The first cell of block `b` of n cells that are cut into g.
inline std::int64_t block_begin(std::int64_t n, std::int64_t g, std::int64_t b) {
  return n / g * b + (b < n % g ? b : n % g);
}
/// The block that holds cell i.
KOKKOS_FUNCTION inline std::int64_t block_of_cell(std::int64_t n, std::int64_t g, std::int64_t i) {
  const std::int64_t small = n / g, larger = n % g, cells = larger * (small + 1);
  return i < cells ? i / (small + 1) : larger + (i - cells) / small;
}
/// The neighbour along an axis that has cells, `step` blocks on; or -1 beyond the ends, unless the axis wraps around.
int neighbour(const Decomposition& d, int axis, int coordinate, int step, bool wraps);
/// The ranks along an axis that have cells.
inline int occupied(const Decomposition& d, int axis) {
  return static_cast<int>(std::min<std::int64_t>(d.grid(axis), d.extents().extent[axis]));
}

/// The block of the results that a rank's block gives along some axes. Ranks that differ in their position along these
/// axes alone have the same.
Decomposition::Block results_of_block(const Decomposition::Block& cells, const axis_set& along);
/// The cells of both.
Decomposition::Block common_cells(const Decomposition::Block& a, const Decomposition::Block& b);

/// A part of an array on its way between two cuts.
struct moved_block {
  int rank;
  Decomposition::Block cells;
};
/// The parts of a rank's block in one cut that the blocks of another cut have.
std::vector<moved_block> shared_cells(const Decomposition& mine, const Decomposition& others);

}  // namespace impl
}  // namespace quern

#endif
