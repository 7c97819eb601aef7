// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Workloads over the ranks of MPI, each verified, beside the same on one rank alone.
#include "distributed.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <numbers>
#include <quern/config.hpp>
#include <quern/distributed.hpp>
#include <quern/random.hpp>

#include "launcher.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "stencil_rules.hpp"
#include "workload.hpp"

namespace app {
namespace {

namespace distributed = quern::distributed;
using quern::Communicator, quern::Decomposition, quern::shape;
template <class T, int Rank>
using array = quern::DistributedView<T, Rank, Kokkos::LayoutRight, memory_space>;

/// Of n cells or rows on each rank (weak scaling), or in all (strong scaling).
struct scaled_size {
  std::int64_t n;
  bool strong;
  std::int64_t along(const Communicator& comm) const { return strong ? n : n * comm.size(); }
};

struct distributed_workload {
  std::string name, definition;
  sizes n;
  std::function<measurement(const settings&, const Communicator&, const scaled_size&)> run;
  option_set takes{option::size, option::repeat, option::scaling};
};

/// The median over runs of the slowest rank's time.
double time_together(const settings& s, const Communicator& comm, const std::function<void()>& call) {
  return median_time(s, [&] {
    s.exec.fence();
    MPI_Barrier(comm.mpi());
    const double start = MPI_Wtime();
    call();
    s.exec.fence();
    double t = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, comm.mpi());
    return t;
  });
}

bool on_all(const Communicator& comm, bool right) { return quern::impl::max_of_ranks(comm, right ? 0 : 1) == 0; }

template <class V, class F>
void fill_cells(const settings& s, const V& u, const F& value) {
  const quern::Decomposition::Block own = u.decomposition().local();
  const std::int64_t f0 = own.first.extent[0], f1 = own.first.extent[1], f2 = own.first.extent[2];
  const auto v = u.local();
  Kokkos::parallel_for(
      "quern_app::fill",
      Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>(
          s.exec, {0, 0, 0}, {own.extents.extent[0], own.extents.extent[1], own.extents.extent[2]}),
      KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) { v(k, j, i) = value(f0 + k, f1 + j, f2 + i); });
  s.exec.fence();
}

/// n^3 cells a rank, cut along the first axis; or a cube of n^3 cells on the grid with the smallest surface.
Decomposition cube(const Communicator& comm, const scaled_size& size) {
  if (size.strong) return {comm, {size.n, size.n, size.n}, {.halo = {1}}};
  return {comm, {size.along(comm), size.n, size.n}, {.grid = {comm.size(), 1, 1}, .halo = {1}}};
}

/// Ten explicit steps of a wave that is periodic: the scheme multiplies it by a number that is known.
measurement heat(const settings& s, const Communicator& comm, const scaled_size& size) {
  constexpr int steps = 10;
  constexpr double rate = 0.125;
  const Decomposition d = cube(comm, size);
  array<double, 3> u("u", d), next("next", d);
  const auto& n = d.extents().extent;
  const double a = 2 * std::numbers::pi / static_cast<double>(n[0]),
               b = 2 * std::numbers::pi / static_cast<double>(n[1]),
               c = 2 * std::numbers::pi / static_cast<double>(n[2]);
  const auto wave = KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) {
    return Kokkos::cos(a * static_cast<double>(k) + b * static_cast<double>(j) + c * static_cast<double>(i));
  };
  const auto advance = [&] {
    quern::iterate(
        s.exec, u, next,
        [=](const auto& exec, const auto& from, const auto& to) {
          quern::stencil<quern::star<1>>(exec, to, heat_step{rate}, quern::boundary::wrap, from);
        },
        steps);
  };
  const double cells = static_cast<double>(d.extents().size());
  measurement m{fmt::format("{} x {} x {} x {}", n[0], n[1], n[2], steps), 0, 16.0 * steps * cells,
                9.0 * steps * cells};
  fill_cells(s, u, wave);
  m.seconds = time_together(s, comm, advance);
  fill_cells(s, u, wave);
  advance();
  const double factor = std::pow(1 + 2 * rate * (std::cos(a) + std::cos(b) + std::cos(c) - 3), steps);
  fill_cells(s, next, KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) { return factor * wave(k, j, i); });
  quern::map(s.exec, next, KOKKOS_LAMBDA(double x, double y) { return Kokkos::abs(x - y); }, u, next);
  m.verified = quern::max(s.exec, next) < 1e-12;
  return m;
}

