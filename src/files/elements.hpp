// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_ELEMENTS_HPP
#define QUERN_FILES_ELEMENTS_HPP

#include <quern/files/array_file.hpp>

namespace quern::files::impl {

/// A file holds an array of a type that is not read; others in it may be.
class UnreadType : public FileError {
 public:
  /// @param before what the message says before the type, as `the dataset u holds `
  UnreadType(const std::string& path, const std::string& before, const std::string& type)
      : FileError(path, before + type + (type == "empty" ? "" : ", which cannot be read")), type_(type) {}
  const std::string& type() const { return type_; }

 private:
  std::string type_;
};

/// An array in a file that one operation writes.
class file_writer : public array_writer {
 public:
  explicit file_writer(const array_info& info);
  /// @throws Error at the second call
  void begin(const std::string& label) override;

 protected:
  const data_type type;

 private:
  bool used_ = false;
};

/// Converts n numbers as arrays of files are converted to Views.
void convert_numbers(data_type from_type, const void* from, data_type to_type, void* to, std::int64_t n);
/// Whether a value of one type may be stored in the other: reals are no integers, complex numbers no reals.
bool is_convertible(data_type from, data_type to);

/// Makes booleans 0 or 1: those of a file may have any value.
void normalize(void* data, data_type type, std::int64_t n);
/// Whether extents have fewer elements, and bytes, than 2^63.
bool is_countable(const array_info& info);

/// An array whose elements are in those bytes, which are read in ascending order of a box.
std::unique_ptr<array_file> array_of_bytes(std::shared_ptr<byte_source> bytes, const array_info& info);

}  // namespace quern::files::impl

#endif
