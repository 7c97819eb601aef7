// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_REFERENCE_ARCHIVE_HPP
#define QUERN_TESTS_SUPPORT_REFERENCE_ARCHIVE_HPP

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

/// Frozen results of NumPy, SciPy and mpmath: arrays by name, in an .npz file of tests/ without compression. It is read
/// here, with nothing of Quern's, when an array is first asked for. What is not as expected throws std::runtime_error.
class reference_archive {
 public:
  /// The file is named from tests/ on.
  explicit reference_archive(std::string file) : file_(std::move(file)) {}

  std::vector<std::string> names() const;
  bool contains(const std::string& name) const { return arrays().count(name) == 1; }
  std::vector<std::int64_t> extents(const std::string& name) const { return at(name).extents; }
  /// Those of an array of so many axes.
  template <std::size_t Rank>
  std::array<std::int64_t, Rank> extents_of_rank(const std::string& name) const {
    std::array<std::int64_t, Rank> result;
    const std::vector<std::int64_t> found = extents(name);
    if (found.size() != Rank) throw std::runtime_error(name + " has another rank");
    std::copy(found.begin(), found.end(), result.begin());
    return result;
  }
  /// Whether the elements are of this type.
  template <class T>
  bool holds(const std::string& name) const {
    return at(name).type == type_of<T>();
  }
  /// The elements in the order of the last index fastest.
  template <class T = double>
  std::vector<T> values(const std::string& name) const {
    const std::string& bytes = at(name, type_of<T>()).bytes;
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!result.empty()) std::memcpy(static_cast<void*>(result.data()), bytes.data(), bytes.size());
    return result;
  }
  /// Of an array without axes.
  template <class T = double>
  T value(const std::string& name) const {
    T result;
    std::memcpy(&result, scalar(name, type_of<T>(), sizeof(T)), sizeof(T));
    return result;
  }

 private:
  struct array {
    std::string type;  // as NumPy names it
    std::vector<std::int64_t> extents;
    std::string bytes;
  };

  template <class T>
  static std::string type_of() {
    const std::string size = std::to_string(sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return "|b1";
    else if constexpr (std::is_integral_v<T>)
      return (sizeof(T) == 1 ? "|" : "<") + std::string(std::is_signed_v<T> ? "i" : "u") + size;
    else if constexpr (std::is_floating_point_v<T>) return "<f" + size;
    else return "<c" + size;
  }
  const std::map<std::string, array>& arrays() const;
  const array& at(const std::string& name) const;
  const array& at(const std::string& name, const std::string& type) const;
  const char* scalar(const std::string& name, const std::string& type, std::size_t size) const;
  static array parsed(const std::string& npy);
  [[noreturn]] void fail(const std::string& what) const;

  std::string file_;
  mutable std::map<std::string, array> arrays_;
};

}  // namespace test

#endif
