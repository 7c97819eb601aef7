// Arrays of float64 in NumPy's file format (numpy.lib.format, version 1), in C order.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

struct npy {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

inline void write_npy(const std::string& path, const npy& a) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (const auto n : a.shape) header += std::to_string(n) + ", ";
  header += "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 10, ' ');  // data begin at a multiple of 64 bytes
  header.back() = '\n';
  const char start[] = {'\x93',
                        'N',
                        'U',
                        'M',
                        'P',
                        'Y',
                        1,
                        0,
                        static_cast<char>(header.size() % 256),
                        static_cast<char>(header.size() / 256)};
  std::ofstream file(path, std::ios::binary);
  file.write(start, sizeof start);
  file << header;
  file.write(reinterpret_cast<const char*>(a.values.data()),
             static_cast<std::streamsize>(a.values.size() * sizeof(double)));
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

inline npy read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char start[10] = {};
  file.read(reinterpret_cast<char*>(start), sizeof start);
  if (!file || std::memcmp(start, "\x93NUMPY\1", 7) != 0)
    throw std::runtime_error(path + ": not a .npy file, version 1");
  std::string header(start[8] + 256 * start[9], ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  std::smatch shape;
  if (header.find("'<f8'") == std::string::npos || header.find("'fortran_order': False") == std::string::npos ||
      !std::regex_search(header, shape, std::regex("'shape': *\\(([^)]*)\\)")))
    throw std::runtime_error(path + ": expected float64 in C order, found " + header);
  npy a;
  std::size_t size = 1;
  const std::string extents = shape[1];
  const std::regex number("[0-9]+");
  for (std::sregex_iterator i(extents.begin(), extents.end(), number), end; i != end; ++i) {
    a.shape.push_back(std::stoll(i->str()));
    size *= a.shape.back();
  }
  a.values.resize(size);
  file.read(reinterpret_cast<char*>(a.values.data()), static_cast<std::streamsize>(size * sizeof(double)));
  if (!file) throw std::runtime_error(path + ": ends before its data");
  return a;
}
