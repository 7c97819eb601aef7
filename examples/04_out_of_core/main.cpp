// An image larger than memory: written, measured, smoothed and summed up by columns, a few megabytes at a time.
//
//   out_of_core [ROWS [MEGABYTES]]     rows of 4000 floats; memory that each operation may take
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <quern/files.hpp>
#include <quern/stream.hpp>

using space = Kokkos::DefaultExecutionSpace;
namespace stream = quern::stream;
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

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  const std::size_t memory = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 32) * 1'000'000;
  const space exec;
  try {
    const stream::options settings{.memory = memory};
    stream::map(exec, files::npy_sink<float>("image.npy", {rows, columns}), pattern(), settings, quern::positions());

    const auto image = files::npy_source<float, 2>("image.npy");
    const auto [mean, var] = stream::mean_var<double>(exec, image, settings);
    std::printf("%zu x %zu pixels, %.1f MB at a time: mean %.6f, variance %.6f\n", rows, columns,
                static_cast<double>(memory) / 1e6, mean, var);

    stream::options shown = settings;
    shown.on_progress = [](const stream::progress& p) {
      if (p.chunks_done == p.chunks)
        std::printf("smoothed %.0f MB in %lld chunks\n", p.bytes / 1e6, static_cast<long long>(p.chunks));
    };
    stream::stencil<quern::star<1>>(exec, files::npy_sink<float>("smooth.npy", {rows, columns}), smooth(),
                                    quern::boundary::reflect, shown, image);

    const auto smoothed = files::npy_source<float, 2>("smooth.npy");
    const Kokkos::View<double*, Kokkos::HostSpace> sums("sums", columns);
    stream::sum<double>(exec, sums, smoothed, quern::axis{0}, settings);
    std::printf("mean of column 100: %.6f\n", sums(100) / static_cast<double>(rows));
    std::printf("mean after smoothing: %.6f\n", stream::mean<double>(exec, smoothed, settings));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "out_of_core: %s\n", e.what());
    return 1;
  }
}
