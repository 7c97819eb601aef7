// Conjugate gradients over the ranks of MPI, in blocks and ghost cells that are the code's own: once in plain Kokkos
// and MPI, once with Quern.
//
//   mpirun -n 4 conjugate_gradients_mpi 512
//
// The problem is that of ../08_conjugate_gradients: the heat of a plate at rest, -laplace(u) = f on n x n cells, cold
// above and below, insulated at its sides. Each rank has some rows of it.
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <quern/distributed.hpp>
#include <utility>

using exec_space = Kokkos::DefaultExecutionSpace;
using field = Kokkos::View<double**, Kokkos::LayoutRight>;
using scalar = Kokkos::View<double>;

/// The rows of a rank, from `first` on. u is 0 at first, and the residual r is f.
struct block {
  block(int cells, int rank, int ranks)
      : n(cells),
        first(cells * rank / ranks),
        rows(cells * (rank + 1) / ranks - first),
        u("u", rows, n),
        r("r", rows, n),
        w("w", rows, n),
        p("p", rows + 2, n + 2) {
    const int begin = std::clamp(n / 4 - first, 0, rows), end = std::clamp(n / 2 + 1 - first, 0, rows);
    Kokkos::deep_copy(Kokkos::subview(r, std::pair(begin, end), std::pair(n / 4, n / 2 + 1)), 1.0);
  }
  int n, first, rows;
  field u, r, w, p;  // p with a layer of ghost cells
};

struct result {
  int iterations;
  double residual;  // |r| at the end, of |f|
};
constexpr double tolerance = 1e-8;
constexpr int check_every = 10;  // iterations from one test for convergence to the next; fewer than any problem takes

double sum_of_ranks(MPI_Comm comm, double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

/// Sends a row of p to a rank and receives another one, through memory of the host. Either rank may be none.
void send_row(MPI_Comm comm, const field& p, int sent, int to, int received, int from) {
  const auto out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(p, sent, Kokkos::ALL));
  const auto row = Kokkos::subview(p, received, Kokkos::ALL);
  const auto in = Kokkos::create_mirror_view(row);
  const int n = static_cast<int>(row.extent(0));
  MPI_Sendrecv(out.data(), n, MPI_DOUBLE, to, 0, in.data(), n, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);
  if (from != MPI_PROC_NULL) Kokkos::deep_copy(row, in);
}

/// By hand.
result solve_with_loops(MPI_Comm comm, const block& b) {
  const field u = b.u, r = b.r, w = b.w, p = b.p;
  const int n = b.n, rows = b.rows;
  const bool top = b.first == 0, bottom = b.first + rows == n;
  int rank;
  MPI_Comm_rank(comm, &rank);
  const int above = top ? MPI_PROC_NULL : rank - 1, below = bottom ? MPI_PROC_NULL : rank + 1;
  const exec_space exec;
  const Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>> cells(exec, {0, 0}, {rows, n});
  double mine = 0;
  Kokkos::parallel_reduce(
      "start", cells,
      KOKKOS_LAMBDA(int j, int i, double& sum) {
        p(j + 1, i + 1) = r(j, i);
        sum += r(j, i) * r(j, i);
      },
      mine);
  double rr = sum_of_ranks(comm, mine);
  const double first = rr;
  for (int iteration = 1;; ++iteration) {
    Kokkos::parallel_for(
        "ghosts", Kokkos::RangePolicy(exec, 1, std::max(rows, n) + 1), KOKKOS_LAMBDA(int k) {
          if (k <= n && top) p(0, k) = -p(1, k);  // cold: zero at the face
          if (k <= n && bottom) p(rows + 1, k) = -p(rows, k);
          if (k <= rows) p(k, 0) = p(k, 1);  // insulated
          if (k <= rows) p(k, n + 1) = p(k, n);
        });
    exec.fence();
    send_row(comm, p, 1, above, rows + 1, below);
    send_row(comm, p, rows, below, 0, above);
    Kokkos::parallel_reduce(
        "apply", cells,
        KOKKOS_LAMBDA(int j, int i, double& sum) {
          const double here = p(j + 1, i + 1);
          w(j, i) = 4 * here - p(j, i + 1) - p(j + 2, i + 1) - p(j + 1, i) - p(j + 1, i + 2);
          sum += here * w(j, i);
        },
        mine);
    const double alpha = rr / sum_of_ranks(comm, mine);
    Kokkos::parallel_reduce(
        "advance", cells,
        KOKKOS_LAMBDA(int j, int i, double& sum) {
          u(j, i) += alpha * p(j + 1, i + 1);
          r(j, i) -= alpha * w(j, i);
          sum += r(j, i) * r(j, i);
        },
        mine);
    const double next = sum_of_ranks(comm, mine), beta = next / rr;
    rr = next;
    Kokkos::parallel_for(
        "turn", cells, KOKKOS_LAMBDA(int j, int i) { p(j + 1, i + 1) = r(j, i) + beta * p(j + 1, i + 1); });
    if (iteration % check_every == 0 && rr <= tolerance * tolerance * first) return {iteration, std::sqrt(rr / first)};
  }
}

