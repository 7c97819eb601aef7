// Filters of a photo, channel by channel.
//
//   photo_filter gaussian photo.jpg out.png --sigma 3
//   photo_filter uniform|sharpen|edges photo.png out.jpg
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <quern/quern.hpp>

#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

using quern::boundary;
using photo = Kokkos::View<std::uint8_t***, Kokkos::LayoutRight>;  // rows, columns, channels
using plane = Kokkos::View<float**, Kokkos::LayoutRight>;

photo read_photo(const std::string& path) {
  int columns, rows, channels;
  unsigned char* data = stbi_load(path.c_str(), &columns, &rows, &channels, 0);
  if (data == nullptr) throw std::runtime_error(path + ": " + stbi_failure_reason());
  const photo p("photo", rows, columns, channels);
  using unmanaged = Kokkos::View<std::uint8_t***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(p, unmanaged(data, rows, columns, channels));
  stbi_image_free(data);
  return p;
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

bool is_jpeg(const std::string& path) { return path.ends_with(".jpg") || path.ends_with(".jpeg"); }

/// PNG or, without opacity, JPEG.
void write_photo(const std::string& path, const photo& p) {
  const auto host = quern::to_host(p);
  const auto rows = static_cast<int>(p.extent(0)), columns = static_cast<int>(p.extent(1)),
             channels = static_cast<int>(p.extent(2));
  std::vector<char> bytes;
  if (!(is_jpeg(path)
            ? stbi_write_jpg_to_func(append, &bytes, columns, rows, channels, host.data(), 95)
            : stbi_write_png_to_func(append, &bytes, columns, rows, channels, host.data(), channels * columns)))
    throw std::runtime_error(path + ": cannot be made");
  write_bytes(path, bytes);
}

/// 3 x 3 weights on the device.
plane weights(const std::vector<float>& values) {
  const plane w("weights", 3, 3);
  Kokkos::deep_copy(w, Kokkos::View<const float**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                           values.data(), 3, 3));
  return w;
}

/// One channel: a strided View, since pixels are interleaved.
template <class Channel>
void filter(const std::string& name, double sigma, const Channel& in, const plane& out) {
  if (name == "gaussian") {
    quern::gaussian_filter(out, in, sigma, boundary::reflect);
  } else if (name == "uniform") {
    quern::uniform_filter(out, in, 9, boundary::reflect);
  } else if (name == "sharpen") {
    quern::correlate(out, in, weights({0, -1, 0, -1, 5, -1, 0, -1, 0}), boundary::reflect);
  } else {  // edges: the length of the gradient
    const plane down("down", in.extent(0), in.extent(1)), right("right", in.extent(0), in.extent(1));
    quern::gradient(quern::outputs(down, right), in, 0.5, boundary::nearest);
    quern::map(out, KOKKOS_LAMBDA(float a, float b) { return Kokkos::sqrt(a * a + b * b); }, down, right);
  }
}

/// Ends the program, without files that are not complete.
void stop(int signal) {
  quern::files::remove_unfinished();
  std::_Exit(128 + signal);
}

int main(int argc, char** argv) {
  std::string name, input, output;
  double sigma = 2;
  CLI::App options("Filters of a photo");
  options.add_option("filter", name)->required()->check(CLI::IsMember({"gaussian", "uniform", "sharpen", "edges"}));
  options.add_option("input", input, "PNG or JPEG")->required();
  options.add_option("output", output, "PNG or JPEG")
      ->required()
      ->check(CLI::Validator(
          [](const std::string& p) {
            return p.ends_with(".png") || is_jpeg(p) ? "" : p + " ends in none of .png, .jpg and .jpeg";
          },
          ""));
  auto* sigma_option = options.add_option("--sigma", sigma, "standard deviation of the Gaussian in pixels, 2 without")
                           ->check(CLI::NonNegativeNumber);
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);
  if (sigma_option->count() > 0 && name != "gaussian") {
    std::fprintf(stderr, "photo_filter: --sigma needs the filter gaussian\n");
    return 2;
  }

  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  try {
    const photo p = read_photo(input);
    if (is_jpeg(output) && p.extent(2) % 2 == 0) throw std::runtime_error(output + ": JPEG has no opacity, write .png");
    const plane filtered("filtered", p.extent(0), p.extent(1));
    for (std::size_t c = 0; c < p.extent(2); ++c) {
      if (c == 3) break;  // opacity
      const auto channel = Kokkos::subview(p, Kokkos::ALL, Kokkos::ALL, c);
      filter(name, sigma, channel, filtered);
      quern::map(channel, KOKKOS_LAMBDA(float v) { return Kokkos::clamp(v + 0.5f, 0.0f, 255.0f); }, filtered);
    }
    write_photo(output, p);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "photo_filter: %s\n", e.what());
    return 2;
  }
}
