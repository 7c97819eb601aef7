// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_DISTRIBUTED_CHECKED_CALLS_HPP
#define QUERN_TESTS_DISTRIBUTED_CHECKED_CALLS_HPP

#include <distributed/world.hpp>

namespace test {

/// Arrays whose calls are checked. The last rank makes another call than the others.
template <class E>
struct checked_calls {
  quern::Communicator comm{MPI_COMM_WORLD, {.check_calls = true}};
  quern::Decomposition d{comm, {8, 8}};
  quern::DistributedView<double, 2, E> u{"u", d}, v{"v", d};
  bool alone = comm.size() == 1, differs = is_other(comm);
  std::string ranks = std::to_string(comm.size()), grid = text_of_grid(d);
  std::string array = " float64 (8, 8)" + grid;  // in messages

  /// What the first and the last rank call an operation of, as the message shows it.
  template <class F>
  void expect(const std::string& name, const std::string& first, const std::string& other, const F& f) const {
    expect_calls_differ(comm, name, name + " of" + first, name + " of" + other, f);
  }
};

}  // namespace test

#endif
