// Heat in a box: explicit steps of du/dt = D laplace(u) on n x n x n cells.
//
//   heat3d --cells 128 --steps 1000 --every 100 --boundary reflect --output end.npy --slice end.png
//   heat3d --input end.npy --steps 1000 --slice later.npy --series heat
//   heat3d --steps 1000 --statistics planes.csv
//
// Ctrl-C ends it at the next report, with the files that were asked for.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <map>
#include <optional>
#include <quern/quern.hpp>
#include <stdexcept>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

using quern::boundary;
using field = Kokkos::View<double***, Kokkos::LayoutRight>;

/// u + D dt laplace(u), with rate = D dt / h^2: stable up to 1/6.
struct heat_step {
  double rate;
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    const double around = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
    return u(0, 0, 0) + rate * (around - 6 * u(0, 0, 0));
  }
};

/// Two warm balls in a cold box.
struct two_balls {
  field u;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t j, std::int64_t i) const {
    const double h = 1.0 / static_cast<double>(u.extent(0)), z = (k + 0.5) * h, y = (j + 0.5) * h, x = (i + 0.5) * h;
    const auto ball = [&](double cz, double cy, double cx, double radius) {
      return (z - cz) * (z - cz) + (y - cy) * (y - cy) + (x - cx) * (x - cx) < radius * radius ? 1.0 : 0.0;
    };
    u(k, j, i) = ball(0.5, 0.35, 0.3, 0.15) + 0.7 * ball(0.5, 0.6, 0.65, 0.22);
  }
};

volatile std::sig_atomic_t stopped = 0;

/// A second signal ends the program at once.
void stop(int signal) {
  stopped = signal;
  std::signal(signal, SIG_DFL);
}

/// Writes bytes as a file, which gets its name when it is complete.
void write_bytes(const std::string& path, const std::vector<char>& bytes) {
  using unmanaged = Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  quern::files::write_raw(path, unmanaged(bytes.data(), bytes.size()));
}
void append(void* bytes, void* data, int size) {
  auto* to = static_cast<std::vector<char>*>(bytes);
  to->insert(to->end(), static_cast<const char*>(data), static_cast<const char*>(data) + size);
}

field initial_field(std::int64_t n) {
  const field u("u", n, n, n);
  Kokkos::parallel_for("initial", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({0, 0, 0}, {n, n, n}), two_balls{u});
  return u;
}

/// The middle plane: .npy with its values, or .png with 0 black, over red and yellow, to 1 white.
void write_slice(const std::string& path, const field& u) {
  const auto middle = Kokkos::subview(u, u.extent(0) / 2, Kokkos::ALL, Kokkos::ALL);
  if (!path.ends_with(".png")) return quern::files::write_npy(path, middle);
  const auto plane = quern::to_host(middle);
  const auto rows = static_cast<int>(plane.extent(0)), columns = static_cast<int>(plane.extent(1));
  std::vector<unsigned char> pixels;
  for (int k = 0; k < rows * columns; ++k)
    for (int channel = 0; channel < 3; ++channel)
      pixels.push_back(static_cast<unsigned char>(255 * std::clamp(3 * plane.data()[k] - channel, 0.0, 1.0)));
  std::vector<char> png;
  if (!stbi_write_png_to_func(append, &png, columns, rows, 3, pixels.data(), 3 * columns))
    throw std::runtime_error(path + ": cannot be made");
  write_bytes(path, png);
}

void report(std::int64_t step, const field& u) {
  const double cell = 1 / std::pow(static_cast<double>(u.extent(0)), 3);
  std::printf("step %8lld  energy %.12f  maximum %.9f\n", static_cast<long long>(step), quern::sum(u) * cell,
              quern::max(u));
}

/// Temperatures of the cells of each plane in all steps. Adding those of a step waits for nothing.
class plane_statistics {
 public:
  explicit plane_statistics(const field& u) : planes_(Kokkos::DefaultExecutionSpace(), u.extent(0)) {
    add(Kokkos::DefaultExecutionSpace(), u);
  }
  template <class Exec>
  void add(const Exec& exec, const field& u) const {
    planes_.add(exec, u, quern::axes{1, 2});
  }
  void write(const std::string& path) const {
    const Kokkos::DefaultExecutionSpace exec;
    const auto n = planes_.states().extent(0);
    const Kokkos::View<std::int64_t*> plane("plane", n), count("count", n);
    const Kokkos::View<double*> mean("mean", n), stddev("stddev", n), least("min", n), most("max", n);
    quern::arange(exec, plane, n);
    planes_.count(exec, count);
    planes_.mean(exec, mean);
    planes_.stddev(exec, stddev);
    planes_.min(exec, least);
    planes_.max(exec, most);
    quern::Table table(exec);
    table.insert("plane", plane).insert("count", count).insert("mean", mean).insert("stddev", stddev);
    quern::write_csv(path, table.insert("min", least).insert("max", most));
  }