/// w = A p, and what p.w is the sum of.
struct apply {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& p) const {
    const double w = 4 * p(0, 0) - p(-1, 0) - p(1, 0) - p(0, -1) - p(0, 1);
    return quern::values(w, p(0, 0) * w);
  }
};

/// u and r a step further, and what r.r is the sum of.
struct advance {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double next = r - alpha * w;
    return quern::values(u + alpha * p, next, next * next);
  }
};

/// The next direction.
struct turn {
  KOKKOS_FUNCTION double operator()(double r, double p, double beta) const { return r + beta * p; }
};

/// With Quern. The exchange fills the ghosts at the plate's edges, too. What a call reduces of Views it reduces of this
/// rank's cells, and `all_reduce` of all ranks'; of a `quern::DistributedView`, which takes a View with its ghosts as
/// it is, the call itself does so. Sums and coefficients are Views, as in ../08_conjugate_gradients: with NCCL the host
/// waits where it tests for convergence alone.
result solve_with_quern(MPI_Comm mpi, const block& b) {
  using quern::boundary, quern::outputs, quern::reduced, quern::distributed::all_reduce;
  const auto& [n, first_row, rows, u, r, w, p] = b;
  const auto cells = Kokkos::subview(p, std::pair(1, rows + 1), std::pair(1, n + 1));
  const exec_space exec;
  const quern::Communicator comm(mpi);
  const quern::boundaries edges{boundary::odd_reflect, boundary::reflect};  // cold along axis 0, insulated along axis 1
  quern::HaloExchange ghosts(exec, comm, {{first_row, 0}, {rows, n}}, edges, quern::depth{1}, quern::faces_only);
  scalar rr("r.r"), next("next r.r"), pw("p.w"), alpha("alpha"), beta("beta");

  quern::copy(exec, cells, r);
  quern::dot(exec, rr, r, r);
  all_reduce(exec, comm, rr);
  const double first = quern::to_host(rr)();
  for (int iteration = 1;; ++iteration) {
    ghosts.exchange(p);
    quern::stencil<quern::star<1>>(exec, outputs(w, reduced<quern::op::sum>(pw)), apply(), boundary::nearest,
                                   quern::with_ghosts(p, quern::depth{1}));
    all_reduce(exec, comm, pw);
    quern::divide(exec, alpha, rr, pw);
    quern::map(exec, outputs(u, r, reduced<quern::op::sum>(next)), advance(), u, r, cells, w, alpha);
    all_reduce(exec, comm, next);
    quern::divide(exec, beta, next, rr);
    quern::map(exec, cells, turn(), r, cells, beta);
    std::swap(rr, next);
    if (iteration % check_every != 0) continue;
    const double now = quern::to_host(rr)();  // waits
    if (now <= tolerance * tolerance * first) return {iteration, std::sqrt(now / first)};
  }
}

/// Solves, and prints what was found.
template <class Solver>
result timed(MPI_Comm comm, const char* name, const Solver& solve, const block& b) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Barrier(comm);
  const Kokkos::Timer timer;
  const result found = solve(comm, b);
  if (rank == 0)
    std::printf("%-6s %5d iterations, residual %.6e, %.3f s\n", name, found.iterations, found.residual,
                timer.seconds());
  return found;
}

/// Whether both solvers find the same.
bool compare(MPI_Comm comm, int n) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const block by_hand(n, rank, ranks), b(n, rank, ranks);
  const result loops = timed(comm, "loops", solve_with_loops, by_hand),
               fused = timed(comm, "Quern", solve_with_quern, b);
  double largest[2] = {quern::norm<quern::norm_order::infinity>(b.u),
                       quern::norm<quern::norm_order::infinity>(
                           quern::lazy(KOKKOS_LAMBDA(double x, double y) { return x - y; }, b.u, by_hand.u))};
  MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, comm);
  const double apart = largest[1] / largest[0];
  const bool same = loops.iterations == fused.iterations && apart <= 1e-9 &&
                    std::fabs(loops.residual - fused.residual) <= 1e-3 * loops.residual;
  if (rank == 0)
    std::printf("%d ranks, largest temperature %.6e; both %s, to %.1e of it\n", ranks, largest[0],
                same ? "agree" : "DIFFER", apart);
  return same;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2, rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const int n = argc == 1 ? 256 : std::atoi(argv[1]);
    if (argc <= 2 && n >= std::max(16, ranks)) status = compare(MPI_COMM_WORLD, n) ? 0 : 1;
    else if (rank == 0)
      std::fputs("Usage: conjugate_gradients_mpi [CELLS ALONG AN AXIS, 16 OR MORE, AND ONE A RANK]\n", stderr);
  }
  MPI_Finalize();
  return status;
}
