// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/distributed.md, as part of functions that a user might write around it.
// # 1

#include <filesystem>
#include <utility>

#include "guide.hpp"

/// The program of the guide is a function of another name here.
namespace program {
void simulate(const quern::Communicator& comm) { EXPECT_GT(comm.size(), 0); }
#define main started
// # 2
#undef main
}  // namespace program

namespace {

struct heat_step {
  double rate;
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    return u(0, 0) + rate * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};

using array = quern::DistributedView<double, 2>;

void compute_inner_cells(const space&, const array&, const array&) {}

void operations(const space& exec, const array& u, const array& next, std::int64_t ny) {
  // # 6
  EXPECT_EQ(2400.0, total);
  EXPECT_EQ(2400.0, same);
  EXPECT_EQ(0, where);
  EXPECT_EQ(60.0, test::contents(columns).front());
  EXPECT_EQ(1200.0, energy);
}

void blocks(const quern::Communicator& comm, const space& exec) {
  const std::int64_t nx = 60, ny = 40;
  // # 3
  EXPECT_LE(own.extents.size(), nx * ny);
  // # 4
  const auto v = next;
  // # 5
  operations(exec, u, next, ny);
}

void particles(const quern::Communicator& comm, const space& exec) {
  const quern::Decomposition cut(comm, {10, 10});
  const double h = 0.1;
  Kokkos::View<double*> x("x", 100), y("y", 100);
  Kokkos::View<std::int64_t*> id("id", 100);
  const Kokkos::View<int*> destination("destination", 100);
  const Kokkos::View<std::int64_t*> counts("counts", 1);
  quern::random::uniform(exec, x, quern::random::key{1});
  quern::random::uniform(exec, y, quern::random::key{2});
  // # 7
  EXPECT_EQ(std::vector<std::int64_t>{100 * comm.size()}, test::contents(counts));
  EXPECT_EQ(100 * comm.size(), quern::impl::sum_of_ranks(comm, static_cast<std::int64_t>(id.extent(0))));
}

/// What `HaloExchange` does below, for a host.
void exchange_by_hand(const quern::Communicator& comm,
                      const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>& from) {
  const auto rows = static_cast<std::int64_t>(from.extent(0)) - 4,
             columns = static_cast<std::int64_t>(from.extent(1)) - 4;
  const int before = (comm.rank() + comm.size() - 1) % comm.size(), after = (comm.rank() + 1) % comm.size();
  // # 10
}

void own_blocks(const quern::Communicator& comm, const space& exec) {
  const std::int64_t rows = 3, columns = 5, first_row = rows * comm.rank();
  Kokkos::View<double**> from("from", rows + 4, columns + 4), to("to", rows + 4, columns + 4);
  quern::random::uniform(exec, from, quern::random::key(comm.rank()));
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> expected("expected", rows + 4, columns + 4);
  quern::copy(exec, expected, from);
  exec.fence();
  exchange_by_hand(comm, expected);
  // # 11
  const auto found = test::contents(from);
  for (std::int64_t j = 1; j <= rows + 2; ++j)
    for (std::int64_t i = 1; i <= columns + 2; ++i) EXPECT_EQ(expected(j, i), found[j * (columns + 4) + i]);
  const Kokkos::View<double**> charge("charge", rows + 4, columns + 4);
  Kokkos::deep_copy(charge, 1.0);
  const Kokkos::View<double*> cells("cells", 5);
  Kokkos::deep_copy(cells, 2.0);
  // # 12
  exec.fence();
  EXPECT_EQ(20.0 * comm.size(), quern::to_host(energy)());
  EXPECT_EQ(2.0, test::contents(charge)[2 * (columns + 4) + 4]);
}

void tables(const quern::Communicator& comm) {
  quern::Table<> particles, cells;
  particles.insert("cell", on_device<std::int64_t>({0, 1, 0})).insert("mass", on_device<double>({3, 5, 1}));
  cells.insert("cell", on_device<std::int64_t>({comm.rank()})).insert("volume", on_device<double>({8}));
  const auto destination = on_device<std::int32_t>({0, -1, 0});
  // # 13
  EXPECT_EQ(3.0 * comm.size(), test::contents(all.column<double>("mass"))[0]);
  EXPECT_EQ(2, quern::impl::sum_of_ranks(comm, of_cells.rows()));
  const double mass = quern::sum(of_cells.column<double>("mass_sum"));
  EXPECT_EQ(9.0 * comm.size(), quern::distributed::all_reduce(comm, mass));
  EXPECT_EQ(of_cells.rows(), with_volume.rows());
  EXPECT_EQ(comm.rank() == 0 ? 2 * comm.size() : 0, mine.rows());
}

#ifdef QUERN_TEST_PARALLEL_HDF5
void write_checkpoint(const quern::Communicator& comm, const array& u) {
  // # 8
}
void read_checkpoint(const quern::Communicator& comm, const array& u) {
  // # 9
  EXPECT_EQ(2.5, time);
}

void checkpoints(const quern::Communicator& comm) {
  // Each test runs in a folder of its own.
  const array u("u", quern::Decomposition(comm, {20, 30}));
  write_checkpoint(comm, u);
  read_checkpoint(comm, u);
  quern::impl::sum_of_ranks(comm, 0);
  if (comm.rank() == 0) std::filesystem::remove("run.h5");
}
#endif

TEST(Guides, Distributed) {
  const space exec;
  const quern::Communicator comm(MPI_COMM_WORLD);
  blocks(comm, exec);
  particles(comm, exec);
  own_blocks(comm, exec);
  tables(comm);
#ifdef QUERN_TEST_PARALLEL_HDF5
  checkpoints(comm);
#endif
}

}  // namespace
