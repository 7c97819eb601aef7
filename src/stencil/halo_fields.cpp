// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/stencil/halo_fields.hpp>

namespace quern::impl {

axis_counts::axis_counts(std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t n : numbers)
    if (count++ < max_rank) number[count - 1] = n;
}

void halo_axis::cover_owners() {
  const auto layers_of = [&](int side) { return end[side].mode == boundary::mode::keep ? layers : std::int16_t{0}; };
  before = layers_of(0);
  after = layers_of(1);
  low = high = 0;
  const auto take = [&](std::int64_t ghost) {
    bool odd = false;
    if (!find(ghost, odd)) return;
    // An axis of few cells is all at its low end.
    if (ghost < (cells + 1) / 2) low = std::max(low, static_cast<std::int16_t>(ghost + 1));
    else high = std::max(high, static_cast<std::int16_t>(cells - ghost));
  };
  for (std::int64_t k = 0; k < layers; ++k) {
    take(-1 - k);
    take(cells + k);
  }
}

namespace {

constexpr std::int64_t max_layers = 10'000;  // which the numbers of an axis hold, with a few more

/// The name of a field in messages.
std::string name_of_field(std::size_t number, std::size_t fields) {
  return fields == 1 ? "out" : "out " + std::to_string(number);
}

void check_counts(const std::string& label, const char* name, const axis_counts& counts, int rank) {
  if (counts.count != 1 && counts.count != rank)
    throw Error(label,
                std::string(name) + " for " + std::to_string(counts.count) + " axes, expected " + std::to_string(rank));
}

void check_layers(const std::string& label, std::int64_t stored, std::int64_t layers, int axis) {
  const std::string where = " along axis " + std::to_string(axis);
  if (stored < 0 || stored > max_layers) throw Error(label, "ghost layers of depth " + std::to_string(stored) + where);
  if (layers < 0 || layers > stored)
    throw Error(label, "layers{" + std::to_string(layers) + "}" + where + ", where a depth of " +
                           std::to_string(stored) + " is stored");
}

/// The smallest number of cells between the ghosts of all fields that have elements; 0 where there are none.
std::int64_t fewest_cells(std::span<const array_bytes> fields, int axis, std::int64_t stored) {
  std::int64_t fewest = 0;
  for (const auto& f : fields) {
    const std::int64_t n = f.extents.extent[axis] - 2 * stored;
    if (f.extents.size() > 0) fewest = fewest == 0 ? n : std::min(fewest, n);
  }
  return fewest;
}

}  // namespace

void check_layer_counts(const std::string& label, const axis_counts& stored, const axis_counts* layers, int rank) {
  check_counts(label, "a depth", stored, rank);
  if (layers != nullptr) check_counts(label, "layers", *layers, rank);
  for (int d = 0; d < rank; ++d)
    check_layers(label, stored.along(d), layers == nullptr ? stored.along(d) : layers->along(d), d);
}

void check_no_overlap(const std::string& label, std::span<const array_bytes> fields) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (overlap(fields[i], fields[k]))
        throw Error(label,
                    name_of_field(k, fields.size()) + " and " + name_of_field(i, fields.size()) + " share memory");
}

halo_grid halo_grid_of(const std::string& label, std::span<const array_bytes> fields, const axis_counts& stored,
                       const axis_counts* layers, const axis_counts* cells) {
  halo_grid grid;
  const int rank = fields.empty() ? 0 : fields.front().extents.rank;
  if (rank == 0) return grid;
  check_layer_counts(label, stored, layers, rank);
  if (cells != nullptr) check_counts(label, "cells", *cells, rank);
  for (int d = 0; d < rank; ++d) {
    const std::int64_t depth = stored.along(d), filled = layers == nullptr ? depth : layers->along(d);
    grid.stored[d] = static_cast<int>(depth);
    grid.layers[d] = static_cast<int>(filled);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].extents.size() > 0 && fields[i].extents.extent[d] <= 2 * depth)
        throw Error(label, name_of_field(i, fields.size()) + " has extents " + fields[i].extents.str() +
                               ", which leave no cell between ghost layers of depth " + std::to_string(depth) +
                               " at both ends of axis " + std::to_string(d));
    const std::int64_t n = grid.cells[d] = cells == nullptr ? fewest_cells(fields, d, depth) : cells->along(d);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::int64_t own = fields[i].extents.extent[d] - 2 * depth;
      if (fields[i].extents.size() > 0 && (own < n || own > n + 1 || n < 1))
        throw Error(label, name_of_field(i, fields.size()) + " has " + std::to_string(own) + " cells along axis " +
                               std::to_string(d) + " between its ghost layers, expected " + std::to_string(n) +
                               ", or one more where they are on the faces of a grid");
    }
  }
  check_no_overlap(label, fields);
  return grid;
}

void reject_prescribed(const std::string& label) { throw Error(label, "boundary::prescribed without a functor"); }

halo_axis halo_axis_of(const std::string& label, const array_bytes& field, const halo_grid& grid, int d,
                       const boundaries& edge) {
  if (edge.is_box()) throw Error(label, "interior_only says nothing of ghost cells");
  check_boundaries(label, edge, field.extents.rank);
  wraps_around(label, edge, d);
  halo_axis axis;
  axis.stride = field.stride[d];
  axis.cells = field.extents.extent[d] - 2 * grid.stored[d];
  axis.stored = static_cast<std::int16_t>(grid.stored[d]);
  axis.layers = static_cast<std::int16_t>(grid.layers[d]);
  // On a periodic grid the last face is the first one, too.
  const std::int64_t period = grid.cells[d];
  const std::int64_t n = axis.cells;
  axis.end[0].mode = edge.axis(d).low.kind();
  axis.end[1].mode = edge.axis(d).high.kind();
  const auto set_end = [&](int side) {
    auto& end = axis.end[side];
    boundary::mode mode = end.mode;
    if (mode == boundary::mode::keep || mode == boundary::mode::constant || mode == boundary::mode::prescribed) return;
    end.of_cells = true;
    end.odd = mode == boundary::mode::odd_reflect || mode == boundary::mode::odd_mirror;
    if (mode == boundary::mode::odd_reflect) mode = boundary::mode::reflect;
    if (mode == boundary::mode::odd_mirror) mode = boundary::mode::mirror;
    // Of one cell, that is all that there is, unless the other end has cells of a neighbour.
    if (mode == boundary::mode::mirror && n == 1 && axis.end[1 - side].mode != boundary::mode::keep)
      mode = boundary::mode::nearest;
    const continuation found = continuation_of(mode, side == 0, mode == boundary::mode::wrap ? period : n);
    axis.from[side] = found.from;
    end.slope = static_cast<signed char>(found.slope);
  };
  set_end(0);
  set_end(1);
  return axis;
}

}  // namespace quern::impl
