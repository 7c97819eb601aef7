// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A fuzz target of libFuzzer over .npy and .npz files (./dev fuzz): whatever the bytes are, they give an array or a
// FileError, in bounded memory and time.

#include <algorithm>
#include <cstring>
#include <quern/files/npy.hpp>
#include <vector>

namespace {

namespace files = quern::files::impl;

/// A file in memory.
class bytes : public files::byte_source {
 public:
  bytes(const std::uint8_t* data, std::size_t size) : data_(data, data + size) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(data_.size()); }
  const std::string& name() const override { return name_; }
  void read(std::int64_t offset, std::int64_t count, void* to) override {
    if (offset < 0 || count < 0 || offset > size() || count > size() - offset) __builtin_trap();  // never asked for
    if (count > 0) std::memcpy(to, data_.data() + offset, count);
  }

 private:
  std::vector<std::uint8_t> data_;
  std::string name_ = "fuzz";
};

/// Reads all elements, as they are and converted, and then a part from the middle.
void read_all(files::array_file& file) {
  constexpr std::int64_t max_bytes = 4 << 20;
  const auto& info = file.info();
  std::int64_t bytes = 16;
  for (int d = 0; d < info.extents.rank; ++d)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(info.extents.extent[d], 1), &bytes) || bytes > max_bytes)
      return;
  std::vector<char> to(bytes);
  auto box = quern::impl::make_box(info.extents, {}, info.fortran_order);
  file.read(box, to.data());
  const auto complex = quern::files::data_type_of<Kokkos::complex<double>>();
  files::read_as(file, box, complex, to.data());
  for (int d = 0; d < info.extents.rank; ++d) {
    box.first[d] = info.extents.extent[d] / 2;
    box.extents.extent[d] -= box.first[d];
  }
  file.read(quern::impl::make_box(box.extents, box.first, info.fortran_order), to.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<bytes>(data, size);
  try {
    read_all(*files::open_npy(file));
  } catch (const quern::files::FileError&) {
  }
  try {
    for (const auto& name : files::names_in_npz(*file)) try {
        read_all(*files::open_npz(file, name));
      } catch (const quern::files::FileError&) {
      }
  } catch (const quern::files::FileError&) {
  }
  return 0;
}
