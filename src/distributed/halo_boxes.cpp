// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/halo_boxes.hpp>

namespace quern::impl {

namespace {

using direction = std::array<int, max_rank>;

/// Calls f with every direction from a block to its neighbours: -1, 0 or 1 along the axes that have a depth.
template <class F>
void for_each_direction(int rank, const std::array<int, max_rank>& depth, bool corners, const F& f) {
  direction at{};
  const auto next = [&](auto&& self, int axis, int steps) -> void {
    if (axis == rank) {
      if (steps == 1 || (steps > 1 && corners)) f(at);
      return;
    }
    for (int step = depth[axis] > 0 ? -1 : 0; step <= (depth[axis] > 0 ? 1 : 0); ++step) {
      at[axis] = step;
      self(self, axis + 1, steps + (step != 0 ? 1 : 0));
    }
  };
  next(next, 0, 0);
}

/// The rank one step away, or -1.
int rank_at(const Decomposition& d, const direction& step, int sign, const wrapped_axes& wraps) {
  int rank = 0;
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    const int at = neighbour(d, axis, d.coordinate(axis), sign * step[axis], wraps[axis]);
    if (at < 0) return -1;
    rank = rank * d.grid(axis) + at;
  }
  return rank;
}

/// A part of an array with its halo.
peer_box part(const peer_box& whole, int peer, const stride_array& first, const shape& extents) {
  peer_box b = whole;
  b.peer = peer;
  for (int d = 0; d < extents.rank; ++d) b.data += first[d] * whole.stride[d] * whole.element;
  b.extents = extents;
  return b;
}

}  // namespace

wrapped_axes wraps(const std::string& label, const boundaries& edge, int rank) {
  if (!edge.is_box() && edge.count() != 1 && edge.count() != rank)
    throw Error(label, std::to_string(edge.count()) + " boundaries for rank " + std::to_string(rank));
  wrapped_axes w{};
  for (int d = 0; d < rank; ++d) w[d] = wraps_around(label, edge, d);
  return w;
}

keep_ends keep_ends_of(const boundaries& edge, int rank) {
  keep_ends ends;
  for (int d = 0; d < rank && !edge.is_box(); ++d) {
    ends.low[d] = edge.axis(d).low.kind() == boundary::mode::keep;
    ends.high[d] = edge.axis(d).high.kind() == boundary::mode::keep;
  }
  return ends;
}

void add_halo_boxes(const Decomposition& d, const peer_box& with_halo, const std::array<int, max_rank>& depth,
                    const wrapped_axes& wraps, bool corners, std::vector<peer_box>& out, std::vector<peer_box>& in,
                    const keep_ends& ends) {
  const int rank = d.extents().rank;
  const shape own = d.local().extents;
  if (own.size() == 0) return;
  Kokkos::Array<std::int64_t, max_rank> before{}, behind{};  // cells of the halo that go along with those of the block
  for (int axis = 0; axis < rank; ++axis) {
    if (ends.low[axis] && d.coordinate(axis) == 0) before[axis] = depth[axis];
    if (ends.high[axis] && d.coordinate(axis) == occupied(d, axis) - 1) behind[axis] = depth[axis];
  }
  for_each_direction(rank, depth, corners, [&](const direction& step) {
    stride_array received{}, sent{};
    shape extents = own;
    for (int axis = 0; axis < rank; ++axis) {
      const std::int64_t cells = own.extent[axis];
      if (step[axis] != 0) extents.extent[axis] = depth[axis];
      else extents.extent[axis] += before[axis] + behind[axis];
      received[axis] = d.halo(axis) + (step[axis] < 0 ? -depth[axis] : step[axis] * cells);
      if (step[axis] == 0) received[axis] -= before[axis];
      // What another rank's halo gets in this direction, this rank has at its opposite end.
      sent[axis] = received[axis] - step[axis] * cells;
    }
    if (const int from = rank_at(d, step, 1, wraps); from >= 0) in.push_back(part(with_halo, from, received, extents));
    if (const int to = rank_at(d, step, -1, wraps); to >= 0) out.push_back(part(with_halo, to, sent, extents));
  });
}

std::vector<edge_fill> edge_fills(const Decomposition& d, const peer_box& with_halo, const boundaries& edge) {
  std::vector<edge_fill> fills;
  if (edge.is_box() || d.local().extents.size() == 0) return fills;
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    if (d.halo(axis) == 0) continue;
    fills.push_back({with_halo,
                     axis,
                     d.halo(axis),
                     d.extents().extent[axis],
                     d.local().first.extent[axis] - d.halo(axis),
                     {d.coordinate(axis) == 0, d.coordinate(axis) == occupied(d, axis) - 1},
                     {edge.axis(axis).low.kind(), edge.axis(axis).high.kind()},
                     {}});
  }
  return fills;
}

std::string text_of(const boundaries& edge) {
  const auto name = [&](const boundary& b) {
    const std::string mode = name_of(b.kind());
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
