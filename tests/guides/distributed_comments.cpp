// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of the doc comments of quern/distributed, as part of functions that a user might write around it. The
// guide's test runs the same operations.
#include <tuple>
#include <utility>

#include "guide.hpp"

namespace {

using field = quern::DistributedView<double, 3>;

int simulate(const quern::Communicator& comm) { return comm.size(); }
void compute_what_needs_no_halo(const field&, const field&) {}

void started(int argc, char** argv) {
  // # distributed/communicator.hpp 1
  EXPECT_EQ(1, comm.size());
}

int guarded(const quern::Communicator& comm) {
  // # distributed/communicator.hpp 2
}

double blocks(const quern::Communicator& comm) {
  const std::int64_t nx = 8, ny = 6, nz = 4;
  // # distributed/decomposition.hpp
  return quern::sum(u);
}

double described(const quern::Communicator& comm) {
  quern::Table<> part;
  part.insert("u", Kokkos::View<double*>("u", 3));
  // # distributed/describe.hpp
  return test::contents(all.column<double>("u"))[0];
}

void tables(const quern::Communicator& comm) {
  quern::Table<> part, cells;
  part.insert("cell", Kokkos::View<std::int64_t*>("cell", 3)).insert("mass", Kokkos::View<double*>("mass", 3));
  cells.insert("cell", Kokkos::View<std::int64_t*>("cell", 1)).insert("volume", Kokkos::View<double*>("volume", 1));
  const Kokkos::View<std::int32_t*> destination("destination", 3);
  const auto rows = [&] {
    // # distributed/migrate_table.hpp
    return mine.rows();
  }();
  EXPECT_EQ(comm.rank() == 0 ? 3 * comm.size() : 0, rows);
  const auto groups = [&] {
    // # distributed/group_by.hpp
    return of_cells.rows();
  }();
  EXPECT_EQ(1, quern::impl::sum_of_ranks(comm, groups));
  // # distributed/merge.hpp
  EXPECT_EQ(3 * comm.size() * comm.size(), quern::impl::sum_of_ranks(comm, pairs.rows()));
}

void exchanged(const space& exec, const field& u, const field& v) {
  // # distributed/halo_exchange.hpp 1
}

void of_particles(const quern::Communicator& comm, const space& exec) {
  const std::int64_t n = 10;
  // # distributed/rows.hpp
  EXPECT_EQ(10, total[0]);
}

using plane = Kokkos::View<double**>;
void compute_what_needs_no_halo(const plane&, const plane&) {}
void compute_what_needs_no_charge(const plane&, const plane&) {}
void exchanged(const space& exec, const quern::Communicator& comm, plane from, plane to) {
  const quern::Decomposition::Block own{{0, 4 * comm.rank()}, {3, 4}};
  // # distributed/halo_exchange.hpp 2
  EXPECT_EQ(test::contents(from)[2 * 8 + 2], test::contents(from)[1 * 8 + 2]);
  const plane charge("charge", 7, 8);
  Kokkos::deep_copy(charge, 1.0);
  // # distributed/halo_exchange.hpp 3
  EXPECT_EQ(0.0, test::contents(charge)[1 * 8 + 2]);
}

struct step_and_square {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double next = r - alpha * w;
    return quern::values(u + alpha * p, next, next * next);
  }
};

void reduced_over_ranks(const quern::Communicator& comm, const space& exec) {
  const Kokkos::View<double*> u("u", 3), r("r", 3), p("p", 3), w("w", 3);
  const Kokkos::View<double> rr("rr");
  const step_and_square step;
  const double alpha = 2;
  Kokkos::deep_copy(r, 1.0);
  // # distributed/all_reduce.hpp
  EXPECT_EQ(3.0 * comm.size(), quern::to_host(rr)());
}

using column = Kokkos::View<double*>;

void moved(const quern::Communicator& comm, const space& exec, const quern::Decomposition& cut, column x, column y,
           column z, Kokkos::View<std::int64_t*> id) {
  const Kokkos::View<int*> destination("destination", x.extent(0));
  const std::vector<double> origin{0, 0, 0}, spacing{0.125, 0.125, 0.125};
  // # distributed/migrate.hpp
  EXPECT_EQ(x.extent(0), id.extent(0));
}

void statistics_of_ranks(const quern::Communicator& comm, const space& exec, const field& u) {
  const quern::RunningStatistics<Kokkos::View<double>> of_all(exec);
  // # distributed/running_statistics.hpp
  EXPECT_EQ(u.extents().size(), of_all.count(exec));
}

[[maybe_unused]] double kept(const quern::Communicator& comm, const field& u, double t) {
  // # distributed/checkpoint.hpp
  return t;
}

TEST(Guides, DistributedDocComments) {
  const space exec;
  const quern::Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(comm.size(), guarded(comm));
  EXPECT_EQ(0, blocks(comm));
  EXPECT_EQ(3.0 * comm.size(), described(comm));
  tables(comm);
  const quern::Decomposition cut(comm, {8, 6, 4}, {.halo = {1}});
  const field u("u", cut), v("v", cut);
  quern::random::normal(exec, u, quern::random::key{42});
  exchanged(exec, u, v);
  exchanged(exec, comm, plane("from", 7, 8), plane("to", 7, 8));
  reduced_over_ranks(comm, exec);
  statistics_of_ranks(comm, exec, u);
  const column x("x", 5), y("y", 5), z("z", 5);
  of_particles(comm, exec);
  moved(comm, exec, cut, x, y, z, Kokkos::View<std::int64_t*>("id", 5));
  static_cast<void>(started);
}

}  // namespace