/// The exchange of the halos of a cube of cells, edges and corners too, on a periodic grid.
measurement halo(const settings& s, const Communicator& comm, const scaled_size& size) {
  const Decomposition d(comm, size.strong ? shape{size.n, size.n, size.n} : cube(comm, size).extents(), {.halo = {1}});
  const array<double, 3> u("u", d);
  const auto& n = d.extents().extent;
  const double rows = static_cast<double>(n[1]), columns = static_cast<double>(n[2]);
  fill_cells(
      s, u, KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) {
        return (static_cast<double>(k) * rows + static_cast<double>(j)) * columns + static_cast<double>(i);
      });
  quern::HaloExchange exchange(s.exec, quern::boundary::wrap, u);
  measurement m{fmt::format("{} x {} x {}", n[0], n[1], n[2]), 0, static_cast<double>(exchange.bytes()), 0};
  m.messages = static_cast<int>(quern::impl::max_of_ranks(comm, exchange.messages()));
  m.seconds = time_together(s, comm, [&] { exchange.exchange(); });
  const auto v = quern::to_host(u.local_with_halo());
  const auto first = d.local().first.extent;
  const auto in = [](std::int64_t i, std::int64_t extent) { return (i + extent) % extent; };
  std::int64_t wrong = 0;
  if (d.local().extents.size() > 0)
    for (std::size_t k = 0; k < v.extent(0); ++k)
      for (std::size_t j = 0; j < v.extent(1); ++j)
        for (std::size_t i = 0; i < v.extent(2); ++i) {
          const auto at = [&](int axis, std::size_t cell) {
            return static_cast<double>(in(first[axis] + static_cast<std::int64_t>(cell) - 1, n[axis]));
          };
          wrong += v(k, j, i) == (at(0, k) * rows + at(1, j)) * columns + at(2, i) ? 0 : 1;
        }
  m.verified = on_all(comm, wrong == 0);
  return m;
}

/// The sum of one number of each rank.
measurement all_reduce(const settings& s, const Communicator& comm, const scaled_size&) {
  const Decomposition d(comm, {comm.size()});
  const array<double, 1> u("u", d);
  Kokkos::deep_copy(u.local(), static_cast<double>(comm.rank() + 1));
  double sum = 0;
  measurement m{"1", 0, 8, 0};
  m.seconds = time_together(s, comm, [&] { sum = quern::sum(s.exec, u); });
  m.verified = on_all(comm, sum == 0.5 * comm.size() * (comm.size() + 1));
  return m;
}

measurement sum(const settings& s, const Communicator& comm, const scaled_size& size) {
  const std::int64_t n = size.along(comm);
  const Decomposition d(comm, {n});
  const array<double, 1> u("u", d);
  const std::int64_t first = d.local().first.extent[0];
  fill_with(s.exec, u.local(), KOKKOS_LAMBDA(std::int64_t i) { return (first + i) % 1000; });
  double found = 0;
  measurement m{fmt::format("{}", n), 0, 8.0 * static_cast<double>(n), 1.0 * static_cast<double>(n)};
  m.seconds = time_together(s, comm, [&] { found = quern::sum(s.exec, u); });
  const std::int64_t whole = n / 1000, rest = n % 1000;
  m.verified = on_all(comm, found == static_cast<double>(whole * 499500 + rest * (rest - 1) / 2));  // exact below 2^53
  return m;
}

/// Singular values and vectors of a matrix of 100 columns. Four products with all rows.
measurement svd(const settings& s, const Communicator& comm, const scaled_size& size) {
  constexpr std::int64_t columns = 100;
  const std::int64_t rows = size.along(comm);
  const Decomposition d(comm, {rows, columns}, {.grid = {comm.size(), 1}});
  const array<double, 2> a("a", d), u("u", d);
  quern::random::uniform(s.exec, a, quern::random::key{1});
  const device_view<double*> sigma("s", columns);
  const device_view<double**> vt("vt", columns, columns);
  const double elements = static_cast<double>(rows) * columns;
  measurement m{fmt::format("{} x {}", rows, columns), 0, 8 * 5 * elements, 8 * elements * columns};
  m.seconds = time_together(s, comm, [&] { quern::svd(s.exec, u, sigma, vt, a); });
  // u diag(s) vt is a, and u is orthonormal: u^T a = diag(s) vt.
  const device_view<double**> product("product", columns, columns);
  quern::map(
      s.exec, product, KOKKOS_LAMBDA(double x, double y) { return x * y; }, vt,
      Kokkos::View<double**, Kokkos::LayoutRight, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(sigma.data(),
                                                                                                         columns, 1));
  const array<double, 2> back("back", d);
  quern::matmul(s.exec, back, u, product);
  quern::map(s.exec, back, KOKKOS_LAMBDA(double x, double y) { return Kokkos::abs(x - y); }, back, a);
  m.verified = quern::max(s.exec, back) < 1e-11 &&
               std::fabs(quern::norm(s.exec, u) - 10) < 1e-10;  // the root of 100 columns of length one
  return m;
}

