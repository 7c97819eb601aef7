// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/distributed/halo_boxes.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/stencil_parts.hpp>

#include "decomposition_state.hpp"

namespace quern::impl {

namespace {

using range = std::pair<std::int64_t, std::int64_t>;

/// One axis of a block, with indices that are counted from its first cell.
struct axis_of_block {
  std::int64_t cells, radius;
  bool low_neighbour, high_neighbour;  // whether the cells beyond an end are in the halo
  boundary_pair edge;
  range target;  // the cells to compute

  /// Those whose neighbourhoods are in the block.
  range inner() const {
    return {low_neighbour ? std::max(target.first, radius) : target.first,
            high_neighbour ? std::min(target.second, cells - radius) : target.second};
  }
  /// The cells that the neighbourhoods of some cells hold.
  range around(const range& r) const {
    return {std::max(r.first - radius, low_neighbour ? -radius : 0),
            std::min(r.second + radius, high_neighbour ? cells + radius : cells)};
  }
  /// The boundaries of those: the array's own at its ends, and nothing is computed elsewhere beyond the cells wanted.
  boundary_pair edge_of(const range& r) const {
    const range all = around(r);
    return {all.first == 0 && !low_neighbour ? edge.low : boundary::keep,
            all.second == cells && !high_neighbour ? edge.high : boundary::keep};
  }
};

boundary_pair edge_along(const boundaries& edge, int axis) {
  return edge.is_box() ? boundary_pair(boundary::keep) : edge.axis(axis);
}

stencil_part part_of(const axis_list<axis_of_block>& axes, const axis_list<range>& target) {
  shape first, extents, low, high;
  axis_list<boundary_pair> edge;
  first.rank = extents.rank = low.rank = high.rank = static_cast<int>(axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const range all = axes[d].around(target[d]);
    first.extent[d] = all.first;
    extents.extent[d] = all.second - all.first;
    low.extent[d] = target[d].first - all.first;
    high.extent[d] = target[d].second - all.first;
    edge.push_back(axes[d].edge_of(target[d]));
  }
  return {first, extents, boundaries(edge), low, high};
}

bool is_empty(const axis_list<range>& r) {
  return std::any_of(r.begin(), r.end(), [](const range& a) { return a.first >= a.second; });
}

/// What an exchange depends on.
using exchange_key = short_list<std::int64_t, 48>;

/// The exchange of a decomposition that was made for this key and used lately, or null.
std::shared_ptr<void> find_exchange(const Decomposition& d, const exchange_key& key) {
  auto& s = d.shared();
  const std::lock_guard lock(s.mutex);
  const auto found =
      std::ranges::find_if(s.exchanges, [&](const auto& cached) { return std::ranges::equal(cached.key, key); });
  if (found == s.exchanges.end()) return nullptr;
  s.exchanges.splice(s.exchanges.begin(), s.exchanges, found);
  return s.exchanges.front().exchange;
}
void keep_exchange(const Decomposition& d, const exchange_key& key, const std::shared_ptr<void>& exchange) {
  // Of the arrays of a time step, which come in the same order each time: where they are more, none is found.
  constexpr std::size_t max_exchanges = 64;
  auto& s = d.shared();
  const std::lock_guard lock(s.mutex);
  s.exchanges.push_front({{key.begin(), key.end()}, exchange});
  if (s.exchanges.size() > max_exchanges) s.exchanges.pop_back();
}

template <class Exec>
constexpr char exchange_tag = 0;

}  // namespace

stencil_parts::stencil_parts() = default;
stencil_parts::stencil_parts(stencil_parts&&) noexcept = default;
stencil_parts::~stencil_parts() = default;

std::string text_of_stencil(bool arms_only, const std::array<int, max_rank>& radius, int rank, const boundaries& edge) {
  std::string text = arms_only ? " in stars of radius" : " in boxes of radius";
  for (int axis = 0; axis < rank; ++axis) text += " " + std::to_string(radius[axis]);
  return text + " with " + text_of(edge);
}

void add_halo_array(const std::string& label, std::size_t input, const Decomposition& like, const halo_array& array,
                    halo_arrays& arrays) {
  check_same_blocks(label, input_name(input), like, *array.blocks);
  const auto same = [&](const halo_array& a) {
    bool is = a.cells.data == array.cells.data && a.cells.stride == array.cells.stride;
    for (int axis = 0; axis < like.extents().rank; ++axis) is = is && a.blocks->halo(axis) == array.blocks->halo(axis);
    return is;
  };
  if (std::none_of(arrays.begin(), arrays.end(), same)) arrays.push_back(array);
}

stencil_parts cut_stencil(const std::string& label, const Decomposition& d, const boundaries& edge,
                          const std::array<int, max_rank>& radius, bool overlap) {
  const auto wrapped = wraps(label, edge, d.extents().rank);
  check_boundaries(label, edge, d.extents().rank);
  stencil_parts parts;
  if (d.extents().size() == 0) return parts;  // no boundary is looked at, as on one device
  const Decomposition::Block own = d.local();
  axis_list<axis_of_block> axes;
  axis_list<range> target, inner;
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    const std::int64_t n = own.extents.extent[axis], first = own.first.extent[axis];
    const range all = computed_cells(label, edge, axis, d.extents(), radius[axis]);
    axes.push_back(
        {n,
         radius[axis],
         neighbour(d, axis, d.coordinate(axis), -1, wrapped[axis] && occupied(d, axis) > 1) >= 0,
         neighbour(d, axis, d.coordinate(axis), 1, wrapped[axis] && occupied(d, axis) > 1) >= 0,
         edge_along(edge, axis),
         {std::clamp<std::int64_t>(all.first - first, 0, n), std::clamp<std::int64_t>(all.second - first, 0, n)}});
    target.push_back(axes.back().target);
    inner.push_back(axes.back().inner());
  }
  if (is_empty(target)) return parts;
  if (!overlap || is_empty(inner)) {
    parts.outer.push_back(part_of(axes, target));
    return parts;
  }
  parts.inner.push_back(part_of(axes, inner));
  // The shell around the inner cells: two slabs for each axis, which leave out what those of earlier axes have. They
  // are boxes, as those that the kernels of one device compute; that there are up to 2 * rank launches on devices costs
  // no kernel of another type, which would have to find the slab of each of its cells.
  axis_list<range> slab = target;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto add = [&](const range& r) {
      slab[axis] = r;
      if (!is_empty(slab)) parts.outer.push_back(part_of(axes, slab));
    };
    add({target[axis].first, inner[axis].first});
    add({inner[axis].second, target[axis].second});
    slab[axis] = inner[axis];
  }
  return parts;
}

