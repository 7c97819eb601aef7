// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls over ranks, as in messages.cpp.

#include <Kokkos_DualView.hpp>
#include <array>
#include <quern/distributed/all_reduce.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/distributed/migrate_table.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/stencil/inputs.hpp>
#include <vector>

using space = Kokkos::DefaultExecutionSpace;

struct twice_itself {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x, x);
  }
};

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

  // What stands beside fields, and what none is.
  const std::vector views{u};
  const space e;
  quern::HaloExchange(space(), comm, own, edge, one).start(views, u);           // or one list of Views alone
  quern::HaloExchange(space(), comm, own, edge, one).start_add(views, views);   // or one list of Views alone
  quern::HaloExchange(space(), comm, own, edge, one).start(u, views);           // or one list of Views alone
  quern::HaloExchange(space(), comm, own, edge, one).start(quern::rows<3>(u));  // rows of one are none
  quern::HaloExchange(space(), comm, own, edge, one).start(field);              // has them from its construction
  quern::HaloExchange(e, comm, own, edge, one).add(u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u);  // at most 16
  quern::HaloExchange(space(), comm, own, edge, one).add(1.0);  // one list of them, or a functor

  const quern::DistributedView<double, 1> row("row", quern::Decomposition(comm, {3}));
  const auto sums = quern::reduced<quern::op::sum>(row, quern::axis{0});
  quern::map(quern::outputs(sums, sums), twice_itself(), field);  // where all outputs are reductions, out is a View

  quern::distributed::all_reduce<quern::op::mean>(comm, u);    // the mean, the variance or the range of results is none
  quern::distributed::all_reduce<quern::op::minmax>(comm, u);  // the mean, the variance or the range of results is none
  quern::distributed::all_reduce<quern::op::mean_var>(comm, 1);  // the mean, the variance or the range of results
  quern::distributed::all_reduce<quern::op::sum, quern::op::max>(comm, u);  // for all Views, or one for each
  quern::distributed::all_reduce(comm, 1.0, quern::named{"dt"});            // a number is reduced without a launch

  const Kokkos::View<int*> to("to", 3);
  const Kokkos::View<double[3][3]> fixed("fixed");
  const Kokkos::View<double***> deep("deep", 3, 3, 3);
  quern::distributed::migrate(comm, to, fixed);  // the number of rows, which changes, must not be one of a column's
  quern::distributed::migrate(comm, to, deep);   // columns must have rank 1 or 2

  const Kokkos::View<float*> reals("reals", 3);
  const Kokkos::View<int**> ranks("ranks", 3, 3);
  quern::distributed::migrate(comm, reals, quern::Table<>());  // destinations of a table's rows are std::int32_t
  quern::distributed::migrate(comm, ranks, quern::Table<>());  // destinations are a View of rank 1

  quern::with_boundary(field, edge);  // boundaries of its own is in memory

  quern::flip(field);                     // not DistributedViews: re-index the View of a rank's block, local()
  quern::roll(field, 1, quern::axis{0});  // not DistributedViews: re-index the View of a rank's block, local()
}
