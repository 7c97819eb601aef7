// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_OUTPUT_FILE_HPP
#define QUERN_APP_OUTPUT_FILE_HPP

#include <nlohmann/json.hpp>
#include <string>

namespace app {

/// @throws usage_error if a file cannot be made there
void check_writable(const std::string& path);

/// Writes a file whole or not at all: beside its final name, which it gets when all bytes are there.
/// @throws std::runtime_error with the system's reason, if the disk is full for example
void write_file(const std::string& path, const std::string& bytes);

/// The records of a run, in a file that is replaced whole with each of them: it holds those that there are, however the
/// run ends. An earlier file of that name stays as it is where there is none. A device or a pipe gets all records at
/// once, when the run is complete or has failed.
class record_file {
 public:
  /// @param path the file; empty for none
  /// @throws usage_error if it cannot be made
  explicit record_file(const std::string& path);
  ~record_file();
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;
  /// @throws std::runtime_error with the system's reason
  void add(nlohmann::json record);
  /// Writes the file where no record has.
  /// @throws std::runtime_error with the system's reason
  void finish();

 private:
  void write();
  std::string path_;
  nlohmann::json records_ = nlohmann::json::array();
  bool written_ = false;  // all that there are, or tried
};

}  // namespace app

#endif
