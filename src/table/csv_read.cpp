// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/mman.h>

#include "csv_table.hpp"
#include "input_file.hpp"

namespace quern {
namespace impl {
namespace {

/// The bytes of a file: mapped, or read where it is no regular file.
class file_text {
 public:
  explicit file_text(const std::string& path) : file_(path) {
    if (file_.regular() && file_.bytes() > 0) {
      mapped_ = ::mmap(nullptr, file_.bytes(), PROT_READ, MAP_PRIVATE, file_.descriptor(), 0);
      if (mapped_ != MAP_FAILED) return;
      mapped_ = nullptr;
    }
    char buffer[1 << 16];
    while (const std::size_t n = file_.read(buffer, sizeof buffer)) read_.append(buffer, n);
  }
  ~file_text() {
    if (mapped_ != nullptr) ::munmap(mapped_, file_.bytes());
  }
  file_text(const file_text&) = delete;
  file_text& operator=(const file_text&) = delete;
  std::string_view text() const {
    return mapped_ != nullptr ? std::string_view(static_cast<const char*>(mapped_), file_.bytes())
                              : std::string_view(read_);
  }

 private:
  input_file file_;
  void* mapped_ = nullptr;
  std::string read_;
};

/// A table of what a text has, in memory that the execution space reaches.
template <class Exec>
Table<Exec> table_of_text(const Exec& exec, const std::string& name, std::string_view text,
                          const read_csv_options& options) {
  host_memory<Exec> memory("quern::read_csv", exec);
  const auto file = csv::parse(name, text, options, [&](std::size_t bytes) { return memory.take(bytes); });
  return csv::table_of(exec, memory, file);
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
