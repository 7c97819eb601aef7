// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_NPY_HPP
#define QUERN_APP_NPY_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "workload.hpp"

namespace app {

/// An array file of NumPy: what its header says, and its bytes.
struct npy {
  std::string dtype;  // "<f8"
  std::vector<std::int64_t> shape;
  std::vector<char> data;
  std::int64_t size() const;
};

/// Reads a .npy file of version 1, 2 or 3 in C order.
/// @throws usage_error that names the file, what was expected and what was found
npy read_npy(const std::string& path);

[[noreturn]] void refuse_dtype(const std::string& path, const std::string& dtype);

/// Calls f with the elements as an unmanaged host View of their type; integers of one byte become 32-bit ones.
template <class F>
auto with_npy(const std::string& path, const F& f) {
  const npy a = read_npy(path);
  const auto data = [&]<class T>(T) { return reinterpret_cast<const T*>(a.data.data()); };
  const auto call = [&]<class T>(const T* first) {
    return f(Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        first, a.size()));
  };
  const auto widened = [&]<class T>(const T* first) {
    return call(std::vector<std::int32_t>(first, first + a.size()).data());
  };
  if (a.dtype == "<f8") return call(data(double()));
  if (a.dtype == "<f4") return call(data(float()));
  if (a.dtype == "<i8") return call(data(std::int64_t()));
  if (a.dtype == "<i4") return call(data(std::int32_t()));
  if (a.dtype == "|i1") return widened(data(std::int8_t()));
  if (a.dtype == "|u1") return widened(data(std::uint8_t()));
  refuse_dtype(path, a.dtype);
}

}  // namespace app

#endif
