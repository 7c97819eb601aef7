// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_NPY_HPP
#define QUERN_APP_NPY_HPP

#include <fmt/format.h>

#include <cstdint>
#include <quern/files.hpp>
#include <string>

#include "workload.hpp"

namespace app {

/// What a .npy file holds, which must be in C order.
inline quern::files::array_info npy_info_of(const std::string& path) {
  const auto info = quern::files::npy_info(path);
  if (info.fortran_order)
    throw usage_error(path + ": expected C order, found Fortran order (save numpy.ascontiguousarray of it)");
  return info;
}

/// Calls f with a value of the type of a file's elements; integers narrower than 32 bits are read as such.
template <class F>
auto with_type_of(const std::string& path, const quern::files::data_type& type, const F& f) {
  using quern::files::number_kind;
  const bool integer = type.kind == number_kind::signed_integer || type.kind == number_kind::unsigned_integer;
  if (type == quern::files::data_type_of<double>()) return f(double());
  if (type == quern::files::data_type_of<float>()) return f(float());
  if (type == quern::files::data_type_of<std::int64_t>()) return f(std::int64_t());
  if (integer && (type.bytes < 4 || type == quern::files::data_type_of<std::int32_t>())) return f(std::int32_t());
  throw usage_error(
      fmt::format("{}: expected float64, float32, int64 or narrower integers, found {}", path, type.str()));
}

/// The elements of a .npy file in the memory of the device.
template <class T>
device_view<T*> read_flat(const std::string& path) {
  const auto source = quern::files::npy_flat_source<T>(path);
  const auto x = uninitialized<device_view<T*>>("x", source.extents().extent[0]);
  quern::stream::map(exec_space(), x, quern::impl::op::identity(), source);
  return x;
}

}  // namespace app

#endif
