// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of files: their types, conversions between them, arrays that lie in a file without compression, and the
// bytes of files, read from any offset.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <quern/files/array_file.hpp>
#include <utility>
#include <vector>

#include "elements.hpp"
#include "file_shares.hpp"

namespace quern::files {

std::string data_type::str() const {
  static constexpr const char* names[] = {"bool", "int", "uint", "float", "complex"};  // of number_kind
  return names[static_cast<int>(kind)] + (kind == number_kind::boolean ? "" : std::to_string(8 * bytes));
}

namespace impl {
namespace {

/// A number of IEEE's binary16, as its bits: hosts have no type for it, and Kokkos's half_t is a float there.
struct binary16 {
  std::uint16_t bits;

  static binary16 from(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    const auto half = [&](std::uint32_t m) { return binary16{static_cast<std::uint16_t>(sign | m)}; };
    if (magnitude > 0x7f800000) return half(0x7e00);   // NaN
    if (magnitude >= 0x477ff000) return half(0x7c00);  // what rounds to infinity
    if (magnitude < 0x38800000) {                      // subnormal: added to 0.5, its bits are the last ones
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return half(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000);
    }
    const std::uint32_t odd = magnitude >> 13 & 1;  // ties go to even
    return half((magnitude - 0x38000000 + 0xfff + odd) >> 13);
  }
  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
  }
};

/// Elements that a thread converts at a time.
constexpr std::int64_t converted_share = 1 << 16;

template <class F>
void with_type(data_type type, const F& f) {
  const auto of_size = [&]<class A, class B, class C, class D>(A, B, C, D) {
    if (type.bytes == 1) f(A());
    else if (type.bytes == 2) f(B());
    else if (type.bytes == 4) f(C());
    else f(D());
  };
  switch (type.kind) {
    case number_kind::boolean:
      return f(bool());
    case number_kind::signed_integer:
      return of_size(std::int8_t(), std::int16_t(), std::int32_t(), std::int64_t());
    case number_kind::unsigned_integer:
      return of_size(std::uint8_t(), std::uint16_t(), std::uint32_t(), std::uint64_t());
    case number_kind::floating_point:
      return of_size(binary16(), binary16(), float(), double());
    default:
      return type.bytes == 8 ? f(Kokkos::complex<float>()) : f(Kokkos::complex<double>());
  }
}

template <class To, class From>
To converted(const From& v) {
  if constexpr (std::is_same_v<From, binary16> && std::is_same_v<To, binary16>) return v;
  else if constexpr (std::is_same_v<From, binary16>) return converted<To>(static_cast<float>(v));
  else if constexpr (is_complex<From> && is_complex<To>)
    return To(static_cast<real_type<To>>(v.real()), static_cast<real_type<To>>(v.imag()));
  else if constexpr (is_complex<From>) return To();  // is_convertible says no
  else if constexpr (std::is_same_v<To, binary16>) return binary16::from(static_cast<float>(v));
  else if constexpr (is_complex<To>) return To(static_cast<real_type<To>>(v));
  else return static_cast<To>(v);
}

void swap_bytes(void* data, data_type type, std::int64_t n) {
  const int each = type.kind == number_kind::complex ? 2 : 1;
  const auto swap = [&]<int Size>(std::integral_constant<int, Size>) {
    in_shares(n * each, converted_share, [&](std::int64_t first, std::int64_t count) {
      auto* number = static_cast<char*>(data) + first * Size;
      for (std::int64_t i = 0; i < count; ++i, number += Size) std::reverse(number, number + Size);
    });
  };
  if (type.bytes == 2 * each) swap(std::integral_constant<int, 2>());
  else if (type.bytes == 4 * each) swap(std::integral_constant<int, 4>());
  else if (type.bytes == 8 * each) swap(std::integral_constant<int, 8>());
}

class uncompressed_array : public array_file {
 public:
  uncompressed_array(std::shared_ptr<byte_source> bytes, const array_info& info)
      : array_file(bytes->name(), info), bytes_(std::move(bytes)) {}
  void read(const packed_box& box, void* to) override {
    const auto& a = info();
    for_each_run(a.extents, a.fortran_order, box, [&](std::int64_t element, std::int64_t n, std::int64_t at) {
      bytes_->read(a.offset + element * a.type.bytes, n * a.type.bytes, static_cast<char*>(to) + at * a.type.bytes);
    });
    if (a.big_endian != (std::endian::native == std::endian::big)) swap_bytes(to, a.type, box.extents.size());
    normalize(to, a.type, box.extents.size());
  }

 private:
  std::shared_ptr<byte_source> bytes_;
};

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
    in_shares(bytes, share_bytes, [&](std::int64_t first, std::int64_t count) {
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

void convert_numbers(data_type from_type, const void* from, data_type to_type, void* to, std::int64_t n) {
  with_type(from_type, [&]<class From>(From) {
    with_type(to_type, [&]<class To>(To) {
      in_shares(n, converted_share, [&](std::int64_t first, std::int64_t count) {
        const auto* source = static_cast<const From*>(from) + first;
        auto* target = static_cast<To*>(to) + first;
        for (std::int64_t i = 0; i < count; ++i) target[i] = converted<To>(source[i]);
      });
    });
  });
}

void normalize(void* data, data_type type, std::int64_t n) {
  if (type.kind != number_kind::boolean) return;
  auto* byte = static_cast<unsigned char*>(data);
  for (std::int64_t i = 0; i < n; ++i) byte[i] = byte[i] != 0;
}

bool is_countable(const array_info& info) {
  std::int64_t bytes = info.type.bytes;
  for (int d = 0; d < info.extents.rank; ++d)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(info.extents.extent[d], 1), &bytes)) return false;
  return true;
}

file_writer::file_writer(const array_info& info) : type(info.type) {
  extents = info.extents;
  fortran_order = info.fortran_order;
}
void file_writer::begin(const std::string& label) {
  if (std::exchange(used_, true))
    throw Error(label, "the sink " + location({}) + " was used before; a sink serves one operation");
}

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

bool is_convertible(data_type from, data_type to) {
  return to.kind == number_kind::complex || from.kind == to.kind ||
         (to.kind == number_kind::floating_point && from.kind != number_kind::complex) ||
         (to.kind != number_kind::floating_point && to.kind != number_kind::boolean &&
          from.kind != number_kind::floating_point && from.kind != number_kind::complex);
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
  for_each_box(strided<const char>{nullptr, box.extents, box.packed}, piece_bytes / stored.bytes, [&](packed_box part) {
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

std::unique_ptr<array_file> array_of_bytes(std::shared_ptr<byte_source> bytes, const array_info& info) {
  return std::make_unique<uncompressed_array>(std::move(bytes), info);
}

std::shared_ptr<array_writer> writer_of(const std::string& path, const std::string& header, const array_info& info) {
  return std::make_shared<plain_writer>(path, header, info);
}

bool is_fortran_ordered(const array_bytes& array) {
  return array.stride == packed_strides(array.extents, true) && array.stride != packed_strides(array.extents, false);
}

}  // namespace impl
}  // namespace quern::files
