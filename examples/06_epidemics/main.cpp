// Epidemics of many infection rates at once, as one draws them where a rate is uncertain: differential equations, a
// nonlinear equation whose derivatives are exact, and statistics.
//
//   epidemics --models 100000 --low 1.5 --high 4 --output shares.npy
//
// A share s of the people is susceptible and a share i is ill; in units of the time for which one is ill,
//   ds/dt = -R s i,   di/dt = R s i - i.
// In the end s = s0 exp(-R (1 - s)), which both ways of computing it must agree on.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <quern/quern.hpp>
#include <stdexcept>

constexpr double first_ill = 1e-3;

struct epidemic {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& share, const T& /* time */, const T& rate) const {
    const auto infected = rate * share[0] * share[1];
    return {-infected, infected - share[1]};
  }
};

/// Zero for the share that is never ill. It takes numbers of any type, those that carry derivatives too.
struct balance {
  template <class S, class R>
  KOKKOS_FUNCTION auto operator()(const S& s, const R& rate) const {
    using std::exp;
    return s - (1 - first_ill) * exp(-rate * (1 - s));
  }
};
struct balance_of_one {
  template <class A, class R>
  KOKKOS_FUNCTION A operator()(const A& s, const R& rate) const {
    return {balance()(s[0], rate)};
  }
};

using values = Kokkos::View<double*>;

/// Solutions at equal times, (models, times, 2).
Kokkos::View<double***, Kokkos::LayoutRight> simulated(const values& rates, int times, double end) {
  const Kokkos::View<double**, Kokkos::LayoutRight> start("start", rates.extent(0), 2);
  quern::fill(Kokkos::subview(start, Kokkos::ALL, 0), 1 - first_ill);
  quern::fill(Kokkos::subview(start, Kokkos::ALL, 1), first_ill);
  const values t("t", times);
  const double step = end / (times - 1);
  quern::map(
      t, KOKKOS_LAMBDA(const Kokkos::Array<std::int64_t, 1>& k) { return step * static_cast<double>(k[0]); },
      quern::positions());
  const Kokkos::View<double***, Kokkos::LayoutRight> shares("shares", rates.extent(0), times, 2);
  quern::odeint<2>(shares, epidemic(), quern::tolerance{.relative = 1e-9, .absolute = 1e-12}, start, t, rates);
  return shares;
}

/// The share that is never ill, and how it changes with the rate: ds/dR = -(df/dR) / (df/ds).
void solve(const values& never, const values& slope, const values& rates) {
  const Kokkos::View<double**, Kokkos::LayoutRight> roots("roots", rates.extent(0), 1);  // the guess is 0
  quern::newton<1>(roots, balance_of_one(), rates);
  quern::copy(never, Kokkos::subview(roots, Kokkos::ALL, 0));
  const values f("f", rates.extent(0)), by_share = quern::like(f), by_rate = quern::like(f);
  quern::map(quern::outputs(f, by_share, by_rate), quern::with_gradient(balance()), never, rates);
  quern::map(slope, KOKKOS_LAMBDA(double s, double r) { return -r / s; }, by_share, by_rate);
}

/// Ends the program, without files that are not complete.
void stop(int signal) {
  quern::files::remove_unfinished();
  std::_Exit(128 + signal);
}

int main(int argc, char** argv) {
  std::int64_t models = 100'000;
  double low = 1.5, high = 4;
  std::string output;
  CLI::App options("Epidemics of many infection rates");
  options.add_option("--models", models, "how many rates are drawn")->check(CLI::PositiveNumber);
  options.add_option("--low", low, "the least rate: people whom one who is ill infects at first")
      ->check(CLI::Range(1.2, 20.0));
  options.add_option("--high", high, "the greatest rate")->check(CLI::Range(1.2, 20.0));
  options.add_option("--output", output, "rate and share of people who were ill of each model, .npy")
      ->check(CLI::Validator(
          [](const std::string& p) { return p.ends_with(".npy") ? "" : p + " does not end in .npy"; }, ""));
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);

  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  try {
    const values rates("rates", models);
    quern::random::uniform(rates, quern::random::key{1}, low, high);
    const auto shares = simulated(rates, 401, 100);
    const values never("never", models), slope("slope", models), peak("peak", models), ever("ever", models);
    solve(never, slope, rates);
    quern::max(peak, Kokkos::subview(shares, Kokkos::ALL, Kokkos::ALL, 1), quern::axis{1});
    quern::subtract(ever, 1.0, never);

    const auto last = Kokkos::subview(shares, Kokkos::ALL, shares.extent(1) - 1, 0);
    const auto distance = quern::lazy(KOKKOS_LAMBDA(double a, double b) { return Kokkos::abs(a - b); }, never, last);
    std::printf("%lld models, R from %g to %g\n", static_cast<long long>(models), low, high);
    std::printf("ever ill: mean %.6f, 5 %% below %.6f, 5 %% above %.6f\n", quern::mean(ever),
                quern::quantile(ever, 0.05), quern::quantile(ever, 0.95));
    std::printf("ill at once: mean of the peaks %.6f, greatest %.6f\n", quern::mean(peak), quern::max(peak));
    std::printf("one more infection each: %.6f more are ill in the mean\n", -quern::mean(slope));
    std::printf("simulated and solved differ by at most %.1e\n", quern::max(distance));
    if (!output.empty()) {
      const Kokkos::View<double**, Kokkos::LayoutRight> both("both", models, 2);
      quern::copy(Kokkos::subview(both, Kokkos::ALL, 0), rates);
      quern::copy(Kokkos::subview(both, Kokkos::ALL, 1), ever);
      quern::files::write_npy(output, both);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "epidemics: %s\n", e.what());
    return 2;
  }
}
