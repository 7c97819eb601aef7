// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/own_blocks.hpp>

#include <algorithm>
#include <numeric>
#include <quern/distributed/halo_boxes.hpp>

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
  // Each is compared with those that begin before its end, along the axis that is cut most, and not with all.
  int along = 0;
  const shape &one = blocks.front().extents, &all = whole.extents;
  for (int d = 1; d < one.rank; ++d)
    if (one.extent[d] * all.extent[along] < one.extent[along] * all.extent[d]) along = d;
  std::vector<int> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int r) { return blocks[r].first.extent[along]; });
  for (auto i = order.begin(); i != order.end(); ++i)
    for (auto k = i + 1; k != order.end() && blocks[*k].first.extent[along] < end_of(blocks[*i], along); ++k)
      if (common_cells(blocks[*i], blocks[*k]).extents.size() > 0)
        throw Error(exchange_label, "the blocks of rank " + std::to_string(std::min(*i, *k)) + " and rank " +
                                        std::to_string(std::max(*i, *k)) + " share cells");
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

/// The values of a field in a block's View, without its ghosts: on faces, those at both ends.
Block values_in(const Block& block, const std::array<bool, max_rank>& faces) {
  Block values = block;
  for (int d = 0; d < block.extents.rank; ++d) values.extents.extent[d] += faces[d] ? 1 : 0;
  return values;
}

/// Those that the block owns: of a face between two blocks, the one behind it is the owner.
Block owned_values(const Block& block, const Block& whole, const std::array<bool, max_rank>& faces) {
  Block values = block;
  for (int d = 0; d < block.extents.rank; ++d)
    values.extents.extent[d] += faces[d] && end_of(block, d) == end_of(whole, d) ? 1 : 0;
  return values;
}

/// What a block brings to others: the values that it owns and, beyond ends that it touches and that are kept, ghosts,
/// which other axes copy as they do cells.
Block brought_values(const Block& block, const Block& whole, const boundaries& edges, const axis_counts& layers,
                     const std::array<bool, max_rank>& faces) {
  const auto keeps = [](const boundary& b) { return b.kind() == boundary::mode::keep; };
  Block values = owned_values(block, whole, faces);
  for (int d = 0; d < block.extents.rank; ++d) {
    const std::int64_t n = layers.along(d);
    const std::int64_t low = keeps(edges.axis(d).low) && block.first.extent[d] == whole.first.extent[d] ? n : 0,
                       high = keeps(edges.axis(d).high) && end_of(block, d) == end_of(whole, d) ? n : 0;
    values.first.extent[d] -= low;
    values.extents.extent[d] += low + high;
  }
  return values;
}

/// A box between two indices along an axis, and otherwise as another.
Block between(Block box, int axis, std::int64_t begin, std::int64_t end) {
  box.first.extent[axis] = begin;
  box.extents.extent[axis] = std::max<std::int64_t>(end - begin, 0);
  return box;
}

