// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_FILES_FOLDER_HPP
#define QUERN_TESTS_FILES_FOLDER_HPP

/// @file
/// What tests of files share.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <quern/files.hpp>
#include <string>
#include <vector>

namespace test {

/// A file that the generators in tools/ have written.
inline std::string data(const std::string& name) { return std::string(QUERN_TEST_DATA) + "/" + name; }
inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A folder of a test, which goes with it.
class folder {
 public:
  explicit folder(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
    std::string name = (where / "quern-files-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~folder() { std::filesystem::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> contents() const {
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(path_)) names.push_back(e.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

template <class F>
void expect_file_error(const std::string& part, const F& f) {
  try {
    f();
  } catch (const quern::files::FileError& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find(part)) << e.what();
    return;
  }
  ADD_FAILURE() << "no FileError with '" << part << "'";
}

}  // namespace test

#endif
