// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <quern/files/output_file.hpp>
#include <system_error>

#include "workload.hpp"

namespace app {

void check_writable(const std::string& path) {
  const auto refuse = [&] { throw usage_error(fmt::format("{}: cannot be opened for writing", path)); };
  if (!quern::files::impl::is_replaced(path)) {  // not opened, since who reads a pipe would see its end
    if (std::filesystem::is_directory(path) || ::access(path.c_str(), W_OK) != 0) refuse();
    return;
  }
  try {
    const quern::files::impl::output_file beside(path);  // goes again
  } catch (const quern::files::FileError&) {
    refuse();
  }
}

void write_file(const std::string& path, const std::string& bytes) {
  try {
    quern::files::impl::output_file file(path);
    file.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
    file.commit();
  } catch (const quern::files::FileError& e) {  // not a user's mistake
    throw std::runtime_error(e.what());
  }
}

}  // namespace app
