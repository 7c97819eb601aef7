// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

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

void write_pnm(const std::string& path, const image& p) {
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("P{}\n{} {}\n255\n", p.channels == 1 ? 5 : 6, p.width, p.height);
  file.write(reinterpret_cast<const char*>(p.pixels.data()), static_cast<std::streamsize>(p.pixels.size()));
  if (!file) throw usage_error(fmt::format("{}: cannot be written", path));
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
  if (e == ".png") {
    if (!stbi_write_png(path.c_str(), p.width, p.height, p.channels, p.pixels.data(), p.width * p.channels))
      throw usage_error(fmt::format("{}: cannot be written", path));
    return;
  }
  const int wanted = e == ".pgm" ? 1 : 3;
  if (p.channels != wanted)
    throw usage_error(fmt::format("{}: expected {} channels for {}, found {}", path, wanted, e, p.channels));
  write_pnm(path, p);
}

}  // namespace app
