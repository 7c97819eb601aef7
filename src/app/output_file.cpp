// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <quern/files/output_file.hpp>

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

record_file::record_file(const std::string& path) : path_(path) {
  if (!path.empty()) check_writable(path);
}

record_file::~record_file() {
  try {
    if (!records_.empty()) finish();  // of a run that failed
  } catch (const std::exception& e) {
    std::fprintf(stderr, "quern: %s\n", e.what());
  }
}

void record_file::write() {
  written_ = true;      // also where that fails: it is tried once
  std::fflush(stdout);  // which the file may be
  write_file(path_, records_.dump(2) + '\n');
}

void record_file::add(nlohmann::json record) {
  if (path_.empty()) return;
  records_.push_back(std::move(record));
  written_ = false;
  if (quern::files::impl::is_replaced(path_)) write();
}

void record_file::finish() {
  if (!path_.empty() && !written_) write();
}

}  // namespace app
