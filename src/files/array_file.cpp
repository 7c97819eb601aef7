// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays that lie in a file without compression, and the bytes of files, read from any offset.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <quern/files/array_file.hpp>
#include <utility>
#include <vector>

#include "elements.hpp"
#include "file_shares.hpp"

namespace quern::files::impl {
namespace {

class converting_reader : public array_reader {
 public:
  converting_reader(std::shared_ptr<array_file> file, data_type type) : file_(std::move(file)), type_(type) {
    extents = file_->info().extents;
    fortran_order = file_->info().fortran_order;
  }
  std::string location(const packed_box& box) const override { return file_->location(box); }
  void read(const packed_box& box, void* to) override { read_as(*file_, box, type_, to); }

 private:
  std::shared_ptr<array_file> file_;
  data_type type_;
};

class plain_writer : public file_writer {
 public:
  plain_writer(const std::string& path, const std::string& header, const array_info& info)
      : file_writer(info), file_(path), offset_(static_cast<std::int64_t>(header.size())) {
    file_.write(header.data(), offset_);
  }
  std::string location(const packed_box&) const override { return file_.name(); }
  void write(const packed_box& box, const void* from) override {
    for_each_run(extents, fortran_order, box, [&](std::int64_t element, std::int64_t n, std::int64_t at) {
      file_.write_at(offset_ + element * type.bytes, static_cast<const char*>(from) + at * type.bytes, n * type.bytes);
    });
  }
  void finish() override { file_.commit(); }

 private:
  output_file file_;
  std::int64_t offset_;
};

class file_on_disk : public byte_source {
 public:
  explicit file_on_disk(const std::string& path)
      : path_(path), descriptor_(::open(c_name(path), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw FileError(path, "cannot be opened: " + reason());
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw FileError(path, "is not a regular file");
    }
    size_ = status.st_size;
  }
  ~file_on_disk() override { ::close(descriptor_); }
  std::int64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }
  void read(std::int64_t offset, std::int64_t bytes, void* to) override {
    for_each_share(bytes, share_bytes, [&](std::int64_t first, std::int64_t count) {
      read_share(offset + first, count, static_cast<char*>(to) + first);
    });
  }

 private:
  void read_share(std::int64_t offset, std::int64_t bytes, char* to) const {
    const auto read = [&](std::int64_t done, std::int64_t left) {
      return ::pread(descriptor_, to + done, left, offset + done);
    };
    in_calls(bytes, read, [&](std::int64_t done, ssize_t n) {
      const std::string at = " at byte " + std::to_string(offset + done);
      if (n < 0) throw FileError(path_, "cannot be read" + at + ": " + reason());
      throw FileError(path_, "ends" + at + ", " + std::to_string(bytes - done) + " bytes before what is read from it");
    });
  }
  std::string path_;
  int descriptor_;
  std::int64_t size_ = 0;
};

}  // namespace

std::shared_ptr<byte_source> open_file(const std::string& path) { return std::make_shared<file_on_disk>(path); }

std::string array_file::location(const packed_box& box) const {
  const auto& a = info_;
  const stride_array stride = packed_strides(a.extents, a.fortran_order);
  std::int64_t first = 0, last = 0;
  for (int d = 0; d < a.extents.rank; ++d) {
    first += box.first[d] * stride[d];
    last += (box.first[d] + box.extents.extent[d] - 1) * stride[d];
  }
  return name_ + ", bytes " + std::to_string(a.offset + first * a.type.bytes) + " to " +
         std::to_string(a.offset + (last + 1) * a.type.bytes - 1);
}

stride_array checked_start(const array_file& file, const shape& part, std::span<const std::int64_t> start) {
  const shape& whole = file.info().extents;
  bool within = whole.rank == static_cast<int>(start.size());
  stride_array first{};
  for (int d = 0; d < whole.rank && within; ++d) {
    first[d] = start[d];
    within = start[d] >= 0 && part.extent[d] <= whole.extent[d] - start[d];
  }
  if (!within) {
    shape at = part;
    std::copy(start.begin(), start.end(), at.extent.begin());
    throw FileError(file.name(),
                    "has extents " + whole.str() + ", and no part of extents " + part.str() + " at " + at.str());
  }
  return first;
}

void check_conversion(const array_file& from, data_type to) {
  const data_type type = from.info().type;
  if (!is_convertible(type, to))
    throw FileError(from.name(), "holds " + type.str() + ", which cannot be read as " + to.str());
}

void read_as(array_file& from, const packed_box& box, data_type type, void* to) {
  const data_type stored = from.info().type;
  if (stored == type) return from.read(box, to);
  std::vector<char> buffer;
  for_each_box(strided<const char>{nullptr, box.extents, box.packed}, chunk_bytes / stored.bytes, [&](packed_box part) {
    const std::int64_t n = part.extents.size();
    buffer.resize(n * stored.bytes);
    std::int64_t at = 0;
    for (int d = 0; d < box.extents.rank; ++d) {
      at += part.first[d] * box.packed[d];
      part.first[d] += box.first[d];
    }
    from.read(part, buffer.data());
    convert_numbers(stored, buffer.data(), type, static_cast<char*>(to) + at * type.bytes, n);
  });
}

std::shared_ptr<array_reader> reader_of(std::shared_ptr<array_file> file, data_type type) {
  check_conversion(*file, type);
  return std::make_shared<converting_reader>(std::move(file), type);
}

std::unique_ptr<array_file> plain_array(std::shared_ptr<byte_source> file, const array_info& info) {
  if (info.offset > file->size() || !is_countable(info) ||
      info.extents.size() * info.type.bytes > file->size() - info.offset)
    throw FileError(file->name(), "is truncated: it has " + std::to_string(file->size()) + " bytes, too few for " +
                                      info.type.str() + " " + info.extents.str() + " behind " +
                                      std::to_string(info.offset) + " others");
  return array_of_bytes(std::move(file), info);
}

std::shared_ptr<array_writer> writer_of(const std::string& path, const std::string& header, const array_info& info) {
  return std::make_shared<plain_writer>(path, header, info);
}

bool is_fortran_ordered(const array_bytes& array) {
  return array.stride == packed_strides(array.extents, true) && array.stride != packed_strides(array.extents, false);
}

}  // namespace quern::files::impl
