// Conjugate gradients inside a simulation code, with the code's own arrays and ghost cells: once in plain Kokkos loops,
// once with Quern, so that you see what replaces what.
//
//   conjugate_gradients 512
//
// The problem is the heat of a plate at rest, -laplace(u) = f on n x n cells: cold above and below, insulated at its
// sides, with a hot spot. The matrix A is the 5-point stencil. Of the arrays, the direction p alone is stored with a
// layer of ghost cells.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <quern/quern.hpp>
#include <utility>

using exec_space = Kokkos::DefaultExecutionSpace;
using field = Kokkos::View<double**>;
using scalar = Kokkos::View<double>;

/// u is 0 at first, and the residual r is f.
struct arrays {
  explicit arrays(int n) : u("u", n, n), r("r", n, n), w("w", n, n), p("p", n + 2, n + 2) {
    const auto hot = std::pair(n / 4, n / 2 + 1);
    Kokkos::deep_copy(Kokkos::subview(r, hot, hot), 1.0);
  }
  field u, r, w, p;
};

struct result {
  int iterations;
  double residual;  // |r| at the end, of |f|
};
constexpr double tolerance = 1e-8;
constexpr int check_every = 10;  // iterations from one test for convergence to the next; fewer than any problem takes

/// By hand: loops that reduce what they write, and one for the ghosts.
result solve_with_loops(const arrays& a) {
  const field u = a.u, r = a.r, w = a.w, p = a.p;
  const int n = static_cast<int>(u.extent(0));
  const exec_space exec;
  const Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>> cells(exec, {0, 0}, {n, n});
  double rr = 0;
  Kokkos::parallel_reduce(
      "start", cells,
      KOKKOS_LAMBDA(int j, int i, double& sum) {
        p(j + 1, i + 1) = r(j, i);
        sum += r(j, i) * r(j, i);
      },
      rr);
  const double first = rr;
  for (int iteration = 1;; ++iteration) {
    Kokkos::parallel_for(
        "ghosts", Kokkos::RangePolicy(exec, 1, n + 1), KOKKOS_LAMBDA(int k) {
          p(0, k) = -p(1, k);  // cold: zero at the face
          p(n + 1, k) = -p(n, k);
          p(k, 0) = p(k, 1);  // insulated
          p(k, n + 1) = p(k, n);
        });
    double pw = 0;
    Kokkos::parallel_reduce(
        "apply", cells,
        KOKKOS_LAMBDA(int j, int i, double& sum) {
          const double here = p(j + 1, i + 1);
          w(j, i) = 4 * here - p(j, i + 1) - p(j + 2, i + 1) - p(j + 1, i) - p(j + 1, i + 2);
          sum += here * w(j, i);
        },
        pw);
    const double alpha = rr / pw;
    double next = 0;
    Kokkos::parallel_reduce(
        "advance", cells,
        KOKKOS_LAMBDA(int j, int i, double& sum) {
          u(j, i) += alpha * p(j + 1, i + 1);
          r(j, i) -= alpha * w(j, i);
          sum += r(j, i) * r(j, i);
        },
        next);
    const double beta = next / rr;
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

/// With Quern. Sums and coefficients are Views, so that the host launches iterations without waiting for any of them
/// but where it tests for convergence.
result solve_with_quern(const arrays& a) {
  using quern::boundary, quern::outputs, quern::reduced;
  const auto& [u, r, w, p] = a;
  const auto inner = std::pair(1, static_cast<int>(u.extent(0)) + 1);
  const auto cells = Kokkos::subview(p, inner, inner);
  const quern::boundaries edges{boundary::odd_reflect, boundary::reflect};  // cold along axis 0, insulated along axis 1
  const exec_space exec;
  scalar rr("r.r"), next("next r.r"), pw("p.w"), alpha("alpha"), beta("beta");

  quern::copy(exec, cells, r);
  quern::dot(exec, rr, r, r);
  const double first = quern::to_host(rr)();
  for (int iteration = 1;; ++iteration) {
    quern::fill_halo(exec, p, edges, quern::depth{1}, quern::faces_only);
    quern::stencil<quern::star<1>>(exec, outputs(w, reduced<quern::op::sum>(pw)), apply(), boundary::nearest,
                                   quern::with_ghosts(p, quern::depth{1}));
    quern::divide(exec, alpha, rr, pw);
    quern::map(exec, outputs(u, r, reduced<quern::op::sum>(next)), advance(), u, r, cells, w, alpha);
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
result timed(const char* name, const Solver& solve, const arrays& a) {
  Kokkos::fence();
  const Kokkos::Timer timer;
  const result found = solve(a);
  Kokkos::fence();
  std::printf("%-6s %5d iterations, residual %.6e, %.3f s\n", name, found.iterations, found.residual, timer.seconds());
  return found;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = argc == 1 ? 256 : std::atoi(argv[1]);
  if (argc > 2 || n < 16)
    return std::fputs("Usage: conjugate_gradients [CELLS ALONG AN AXIS, 16 OR MORE]\n", stderr), 2;
  const arrays by_hand(n), a(n);
  const result loops = timed("loops", solve_with_loops, by_hand), fused = timed("Quern", solve_with_quern, a);
  const double largest = quern::max(a.u);
  const double apart =
      quern::max(quern::lazy(KOKKOS_LAMBDA(double x, double y) { return Kokkos::abs(x - y); }, a.u, by_hand.u));
  const bool same = loops.iterations == fused.iterations && apart <= 1e-9 * largest &&
                    std::fabs(loops.residual - fused.residual) <= 1e-3 * loops.residual;
  std::printf("largest temperature %.6e; both %s, to %.1e of it\n", largest, same ? "agree" : "DIFFER",
              apart / largest);
  if (std::fflush(stdout) != 0) return std::fputs("standard output cannot be written\n", stderr), 2;
  return same ? 0 : 1;
}
