// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <mutex>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/distributed/operands.hpp>

#include "decomposition_state.hpp"

namespace quern {
namespace impl {

int neighbour(const Decomposition& d, int axis, int coordinate, int step, bool wraps) {
  const int ranks = occupied(d, axis);
  const int to = coordinate + step;
  if (to >= 0 && to < ranks) return to;
  return wraps && ranks > 0 ? ((to % ranks) + ranks) % ranks : -1;
}

namespace {

constexpr const char* decomposition_label = "quern::Decomposition";
constexpr int max_cut_axes = 3;

using axis_numbers = std::array<int, max_rank>;

/// The extent of the smallest block that has cells; 0 where there is none.
std::int64_t smallest_block(std::int64_t n, int ranks) { return n < ranks ? std::min<std::int64_t>(n, 1) : n / ranks; }
/// Whether blocks along an axis have the cells that their neighbours' halos take.
bool holds_halo(std::int64_t n, int ranks, int halo) {
  const std::int64_t smallest = smallest_block(n, ranks);
  return halo <= smallest || smallest == 0;
}

/// What a grid costs: axes along which a halo is wider than a block first, then ranks without cells, then the cells at
/// the surfaces between all blocks.
std::array<double, 3> cost_of(const shape& extents, const axis_numbers& halo, const axis_numbers& grid) {
  double too_wide = 0, ranks = 1, surface = 0;
  for (int d = 0; d < extents.rank; ++d) {
    too_wide += holds_halo(extents.extent[d], grid[d], halo[d]) ? 0 : 1;
    ranks *= static_cast<double>(std::min<std::int64_t>(grid[d], extents.extent[d]));
    double cut = grid[d] - 1;
    for (int e = 0; e < extents.rank; ++e)
      if (e != d) cut *= static_cast<double>(extents.extent[e]);
    surface += cut;
  }
  return {too_wide, -ranks, surface};
}

/// The best of all ways to write the ranks that are left as a product over the axes that are to be chosen, of which
/// some may be cut.
axis_numbers best_grid(const shape& extents, const axis_numbers& halo, const axis_numbers& wanted, int ranks_left,
                       int cuts_left) {
  axis_numbers grid = wanted, best{};
  std::array<double, 3> best_cost{std::numeric_limits<double>::infinity(), 0, 0};
  const auto try_axis = [&](auto&& self, int axis, int ranks, int cuts) -> void {
    if (axis == extents.rank) {
      const auto cost = cost_of(extents, halo, grid);
      if (ranks != 1 || cost >= best_cost) return;
      best_cost = cost;
      best = grid;
      return;
    }
    if (wanted[axis] != 0) return self(self, axis + 1, ranks, cuts);
    // The earlier axis gets the most first, so that it has them where the cost is the same.
    for (int g = ranks; g >= 1; --g) {
      if (ranks % g != 0 || (g > 1 && cuts == 0)) continue;
      grid[axis] = g;
      self(self, axis + 1, ranks / g, cuts - (g > 1 ? 1 : 0));
    }
  };
  try_axis(try_axis, 0, ranks_left, cuts_left);
  return best;
}

axis_numbers choose_grid(const shape& extents, const axis_numbers& halo, const std::vector<int>& wanted, int ranks) {
  axis_numbers grid{};
  std::copy(wanted.begin(), wanted.end(), grid.begin());
  std::int64_t given = 1;
  int cut = 0;
  bool open = false;
  for (int d = 0; d < extents.rank; ++d) {
    if (grid[d] < 0)
      throw Error(decomposition_label, "the grid has " + std::to_string(grid[d]) + " ranks along an axis");
    open = open || grid[d] == 0;
    if (grid[d] > 0 && given <= std::numeric_limits<int>::max()) given *= grid[d];
    cut += grid[d] > 1 ? 1 : 0;
  }
  if (cut > max_cut_axes)
    throw Error(decomposition_label, "the grid cuts " + std::to_string(cut) + " axes, expected at most 3");
  if (given == 0 || given > ranks || ranks % given != 0 || (!open && given != ranks))
    throw Error(decomposition_label,
                "the grid has " + std::to_string(given) + " ranks, expected " + std::to_string(ranks));
  grid = best_grid(extents, halo, grid, static_cast<int>(ranks / given), max_cut_axes - cut);
  if (grid[0] == 0)
    throw Error(decomposition_label, "no grid of " + std::to_string(ranks) + " ranks cuts at most 3 axes");
  return grid;
}

axis_numbers halo_of(const shape& extents, const std::vector<int>& wanted) {
  axis_numbers halo{};
  for (int d = 0; d < extents.rank; ++d) {
    halo[d] = wanted.empty() ? 0 : wanted[wanted.size() == 1 ? 0 : d];
    if (halo[d] < 0) throw Error(decomposition_label, "a halo of " + std::to_string(halo[d]) + " cells");
  }
  return halo;
}

/// @param chosen whether the grid is the best that there is, and not the caller's
void check_halo(const Decomposition::state& s, bool chosen) {
  for (int d = 0; d < s.extents.rank; ++d) {
    const std::int64_t n = s.extents.extent[d];
    if (!holds_halo(n, s.grid[d], s.halo[d]))
      throw Error(decomposition_label,
                  "a halo of " + std::to_string(s.halo[d]) + " cells along axis " + std::to_string(d) +
                      " is wider than a block of " + std::to_string(smallest_block(n, s.grid[d])) + ": extents " +
                      s.extents.str() + " on a grid of " + std::to_string(s.grid[d]) + " ranks along the axis" +
                      (chosen ? "; no grid has blocks as wide as the halo" : ""));
  }
}

/// Rejects arrays of which no View could be made: their elements and their bytes are counted in 64 bits.
void check_countable(const shape& extents) {
  std::int64_t n = 1;
  bool empty = false;
  for (int d = 0; d < extents.rank; ++d) empty = empty || extents.extent[d] == 0;
  for (int d = 0; d < extents.rank && !empty; ++d)
    if (__builtin_mul_overflow(n, extents.extent[d], &n))
      throw Error(decomposition_label, "extents " + extents.str() + " are of more than 2^63 - 1 elements");
}

/// All that must be the same on every rank, as a list of numbers.
std::string text_of_arguments(const shape& extents, const block_options& options) {
  std::vector<std::int64_t> v(extents.extent.begin(), extents.extent.begin() + extents.rank);
  v.push_back(-1);  // so that a number does not move from one list to the next
  v.insert(v.end(), options.grid.begin(), options.grid.end());
  v.push_back(-1);
  v.insert(v.end(), options.halo.begin(), options.halo.end());
  std::string text;
  for (const std::int64_t n : v) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

}  // namespace
}  // namespace impl

Decomposition::Decomposition(const Communicator& comm, const shape& extents, const block_options& options) {
  using impl::decomposition_label;
  impl::check_same(comm, decomposition_label, "extents, grid and halo", impl::text_of_arguments(extents, options));
  if (extents.rank < 1) throw Error(decomposition_label, "extents of rank 0");
  for (int d = 0; d < extents.rank; ++d)
    if (extents.extent[d] < 0) throw Error(decomposition_label, "a negative extent in " + extents.str());
  impl::check_countable(extents);
  const auto axes = static_cast<std::size_t>(extents.rank);
  if (options.grid.size() > axes || (options.halo.size() > 1 && options.halo.size() != axes))
    throw Error(decomposition_label, "grid or halo have more numbers than extents " + extents.str());
  state_ = std::make_shared<state>(comm);
  state_->extents = extents;
  state_->halo = impl::halo_of(extents, options.halo);
  state_->grid = impl::choose_grid(extents, state_->halo, options.grid, comm.size());
  impl::check_halo(*state_, std::find(options.grid.begin(), options.grid.end(), 0) != options.grid.end() ||
                                options.grid.size() < axes);
}

const Communicator& Decomposition::communicator() const { return state_->comm; }
const shape& Decomposition::extents() const { return state_->extents; }
int Decomposition::grid(int axis) const { return state_->grid[axis]; }
int Decomposition::halo(int axis) const { return state_->halo[axis]; }

int Decomposition::coordinate(int axis, int rank) const {
  for (int d = extents().rank - 1; d > axis; --d) rank /= state_->grid[d];
  return rank % state_->grid[axis];
}

Decomposition::Block Decomposition::of(int rank) const {
  Decomposition::Block b{extents(), extents()};
  for (int d = 0; d < extents().rank; ++d) {
    const int at = coordinate(d, rank);
    b.first.extent[d] = impl::block_begin(extents().extent[d], grid(d), at);
    b.extents.extent[d] = impl::block_begin(extents().extent[d], grid(d), at + 1) - b.first.extent[d];
  }
  return b;
}

int Decomposition::owner(const shape& index) const {
  bool inside = index.rank == extents().rank;
  int rank = 0;
  for (int d = 0; inside && d < extents().rank; ++d) {
    inside = index.extent[d] >= 0 && index.extent[d] < extents().extent[d];
    if (inside)
      rank = rank * grid(d) + static_cast<int>(impl::block_of_cell(extents().extent[d], grid(d), index.extent[d]));
  }
  if (!inside)
    throw Error(impl::decomposition_label, "cell " + index.str() + " is outside of extents " + extents().str());
  return rank;
}

bool Decomposition::same_blocks(const Decomposition& other) const {
  return *this == other ||
         (communicator() == other.communicator() && extents() == other.extents() && state_->grid == other.state_->grid);
}

const Communicator& Decomposition::along(const std::array<bool, max_rank>& axes) const {
  const std::lock_guard lock(state_->mutex);
  unsigned key = 0;
  int colour = 0, position = 0;
  for (int d = 0; d < extents().rank; ++d) {
    const int at = coordinate(d);
    if (axes[d]) position = position * grid(d) + at;
    else colour = colour * grid(d) + at;
    if (axes[d] && grid(d) > 1) key |= 1u << d;
  }
  auto found = state_->along.find(key);
  // What goes over it is in the memory of hosts.
  if (found == state_->along.end())
    found = state_->along.emplace(key, communicator().split(colour, position, device_transport::staged)).first;
  return found->second;
}

Decomposition Decomposition::of_rows() const {
  const int last = extents().rank - 1;
  if (grid(last) != 1)
    throw Error("quern::rows", "the rows of extents " + extents().str() + " are cut into " +
                                   std::to_string(grid(last)) + " along axis " + std::to_string(last) +
                                   "; a grid with 1 rank along that axis cuts none");
  const std::lock_guard lock(state_->mutex);
  if (!state_->rows) {
    auto rows = std::make_shared<state>(communicator());
    rows->extents = extents();
    rows->extents.extent[--rows->extents.rank] = 0;
    rows->grid = state_->grid;
    rows->halo = state_->halo;
    rows->grid[last] = rows->halo[last] = 0;
    state_->rows = std::move(rows);
  }
  return Decomposition(state_->rows);
}

namespace impl {

Decomposition::Block results_of_block(const Decomposition::Block& cells, const axis_set& along) {
  return {along.part(cells.first, false), along.part(cells.extents, false)};
}

Decomposition::Block common_cells(const Decomposition::Block& a, const Decomposition::Block& b) {
  Decomposition::Block common = a;
  for (int d = 0; d < a.extents.rank; ++d) {
    const std::int64_t begin = std::max(a.first.extent[d], b.first.extent[d]);
    const std::int64_t end = std::min(a.first.extent[d] + a.extents.extent[d], b.first.extent[d] + b.extents.extent[d]);
    common.first.extent[d] = begin;
    common.extents.extent[d] = std::max<std::int64_t>(end - begin, 0);
  }
  return common;
}

std::vector<moved_block> shared_cells(const Decomposition& mine, const Decomposition& others) {
  const Decomposition::Block own = mine.local();
  const int rank = own.extents.rank;
  std::vector<moved_block> moved;
  if (own.extents.size() == 0) return moved;
  // The blocks of the others that hold the corners of this one, and all between them.
  shape first = own.first, last = own.first;
  for (int d = 0; d < rank; ++d) {
    const std::int64_t n = mine.extents().extent[d], end = own.first.extent[d] + own.extents.extent[d] - 1;
    first.extent[d] = block_of_cell(n, others.grid(d), own.first.extent[d]);
    last.extent[d] = block_of_cell(n, others.grid(d), end);
  }
  shape at = first;
  for (;;) {
    int other = 0;
    for (int d = 0; d < rank; ++d) other = other * others.grid(d) + static_cast<int>(at.extent[d]);
    moved.push_back({other, common_cells(own, others.of(other))});
    int d = rank - 1;
    while (d >= 0 && at.extent[d] == last.extent[d]) {
      at.extent[d] = first.extent[d];
      --d;
    }
    if (d < 0) return moved;
    ++at.extent[d];
  }
}

}  // namespace impl
}  // namespace quern
