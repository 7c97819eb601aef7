// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_FROZEN_HPP
#define QUERN_TESTS_SUPPORT_FROZEN_HPP

/// @file
/// Results that are promised to be the same everywhere and in every version, as hashes of their bits: reproducible
/// reductions, scans and groups, and random fields. In memory, in chunks and over ranks they are the same.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <support/frozen_hashes.hpp>
#include <type_traits>
#include <vector>

namespace test {

template <class T>
std::string name_of_type() {
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return "complex64";
  else if constexpr (std::is_same_v<T, Kokkos::complex<double>>) return "complex128";
  else
    return (std::is_floating_point_v<T> ? "float"
            : std::is_signed_v<T>       ? "int"
                                        : "uint") +
           std::to_string(8 * sizeof(T));
}

/// Numbers over many orders of magnitude and of both signs, without a function that differs between libraries.
inline double frozen_real(std::int64_t i, int span) {
  const auto bits = (i * 2654435761 + 12345) % (1 << 24) - (1 << 23);
  return std::ldexp(static_cast<double>(bits), static_cast<int>(i * 7 % span) - span / 2 - 23);
}
template <class T>
T frozen_value(std::int64_t i) {
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(frozen_real(i, 30));
  else if constexpr (std::is_same_v<T, double>) return frozen_real(i, 90);
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(i * 2654435761 + i % 77);
  else return T(frozen_value<typename T::value_type>(i), frozen_value<typename T::value_type>(i + 3));
}
template <class T>
std::vector<T> frozen_values(std::int64_t n, std::int64_t first = 0) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i) v[i] = frozen_value<T>(first + i);
  return v;
}

/// FNV-1a of the bytes (Fowler, Noll and Vo).
template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T value : values) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

/// Compares results with those of 0.2, whose hashes are known by this name.
template <class T>
void expect_frozen(const std::string& name, const std::vector<T>& found) {
  const auto known = frozen_hashes.find(name);
  const std::uint64_t hash = hash_of(found);
  EXPECT_TRUE(known != frozen_hashes.end() && known->second == hash)
      << "{\"" << name << "\", 0x" << std::hex << hash << "},";
}
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_class_v<T>)
void expect_frozen(const std::string& name, const T& found) {
  expect_frozen(name, std::vector<T>{found});
}

inline constexpr std::int64_t frozen_sizes[] = {7, 1000, 100'003};
inline constexpr std::array<std::int64_t, 3> frozen_extents = {37, 41, 43};
inline std::string frozen_name(const std::string& operation, const std::string& type, std::int64_t n) {
  return operation + "/" + type + "/" + std::to_string(n);
}

}  // namespace test

#endif
