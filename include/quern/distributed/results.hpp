// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RESULTS_HPP
#define QUERN_DISTRIBUTED_RESULTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// Rejects an output of results that is of another communicator.
template <class Out>
void check_communicator(const std::string& label, const Decomposition& d, const Out& out) {
  if constexpr (array_of_blocks<Out>)
    if (!(out.communicator() == d.communicator())) throw Error(label, "out and in are of two communicators");
}

/// The results of this rank's block along some axes on their way from the blocks that they are of to outputs: Views,
/// which get all of them on every rank, or DistributedViews. What goes from one rank to another is one message for all
/// outputs.
template <class Exec>
class results_of_ranks {
 public:
  results_of_ranks(const call<Exec>& c, const Decomposition& d, const axis_set& along) : c_(c), d_(d), along_(along) {}

  /// Memory for the results of an output: to be written before `deliver`.
  template <class Out>
  strided<value_of<Out>> memory_for(const Out& out) {
    using T = value_of<Out>;
    const strided<T> target = c_.output(local_of(out));
    const shape whole = along_.part(d_.extents(), false);
    check_extents(c_.label, "out", operand_extents(c_.label, out), whole);
    check_communicator(c_.label, d_, out);
    const int rank = d_.communicator().rank(), ranks = d_.communicator().size();
    const auto wanted = [&](int r) {
      if constexpr (array_of_blocks<Out>) return out.decomposition().of(r);
      else {
        Decomposition::Block all{whole, whole};
        all.first.extent = {};
        return all;
      }
    };
    const auto given = [&](int r) { return results_of_block(d_.of(r), along_); };
    bool direct = true;  // whether every rank's results are those of its part of the output
    for (int r = 0; r < ranks; ++r) direct = direct && wanted(r) == given(r);
    if (direct) return target;
    moves_ = true;
    const scratch_block<T, Exec> block(c_.exec, given(rank).extents);
    blocks_.push_back(block.block);
    for (int other = 0; other < ranks; ++other) {
      if (gives(rank)) add(sent_, other, strided<T>(block), given(rank), wanted(other));
      if (gives(other)) add(received_, other, target, wanted(rank), given(other));
    }
    return block;
  }
  void deliver() const {
    if (moves_) exchange_once(c_.exec, d_.communicator(), c_.label, sent_, received_);
  }

 private:
  /// Of the ranks that have the same results, the first one sends them.
  bool gives(int r) const {
    for (int axis = 0; axis < d_.extents().rank; ++axis)
      if (along_.has(axis) && d_.coordinate(axis, r) != 0) return false;
    return true;
  }
  /// The cells that are in an array, which begins where `own` does, and in another block.
  template <class T>
  static void add(std::vector<peer_box>& boxes, int peer, const strided<T>& array, const Decomposition::Block& own,
                  const Decomposition::Block& other) {
    const Decomposition::Block cells = common_cells(own, other);
    if (cells.extents.size() > 0) boxes.emplace_back(peer, part_of_cells(array, own.first, cells));
  }

  const call<Exec>& c_;
  const Decomposition& d_;
  const axis_set& along_;
  bool moves_ = false;  // the same on all ranks
  std::vector<peer_box> sent_, received_;
  std::vector<pool_block<typename Exec::memory_space>> blocks_;
};

/// Calls `write(results)` with memory for the results of this rank's block along some axes, and brings them to an
/// output.
template <class Exec, class Out, class Write>
void deliver_results(const call<Exec>& c, const Decomposition& d, const axis_set& along, const Out& out,
                     const Write& write) {
  results_of_ranks<Exec> results(c, d, along);
  write(results.memory_for(out));
  results.deliver();
}

}  // namespace quern::impl

#endif
