// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <support/reference_archive.hpp>

static_assert(std::endian::native == std::endian::little, "the arrays are in this order of bytes");

namespace test {

namespace {

/// An integer of `size` bytes.
std::uint64_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t n = 0;
  std::memcpy(&n, bytes.substr(at, size).data(), size);
  return n;
}

std::string between(const std::string& text, const std::string& before, const std::string& behind) {
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find(behind, begin) - begin);
}

}  // namespace

void reference_archive::fail(const std::string& what) const {
  throw std::runtime_error("tests/" + file_ + ": " + what);
}

reference_archive::array reference_archive::parsed(const std::string& npy) {
  // "\x93NUMPY", two bytes of the version, two of the header's length, and the header.
  const std::size_t begin = 10, size = number(npy, 8, 2);
  const std::string header = npy.substr(begin, size);
  if (!npy.starts_with(std::string("\x93NUMPY\x01\x00", 8)) ||
      header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error("no array in NumPy's format 1.0 with the last index fastest");
  array result{between(header, "'descr': '", "'"), {}, npy.substr(begin + size)};
  std::istringstream shape(between(header, "'shape': (", ")"));
  for (std::int64_t extent = 0; shape >> extent; shape.ignore()) result.extents.push_back(extent);
  return result;
}

const std::map<std::string, reference_archive::array>& reference_archive::arrays() const {
  if (!arrays_.empty()) return arrays_;
  std::ifstream stream(QUERN_TEST_FOLDER "/" + file_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // At the end of a .zip file (PKWARE's APPNOTE 6.3.10) is where its directory begins, and how many files it lists.
  const std::size_t last = bytes.rfind("PK\x05\x06");
  if (last == std::string::npos) fail("cannot be read, or is no .npz file");
  std::size_t entry = number(bytes, last + 16, 4);
  std::map<std::string, array> arrays;
  for (std::uint64_t n = number(bytes, last + 10, 2); n > 0; --n) {
    const std::size_t method = number(bytes, entry + 10, 2), size = number(bytes, entry + 24, 4);
    const std::size_t name = number(bytes, entry + 28, 2), local = number(bytes, entry + 42, 4);
    const std::string file = bytes.substr(entry + 46, name);
    if (method != 0 || !file.ends_with(".npy")) fail(file + " is compressed or is no array");
    const std::size_t data = local + 30 + number(bytes, local + 26, 2) + number(bytes, local + 28, 2);
    arrays[file.substr(0, name - 4)] = parsed(bytes.substr(data, size));
    entry += 46 + name + number(bytes, entry + 30, 2) + number(bytes, entry + 32, 2);
  }
  return arrays_ = std::move(arrays);
}

std::vector<std::string> reference_archive::names() const {
  std::vector<std::string> result;
  for (const auto& [name, contents] : arrays()) result.push_back(name);
  return result;
}

const reference_archive::array& reference_archive::at(const std::string& name) const {
  const auto found = arrays().find(name);
  if (found == arrays().end()) fail("has no array " + name);
  return found->second;
}

const reference_archive::array& reference_archive::at(const std::string& name, const std::string& type) const {
  const array& found = at(name);
  if (found.type != type) fail(name + " has the type " + found.type + ", not " + type);
  return found;
}

const char* reference_archive::scalar(const std::string& name, const std::string& type, std::size_t size) const {
  const array& found = at(name, type);
  if (found.bytes.size() != size) fail(name + " is not one number");
  return found.bytes.data();
}

}  // namespace test
