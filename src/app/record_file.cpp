// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record_file.hpp"

#include <mutex>

#include "output_file.hpp"

namespace app {

struct record_file::contents {
  std::string path;
  nlohmann::json records = nlohmann::json::array();
  bool written = false;
  std::mutex mutex;

  void write(bool without_records) {
    const std::lock_guard lock(mutex);
    if (path.empty() || written || (records.empty() && !without_records)) return;
    write_file(path, records.dump(2) + '\n');
    written = true;
  }
};

record_file::record_file(const std::string& path)
    : contents_(std::make_shared<contents>()), keep_([c = contents_] { c->write(false); }) {
  if (!path.empty()) check_writable(path);
  contents_->path = path;
}

void record_file::add(nlohmann::json record) {
  const std::lock_guard lock(contents_->mutex);
  contents_->records.push_back(std::move(record));
}

void record_file::finish() { contents_->write(true); }

}  // namespace app
