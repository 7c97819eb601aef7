// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HALO_BOXES_HPP
#define QUERN_DISTRIBUTED_HALO_BOXES_HPP

/// @file
/// The boxes of cells that halos get from neighbours, and from beyond the ends of the whole array.

#include <array>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/decomposition.hpp>
#include <string>
#include <vector>

namespace quern::impl {

/// An array with its halo as bytes.
template <class Field>
peer_box with_halo(const Field& f) {
  return {0, describe(f.local_with_halo().data(), f.local_with_halo())};
}

/// Boundaries in the message of calls that differ between ranks.
std::string text_of(const boundaries& edge);

/// The axes whose ends are neighbours.
using wrapped_axes = std::array<bool, max_rank>;
wrapped_axes wraps(const std::string& label, const boundaries& edge, int rank);

/// The ends of axes where ghosts are kept.
struct keep_ends {
  std::array<bool, max_rank> low{}, high{};
};
keep_ends keep_ends_of(const boundaries& edge, int rank);

/// Adds what a rank sends and receives of an array, `depth` cells along each axis: the cells across faces, and also
/// those across edges and corners. Ghosts beyond ends that are kept go along with the cells beside them.
void add_halo_boxes(const Decomposition& d, const peer_box& with_halo, const std::array<int, max_rank>& depth,
                    const wrapped_axes& wraps, bool corners, std::vector<peer_box>& out, std::vector<peer_box>& in,
                    const keep_ends& ends = {});

/// The fills of the cells beyond the axes of a field, without their constants.
std::vector<edge_fill> edge_fills(const Decomposition& d, const peer_box& with_halo, const boundaries& edge);

}  // namespace quern::impl

#endif
