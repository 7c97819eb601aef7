// Particles in a trap by the leapfrog method, with Quern's calls and with the plain Kokkos loops in whose place they
// stand.
//
//   leapfrog --particles 100000 --steps 1000 --step 0.01 --quartic 0.1
//
// Each particle of mass m has the potential m (r^2 / 2 + quartic r^4 / 4). The method keeps the angular momentum
// except for rounding, and the energy except for errors of steps that do not grow. Without the quartic part the center
// of mass has a closed form, for finite steps too.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <quern/quern.hpp>
#include <stdexcept>

using exec_space = Kokkos::DefaultExecutionSpace;
using vectors = Kokkos::View<double* [3]>;  // a row for each particle, in the layout that the device prefers
using column = Kokkos::View<double*>;
using vector = Kokkos::Array<double, 3>;
using quern::rows;

// Components are written out: g++ unrolls no loops over them at -O2, and then vectors go through memory.
KOKKOS_INLINE_FUNCTION double square(const vector& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }
KOKKOS_INLINE_FUNCTION vector times(double s, const vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
KOKKOS_INLINE_FUNCTION vector plus(const vector& a, const vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

struct trap {
  double quartic;
  KOKKOS_FUNCTION double potential(double r2) const { return r2 / 2 + quartic * r2 * r2 / 4; }
  KOKKOS_FUNCTION double pull(double r2) const { return -(1 + quartic * r2); }  // the force is m pull(r^2) x
};

struct particles {
  explicit particles(std::size_t n, std::size_t steps)
      : x("x", n), v("v", n), f("f", n), mass("mass", n), kinetic("kinetic", steps), potential("potential", steps) {}
  vectors x, v, f;
  column mass;
  column kinetic, potential;  // the energies after each step, on the device: no step waits for them
};

// ---- With Quern: what happens to one particle, and a call for each pass over all.

struct kick {
  double dt;
  KOKKOS_FUNCTION vector operator()(const vector& v, const vector& f, double m) const {
    return plus(v, times(dt / m, f));
  }
};
/// The same with the energy, for an output that is a sum.
struct measured_kick {
  double dt;
  KOKKOS_FUNCTION auto operator()(const vector& v, const vector& f, double m) const {
    const vector after = kick{dt}(v, f, m);
    return quern::values(after, m * square(after) / 2);
  }
};
struct drift {
  trap in;
  double dt;
  KOKKOS_FUNCTION auto operator()(const vector& x, const vector& v, double m) const {
    const vector after = plus(x, times(dt, v));
    const double r2 = square(after);
    return quern::values(after, times(m * in.pull(r2), after), m * in.potential(r2));
  }
};

void step_with_quern(const exec_space& exec, const particles& p, const trap& in, double dt, int step) {
  using quern::named, quern::op::sum, quern::outputs, quern::reduced;
  const auto x = rows<3>(p.x), v = rows<3>(p.v), f = rows<3>(p.f);
  const auto kinetic = Kokkos::subview(p.kinetic, step), potential = Kokkos::subview(p.potential, step);
  quern::map(exec, v, kick{dt / 2}, named{"half kick"}, v, f, p.mass);
  quern::map(exec, outputs(x, f, reduced<sum>(potential)), drift{in, dt}, named{"drift"}, x, v, p.mass);
  quern::map(exec, outputs(v, reduced<sum>(kinetic)), measured_kick{dt / 2}, named{"kick"}, v, f, p.mass);
}

// ---- The same as plain loops.

void step_with_loops(const exec_space& exec, const particles& p, const trap& in, double dt, int step) {
  const auto x = p.x, v = p.v, f = p.f;
  const auto mass = p.mass;
  const auto all = Kokkos::RangePolicy<exec_space>(exec, 0, mass.extent(0));
  Kokkos::parallel_for(
      "half kick", all, KOKKOS_LAMBDA(std::size_t i) {
        for (int c = 0; c < 3; ++c) v(i, c) += dt / 2 / mass(i) * f(i, c);
      });
  Kokkos::parallel_reduce(
      "drift", all,
      KOKKOS_LAMBDA(std::size_t i, double& energy) {
        double r2 = 0;
        for (int c = 0; c < 3; ++c) {
          x(i, c) += dt * v(i, c);
          r2 += x(i, c) * x(i, c);
        }
        for (int c = 0; c < 3; ++c) f(i, c) = mass(i) * in.pull(r2) * x(i, c);
        energy += mass(i) * in.potential(r2);
      },
      Kokkos::subview(p.potential, step));
  Kokkos::parallel_reduce(
      "kick", all,
      KOKKOS_LAMBDA(std::size_t i, double& energy) {
        double v2 = 0;
        for (int c = 0; c < 3; ++c) {
          v(i, c) += dt / 2 / mass(i) * f(i, c);
          v2 += v(i, c) * v(i, c);
        }
        energy += mass(i) * v2 / 2;
      },
      Kokkos::subview(p.kinetic, step));
}

// ---- The start, and what is measured.

particles started(const exec_space& exec, std::size_t n, std::size_t steps, const trap& in) {
  const particles p(n, steps);
  quern::random::normal(exec, p.x, quern::random::key{1});
  quern::random::normal(exec, p.v, quern::random::key{2}, 0.5, 1.0);  // on its way: the center of mass moves
  quern::random::uniform(exec, p.mass, quern::random::key{3}, 1.0, 2.0);
  quern::map(exec, quern::outputs(rows<3>(p.x), rows<3>(p.f), quern::reduced<quern::op::sum>(quern::on_host)),
             drift{in, 0}, rows<3>(p.x), rows<3>(p.v), p.mass);  // the forces: a drift of no time
  return p;
}

struct weighted {
  KOKKOS_FUNCTION vector operator()(double m, const vector& a) const { return times(m, a); }
};
/// The sum of m a over the sum of m, as the center of mass, or its velocity.
vector mass_average(const exec_space& exec, const column& mass, const vectors& a) {
  const vector sum = quern::sum(exec, quern::lazy(weighted(), mass, rows<3>(a)));
  return times(1 / quern::sum(exec, mass), sum);
}

struct angular_momentum {
  KOKKOS_FUNCTION vector operator()(double m, const vector& x, const vector& v) const {
    return {m * (x[1] * v[2] - x[2] * v[1]), m * (x[2] * v[0] - x[0] * v[2]), m * (x[0] * v[1] - x[1] * v[0])};
  }
};
vector spin(const exec_space& exec, const particles& p) {
  return quern::sum(exec, quern::lazy(angular_momentum(), p.mass, rows<3>(p.x), rows<3>(p.v)));
}

double distance(const vector& a, const vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// The center of mass after so many steps, without the quartic part: that of an oscillator with a frequency that is
/// changed by the length of steps.
vector closed_form(const vector& x, const vector& v, double dt, int steps) {
  const double angle = steps * std::acos(1 - dt * dt / 2), amplitude = 1 / std::sqrt(1 - dt * dt / 4);
  vector at;
  for (int c = 0; c < 3; ++c) at[c] = x[c] * std::cos(angle) + amplitude * v[c] * std::sin(angle);
  return at;
}

struct difference {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return Kokkos::abs(a - b); }
};

int main(int argc, char** argv) {
  std::size_t n = 100'000;
  int steps = 200;
  double dt = 0.01;
  trap in{0.1};
  CLI::App options("Particles in a trap");
  options.add_option("--particles", n, "how many")->check(CLI::PositiveNumber);
  options.add_option("--steps", steps, "time steps")->check(CLI::PositiveNumber);
  options.add_option("--step", dt, "their length; near the center, particles swing with a period of 2 pi")
      ->check(CLI::Range(1e-6, 0.5));
  options.add_option("--quartic", in.quartic, "how much stiffer than a spring the trap is; 0: a spring")
      ->check(CLI::NonNegativeNumber);
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);

  try {
    const exec_space exec;
    const auto run = [&](const particles& p, const auto& step) {
      exec.fence();
      const Kokkos::Timer timer;
      for (int i = 0; i < steps; ++i) step(exec, p, in, dt, i);
      exec.fence();
      return timer.seconds();
    };
    const particles p = started(exec, n, steps, in), plain = started(exec, n, steps, in);
    const vector center = mass_average(exec, p.mass, p.x), velocity = mass_average(exec, p.mass, p.v),
                 spin_before = spin(exec, p);
    const double with_quern = run(p, step_with_quern), with_loops = run(plain, step_with_loops);

    const column energy("energy", steps);
    quern::add(exec, energy, p.kinetic, p.potential);
    const auto [low, high] = quern::minmax(exec, energy);
    std::printf("%zu particles, %d steps: %.3f s, plain loops %.3f s\n", n, steps, with_quern, with_loops);
    std::printf("energy %.9g, changes by at most %.1e\n", high, (high - low) / high);
    const vector spin_after = spin(exec, p), at = mass_average(exec, p.mass, p.x);
    std::printf("angular momentum changed by %.1e\n", distance(spin_after, spin_before) / distance(spin_before, {}));
    std::printf("center of mass (%.6f, %.6f, %.6f)\n", at[0], at[1], at[2]);
    if (in.quartic == 0)
      std::printf("it is %.1e from the closed form\n", distance(at, closed_form(center, velocity, dt, steps)));
    const auto largest = [&](const auto& a, const auto& b) {
      return quern::max(exec, quern::lazy(difference(), a, b));
    };
    const double positions = largest(p.x, plain.x),
                 energies = std::max(largest(p.kinetic, plain.kinetic), largest(p.potential, plain.potential)) / high;
    std::printf("differences to plain loops: positions %.1e, energies %.1e\n", positions, energies);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
    return positions < 1e-9 && energies < 1e-9 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "leapfrog: %s\n", e.what());
    return 2;
  }
}
