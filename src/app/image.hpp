// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_IMAGE_HPP
#define QUERN_APP_IMAGE_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace app {

/// An image of 8-bit channels, interleaved, row by row from the top.
struct image {
  int width = 0, height = 0, channels = 0;
  std::vector<std::uint8_t> pixels;
};

/// Reads PNG, JPEG, PGM or PPM.
/// @throws usage_error that names the file and what is wrong with it
image read_image(const std::string& path);

/// Writes PNG, JPEG, PGM or PPM, by the file's ending.
void write_image(const std::string& path, const image& picture);

/// Refuses what write_image could not write, before any work is done.
/// @throws usage_error that names the ending, or the channels, that are taken
void check_image(const std::string& path, const image& picture);

}  // namespace app

#endif
