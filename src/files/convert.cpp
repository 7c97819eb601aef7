// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/files/convert.hpp>

#include <vector>

#include "elements.hpp"

namespace quern::files {
namespace {

enum class format { npy, npz, hdf5 };

format format_of(const std::string& path) {
  if (path.ends_with(".npy")) return format::npy;
  if (path.ends_with(".npz")) return format::npz;
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return format::hdf5;
  throw FileError(path, "its name ends in none of .npy, .npz, .h5 and .hdf5");
}

std::vector<std::string> names_in(const std::string& path) {
  const format f = format_of(path);
  if (f == format::npy) return {""};
  return f == format::npz ? npz_names(path) : Hdf5File(path).datasets();
}

std::shared_ptr<impl::array_file> open_named(const std::string& path, const std::string& name) {
  const format f = format_of(path);
  if (f == format::hdf5) return impl::hdf5_array(impl::open_hdf5(path), name);
  if (f == format::npz) return impl::open_npz(impl::open_file(path), name);
  return impl::open_npy(impl::open_file(path));
}

/// The name of the only array that can be read.
std::string only_name(const std::string& path) {
  if (format_of(path) == format::npy) return "";
  std::string list, name;
  int n = 0;
  for (const auto& a : contents(path)) {
    if (!a.unread.empty()) continue;
    list += (list.empty() ? "" : ", ") + a.name;
    name = a.name;
    ++n;
  }
  if (n == 0) throw FileError(path, "has no array that can be read");
  if (n > 1) throw FileError(path, "has " + std::to_string(n) + " arrays, and none was named: " + list);
  return name;
}

/// An array without a type.
quern::impl::array_bytes packed_bytes(const void* data, const array_info& info, const shape& extents,
                                      bool fortran_order) {
  quern::impl::array_bytes a(quern::impl::strided<const char>{static_cast<const char*>(data), extents,
                                                              quern::impl::packed_strides(extents, fortran_order)});
  a.element = info.type.bytes;
  return a;
}

}  // namespace

std::shared_ptr<impl::array_file> impl::open_array(const std::string& path, const std::string& name) {
  return open_named(path, name.empty() ? only_name(path) : name);
}

std::vector<named_array> contents(const std::string& path) {
  std::vector<named_array> all;
  for (const auto& name : names_in(path)) {
    all.push_back({name, {}});
    try {
      all.back().info = open_named(path, name)->info();
    } catch (const impl::UnreadType& e) {
      if (name.empty()) throw;  // the only array of its file
      all.back().unread = e.type();
    }
  }
  return all;
}

void convert(const std::string& from, const std::string& to, const std::string& array, const std::string& dataset,
             const hdf5_options& options) {
  const format target = format_of(to);
  if (target == format::npz) throw FileError(to, "archives are read, and not written");
  const auto file = impl::open_array(from, array);
  array_info info = file->info();
  const bool from_fortran = info.fortran_order;
  info.fortran_order = from_fortran && target == format::npy;
  info.big_endian = false;
  const auto writer = target == format::npy
                          ? impl::writer_of(to, impl::npy_header(info), info)
                          : impl::hdf5_writer(impl::hdf5_for_dataset(to, dataset), dataset, info, options);
  std::vector<char> read, turned;
  const auto whole = packed_bytes(nullptr, info, info.extents, from_fortran);
  quern::impl::for_each_box(whole, impl::chunk_bytes, [&](const quern::impl::packed_box& box) {
    const std::int64_t bytes = box.extents.size() * info.type.bytes;
    read.resize(bytes);
    file->read(box, read.data());
    if (from_fortran != info.fortran_order) {
      turned.resize(bytes);
      quern::impl::copy_on_host(packed_bytes(turned.data(), info, box.extents, info.fortran_order),
                                packed_bytes(read.data(), info, box.extents, from_fortran));
      read.swap(turned);
    }
    writer->write(quern::impl::make_box(box.extents, box.first, info.fortran_order), read.data());
  });
  writer->finish();
}

}  // namespace quern::files