std::vector<distributed_workload> workloads() {
  std::vector<distributed_workload> all{
      {"heat", "ten explicit 7-point steps", sizes(128, 1024), heat},
      {"halo", "halos of a periodic cube", sizes(128, 1024), halo},
      {"allreduce", "the sum of one number a rank", sizes(1, 1), all_reduce, {option::repeat, option::scaling}},
      {"distributed_sum", "the sum of all elements", sizes(10'000'000, 1'000'000'000), sum}};
  if (quern::impl::lapack::available<exec_space>())
    all.push_back({"distributed_svd", "singular values and vectors of 100 columns", sizes(20'000, 1'000'000), svd});
  return all;
}

/// The most memory that this process has had so far.
std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<std::int64_t>(usage.ru_maxrss);
}

/// `1 rank`, `2 ranks`.
std::string counted(int n, const std::string& what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

constexpr const char* line_format = "{:<16} {:<26} {:>6} {:>11} {:>11} {:>11}  {}\n";

std::vector<distributed_workload> chosen(const run_options& o) {
  const auto all = workloads();
  std::vector<distributed_workload> result;
  for (const auto& name : o.names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.name == name; });
    if (found == all.end())
      throw usage_error(fmt::format("'{}' does not run on several processes; these do: {}", name,
                                    names_of(takers(all), option::repeat)));
    result.push_back(*found);
  }
  if (result.empty()) result = all;
  check_taken(o, takers(result), takers(all), "on several processes");
  return result;
}

/// The file of rank 0, and none on the others.
/// @throws usage_error on all ranks
std::unique_ptr<record_file> records_of(const Communicator& comm, const std::string& path) {
  std::unique_ptr<record_file> file;
  std::string problem;
  try {
    file = std::make_unique<record_file>(comm.rank() == 0 ? path : "");
  } catch (const usage_error& e) {
    problem = e.what();
  }
  if (!on_all(comm, problem.empty())) throw usage_error(problem);
  return file;
}

int run_on(const Communicator& comm, const run_options& o) {
  const auto list = chosen(o);
  for (const auto& w : list) sizes_of(o.size, w.n);  // is a size
  const bool prints = comm.rank() == 0;
  const int nodes = static_cast<int>(quern::impl::sum_of_ranks(comm, comm.node_rank() == 0 ? 1 : 0));
  const settings s{o, exec_space()};
  const Communicator alone(MPI_COMM_SELF);
  const bool strong = o.scaling == "strong";
  const auto records = records_of(comm, o.json);
  if (prints) {
    fmt::print("Quern {} on {}, {} on {}, {} scaling\n\n", QUERN_VERSION_STRING, s.exec.name(),
               counted(comm.size(), "rank"), counted(nodes, "node"), strong ? "strong" : "weak");
    fmt::print(line_format, "workload", "size", "ranks", "time", "one rank", "efficiency", "verified");
    fmt::print("{:-<98}\n", "");
    std::fflush(stdout);
  }
  bool all_verified = true;
  for (const auto& w : list) {
    const scaled_size size{sizes_of(o.size, w.n)[0], strong};
    const measurement one = w.run(s, alone, size), m = w.run(s, comm, size);
    const double efficiency = one.seconds / m.seconds / (strong ? comm.size() : 1);
    const bool verified = on_all(comm, one.verified && m.verified);
    all_verified = all_verified && verified;
    const std::int64_t memory = quern::impl::max_of_ranks(comm, peak_resident_bytes());
    if (!prints) continue;
    records->add({{"workload", w.name},
                  {"size", m.size},
                  {"scaling", strong ? "strong" : "weak"},
                  {"ranks", comm.size()},
                  {"nodes", nodes},
                  {"seconds", m.seconds},
                  {"seconds_of_one_rank", one.seconds},
                  {"efficiency", efficiency},
                  {"bytes", m.bytes},
                  {"flops", m.flops},
                  {"messages_of_a_rank", m.messages},
                  {"peak_memory_of_a_rank", memory},
                  {"verified", verified}});
    fmt::print(line_format, w.name, m.size, comm.size(), time_text(m.seconds), time_text(one.seconds),
               fmt::format("{:.1f} %", 100 * efficiency), verified ? "yes" : "NO");
    std::fflush(stdout);
  }
  if (prints) {
    fmt::print("\none rank: {}, on every rank for itself at the same time. efficiency: of the ranks.\n",
               strong ? "the whole problem" : "the block of a rank");
    std::fflush(stdout);
    records->finish();
  }
  return all_verified ? 0 : 1;
}

}  // namespace

bool runs_on_ranks(const run_options& o) {
  if (launched_ranks() > 1 || contains(o.given, option::scaling)) return true;
  for (const auto& name : o.names)
    for (const char* known : {"halo", "allreduce", "distributed_sum", "distributed_svd"})
      if (name == known) return true;
  return false;
}

void list_distributed() {
  for (const auto& w : workloads())
    fmt::print("{:<16} {:<10} {:<54} reference size {} a rank, under mpirun\n", w.name, "float64", w.definition,
               w.n.reference[0]);
}

int run_distributed(const run_options& o) {
  int provided, status = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  try {
    const Kokkos::ScopeGuard kokkos;
    const Communicator comm(MPI_COMM_WORLD);
    quern::abort_on_exception(comm, [&] {
      try {
        status = run_on(comm, o);
      } catch (const usage_error& e) {  // the same on every rank
        if (comm.rank() == 0) std::fprintf(stderr, "quern: %s\n", e.what());
        status = 2;
      }
    });
  } catch (const std::exception& e) {
    std::fprintf(stderr, "quern: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

}  // namespace app
