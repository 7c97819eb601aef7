// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "interrupts.hpp"
#include "workload.hpp"

namespace app {
namespace {

/// A device or a pipe keeps its name: it is written as it is.
bool is_replaced(const std::string& path) {
  return !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
}
std::string unfinished_name(const std::string& path) { return is_replaced(path) ? path + ".part" : path; }

}  // namespace

void check_writable(const std::string& path) {
  const std::string unfinished = unfinished_name(path);
  if (!std::ofstream(unfinished, std::ios::binary))
    throw usage_error(fmt::format("{}: cannot be opened for writing", path));
  if (unfinished != path) std::filesystem::remove(unfinished);
}

void write_file(const std::string& path, const std::string& bytes) {
  const std::string unfinished = unfinished_name(path);
  const at_interrupt leave_none([=] {
    if (unfinished != path) std::filesystem::remove(unfinished);
  });
  errno = 0;
  std::ofstream file(unfinished, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    if (unfinished != path) std::filesystem::remove(unfinished);
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path, reason));
  }
  if (unfinished != path) std::filesystem::rename(unfinished, path);
}

}  // namespace app
