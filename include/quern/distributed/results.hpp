// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RESULTS_HPP
#define QUERN_DISTRIBUTED_RESULTS_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// Calls `write(results)` with memory for the results of this rank's block along some axes, and brings them from the
/// blocks that they are of to an output: a View, which gets all of them on every rank, or a DistributedView.
template <class Exec, class Out, class Write>
void deliver_results(const call<Exec>& c, const Decomposition& d, const axis_set& along, const Out& out,
                     const Write& write) {
  using T = value_of<Out>;
  const strided<T> target = c.output(local_of(out));
  const shape whole = along.part(d.extents(), false);
  check_extents(c.label, "out", operand_extents(c.label, out), whole);
  if constexpr (array_of_blocks<Out>)
    if (!(out.communicator() == d.communicator())) throw Error(c.label, "out and in are of two communicators");
  const int rank = d.communicator().rank(), ranks = d.communicator().size();
  const auto wanted = [&](int r) {
    if constexpr (array_of_blocks<Out>) return out.decomposition().of(r);
    else {
      Decomposition::Block all{whole, whole};
      all.first.extent.fill(0);
      return all;
    }
  };
  const auto given = [&](int r) { return results_of_block(d.of(r), along); };
  bool direct = true;  // whether every rank's results are those of its part of the output
  for (int r = 0; r < ranks; ++r) direct = direct && wanted(r) == given(r);
  if (direct) return write(target);
  const scratch_block<T, Exec> block(c.exec, given(rank).extents);
  write(strided<T>(block));
  // Of the ranks that have the same results, the first one sends them.
  const auto gives = [&](int r) {
    for (int axis = 0; axis < d.extents().rank; ++axis)
      if (along.has(axis) && d.coordinate(axis, r) != 0) return false;
    return true;
  };
  // The cells that are in an array, which begins where `own` does, and in another block.
  const auto add = [](std::vector<peer_box>& boxes, int peer, const strided<T>& array, const Decomposition::Block& own,
                      const Decomposition::Block& other) {
    const Decomposition::Block cells = common_cells(own, other);
    if (cells.extents.size() > 0) boxes.emplace_back(peer, part_of_cells(array, own.first, cells));
  };
  std::vector<peer_box> sent, received;
  for (int other = 0; other < ranks; ++other) {
    if (gives(rank)) add(sent, other, block, given(rank), wanted(other));
    if (gives(other)) add(received, other, target, wanted(rank), given(other));
  }
  exchange_once(d.communicator(), c.exec, c.label, sent, received);
}

}  // namespace quern::impl

#endif
