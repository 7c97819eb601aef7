// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/stencil_parts.hpp>

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

stencil_part part_of(const std::vector<axis_of_block>& axes, const std::vector<range>& target) {
  shape first, extents;
  std::vector<boundary_pair> edge;
  first.rank = extents.rank = static_cast<int>(axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const range all = axes[d].around(target[d]);
    first.extent[d] = all.first;
    extents.extent[d] = all.second - all.first;
    edge.push_back(axes[d].edge_of(target[d]));
  }
  return {first, extents, boundaries(std::move(edge))};
}

bool is_empty(const std::vector<range>& r) {
  return std::any_of(r.begin(), r.end(), [](const range& a) { return a.first >= a.second; });
}

}  // namespace

stencil_parts cut_stencil(const std::string& label, const Decomposition& d, const boundaries& edge,
                          const std::array<int, max_rank>& radius, bool overlap) {
  const auto wrapped = wraps(label, edge, d.extents().rank);
  if (edge.is_box() && edge.count() != d.extents().rank)
    throw Error(label, "boundaries for " + std::to_string(edge.count()) + " axes, expected " +
                           std::to_string(d.extents().rank));
  stencil_parts parts;
  if (d.extents().size() == 0) return parts;  // no boundary is looked at, as on one device
  const Decomposition::Block own = d.local();
  std::vector<axis_of_block> axes;
  std::vector<range> target, inner;
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
  // The shell around the inner cells: two slabs for each axis, which leave out what those of earlier axes have.
  std::vector<range> slab = target;
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

std::string text_of(const boundaries& edge) {
  constexpr std::array names{"keep", "constant", "nearest", "reflect", "mirror", "wrap"};
  const auto name = [&](const boundary& b) {
    const std::string mode = names[static_cast<std::size_t>(b.kind())];
    const std::string constant = b.constant_text();
    return constant.empty() ? mode : mode + " " + constant;
  };
  if (edge.is_box()) {
    std::string text = "interior_only";
    for (int d = 0; d < edge.count(); ++d) {
      const auto [begin, end] = edge.range(d);
      text += " " + std::to_string(begin) + " to " + std::to_string(end);
    }
    return text;
  }
  std::string text = "boundaries";
  for (int d = 0; d < edge.count(); ++d) {
    const boundary_pair& pair = edge.axis(d);
    const std::string low = name(pair.low), high = name(pair.high);
    text += " " + low + (low == high ? "" : "/" + high);
  }
  return text;
}

}  // namespace quern::impl