void check_halo_width(const std::string& label, std::string_view name, const Decomposition& d,
                      const std::array<int, max_rank>& radius) {
  for (int axis = 0; axis < d.extents().rank; ++axis)
    if (occupied(d, axis) > 1 && d.halo(axis) < radius[axis])
      throw Error(label, std::string(name) + " has a halo of " + std::to_string(d.halo(axis)) + " along axis " +
                             std::to_string(axis) + ", which is cut, expected at least " +
                             std::to_string(radius[axis]));
}

template <class Exec>
std::shared_ptr<box_exchange<Exec>> exchange_of_halos(const Exec& exec, const std::string& label,
                                                      const boundaries& edge, const std::array<int, max_rank>& radius,
                                                      bool corners, const halo_arrays& arrays) {
  const Decomposition& d = *arrays[0].blocks;
  auto wrapped = wraps(label, edge, d.extents().rank);
  std::array<int, max_rank> depth{};
  exchange_key key{reinterpret_cast<std::int64_t>(&exchange_tag<Exec>), exec.impl_instance_id(), corners ? 1 : 0};
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    const bool cut = occupied(d, axis) > 1;
    depth[axis] = cut ? radius[axis] : 0;
    wrapped[axis] = wrapped[axis] && cut;
    key.push_back(depth[axis]);
    key.push_back(wrapped[axis] ? 1 : 0);
  }
  for (const auto& [blocks, cells] : arrays) {
    key.push_back(reinterpret_cast<std::int64_t>(cells.data));
    key.push_back(cells.element);
    for (int axis = 0; axis < cells.extents.rank; ++axis) {
      key.push_back(cells.stride[axis]);
      key.push_back(cells.extents.extent[axis]);
      key.push_back(blocks->halo(axis));
    }
  }
  if (auto found = find_exchange(d, key)) return std::static_pointer_cast<box_exchange<Exec>>(found);
  std::vector<peer_box> out, in;
  for (const auto& a : arrays) add_halo_boxes(*a.blocks, a.cells, depth, wrapped, corners, out, in);
  auto made = std::make_shared<box_exchange<Exec>>(exec, d.communicator(), label, out, in);
  keep_exchange(d, key, made);
  return made;
}

template <class Exec>
void compute_parts(const Exec& exec, box_exchange<Exec>& exchange, const stencil_parts& parts,
                   const part_computation<Exec>& compute) {
  int number = 0;
  exchange.start();
  try {
    for (const stencil_part& p : parts.inner) compute.call(compute.f, exec, number++, p);
    exchange.receive();
    const scratch_of_pool<Exec> beside_inner;
    for (const stencil_part& p : parts.outer) compute.call(compute.f, exchange.side(), number++, p);
  } catch (...) {
    exchange.abandon();
    throw;
  }
  exchange.join();
}

#define QUERN_STENCIL_EXCHANGE(Exec)                                                                                   \
  template std::shared_ptr<box_exchange<Exec>> exchange_of_halos(                                                      \
      const Exec&, const std::string&, const boundaries&, const std::array<int, max_rank>&, bool, const halo_arrays&); \
  template void compute_parts(const Exec&, box_exchange<Exec>&, const stencil_parts&, const part_computation<Exec>&);
QUERN_ON_ALL(QUERN_STENCIL_EXCHANGE)

}  // namespace quern::impl
