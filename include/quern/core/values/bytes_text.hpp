// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_BYTES_TEXT_HPP
#define QUERN_CORE_VALUES_BYTES_TEXT_HPP

#include <cstdint>
#include <string>

namespace quern::impl {

/// A unit for the numbers of bytes of one message, so that they can be compared: the largest of B, kB, MB, GB and TB in
/// which the least of them, except for zeros, is 1 or more.
class byte_unit {
 public:
  template <class... Bytes>
  explicit byte_unit(Bytes... bytes) {
    std::uint64_t least = 0;
    ((least = least == 0 || (bytes > 0 && static_cast<std::uint64_t>(bytes) < least) ? bytes : least), ...);
    choose(least);
  }
  /// `1.5 MB`; bytes exactly, and others to three digits at least, rounded up.
  std::string text(std::uint64_t bytes) const;

 private:
  void choose(std::uint64_t least);
  int power_ = 0;  // of 1000
};

}  // namespace quern::impl

#endif
