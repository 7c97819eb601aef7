// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_INPUT_HPP
#define QUERN_APP_INPUT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <quern/core.hpp>
#include <quern/files.hpp>
#include <string>

#include "workload.hpp"

namespace app {

/// An array in a file: the only one of a `.npz` or HDF5 file, or the one that is named. Other files are `.npy` files.
inline std::shared_ptr<quern::files::impl::array_file> open_input(const std::string& path, const std::string& array) {
  namespace files = quern::files;
  if (may_have_several(path)) return files::impl::open_array(path, array);
  return files::impl::open_npy(files::impl::open_file(path));
}

/// Calls f with a value of the type in which the elements of a file are read: its own, or the narrowest of double,
/// float and integers of 32 and 64 bits that holds all of its values.
template <class F>
auto with_type_of(const std::string& path, const quern::files::data_type& type, const F& f) {
  using quern::files::number_kind;
  const bool real = type.kind == number_kind::floating_point;
  const bool whole = type.kind == number_kind::signed_integer || type.kind == number_kind::unsigned_integer;
  if (real && type.bytes == 8) return f(double());
  if (real) return f(float());
  if (type.kind == number_kind::boolean || (whole && type.bytes < 4)) return f(std::int32_t());
  if (type == quern::files::data_type_of<std::int32_t>()) return f(std::int32_t());
  if (whole && type != quern::files::data_type_of<std::uint64_t>()) return f(std::int64_t());
  throw usage_error(
      fmt::format("{}: expected bool, float16 to float64 or integers other than uint64, found {}", path, type.str()));
}

/// All elements of an array in a file, in C order whatever the file's, in the memory of the device.
template <class T>
device_view<T*> read_flat(quern::files::impl::array_file& file) {
  namespace impl = quern::impl;
  const auto& info = file.info();
  const auto in_order = [&](const host_view<T*>& x, bool fortran) {
    return impl::strided<T>{x.data(), info.extents, impl::packed_strides(info.extents, fortran)};
  };
  auto x = uninitialized<host_view<T*>>("x", info.extents.size());
  quern::files::impl::check_conversion(file, quern::files::data_type_of<T>());
  if (x.size() > 0)
    quern::files::impl::read_as(file, impl::make_box(info.extents, {}, info.fortran_order),
                                quern::files::data_type_of<T>(), x.data());
  if (info.fortran_order) {
    const auto turned = uninitialized<host_view<T*>>("turned", x.size());
    const auto from = in_order(x, true);
    impl::copy_on_host(in_order(turned, false), impl::strided<const T>{from.data, from.extents, from.stride});
    x = turned;
  }
  return quern::to_device<exec_space>(x);
}

/// What a file says of its type, and how its values are read where that differs.
template <class T>
void describe_input(measurement& m, const quern::files::array_info& info) {
  m.type = info.type.str();
  m.bytes = static_cast<double>(info.type.bytes) * static_cast<double>(info.extents.size());
  const auto read_as = quern::files::data_type_of<T>();
  if (read_as != info.type) m.note += fmt::format(" ({} read as {})", m.type, read_as.str());
}

/// The value of a number of IEEE's binary16.
inline float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                     : exponent > 0 ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                                    : std::ldexp(static_cast<float>(fraction), -24);
  return (bits >> 15) != 0 ? -size : size;
}

}  // namespace app

#endif
