// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/own_blocks.hpp>

#include <algorithm>
#include <quern/distributed/halo_exchange.hpp>

namespace quern::impl {

namespace {

constexpr const char* exchange_label = "quern::HaloExchange";

using Block = Decomposition::Block;

std::string text_of_counts(const axis_counts& counts) {
  std::string text;
  for (int d = 0; d < counts.count; ++d) text += " " + std::to_string(counts.number[d]);
  return text;
}

std::int64_t end_of(const Block& b, int axis) { return b.first.extent[axis] + b.extents.extent[axis]; }

/// The box of all blocks, which they fill without sharing cells.
Block whole_of(const std::vector<Block>& blocks) {
  Block whole{};
  std::int64_t cells = 0;
  for (const Block& b : blocks) {
    if (b.first.rank != b.extents.rank || b.extents.rank < 1 || b.extents.rank != blocks.front().extents.rank)
      throw Error(exchange_label, "blocks of extents " + blocks.front().extents.str() + " and " + b.extents.str() +
                                      " from " + b.first.str());
    for (int d = 0; d < b.extents.rank; ++d)
      if (b.extents.extent[d] < 0) throw Error(exchange_label, "a negative extent in " + b.extents.str());
    if (b.extents.size() == 0) continue;
    if (cells == 0) whole = b;
    cells += b.extents.size();
    for (int d = 0; d < b.extents.rank; ++d) {
      const std::int64_t end = std::max(end_of(whole, d), end_of(b, d));
      whole.first.extent[d] = std::min(whole.first.extent[d], b.first.extent[d]);
      whole.extents.extent[d] = end - whole.first.extent[d];
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (common_cells(blocks[k], blocks[i]).extents.size() > 0)
        throw Error(exchange_label,
                    "the blocks of rank " + std::to_string(k) + " and rank " + std::to_string(i) + " share cells");
  if (cells > 0 && cells != whole.extents.size())
    throw Error(exchange_label, "the blocks have " + std::to_string(cells) + " of the " +
                                    std::to_string(whole.extents.size()) + " cells of extents " + whole.extents.str());
  return whole;
}

/// Checks that blocks have neighbours for all layers along an axis, or touch its end: ghosts beyond an end are filled
/// from cells of a block that is there.
void check_ends(const std::vector<Block>& blocks, const Block& whole, const boundaries& edges,
                const axis_counts& layers, int axis) {
  const auto filled = [](const boundary& b) {
    if (b.kind() == boundary::mode::prescribed) reject_prescribed(exchange_label);
    return b.kind() != boundary::mode::keep && b.kind() != boundary::mode::wrap;
  };
  const bool low = filled(edges.axis(axis).low), high = filled(edges.axis(axis).high);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].extents.size() == 0) continue;
    const std::int64_t before = blocks[i].first.extent[axis] - whole.first.extent[axis],
                       after = end_of(whole, axis) - end_of(blocks[i], axis), n = layers.along(axis);
    if ((low && before > 0 && before < n) || (high && after > 0 && after < n))
      throw Error(exchange_label, std::to_string(n) + " layers along axis " + std::to_string(axis) +
                                      ", which reach beyond an end of the array that the block of rank " +
                                      std::to_string(i) + " does not touch");
  }
}

/// The boxes of a block's ghosts: all around it, or across each of its faces.
std::vector<Block> ghosts_of(const Block& block, const axis_counts& layers, bool faces_only) {
  std::vector<Block> ghosts;
  if (!faces_only) {
    Block around = block;
    for (int d = 0; d < block.extents.rank; ++d) {
      around.first.extent[d] -= layers.along(d);
      around.extents.extent[d] += 2 * layers.along(d);
    }
    return {around};
  }
  for (int d = 0; d < block.extents.rank; ++d)
    for (const bool low : {true, false}) {
      Block face = block;
      face.first.extent[d] = low ? block.first.extent[d] - layers.along(d) : end_of(block, d);
      face.extents.extent[d] = layers.along(d);
      ghosts.push_back(face);
    }
  return ghosts;
}

/// Calls f with every shift of a periodic array, in whole arrays along each axis: -1, 0 and 1 where it wraps around.
template <class F>
void for_each_shift(int rank, const wrapped_axes& wraps, const F& f) {
  std::array<int, max_rank> shift{};
  const auto next = [&](auto&& self, int axis) -> void {
    if (axis == rank) return f(shift);
    for (int k = wraps[axis] ? -1 : 0; k <= (wraps[axis] ? 1 : 0); ++k) {
      shift[axis] = k;
      self(self, axis + 1);
    }
  };
  next(next, 0);
}

}  // namespace

