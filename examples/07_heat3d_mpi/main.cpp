// Heat in a box over the ranks of MPI: explicit steps of du/dt = D laplace(u) on n x n x n cells, with checkpoints.
//
//   mpirun -n 4 heat3d_mpi --cells 256 --steps 1000 --every 100 --checkpoint heat.h5
//   mpirun -n 8 heat3d_mpi --restart heat.h5 --cells 256 --steps 1000
//
// What it reports does not depend on the number of ranks.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <quern/distributed.hpp>

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
  const quern::block own = u.decomposition().local();
  const auto n = own.extents.extent;
  Kokkos::parallel_for("initial", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({0, 0, 0}, {n[0], n[1], n[2]}),
                       warm_ball{u.local(),
                                 {own.first.extent[0], own.first.extent[1], own.first.extent[2]},
                                 1 / static_cast<double>(u.extents().extent[0])});
}

void report(std::int64_t step, const field& u) {
  const double energy = quern::distributed::sum(u, quern::reproducible), most = quern::distributed::max(u);
  const double cells = static_cast<double>(u.extents().size());
  if (u.communicator().rank() == 0)
    std::printf("step %8lld  energy %.15e  maximum %.15e\n", static_cast<long long>(step), energy / cells, most);
}

struct settings {
  std::int64_t cells = 64, steps = 100, every = 20;
  double rate = 0.125;
  std::string restart, checkpoint;
};

void simulate(const quern::Communicator& comm, const settings& s) {
  const quern::Decomposition cut(comm, {s.cells, s.cells, s.cells}, {.halo = {1}});
  field u("u", cut), next("next", cut);
  std::int64_t done = 0;
  if (s.restart.empty()) {
    initialize(u);
  } else {
    const quern::distributed::checkpoint file(comm, s.restart);
    file.read("u", u);
    done = file.attribute<std::int64_t>("/", "step");
  }
  report(done, u);
  for (const std::int64_t last = done + s.steps; done < last;) {
    const std::int64_t now = std::min(s.every, last - done);
    quern::distributed::iterate(
        u, next,
        [&](const auto& exec, const auto& from, const auto& to) {
          quern::distributed::stencil<quern::star<1>>(exec, to, heat_step{s.rate}, quern::boundary::reflect, from);
        },
        now);
    done += now;
    report(done, u);
    if (s.checkpoint.empty()) continue;
    auto file = quern::distributed::checkpoint::create(comm, s.checkpoint);
    file.write("u", u);
    file.set_attribute("/", "step", done);
    file.commit();
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  settings s;
  CLI::App options("Heat in a box, over the ranks of MPI");
  options.add_option("--cells", s.cells, "cells along each axis")->check(CLI::PositiveNumber);
  options.add_option("--steps", s.steps, "steps in time")->check(CLI::NonNegativeNumber);
  options.add_option("--every", s.every, "steps from one report, and checkpoint, to the next")
      ->check(CLI::PositiveNumber);
  options.add_option("--rate", s.rate, "diffusivity * time step / cell^2")->check(CLI::Range(0.0, 1.0 / 6));
  options.add_option("--checkpoint", s.checkpoint, "where the state is kept, an HDF5 file");
  options.add_option("--restart", s.restart, "a checkpoint to go on from, of any number of ranks");
  int status = 0;
  try {
    options.parse(argc, argv);
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const quern::Communicator comm(MPI_COMM_WORLD);
    quern::abort_on_exception(comm, [&] { simulate(comm, s); });
  } catch (const CLI::Error& e) {
    status = options.exit(e);
  }
  MPI_Finalize();
  return status;
}
