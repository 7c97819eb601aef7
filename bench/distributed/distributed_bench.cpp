// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays over the ranks of MPI, so many cells or elements on each. The plain variants are what a user writes with
// Kokkos and MPI: packing, messages of host memory, unpacking.

#include <quern/distributed.hpp>
#include <support/bench.hpp>

namespace {

namespace distributed = quern::distributed;
using bench::exec_space, bench::memory_space, bench::prepared;
using field = quern::DistributedView<double, 3, Kokkos::LayoutRight, memory_space>;
using plane = Kokkos::View<double**, Kokkos::LayoutRight, memory_space>;
using plane_on_host = Kokkos::View<double**, Kokkos::LayoutRight, quern::impl::result_space<exec_space>>;

quern::Communicator world() { return quern::Communicator(MPI_COMM_WORLD); }

/// n^3 cells a rank, one rank behind the other along the first axis.
quern::Decomposition rows_of_blocks(std::int64_t n) {
  const auto comm = world();
  return {comm, {n * comm.size(), n, n}, {.grid = {comm.size(), 1, 1}, .halo = {1}}};
}

struct fill_cells {
  field::view_type u;
  double first;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t j, std::int64_t i) const {
    u(k, j, i) = Kokkos::sin(0.1 * (first + static_cast<double>(k)) + 0.2 * j + 0.3 * i);
  }
};
using cells = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;

field sampled_field(const quern::Decomposition& d) {
  const field u("u", d);
  const auto& v = u.local_with_halo();
  Kokkos::parallel_for("bench::fill", cells({0, 0, 0}, {v.extent(0), v.extent(1), v.extent(2)}),
                       fill_cells{v, static_cast<double>(d.local().first.extent[0])});
  Kokkos::fence();
  return u;
}

struct copy_plane {
  plane to;
  field::view_type u;
  std::int64_t k;
  bool pack;
  KOKKOS_FUNCTION void operator()(std::int64_t j, std::int64_t i) const {
    if (pack) to(j, i) = u(k, j + 1, i + 1);
    else u(k, j + 1, i + 1) = to(j, i);
  }
};

/// The exchange of both faces along the first axis; without `periodic`, the first and the last rank have one each.
struct plain_halo {
  field u;
  bool periodic;
  plane sent[2], received[2];
  plane_on_host sent_host[2], received_host[2];

  plain_halo(const field& f, bool wraps) : u(f), periodic(wraps) {
    const auto n = f.local().extent(1);
    for (int side = 0; side < 2; ++side) {
      sent[side] = plane("sent", n, n);
      received[side] = plane("received", n, n);
      sent_host[side] = plane_on_host("sent", n, n);
      received_host[side] = plane_on_host("received", n, n);
    }
  }
  void copy(const exec_space& exec, const plane& to, std::int64_t k, bool pack) const {
    using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
    const std::int64_t n = u.local().extent(1);
    Kokkos::parallel_for("bench::face", policy(exec, {0, 0}, {n, n}), copy_plane{to, u.local_with_halo(), k, pack});
  }
  int neighbour(int r) const {
    const int ranks = u.communicator().size();
    return periodic ? (r + ranks) % ranks : r < 0 || r == ranks ? MPI_PROC_NULL : r;
  }
  /// What is in `sent` comes to `received` of the neighbours.
  void send(const exec_space& exec) const {
    const auto& comm = u.communicator();
    const int low = neighbour(comm.rank() - 1), high = neighbour(comm.rank() + 1);
    for (int side = 0; side < 2; ++side) Kokkos::deep_copy(exec, sent_host[side], sent[side]);
    exec.fence();
    const int count = static_cast<int>(sent[0].size());
    MPI_Sendrecv(sent_host[0].data(), count, MPI_DOUBLE, low, 0, received_host[1].data(), count, MPI_DOUBLE, high, 0,
                 comm.mpi(), MPI_STATUS_IGNORE);
    MPI_Sendrecv(sent_host[1].data(), count, MPI_DOUBLE, high, 1, received_host[0].data(), count, MPI_DOUBLE, low, 1,
                 comm.mpi(), MPI_STATUS_IGNORE);
    for (int side = 0; side < 2; ++side) Kokkos::deep_copy(exec, received[side], received_host[side]);
  }
  void operator()(const exec_space& exec) const {
    const int rank = u.communicator().rank();
    const std::int64_t rows = u.local().extent(0);
    copy(exec, sent[0], 1, true);
    copy(exec, sent[1], rows, true);
    send(exec);
    if (neighbour(rank - 1) != MPI_PROC_NULL) copy(exec, received[0], 0, false);
    if (neighbour(rank + 1) != MPI_PROC_NULL) copy(exec, received[1], rows + 1, false);
  }
};

/// The same blocks as the program's own, which is periodic along the first axis.
auto exchange_of_own_blocks(const exec_space& exec, const quern::Decomposition& d) {
  const quern::boundaries edge{quern::boundary::wrap, quern::boundary::keep, quern::boundary::keep};
  return std::make_shared<quern::HaloExchange<exec_space>>(exec, d.communicator(), d.local(), edge, quern::depth{1},
                                                           quern::faces_only);
}

