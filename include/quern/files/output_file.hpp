// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_OUTPUT_FILE_HPP
#define QUERN_FILES_OUTPUT_FILE_HPP

/// @file
/// Files that are written beside their final names, and get those when they are complete.

#include <quern/files/array_info.hpp>
#include <string>

namespace quern::files {

/// Removes the files that this process has begun and not completed: `NAME.part-PID-N-TIME` beside `NAME`. For handlers
/// of signals that end the program, in which it may be called (it is async-signal-safe); what writes such a file cannot
/// complete it afterwards. Earlier files of the final names stay; so do the files of other processes, as of the one
/// from which this was forked. At most 256 files are found, those that were begun first.
void remove_unfinished() noexcept;

namespace impl {

/// Whether a path is the name of a file, there or not, and not of a device, a pipe, or what a process has open, as
/// `/dev/stdout`: what has no name of its own is written as it is.
bool is_replaced(const std::string& path);

/// A name that remove_unfinished finds.
struct listed_file;

/// The name that a file has until it is complete. Unless the file is committed, it is removed when this object goes.
class unfinished_file {
 public:
  unfinished_file() = default;  // of no file
  explicit unfinished_file(const std::string& path) : unfinished_file(path, name_beside(path)) {}
  unfinished_file(const std::string& path, const std::string& unfinished);
  ~unfinished_file() { remove(); }
  unfinished_file(unfinished_file&& other) noexcept;
  unfinished_file& operator=(unfinished_file&&) = delete;
  /// A name that no other file of this process has.
  static std::string name_beside(const std::string& path);

  const std::string& name() const { return name_; }
  /// Gives the file its final name, in place of an earlier file.
  /// @throws FileError if it cannot have the name; the file is removed then
  void commit();
  void remove() noexcept;

 private:
  std::string path_, name_;
  listed_file* listed_ = nullptr;  // where remove_unfinished finds it; null where there is nothing to remove
};

/// A file that gets its name when it is complete. Devices and pipes are written as they are.
class output_file {
 public:
  explicit output_file(const std::string& path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  /// Appends.
  void write(const void* data, std::int64_t bytes);
  void write_at(std::int64_t offset, const void* data, std::int64_t bytes);
  /// Brings all to the disk and ends writing; `commit` cannot fail for lack of room afterwards.
  /// @throws FileError if something cannot be written, or was not before; then the file is removed
  void close();
  /// Closes the file, where that was not done, and gives it its name.
  /// @throws FileError if the file cannot be closed or have the name, or something was not written before; nothing but
  /// an earlier file of the name stays then
  void commit();
  const std::string& name() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& problem);
  void write_share(std::int64_t offset, const char* data, std::int64_t bytes);
  void append(const char* data, std::int64_t bytes);
  std::string path_;
  bool regular_ = true;
  unfinished_file unfinished_;
  int descriptor_ = -1;
  bool closed_ = false;  // and complete
  std::int64_t written_ = 0;
};

}  // namespace impl
}  // namespace quern::files

#endif
