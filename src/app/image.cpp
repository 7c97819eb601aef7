// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.hpp"

#include <fmt/format.h>

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

std::string ending(const std::string& path) { return std::filesystem::path(path).extension().string(); }

std::string pnm(const image& p) {
  std::string bytes = fmt::format("P{}\n{} {}\n255\n", p.channels == 1 ? 5 : 6, p.width, p.height);
  return bytes.append(reinterpret_cast<const char*>(p.pixels.data()), p.pixels.size());
}

std::string png(const std::string& path, const image& p) {
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  if (!stbi_write_png_to_func(append, &bytes, p.width, p.height, p.channels, p.pixels.data(), p.width * p.channels))
    throw std::runtime_error(fmt::format("{}: cannot be made", path));
  return bytes;
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

void check_image_name(const std::string& path) {
  const std::string e = ending(path);
  if (e != ".png" && e != ".pgm" && e != ".ppm")
    throw usage_error(fmt::format("{}: expected an output that ends in .png, .pgm or .ppm, found '{}'", path, e));
}

void write_image(const std::string& path, const image& p) {
  const std::string e = ending(path);
  if (e == ".png") return write_file(path, png(path, p));
  const int wanted = e == ".pgm" ? 1 : 3;
  if (p.channels != wanted)
    throw usage_error(fmt::format("{}: expected {} channels for {}, found {}", path, wanted, e, p.channels));
  write_file(path, pnm(p));
}

}  // namespace app
