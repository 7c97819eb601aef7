// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "output_file.hpp"
#include "workload.hpp"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNM
#include <stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace app {
namespace {

constexpr int jpeg_quality = 95;

std::string pnm(const image& p) {
  std::string bytes = fmt::format("P{}\n{} {}\n255\n", p.channels == 1 ? 5 : 6, p.width, p.height);
  return bytes.append(reinterpret_cast<const char*>(p.pixels.data()), p.pixels.size());
}

/// The bytes that one of stb's functions writes by a callback; none where it fails.
template <class Write>
std::string written(const Write& write) {
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  return write(append, &bytes) != 0 ? bytes : "";
}
std::string png(const image& p) {
  return written([&](auto append, void* to) {
    return stbi_write_png_to_func(append, to, p.width, p.height, p.channels, p.pixels.data(), p.width * p.channels);
  });
}
std::string jpeg(const image& p) {
  return written([&](auto append, void* to) {
    return stbi_write_jpg_to_func(append, to, p.width, p.height, p.channels, p.pixels.data(), jpeg_quality);
  });
}

/// The formats that are written, each with the channels that it has.
struct image_format {
  const char* ending;
  std::vector<int> channels;
  std::string (*encode)(const image&);
};
const image_format formats[] = {{".png", {1, 2, 3, 4}, png},
                                {".jpg", {1, 3}, jpeg},
                                {".jpeg", {1, 3}, jpeg},
                                {".pgm", {1}, pnm},
                                {".ppm", {3}, pnm}};

const image_format& format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const image_format& f : formats)
    if (ending == f.ending) return f;
  throw usage_error(
      fmt::format("{}: expected an output that ends in .png, .jpg, .jpeg, .pgm or .ppm, found '{}'", path, ending));
}

}  // namespace

image read_image(const std::string& path) {
  if (!std::ifstream(path)) throw usage_error(fmt::format("{}: cannot be opened for reading", path));
  image p;
  stbi_uc* data = stbi_load(path.c_str(), &p.width, &p.height, &p.channels, 0);
  if (data == nullptr)
    throw usage_error(
        fmt::format("{}: expected a whole PNG, JPEG, PGM or PPM image, found: {}", path, stbi_failure_reason()));
  p.pixels.assign(data, data + static_cast<std::size_t>(p.width) * p.height * p.channels);
  stbi_image_free(data);
  return p;
}

void check_image(const std::string& path, const image& p) {
  const image_format& f = format_of(path);
  if (std::find(f.channels.begin(), f.channels.end(), p.channels) == f.channels.end())
    throw usage_error(fmt::format("{}: expected {} channels for {}, found {}", path, fmt::join(f.channels, " or "),
                                  f.ending, p.channels));
}

void write_image(const std::string& path, const image& p) {
  check_image(path, p);
  const std::string bytes = format_of(path).encode(p);
  if (bytes.empty()) throw std::runtime_error(fmt::format("{}: cannot be made", path));
  write_file(path, bytes);
}

}  // namespace app