/// Bytes that a rank with two faces sends.
prepared halo(const exec_space& exec, std::int64_t n, bool periodic) {
  const auto d = rows_of_blocks(n);
  const auto u = sampled_field(d);
  const auto ends = periodic ? quern::boundary::wrap : quern::boundary::keep;
  const quern::boundaries edge{ends, quern::boundary::keep, quern::boundary::keep};
  const auto exchange = std::make_shared<quern::HaloExchange<exec_space>>(exec, edge, u);
  const plain_halo by_hand(u, periodic);
  const auto own_blocks = exchange_of_own_blocks(exec, d);
  prepared p;
  p.bytes = (periodic ? 2.0 : 1.0) * 8 * n * n;
  p.variants = {{"quern", [=] { exchange->exchange(); }}, {"plain", [=] { by_hand(exec); }}};
  if (periodic) p.variants.push_back({"own_blocks", [=] { own_blocks->exchange(u.local_with_halo()); }});
  const auto halo_of = [=](int side) {
    return Kokkos::subview(u.local_with_halo(), side == 0 ? 0 : n + 1, Kokkos::ALL, Kokkos::ALL);
  };
  p.poison = [=] {
    for (const int side : {0, 1}) Kokkos::deep_copy(halo_of(side), -7.0);
  };
  p.right = [=] {
    const auto whole = static_cast<double>(d.extents().extent[0]);
    bool right = true;
    for (const int side : {0, 1}) {
      const auto v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), halo_of(side));
      const double row = static_cast<double>(d.local().first.extent[0] + (side == 0 ? -1 : n));
      const bool beyond = row < 0 || row == whole;
      const double global = std::fmod(row + whole, whole) + 1;
      for (std::int64_t j = 1; j <= n; ++j)
        for (std::int64_t i = 1; i <= n; ++i)
          right = right &&
                  std::abs(v(j, i) - (beyond && !periodic ? -7 : std::sin(0.1 * global + 0.2 * j + 0.3 * i))) <= 1e-10;
    }
    return right;
  };
  return p;
}

struct heat_step {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    const double around = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
    return u(0, 0, 0) + 0.1 * (around - 6 * u(0, 0, 0));
  }
};
struct plain_heat {
  field::view_type to, u;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t j, std::int64_t i) const {
    const double around =
        u(k - 1, j, i) + u(k + 1, j, i) + u(k, j - 1, i) + u(k, j + 1, i) + u(k, j, i - 1) + u(k, j, i + 1);
    to(k, j, i) = u(k, j, i) + 0.1 * (around - 6 * u(k, j, i));
  }
};

/// One step: each cell is read and written once. The sides that are not cut keep their cells.
prepared heat(const exec_space& exec, std::int64_t n) {
  const auto d = rows_of_blocks(n);
  const auto u = sampled_field(d), to = sampled_field(d), expected = sampled_field(d);
  const quern::boundaries edge{quern::boundary::wrap, quern::boundary::keep, quern::boundary::keep};
  const plain_halo by_hand(u, true);
  const auto plain_step = [=](const field& out) {
    by_hand(exec);
    Kokkos::parallel_for("bench::heat", cells(exec, {1, 2, 2}, {n + 1, n, n}),
                         plain_heat{out.local_with_halo(), u.local_with_halo()});
  };
  plain_step(expected);
  prepared p;
  p.bytes = 16.0 * n * n * n;
  p.variants = {{"quern", [=] { quern::stencil<quern::star<1>>(exec, to, heat_step(), edge, u); }},
                {"plain", [=] { plain_step(to); }}};
  p.poison = [=] { Kokkos::deep_copy(to.local_with_halo(), -7.0); };
  p.right = [=] {
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to.local_with_halo());
    const auto right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected.local_with_halo());
    for (std::int64_t k = 1; k <= n; ++k)
      for (std::int64_t j = 2; j < n; ++j)
        for (std::int64_t i = 2; i < n; ++i)
          if (std::abs(found(k, j, i) - right(k, j, i)) > 1e-12) return false;
    return true;
  };
  return p;
}

struct plain_sum {
  Kokkos::View<const double*, memory_space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& s) const { s += x(i); }
};

/// The way back by hand: both faces of ghosts along the first axis go to their owners, are added there, and are
/// cleared.
struct move_ghosts {
  plane to;
  field::view_type u;
  std::int64_t k;
  bool pack;
  KOKKOS_FUNCTION void operator()(std::int64_t j, std::int64_t i) const {
    double& cell = u(k, j + 1, i + 1);
    if (pack) {
      to(j, i) = cell;
      cell = 0;
    } else {
      cell += to(j, i);
    }
  }
};
struct plain_add {
  plain_halo faces;
  void copy(const exec_space& exec, const plane& to, std::int64_t k, bool pack) const {
    using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
    const std::int64_t n = faces.u.local().extent(1);
    Kokkos::parallel_for("bench::face", policy(exec, {0, 0}, {n, n}),
                         move_ghosts{to, faces.u.local_with_halo(), k, pack});
  }
  void operator()(const exec_space& exec) const {
    const std::int64_t rows = faces.u.local().extent(0);
    copy(exec, faces.sent[0], 0, true);
    copy(exec, faces.sent[1], rows + 1, true);
    faces.send(exec);
    copy(exec, faces.received[0], 1, false);
    copy(exec, faces.received[1], rows, false);
  }
};