/// The copy of a box of a periodic array that lies some whole arrays behind it. On faces, the last one of the array is
/// not the first one of a copy.
Block periodic_copy(Block box, const std::array<int, max_rank>& shift, const Block& whole, const Block& values) {
  for (int d = 0; d < box.extents.rank; ++d) {
    if (shift[d] == 0) continue;
    const std::int64_t begin = box.first.extent[d] + shift[d] * whole.extents.extent[d],
                       end = begin + box.extents.extent[d];
    box = shift[d] < 0 ? between(box, d, begin, std::min(end, values.first.extent[d]))
                       : between(box, d, std::max(begin, end_of(values, d)), end);
  }
  return box;
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

own_blocks::own_blocks(const Communicator& c, const Block& block, const field_boundaries& edges,
                       const depth& stored_layers, const layers& filled_layers, bool faces)
    : comm(c),
      own(block),
      stored(stored_layers),
      filled(filled_layers),
      faces_only(faces),
      whole_edge(edges),
      edge(boundary::keep) {
  std::string text;
  for (std::size_t i = 0; i < edges.count(); ++i) text += (i == 0 ? "" : " and ") + text_of(edges[i]);
  check_same(
      comm, exchange_label, "boundaries and layers",
      text + ", depth" + text_of_counts(stored) + ", layers" + text_of_counts(filled) + (faces ? ", faces only" : ""));
  blocks_ = all_gather(comm, own);
  whole = whole_of(blocks_);
  const int rank = own.extents.rank;
  own_cells.count = rank;
  for (int d = 0; d < rank; ++d) own_cells.number[d] = own.extents.extent[d];
  check_layer_counts(exchange_label, stored, &filled, rank);
  std::vector<boundaries> each;
  for (std::size_t i = 0; i < edges.count(); ++i) each.push_back(own_edges(edges[i]));
  edge = edges.for_each_field() ? field_boundaries(each_field(std::move(each))) : field_boundaries(each.front());
  has_edges = has_edges && own.extents.size() > 0;
}

boundaries own_blocks::own_edges(const boundaries& edges) {
  const int rank = own.extents.rank;
  if (edges.is_box()) throw Error(exchange_label, "interior_only says nothing of ghost cells");
  const wrapped_axes wrapped = wraps(exchange_label, edges, rank);
  for (int d = 0; d < rank; ++d) check_ends(blocks_, whole, edges, filled, d);
  std::vector<boundary_pair> mine;
  for (int d = 0; d < rank; ++d) {
    if (wrapped[d] && whole.extents.rank > 0 && filled.along(d) > whole.extents.extent[d])
      throw Error(exchange_label, std::to_string(filled.along(d)) + " layers along axis " + std::to_string(d) +
                                      ", which wraps around after " + std::to_string(whole.extents.extent[d]) +
                                      " cells");
    const bool low = !wrapped[d] && own.first.extent[d] == whole.first.extent[d],
               high = !wrapped[d] && end_of(own, d) == end_of(whole, d);
    mine.emplace_back(low ? edges.axis(d).low : boundary::keep, high ? edges.axis(d).high : boundary::keep);
    has_edges = has_edges || low || high;
  }
  return boundaries(mine);
}

own_blocks::on_faces own_blocks::faces_of(const peer_box& field) const {
  on_faces faces{};
  for (int d = 0; d < own.extents.rank; ++d)
    faces[d] = field.extents.extent[d] == own.extents.extent[d] + 2 * stored.along(d) + 1;
  return faces;
}

field_boundaries own_blocks::edge_of(std::size_t first, std::size_t count) const {
  if (!edge.for_each_field()) return edge;
  std::vector<boundaries> each;
  for (std::size_t i = first; i < first + count; ++i) each.push_back(edge[i]);
  return each_field(std::move(each));
}

shape own_blocks::with_ghosts(const on_faces& faces) const {
  shape extents = own.extents;
  for (int d = 0; d < extents.rank; ++d) extents.extent[d] += 2 * stored.along(d) + (faces[d] ? 1 : 0);
  return extents;
}

void own_blocks::check(const std::string& label, std::span<const peer_box> fields) const {
  whole_edge.check_count(label, fields.size());
  for (const peer_box& f : fields)
    if (own.extents.size() > 0 && f.extents != with_ghosts(faces_of(f)))
      check_extents(label, "a field", f.extents, with_ghosts({}),
                    ", the block with its ghost layers, or one more where values are on faces");
}

void own_blocks::compare(const std::string& call, std::span<const peer_box> fields,
                         std::span<const type_name> types) const {
  if (!comm.checks_calls()) return;
  // Ranks without cells have fields of any extents, which say nothing of faces.
  const bool all_have_cells = std::ranges::all_of(blocks_, [](const Block& b) { return b.extents.size() > 0; });
  std::string text = call + " of";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    text += " " + types[i]();
    if (!all_have_cells) continue;
    const on_faces faces = faces_of(fields[i]);
    if (fields[i].extents != with_ghosts(faces)) text += " " + fields[i].extents.str();
    else
      for (int d = 0; d < own.extents.rank; ++d) text += faces[d] ? " on faces of axis " + std::to_string(d) : "";
  }
  check_same(comm, exchange_label, "the calls", text);
}

