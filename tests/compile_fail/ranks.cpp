// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls over ranks, as in messages.cpp.

#include <Kokkos_DualView.hpp>
#include <array>
#include <quern/distributed/all_reduce.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/stencil/inputs.hpp>
#include <vector>

using space = Kokkos::DefaultExecutionSpace;

void misuse(const quern::Communicator& comm) {
  using dual = Kokkos::DualView<double**>;
  const quern::Decomposition::Block own{{0, 0}, {1, 1}};
  const auto edge = quern::boundary::wrap;
  const quern::depth one{1};
  const Kokkos::View<double**> u("u", 3, 3);
  const dual both("both", 3, 3);
  const quern::DistributedView<double, 2> field("field", quern::Decomposition(comm, {3, 3}));

  // An exchange may end long after the call that starts it.
  quern::HaloExchange(space(), comm, own, edge, one).start(both);                  // start takes one side
  quern::HaloExchange(space(), comm, own, edge, one).exchange(u, both);            // start takes one side
  quern::HaloExchange(space(), comm, own, edge, one).start(std::vector{both});     // start takes one side
  quern::HaloExchange(space(), comm, own, edge, one).start_add(both, u);           // start takes one side
  quern::HaloExchange(space(), comm, own, edge, one).start_add(std::array{both});  // start takes one side

  quern::distributed::all_reduce<quern::op::mean>(comm, u);  // the mean, the variance or the range of results is none
  quern::distributed::all_reduce(comm, 1.0, quern::named{"dt"});  // a number is reduced without a launch

  quern::with_boundary(field, edge);  // boundaries of its own is in memory

  quern::flip(field);                     // not DistributedViews: re-index the View of a rank's block, local()
  quern::roll(field, 1, quern::axis{0});  // not DistributedViews: re-index the View of a rank's block, local()
}
