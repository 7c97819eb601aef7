// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <quern/files/output_file.hpp>

#include "output_file.hpp"

namespace app {

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
