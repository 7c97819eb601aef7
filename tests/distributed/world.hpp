// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_DISTRIBUTED_WORLD_HPP
#define QUERN_TESTS_DISTRIBUTED_WORLD_HPP

/// @file
/// What the tests of distributed arrays share: a communicator of all ranks, and arrays whose whole every rank knows.

#include <quern/distributed/decomposition.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/redistribute.hpp>
#include <support/testing.hpp>

namespace test {

/// Made once: NCCL takes a second for it. It outlives Kokkos and MPI, as communicators of users may.
inline const quern::Communicator& world() {
  static const quern::Communicator comm(MPI_COMM_WORLD);
  return comm;
}

/// Whether this is the last of several ranks, whose call differs from those of the others.
inline bool is_other(const quern::Communicator& comm) { return comm.size() > 1 && comm.rank() == comm.size() - 1; }
/// Expects every rank to throw since the last one's call is another: of the operations, `own` is this rank's.
template <class F>
void expect_calls_differ(const quern::Communicator& comm, const std::string& own, const std::string& first,
                         const std::string& other, const F& f) {
  expect_error(own + ": the calls differ between ranks: " + first + " on rank 0 and " + other + " on rank " +
                   std::to_string(comm.size() - 1),
               f);
}
/// A grid in such a message.
inline std::string text_of_grid(const quern::Decomposition& d) {
  std::string text = " on a grid of";
  for (int axis = 0; axis < d.extents().rank; ++axis) text += " " + std::to_string(d.grid(axis));
  return text;
}

/// Every grid of ranks for an array of that rank that cuts at most three axes.
inline std::vector<std::vector<int>> grids(int ranks, int rank) {
  std::vector<std::vector<int>> all;
  std::vector<int> grid(rank, 1);
  const auto cut = [&](auto&& self, int axis, int left) -> void {
    if (axis == rank) {
      if (left == 1) all.push_back(grid);
      return;
    }
    for (int g = 1; g <= left; ++g) {
      if (left % g != 0) continue;
      grid[axis] = g;
      self(self, axis + 1, left / g);
    }
    grid[axis] = 1;
  };
  cut(cut, 0, ranks);
  return all;
}

/// An array of those values, given in the order of the last index fastest, and its halo of something else.
template <class T, int Rank, class Layout, class Exec>
auto distribute(const quern::Decomposition& d, const std::vector<T>& values) {
  quern::DistributedView<T, Rank, Layout, typename Exec::memory_space> u("u", d);
  Kokkos::deep_copy(u.local_with_halo(), value_of<T>(-4.0));
  std::array<std::int64_t, Rank> extents;
  for (int a = 0; a < Rank; ++a) extents[a] = d.extents().extent[a];
  quern::distributed::from_global(Exec(), u, make_array<T, Rank, Kokkos::LayoutRight, Exec>(extents, values));
  Exec().fence();
  return u;
}

/// The elements of a block, in the order of the last index fastest, of an array that every rank knows.
template <class T>
std::vector<T> part_of(const std::vector<T>& values, const quern::shape& whole, const quern::Decomposition::Block& b) {
  std::vector<T> part(b.extents.size());
  for (std::int64_t i = 0; i < b.extents.size(); ++i) {
    std::int64_t rest = i, at = 0, step = 1;
    for (int d = whole.rank - 1; d >= 0; --d) {
      at += (b.first.extent[d] + rest % b.extents.extent[d]) * step;
      rest /= b.extents.extent[d];
      step *= whole.extent[d];
    }
    part[i] = values[at];
  }
  return part;
}

}  // namespace test

#endif