std::vector<Block> own_blocks::values_received(const Block& block, const on_faces& faces) const {
  const int rank = block.extents.rank;
  const Block values = values_in(block, faces), owned = owned_values(block, whole, faces);
  if (!faces_only) {
    Block around = values;
    for (int d = 0; d < rank; ++d)
      around = between(around, d, values.first.extent[d] - filled.along(d), end_of(values, d) + filled.along(d));
    return {around};
  }
  std::vector<Block> received;
  Block rest = values;  // without the faces of other blocks at the ends of the axes before
  for (int d = 0; d < rank; ++d) {
    received.push_back(between(values, d, values.first.extent[d] - filled.along(d), values.first.extent[d]));
    received.push_back(between(values, d, end_of(values, d), end_of(values, d) + filled.along(d)));
    received.push_back(between(rest, d, end_of(owned, d), end_of(values, d)));
    rest = between(rest, d, owned.first.extent[d], end_of(owned, d));
  }
  return received;
}

// Both ranks find the boxes between them in the same order: those of each box that the receiver gets, by shifts.
void own_blocks::add_cells(int field, const boundaries& edges, const on_faces& faces, cells_between& found) const {
  const int rank = own.extents.rank;
  const wrapped_axes wrapped = wraps(exchange_label, edges, rank);
  const Block all_values = values_in(whole, faces);
  const auto add_all = [&](std::vector<peer_cells>& boxes, int peer, const Block& to, const Block& from,
                           bool of_ghosts) {
    const Block brought = brought_values(from, whole, edges, filled, faces);
    for (const Block& received : values_received(to, faces))
      for_each_shift(rank, wrapped, [&](const std::array<int, max_rank>& shift) {
        const bool unmoved = std::all_of(shift.begin(), shift.end(), [](int k) { return k == 0; });
        if (peer == comm.rank() && unmoved) return;  // the block itself
        Block cells = common_cells(received, periodic_copy(brought, shift, whole, all_values));
        if (cells.extents.size() == 0) return;
        for (int d = 0; d < rank; ++d) {
          if (!of_ghosts) cells.first.extent[d] -= shift[d] * whole.extents.extent[d];
          cells.first.extent[d] -= own.first.extent[d];
        }
        boxes.push_back({peer, field, cells});
      });
  };
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (blocks_[peer].extents.size() == 0) continue;
    add_all(found.of_ghosts, peer, own, blocks_[peer], true);
    add_all(found.of_own, peer, blocks_[peer], own, false);
  }
}

own_blocks::cells_between own_blocks::cells_of(std::span<const peer_box> fields) const {
  cells_between found;
  if (own.extents.size() == 0) return found;
  for (std::size_t i = 0; i < fields.size(); ++i)
    add_cells(static_cast<int>(i), whole_edge[i], faces_of(fields[i]), found);
  return found;
}

std::vector<peer_box> own_blocks::boxes(std::span<const peer_box> fields, const std::vector<peer_cells>& cells) const {
  std::vector<peer_box> boxes;
  for (const peer_cells& c : cells) {
    peer_box& b = boxes.emplace_back(fields[c.field]);
    b.peer = c.peer;
    b.field = c.field;
    b.extents = c.cells.extents;
    for (int d = 0; d < b.extents.rank; ++d)
      b.data += (c.cells.first.extent[d] + stored.along(d)) * b.stride[d] * b.element;
  }
  return boxes;
}

summed_table own_blocks::sums(std::span<const peer_box> fields, const std::vector<peer_cells>& cells,
                              std::span<const std::byte* const> packed, bool row_item) const {
  stride_array before{};
  for (int d = 0; d < own.extents.rank; ++d) before[d] = stored.along(d);
  return make_summed_table(fields, before, cells, packed, row_item);
}

}  // namespace quern::impl
