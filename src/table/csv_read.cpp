// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <quern/files/array_info.hpp>

#include "csv.hpp"
#include "host_columns.hpp"

namespace quern {
namespace impl {
namespace {

/// Closes a file, also where the constructor of what has it throws.
struct open_file {
  int descriptor;
  explicit open_file(int d) : descriptor(d) {}
  ~open_file() {
    if (descriptor >= 0) ::close(descriptor);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
};

/// The bytes of a file: mapped, or read where it is no regular file.
class file_text {
 public:
  explicit file_text(const std::string& path) : file_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {
    struct stat status{};
    if (file_.descriptor < 0 || ::fstat(file_.descriptor, &status) != 0) fail(path);
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      fail(path);
    }
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      mapped_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file_.descriptor, 0);
      if (mapped_ != MAP_FAILED) return;
      mapped_ = nullptr;
    }
    read_all(path);
  }
  ~file_text() {
    if (mapped_ != nullptr) ::munmap(mapped_, bytes_);
  }
  file_text(const file_text&) = delete;
  file_text& operator=(const file_text&) = delete;
  std::string_view text() const {
    return mapped_ != nullptr ? std::string_view(static_cast<const char*>(mapped_), bytes_) : std::string_view(read_);
  }

 private:
  [[noreturn]] static void fail(const std::string& path) {
    const int error = errno;
    throw files::FileError(path, std::string("cannot be read: ") + std::strerror(error));
  }
  void read_all(const std::string& path) {
    char buffer[1 << 16];
    for (;;) {
      const ssize_t n = ::read(file_.descriptor, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path);
      if (n == 0) return;
      read_.append(buffer, static_cast<std::size_t>(n));
    }
  }
  open_file file_;
  void* mapped_ = nullptr;
  std::size_t bytes_ = 0;
  std::string read_;
};

/// A table of what a text has, in memory that the execution space reaches.
template <class Exec>
Table<Exec> table_of_text(const Exec& exec, const std::string& name, std::string_view text,
                          const read_csv_options& options) {
  host_memory<Exec> memory("quern::read_csv", exec);
  const auto file = csv::parse(name, text, options, [&](std::size_t bytes) { return memory.take(bytes); });
  std::vector<column_in<Exec>> columns;
  for (const auto& c : file.columns)
    columns.push_back(memory.column(c.name, csv::type_of(c.type), c.data, file.rows, c.categories));
  return table_access<Exec>::make(exec, std::move(columns));
}

}  // namespace
}  // namespace impl

template <execution_space Exec>
Table<Exec> read_csv(const Exec& exec, const std::string& path, const read_csv_options& options) {
  const impl::file_text file(path);
  return impl::table_of_text(exec, path, file.text(), options);
}
template <execution_space Exec>
Table<Exec> parse_csv(const Exec& exec, std::string_view text, const read_csv_options& options) {
  return impl::table_of_text(exec, "the text", text, options);
}

#define QUERN_TABLE_READ_CSV(E)                                                      \
  template Table<E> read_csv(const E&, const std::string&, const read_csv_options&); \
  template Table<E> parse_csv(const E&, std::string_view, const read_csv_options&);
QUERN_ON_ALL(QUERN_TABLE_READ_CSV)

}  // namespace quern