/// The same of a program's own blocks, from ghosts to their owners; bytes that a rank sends.
prepared add_ghosts(const exec_space& exec, std::int64_t n) {
  const auto d = rows_of_blocks(n);
  const field u("u", d);
  const plain_add by_hand{plain_halo(u, true)};
  const auto exchange = exchange_of_own_blocks(exec, d);
  const auto cells_of = [=](std::int64_t k) {
    const std::pair<std::int64_t, std::int64_t> inner(1, n + 1);
    return Kokkos::subview(u.local_with_halo(), k, inner, inner);
  };
  prepared p;
  p.bytes = 2.0 * 8 * n * n;
  p.variants = {{"quern", [=] { exchange->add(u.local_with_halo()); }}, {"plain", [=] { by_hand(exec); }}};
  p.poison = [=] {
    for (const std::int64_t k : {std::int64_t{0}, n + 1}) Kokkos::deep_copy(cells_of(k), 3.0);
    for (const std::int64_t k : {std::int64_t{1}, n}) Kokkos::deep_copy(cells_of(k), 0.5);
  };
  p.right = [=] {
    const auto whole = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u.local_with_halo());
    bool right = true;
    for (std::int64_t j = 1; j <= n; ++j)
      for (std::int64_t i = 1; i <= n; ++i)
        right =
            right && whole(0, j, i) == 0 && whole(n + 1, j, i) == 0 && whole(1, j, i) == 3.5 && whole(n, j, i) == 3.5;
    return right;
  };
  return p;
}

/// n elements a rank.
prepared sum(const exec_space& exec, std::int64_t n) {
  const auto comm = world();
  const quern::Decomposition d(comm, {n * comm.size()});
  const quern::DistributedView<double, 1, memory_space> u("u", d);
  bench::sampled(u.local_with_halo(), 1 + comm.rank());
  const double expected = quern::sum(exec, u, quern::reproducible);
  const auto result = std::make_shared<double>(0);
  prepared p;
  p.bytes = 8.0 * n;
  p.variants = {{"quern", [=] { *result = quern::sum(exec, u); }},
                {"reproducible", [=] { *result = quern::sum(exec, u, quern::reproducible); }},
                {"plain", [=] {
                   double local = 0;
                   Kokkos::parallel_reduce("bench::sum", bench::range(exec, 0, n), plain_sum{u.local_with_halo()},
                                           local);
                   MPI_Allreduce(&local, result.get(), 1, MPI_DOUBLE, MPI_SUM, comm.mpi());
                 }}};
  p.poison = [=] { *result = -1; };
  p.right = [=] { return std::abs(*result - expected) < 1e-10 * expected; };
  return p;
}

/// Singular values and vectors of n rows a rank and 100 columns. Operations: four products of n x 100 x 100.
prepared svd(const exec_space& exec, std::int64_t n) {
  const auto comm = world();
  const std::int64_t columns = 100;
  const quern::Decomposition d(comm, {n * comm.size(), columns}, {.grid = {comm.size(), 1}});
  using matrix = quern::DistributedView<double, 2, Kokkos::LayoutRight, memory_space>;
  const matrix a("a", d), u("u", d);
  bench::sampled(a.local_with_halo(), 3 + comm.rank());
  const Kokkos::View<double*, memory_space> s("s", columns);
  const Kokkos::View<double**, Kokkos::LayoutRight, memory_space> vt("vt", columns, columns);
  const double norm = quern::norm(exec, a);
  prepared p;
  p.bytes = 8.0 * n * columns * 5;
  p.flops = 4 * 2.0 * n * columns * columns;
  p.variants = {{"quern", [=] { quern::svd(exec, u, s, vt, a); }}};
  p.poison = [=] { Kokkos::deep_copy(s, -1.0); };
  p.right = [=] { return std::abs(quern::norm(exec, s) - norm) < 1e-10 * norm; };
  return p;
}

const bool registered = [] {
  for (const bool periodic : {false, true})
    bench::add({periodic ? "distributed/two_faces/float64" : "distributed/one_face/float64",
                {64, 128, 256, 512, 1024},
                12,
                [=](const exec_space& exec, std::int64_t n) { return halo(exec, n, periodic); }});
  bench::add({"distributed/add_two_faces/float64", {64, 128, 256, 512, 1024}, 12, add_ghosts});
  bench::add({"distributed/heat/float64", {64, 128, 256, 512, 1024}, 12, heat});
  bench::add({"distributed/sum/float64", {1, 1'000'000, 100'000'000, 1'000'000'000}, 1000, sum});
  if (quern::impl::lapack::available<exec_space>())
    bench::add({"distributed/svd/float64", {10'000, 1'000'000}, 600, svd});
  return true;
}();

}  // namespace