bool same_layout(const peer_box& a, const peer_box& b) {
  return a.element == b.element && a.unit == b.unit && a.extents == b.extents && a.stride == b.stride;
}

own_blocks::own_blocks(const Communicator& c, const Block& block, const boundaries& edges, const depth& stored_layers,
                       const layers& filled_layers, bool faces)
    : comm(c),
      own(block),
      stored(stored_layers),
      filled(filled_layers),
      faces_only(faces),
      whole_edge(edges),
      edge(boundary::keep) {
  check_same(comm, exchange_label, "boundaries and layers",
             text_of(edges) + ", depth" + text_of_counts(stored) + ", layers" + text_of_counts(filled) +
                 (faces ? ", faces only" : ""));
  const auto blocks = all_gather(comm, own);
  const Block whole = whole_of(blocks);
  const int rank = blocks.front().extents.rank;
  if (edges.is_box()) throw Error(exchange_label, "interior_only says nothing of ghost cells");
  check_layer_counts(exchange_label, stored, &filled, rank);
  const wrapped_axes wrapped = wraps(exchange_label, edges, rank);
  for (int d = 0; d < rank; ++d) check_ends(blocks, whole, edges, filled, d);
  std::vector<boundary_pair> own_edges;
  for (int d = 0; d < rank; ++d) {
    if (wrapped[d] && whole.extents.rank > 0 && filled.along(d) > whole.extents.extent[d])
      throw Error(exchange_label, std::to_string(filled.along(d)) + " layers along axis " + std::to_string(d) +
                                      ", which wraps around after " + std::to_string(whole.extents.extent[d]) +
                                      " cells");
    const bool low = !wrapped[d] && own.first.extent[d] == whole.first.extent[d],
               high = !wrapped[d] && end_of(own, d) == end_of(whole, d);
    own_edges.emplace_back(low ? edges.axis(d).low : boundary::keep, high ? edges.axis(d).high : boundary::keep);
    has_edges = has_edges || low || high;
  }
  edge = boundaries(std::move(own_edges));
  if (own.extents.size() == 0) {
    has_edges = false;
    return;
  }
  const auto shifted = [&](Block b, const std::array<int, max_rank>& shift, int sign) {
    for (int d = 0; d < rank; ++d) b.first.extent[d] += sign * shift[d] * whole.extents.extent[d];
    return b;
  };
  const auto add = [&](std::vector<peer_cells>& boxes, int peer, Block cells) {
    if (cells.extents.size() == 0) return;
    for (int d = 0; d < rank; ++d) cells.first.extent[d] -= own.first.extent[d];
    boxes.push_back({peer, cells});
  };
  // Both ranks find the boxes between them in the same order: those of each box of the receiver's ghosts, by shifts.
  for (int peer = 0; peer < comm.size(); ++peer) {
    const Block& other = blocks[peer];
    if (other.extents.size() == 0) continue;
    const auto add_all = [&](std::vector<peer_cells>& boxes, const Block& to, const Block& from, bool receives) {
      for (const Block& ghosts : ghosts_of(to, filled, faces_only))
        for_each_shift(rank, wrapped, [&](const std::array<int, max_rank>& shift) {
          const bool unmoved = std::all_of(shift.begin(), shift.end(), [](int k) { return k == 0; });
          if (peer == comm.rank() && unmoved) return;  // the block itself
          const Block cells = common_cells(ghosts, shifted(from, shift, 1));
          add(boxes, peer, receives ? cells : shifted(cells, shift, -1));
        });
    };
    add_all(received_, own, other, true);
    add_all(sent_, other, own, false);
  }
}

void own_blocks::check(const std::string& label, std::span<const peer_box> fields) const {
  shape expected = own.extents;
  for (int d = 0; d < expected.rank; ++d) expected.extent[d] += 2 * stored.along(d);
  for (const peer_box& f : fields)
    if (own.extents.size() > 0)
      check_extents(label, "a field", f.extents, expected, ", the block with its ghost layers");
}

std::pair<std::vector<peer_box>, std::vector<peer_box>> own_blocks::boxes(std::span<const peer_box> fields) const {
  const auto boxes_of = [&](const std::vector<peer_cells>& cells) {
    std::vector<peer_box> boxes;
    for (std::size_t i = 0; i < fields.size(); ++i)
      for (const peer_cells& c : cells) {
        peer_box& b = boxes.emplace_back(fields[i]);
        b.peer = c.peer;
        b.field = static_cast<int>(i);
        b.extents = c.cells.extents;
        for (int d = 0; d < b.extents.rank; ++d)
          b.data += (c.cells.first.extent[d] + stored.along(d)) * b.stride[d] * b.element;
      }
    return boxes;
  };
  return {boxes_of(sent_), boxes_of(received_)};
}

}  // namespace quern::impl
