// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <regex>

namespace app {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw usage_error(fmt::format("{}: {}", path, problem));
}

std::int64_t element_size(const std::string& dtype) {
  return std::isdigit(static_cast<unsigned char>(dtype.back())) ? dtype.back() - '0' : 0;
}

/// The extents in `(3, 4)`, whose product counts the elements in 64 bits with room for their bytes.
std::vector<std::int64_t> shape_of(const std::string& path, const std::string& text) {
  const auto wrong = [&](const char* expected) {
    refuse(path, fmt::format("expected a shape {}, found ({})", expected, text));
  };
  if (!std::regex_match(text, std::regex(" *([0-9]+L? *, *)*([0-9]+L? *)?"))) wrong("of numbers that are not negative");
  std::vector<std::int64_t> shape;
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / 16;
  const std::regex number("[0-9]+");
  for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i) {
    const std::string digits = i->str();
    std::int64_t extent = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (read.ec != std::errc() || extent > room) wrong("of less than 2^59 elements");
    room /= std::max<std::int64_t>(extent, 1);
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace

std::int64_t npy::size() const {
  std::int64_t n = 1;
  for (const auto e : shape) n *= e;
  return n;
}

void refuse_dtype(const std::string& path, const std::string& dtype) {
  refuse(path, fmt::format("expected dtype <f8, <f4, <i8, <i4, |i1 or |u1, found {}", dtype));
}

// The format is that of numpy.lib.format: magic, version, length of the header, a Python dictionary, the data.
npy read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot be opened for reading");
  char start[8] = {};
  file.read(start, 8);
  if (file.gcount() < 8 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    refuse(path, "expected a .npy file, found something that does not begin with \\x93NUMPY");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) refuse(path, fmt::format("expected .npy version 1 to 3, found {}", version));
  const int length_bytes = version == 1 ? 2 : 4;
  unsigned char length[4] = {};
  file.read(reinterpret_cast<char*>(length), length_bytes);
  const std::size_t header_size =
      length[0] | length[1] << 8 | length[2] << 16 | static_cast<std::size_t>(length[3]) << 24;
  if (header_size > (1u << 20))
    refuse(path, fmt::format("expected a header of at most 1 MiB, found {} bytes", header_size));
  std::string header(header_size, ' ');
  file.read(header.data(), static_cast<std::streamsize>(header_size));
  if (!file) refuse(path, "expected a whole header, found the end of the file (truncated)");

  npy result;
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr': *'([^']+)'")))
    refuse(path, "expected one dtype for all elements, found: " + header);
  result.dtype = match[1];
  if (std::regex_search(header, std::regex("'fortran_order': *True")))
    refuse(path, "expected C order, found Fortran order (save numpy.ascontiguousarray of it)");
  if (!std::regex_search(header, match, std::regex("'shape': *\\(([^)]*)\\)")))
    refuse(path, "expected a shape, found: " + header);
  result.shape = shape_of(path, match[1]);

  const std::int64_t bytes = result.size() * element_size(result.dtype);
  if (bytes == 0 && result.size() != 0) refuse_dtype(path, result.dtype);
  const auto data_start = file.tellg();
  file.seekg(0, std::ios::end);
  const std::int64_t found = file.tellg() - data_start;
  if (found < bytes) refuse(path, fmt::format("expected {} bytes of data, found {} (truncated)", bytes, found));
  file.seekg(data_start);
  result.data.resize(bytes);
  file.read(result.data.data(), bytes);
  return result;
}

}  // namespace app
