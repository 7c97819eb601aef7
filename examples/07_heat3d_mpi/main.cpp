// Heat in a box over the ranks of MPI: explicit steps of du/dt = D laplace(u) on n x n x n cells, with checkpoints.
//
//   mpirun -n 4 heat3d_mpi --cells 256 --steps 1000 --every 100 --checkpoint heat.h5
//   mpirun -n 8 heat3d_mpi --restart heat.h5 --steps 1000
//   mpirun -n 8 heat3d_mpi --restart heat.h5 --until 10000 --checkpoint heat.h5
//
// What it reports does not depend on the number of ranks. After SIGTERM, which batch systems send before a job's time
// is over, or Ctrl-C, it ends at the next report, with a checkpoint.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>
#include <quern/distributed.hpp>
#include <sstream>
#include <stdexcept>

using field = quern::DistributedView<double, 3>;

/// u + D dt laplace(u), with rate = D dt / h^2: stable up to 1/6.
struct heat_step {
  double rate;
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    const double around = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
    return u(0, 0, 0) + rate * (around - 6 * u(0, 0, 0));
  }
};

/// A warm ball in a cold box. Each rank fills its block, whose first cell is `first` of the whole box.
struct warm_ball {
  field::local_type u;
  Kokkos::Array<std::int64_t, 3> first;
  double h;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t j, std::int64_t i) const {
    const double z = (first[0] + k + 0.5) * h, y = (first[1] + j + 0.5) * h, x = (first[2] + i + 0.5) * h;
    const double square = (z - 0.5) * (z - 0.5) + (y - 0.4) * (y - 0.4) + (x - 0.3) * (x - 0.3);
    u(k, j, i) = square < 0.04 ? 1 : 0;
  }
};

void initialize(const field& u) {
  const quern::Decomposition::Block own = u.decomposition().local();
  const auto n = own.extents.extent;
  Kokkos::parallel_for("initial", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({0, 0, 0}, {n[0], n[1], n[2]}),
                       warm_ball{u.local(),
                                 {own.first.extent[0], own.first.extent[1], own.first.extent[2]},
                                 1 / static_cast<double>(u.extents().extent[0])});
}

void report(std::int64_t step, const field& u) {
  const double energy = quern::sum(u, quern::reproducible), most = quern::max(u);
  const double cells = static_cast<double>(u.extents().size());
  if (u.communicator().rank() != 0) return;
  std::printf("step %8lld  energy %.15e  maximum %.15e\n", static_cast<long long>(step), energy / cells, most);
  if (std::fflush(stdout) != 0) throw std::runtime_error("standard output cannot be written");
}

volatile std::sig_atomic_t stopped = 0;

/// A second signal ends the program at once.
void stop(int signal) {
  stopped = signal;
  std::signal(signal, SIG_DFL);
}

/// The signal that one of the ranks has got, on all of them.
int stop_signal(const quern::Communicator& comm) {
  int signal = stopped;
  MPI_Allreduce(MPI_IN_PLACE, &signal, 1, MPI_INT, MPI_MAX, comm.mpi());
  return signal;
}

struct settings {
  std::int64_t cells = 64, steps = 100, until = 0, every = 20;
  double rate = 0.125;
  std::string restart, checkpoint;
};

/// Goes on to the last step, or to the report after a signal, which it returns.
int simulate(const quern::Communicator& comm, settings s) {
  std::optional<quern::distributed::Checkpoint> last;
  if (!s.restart.empty()) last.emplace(comm, s.restart);
  if (last) s.cells = last->attribute<std::int64_t>("/", "cells");
  const quern::Decomposition cut(comm, {s.cells, s.cells, s.cells}, {.halo = {1}});
  field u("u", cut), next("next", cut);
  std::int64_t done = 0;
  if (last) {
    last->read("u", u);
    done = last->attribute<std::int64_t>("/", "step");
  } else {
    initialize(u);
  }
  report(done, u);
  const std::int64_t end = s.until > 0 ? s.until : done + s.steps;
  int signal = 0;
  while (done < end && signal == 0) {
    const std::int64_t now = std::min(s.every, end - done);
    quern::iterate(
        u, next,
        [&](const auto& exec, const auto& from, const auto& to) {
          quern::stencil<quern::star<1>>(exec, to, heat_step{s.rate}, quern::boundary::reflect, from);
        },
        now);
    done += now;
    report(done, u);
    signal = stop_signal(comm);
    if (s.checkpoint.empty()) continue;
    auto file = quern::distributed::Checkpoint::create(comm, s.checkpoint);
    file.write("u", u);
    file.set_attribute("/", "cells", s.cells);
    file.set_attribute("/", "step", done);
    file.commit();
  }
  return signal;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  settings s;
  CLI::App options("Heat in a box, over the ranks of MPI");
  auto* cells = options.add_option("--cells", s.cells, "cells along each axis")->check(CLI::PositiveNumber);
  auto* steps = options.add_option("--steps", s.steps, "steps in time")->check(CLI::NonNegativeNumber);
  options.add_option("--until", s.until, "the number of the last step, those before a restart included")
      ->check(CLI::PositiveNumber)
      ->excludes(steps);
  options.add_option("--every", s.every, "steps from one report, and checkpoint, to the next")
      ->check(CLI::PositiveNumber);
  options.add_option("--rate", s.rate, "diffusivity * time step / cell^2")->check(CLI::Range(0.0, 1.0 / 6));
  options.add_option("--checkpoint", s.checkpoint, "where the state is kept, an HDF5 file");
  options.add_option("--restart", s.restart, "a checkpoint to go on from, of any number of ranks")->excludes(cells);
  int status = 0;
  try {
    options.allow_extras();  // of Kokkos, which takes them out
    options.parse(argc, argv);
    const Kokkos::ScopeGuard kokkos(argc, argv);
    options.allow_extras(false);
    options.parse(argc, argv);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
    const quern::Communicator comm(MPI_COMM_WORLD);
    const int signal = quern::abort_on_exception(comm, [&] { return simulate(comm, s); });
    if (signal != 0) status = 128 + signal;
  } catch (const CLI::Error& e) {
    std::ostringstream unseen;  // one rank prints
    status = rank == 0 ? options.exit(e) : options.exit(e, unseen, unseen);
  }
  MPI_Finalize();
  return status;
}
