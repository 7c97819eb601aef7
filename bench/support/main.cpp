// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the registered operations: verified first, then timed from fence to fence, with the limit of the same process.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <build_info.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <quern/config.hpp>
#include <quern/core/launch/tuning.hpp>
#include <sstream>

#include "support/bench.hpp"
#include "support/ranks.hpp"

namespace bench {
namespace {

std::vector<operation>& operations() {
  static std::vector<operation> all;
  return all;
}

/// Seconds after which slow calls are not repeated to 30 runs.
constexpr double longest_timing = 1;

double seconds(const exec_space& exec, const std::function<void()>& call, int inner) {
  exec.fence("bench: before");
  ranks::most(0);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < inner; ++i) call();
  exec.fence("bench: after");
  return ranks::most(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / inner);
}

bool verify(const exec_space& exec, const prepared& p, const variant& v) {
  p.poison();
  v.call();
  exec.fence();
  return ranks::most(p.right() ? 0 : 1) == 0;
}

/// Bytes read plus written a second by a copy: the driver's on a device, a plain loop over several times the last cache
/// on the host.
double copy_limit(const exec_space& exec) {
  constexpr bool device = quern::impl::is_device<exec_space>;
  const std::int64_t n = device ? 1 << 28 : 1 << 27;
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2);
  const std::function<void()> call = [&] {
    if constexpr (device) Kokkos::deep_copy(exec, y, x);
    else Kokkos::parallel_for("bench::copy", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i); });
  };
  double best = seconds(exec, call, 1);
  for (int i = 0; i < 10; ++i) best = std::min(best, seconds(exec, call, 1));
  return 16.0 * static_cast<double>(n) / best;
}

/// Prepared arrays are shared by the variants of one size and freed before the next.
class cache {
 public:
  prepared& get(const exec_space& exec, const operation& o, std::int64_t n) {
    const std::string key = o.name + std::to_string(n);
    if (key != key_) {
      current_.reset();
      current_ = std::make_unique<prepared>(o.make(exec, n));
      key_ = key;
    }
    return *current_;
  }
  void clear() {
    current_.reset();
    key_.clear();
  }

 private:
  std::string key_;
  std::unique_ptr<prepared> current_;
};

void timed(benchmark::State& state, const exec_space& exec, cache& shared, const operation& o, std::int64_t n,
           std::size_t which, double limit) {
  prepared& p = shared.get(exec, o, n);
  if (which >= p.variants.size()) {
    state.SkipWithError("there is none of this size");
    return;
  }
  const variant& v = p.variants[which];
  if (!verify(exec, p, v)) {
    state.SkipWithError("the result is wrong");
    return;
  }
  // Short calls are timed in batches, so that the fence does not count as theirs.
  const double once = std::min(seconds(exec, v.call, 1), seconds(exec, v.call, 1));
  const int inner = static_cast<int>(std::clamp(1e-3 / once, 1.0, 100.0));
  const auto runs = static_cast<std::size_t>(std::clamp(longest_timing / once, 3.0, 30.0));
  std::vector<double> times(runs);
  for (double& t : times) t = seconds(exec, v.call, inner);
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  const double median = times[runs / 2];
  for (auto _ : state) state.SetIterationTime(median);
  state.counters["runs"] = static_cast<double>(runs);
  state.counters["GB/s"] = p.bytes / median / 1e9;
  state.counters["limit_%"] = 100 * p.bytes / median / (p.limit > 0 ? p.limit : limit);
  if (p.flops > 0) state.counters["GFLOP/s"] = p.flops / median / 1e9;
}

int verify_all(const exec_space& exec) {
  int wrong = 0, count = 0;
  for (const auto& o : operations()) {
    const prepared p = o.make(exec, o.tiny);
    for (const auto& v : p.variants) {
      const bool right = verify(exec, p, v);
      if (ranks::reports()) std::printf("%-8s %s/%s\n", right ? "right" : "WRONG", o.name.c_str(), v.name.c_str());
      ++count;
      wrong += !right;
    }
  }
  return wrong == 0 && count > 0 ? 0 : 1;
}

void register_all(const exec_space& exec, cache& shared, double limit) {
  for (const auto& o : operations()) {
    std::vector<std::string> names;
    for (const auto& v : o.make(exec, o.tiny).variants) names.push_back(v.name);
    for (const auto n : o.sizes)
      for (std::size_t i = 0; i < names.size(); ++i)
        benchmark::RegisterBenchmark(
            (o.name + "/" + names[i] + "/" + std::to_string(n)).c_str(),
            [&exec, &shared, &o, n, i, limit](benchmark::State& state) { timed(state, exec, shared, o, n, i, limit); })
            ->UseManualTime()
            ->Iterations(1)  // the time is the median of runs
            ->Unit(benchmark::kMillisecond);
  }
}

/// Of the ranks that report nothing.
class silent_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

int main(int argc, char** argv) {
  const ranks all(argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const exec_space exec;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--verify") == 0) return verify_all(exec);

  const double limit = copy_limit(exec);
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  benchmark::AddCustomContext("quern", std::string(QUERN_VERSION_STRING) + " " + quern::build_info::commit);
  benchmark::AddCustomContext("compiler", std::string(quern::build_info::compiler) + " " + quern::build_info::flags);
  benchmark::AddCustomContext("execution_space", std::string(exec.name()) + " " + std::to_string(exec.concurrency()));
  benchmark::AddCustomContext("ranks", std::to_string(ranks::count()));
  benchmark::AddCustomContext("copy_limit_GB/s", std::to_string(limit / 1e9));
  benchmark::AddCustomContext("kokkos", configuration.str());
  cache shared;
  register_all(exec, shared, limit);
  if (!ranks::reports())  // one rank writes the file
    argc = static_cast<int>(
        std::remove_if(argv, argv + argc, [](const char* a) { return std::strncmp(a, "--benchmark_out", 15) == 0; }) -
        argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (ranks::reports()) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    silent_reporter nothing;
    benchmark::RunSpecifiedBenchmarks(&nothing);
  }
  shared.clear();
  return 0;
}

}  // namespace

void add(operation o) { operations().push_back(std::move(o)); }

}  // namespace bench

int main(int argc, char** argv) { return bench::main(argc, argv); }
