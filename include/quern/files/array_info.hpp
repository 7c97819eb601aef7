// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_ARRAY_INFO_HPP
#define QUERN_FILES_ARRAY_INFO_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/views/extents.hpp>
#include <stdexcept>
#include <string>

namespace quern::files {

enum class number_kind { boolean, signed_integer, unsigned_integer, floating_point, complex };

/// The type of an array's elements.
struct data_type {
  number_kind kind = number_kind::floating_point;
  int bytes = 8;  ///< of one element
  bool operator==(const data_type&) const = default;
  /// NumPy's name: `float64`, `complex128`, `int8`.
  std::string str() const;
};

/// The data type of T; floating-point numbers of two bytes are Kokkos's half_t.
template <class T>
constexpr data_type data_type_of() {
  constexpr int bytes = sizeof(T);
  if constexpr (std::is_same_v<T, bool>) return {number_kind::boolean, bytes};
  else if constexpr (std::is_integral_v<T>)
    return {std::is_signed_v<T> ? number_kind::signed_integer : number_kind::unsigned_integer, bytes};
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                     std::is_same_v<T, Kokkos::Experimental::half_t>)
    return {number_kind::floating_point, bytes};
  else {
    static_assert(std::is_same_v<T, Kokkos::complex<float>> || std::is_same_v<T, Kokkos::complex<double>>,
                  "quern::files: values must be bool, integers, half_t, float, double or Kokkos::complex");
    return {number_kind::complex, bytes};
  }
}

/// What a file says of an array.
struct array_info {
  data_type type;
  shape extents;
  bool fortran_order = false;  ///< whether the first axis is the fastest in the file
  bool big_endian = false;
  std::int64_t offset = 0;  ///< bytes before the first element
};

/// A file cannot be read or written, or does not hold what was expected. The message names the file.
class FileError : public std::runtime_error {
 public:
  FileError(const std::string& path, const std::string& problem) : std::runtime_error(path + ": " + problem) {}
};

}  // namespace quern::files

#endif
