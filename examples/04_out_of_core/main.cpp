// An image larger than memory: written, measured, smoothed and summed up by columns, a few megabytes at a time.
//
//   out_of_core --rows 20000 --memory 32M
//
// Ctrl-C ends it at the next chunk; the file that was being written is then not there.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdio>
#include <quern/chunked.hpp>
#include <quern/files.hpp>
#include <stdexcept>

using space = Kokkos::DefaultExecutionSpace;
namespace chunked = quern::chunked;
namespace files = quern::files;

constexpr std::size_t columns = 4000;

/// A test pattern, from the indices of a pixel.
struct pattern {
  KOKKOS_FUNCTION float operator()(const Kokkos::Array<std::int64_t, 2>& at) const {
    return static_cast<float>((at[0] / 64 + at[1] / 64) % 2 == 0 ? at[1] % 64 : 64);
  }
};

/// The mean of a pixel and its four neighbours.
struct smooth {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& w) const {
    return 0.2f * (w(0, 0) + w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1));
  }
};

volatile std::sig_atomic_t stopped = 0;

/// A second signal ends the program at once.
void stop(int signal) {
  stopped = signal;
  std::signal(signal, SIG_DFL);
}

void stop_where_asked(const chunked::progress&) {
  if (stopped != 0) throw std::runtime_error("interrupted");
}

int main(int argc, char** argv) {
  std::size_t rows = 20'000, memory = 32'000'000;
  CLI::App options("An image larger than memory, in chunks");
  options.add_option("--rows", rows, "of 4000 floats each")->check(CLI::PositiveNumber);
  options.add_option("--memory", memory, "that each operation may take, as 32M")->transform(CLI::AsSizeValue(true));
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);

  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  const space exec;
  try {
    quern::chunking settings{.memory = memory};
    settings.on_progress = stop_where_asked;
    quern::map(exec, files::npy_sink<float>("image.npy", {rows, columns}), pattern(), settings, quern::positions());

    const auto image = files::npy_source<float, 2>("image.npy");
    const auto [mean, var] = quern::mean_var<double>(exec, image, settings);
    std::printf("%zu x %zu pixels, %.1f MB at a time: mean %.6f, variance %.6f\n", rows, columns,
                static_cast<double>(memory) / 1e6, mean, var);

    quern::chunking shown = settings;
    shown.on_progress = [](const chunked::progress& p) {
      stop_where_asked(p);
      if (p.chunks_done == p.chunks)
        std::printf("smoothed %.0f MB in %lld chunks\n", p.bytes / 1e6, static_cast<long long>(p.chunks));
    };
    quern::stencil<quern::star<1>>(exec, files::npy_sink<float>("smooth.npy", {rows, columns}), smooth(),
                                   quern::boundary::reflect, shown, image);

    const auto smoothed = files::npy_source<float, 2>("smooth.npy");
    const Kokkos::View<double*, Kokkos::HostSpace> sums("sums", columns);
    quern::sum<double>(exec, quern::in_chunks(sums), smoothed, quern::axis{0}, settings);
    std::printf("mean of column 100: %.6f\n", sums(100) / static_cast<double>(rows));
    std::printf("mean after smoothing: %.6f\n", quern::mean<double>(exec, smoothed, settings));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "out_of_core: %s\n", e.what());
    return stopped != 0 ? 128 + stopped : 1;
  }
}