 private:
  quern::RunningStatistics<Kokkos::View<double*>> planes_;
};

int main(int argc, char** argv) {
  std::int64_t cells = 64, steps = 100, every = 20;
  double rate = 0.125;
  std::string input, output, series, statistics;
  std::vector<std::string> slices;
  std::string edge = "reflect";
  const std::map<std::string, boundary> edges = {{"keep", boundary::keep},       {"constant", boundary::constant(0)},
                                                 {"nearest", boundary::nearest}, {"reflect", boundary::reflect},
                                                 {"mirror", boundary::mirror},   {"wrap", boundary::wrap}};
  const auto ends_in = [](const std::vector<std::string>& endings) {
    const auto problem = [=](const std::string& path) {
      for (const auto& e : endings)
        if (path.ends_with(e)) return std::string();
      return path + " ends in none of " + CLI::detail::join(endings, ", ");
    };
    return CLI::Validator(problem, "");
  };
  CLI::App options("Heat in a box");
  auto* given_cells = options.add_option("--cells", cells, "cells along each axis, where there is no input")
                          ->check(CLI::PositiveNumber);
  options.add_option("--input", input, "initial values, float64 of three dimensions, .npy: also of an earlier run")
      ->excludes(given_cells);
  options.add_option("--steps", steps, "steps in time")->check(CLI::NonNegativeNumber);
  options.add_option("--every", every, "steps from one report to the next")->check(CLI::PositiveNumber);
  options.add_option("--rate", rate, "diffusivity * time step / cell^2")->check(CLI::Range(0.0, 1.0 / 6));
  options.add_option("--boundary", edge, "what is beyond the box: reflect keeps the energy, constant is cold")
      ->check(CLI::IsMember({"keep", "constant", "nearest", "reflect", "mirror", "wrap"}));
  options.add_option("--output", output, "the last state, .npy")->check(ends_in({".npy"}));
  options.add_option("--series", series, "the state at each report, NAME.h5 with NAME.xdmf for ParaView (needs HDF5)");
  options
      .add_option("--statistics", statistics, "count, mean, deviation and extrema of each plane over all steps, .csv")
      ->check(ends_in({".csv"}));
  options.add_option("--slice", slices, "its middle plane, .png or .npy, or both")->check(ends_in({".png", ".npy"}));
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);

  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  try {
    field u = input.empty() ? initial_field(cells) : quern::files::load_npy<field>(input);
    field next = quern::like(u, "next");
    Kokkos::deep_copy(next, u);  // both have the border that `keep` leaves as it is
    const boundary beyond = edges.at(edge);
    std::optional<quern::files::TimeSeries> states;
    std::optional<plane_statistics> planes;
    if (!statistics.empty()) planes.emplace(u);
    const double h = 1 / static_cast<double>(u.extent(0));
    if (!series.empty()) states.emplace(series, std::vector<double>{h, h, h}, std::vector<double>{h / 2, h / 2, h / 2});
    const auto show = [&](std::int64_t step) {
      report(step, u);
      if (states) states->write(static_cast<double>(step) * rate * h * h, "temperature", u);
    };
    show(0);
    for (std::int64_t done = 0; done < steps && stopped == 0; done += every) {
      const std::int64_t now = std::min(every, steps - done);
      quern::iterate(
          Kokkos::DefaultExecutionSpace(), u, next,
          [&](const auto& exec, const auto& from, const auto& to) {
            quern::stencil<quern::star<1>>(exec, to, heat_step{rate}, beyond, from);
            if (planes) planes->add(exec, to);
          },
          now);
      show(done + now);
    }
    if (!output.empty()) quern::files::write_npy(output, u);
    if (planes) planes->write(statistics);
    for (const std::string& path : slices) write_slice(path, u);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heat3d: %s\n", e.what());
    return 2;
  }
  return stopped != 0 ? 128 + stopped : 0;
}
