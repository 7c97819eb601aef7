// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_OWN_BLOCKS_HPP
#define QUERN_DISTRIBUTED_OWN_BLOCKS_HPP

#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/stencil/halo.hpp>
#include <span>
#include <utility>
#include <vector>

namespace quern::impl {

/// Whether a plan of messages for one array serves another.
bool same_layout(const peer_box& a, const peer_box& b);

/// The blocks into which a program has cut its arrays, and what goes between them: which boxes of cells this rank sends
/// to others and receives from them, and the boundaries that it has at the ends of the whole array.
struct own_blocks {
  Communicator comm;
  Decomposition::Block own;
  depth stored;
  layers filled;
  bool faces_only;
  boundaries whole_edge;   // of the whole array
  boundaries edge;         // the same, and `boundary::keep` where a neighbour is
  bool has_edges = false;  // whether one of them is another

  /// Collective.
  own_blocks(const Communicator& c, const Decomposition::Block& block, const boundaries& edges,
             const depth& stored_layers, const layers& filled_layers, bool faces);

  /// @throws Error unless fields have the extents of the block with its ghosts
  void check(const std::string& label, std::span<const peer_box> fields) const;
  /// @throws Error if boundaries are not those of values T, the same on ranks that are at no end
  template <class T>
  void check_values(const std::string& label) const {
    for (int d = 0; d < whole_edge.count(); ++d)
      for (const boundary& b : {whole_edge.axis(d).low, whole_edge.axis(d).high}) ghost_constant<T>(label, b);
  }
  /// The boxes of fields that this rank sends, and those that it receives.
  std::pair<std::vector<peer_box>, std::vector<peer_box>> boxes(std::span<const peer_box> fields) const;

 private:
  /// A box of cells that goes between this rank and another, its first cell counted from the block's.
  struct peer_cells {
    int peer;
    Decomposition::Block cells;
  };
  std::vector<peer_cells> sent_, received_;
};

}  // namespace quern::impl

#endif
