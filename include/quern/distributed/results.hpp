// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RESULTS_HPP
#define QUERN_DISTRIBUTED_RESULTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// The block of the results that a rank's block gives along some axes. Ranks that differ in their place along these
/// axes alone have the same.
Decomposition::Block results_of_block(const Decomposition::Block& cells, const axis_set& along);
/// The cells of both.
Decomposition::Block common_cells(const Decomposition::Block& a, const Decomposition::Block& b);

/// Results of reductions along axes on their way from the blocks that they are of to an output: a View, which gets all
/// of them on every rank, or a DistributedView.
template <class Exec, class Out>
class block_results {
 public:
  using T = value_of<Out>;

  block_results(const call<Exec>& c, const Decomposition& d, const axis_set& along, const Out& out)
      : c_(c), from_(d), along_(along), out_(c.output(local_of(out))) {
    check(out);
    to_ = of_rank(out, d.communicator().rank());
    const Decomposition::Block mine = results_of_block(d.local(), along);
    direct_ = is_direct(out);
    if (direct_) {
      own_ = out_;
      return;
    }
    block_ = {c.exec, mine.extents};
    own_ = block_;
    const int rank = d.communicator().rank();
    for (int other = 0; other < d.communicator().size(); ++other) {
      if (gives(rank)) add(sent_, other, own_, mine, of_rank(out, other));
      if (gives(other)) add(received_, other, out_, to_, results_of_block(d.of(other), along));
    }
  }

  /// Where the results of this rank's block go.
  const strided<T>& own() const { return own_; }
  /// Brings them to the output.
  void deliver() const {
    if (!direct_) exchange_once(from_.communicator(), c_.exec, c_.label, sent_, received_);
  }

 private:
  shape whole() const { return along_.part(from_.extents(), false); }
  Decomposition::Block of_rank(const Out& out, int rank) const {
    if constexpr (distributed_like<Out>) return out.decomposition().of(rank);
    else {
      Decomposition::Block all{whole(), whole()};
      all.first.extent.fill(0);
      return all;
    }
  }
  void check(const Out& out) const {
    check_extents(c_.label, "out", operand_extents(c_.label, out), whole());
    if constexpr (distributed_like<Out>)
      if (!(out.communicator() == from_.communicator())) throw Error(c_.label, "out and in are of two communicators");
  }
  /// Whether every rank's results are those of its part of the output.
  bool is_direct(const Out& out) const {
    for (int rank = 0; rank < from_.communicator().size(); ++rank)
      if (!(of_rank(out, rank) == results_of_block(from_.of(rank), along_))) return false;
    return true;
  }
  /// Of the ranks that have the same results, the first one sends them.
  bool gives(int rank) const {
    for (int d = 0; d < from_.extents().rank; ++d)
      if (along_.has(d) && from_.coordinate(d, rank) != 0) return false;
    return true;
  }
  /// Adds the cells that are in `array`, which begins where `place` does, and in another block.
  static void add(std::vector<peer_box>& boxes, int peer, const strided<T>& array, const Decomposition::Block& place,
                  const Decomposition::Block& other) {
    const Decomposition::Block cells = common_cells(place, other);
    if (cells.extents.size() == 0) return;
    boxes.emplace_back(peer, part_of_cells(array, place.first, cells));
  }

  const call<Exec>& c_;
  const Decomposition& from_;
  axis_set along_;
  strided<T> out_, own_{};
  Decomposition::Block to_{};
  bool direct_ = false;
  scratch_block<T, Exec> block_{};
  std::vector<peer_box> sent_{}, received_{};
};

}  // namespace quern::impl

#endif
