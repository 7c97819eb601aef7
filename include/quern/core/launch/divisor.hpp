// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_DIVISOR_HPP
#define QUERN_CORE_LAUNCH_DIVISOR_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// Division by a number, of numbers that are not negative: where 31 bits hold them all, by a multiplication (Granlund
/// and Montgomery, Division by invariant integers using multiplication, 1994).
struct divisor {
  std::int64_t by;
  bool small;                // whether 31 bits hold all that is divided
  std::uint32_t factor = 0;  // 2^(31 + shift) / by, rounded up; 0 where all that is divided is less
  int shift = 0;

  divisor() : divisor(1, true) {}
  divisor(std::int64_t number, bool of_small) : by(number), small(of_small) {
    if (!small || by < 1 || by >= std::int64_t{1} << 31) return;
    while ((std::int64_t{1} << shift) < by) ++shift;
    factor = static_cast<std::uint32_t>(((std::int64_t{1} << (31 + shift)) + by - 1) / by);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (!small) return i / by;
    const std::uint64_t twice = static_cast<std::uint32_t>(i) << 1;
    return static_cast<std::uint32_t>(twice * factor >> 32) >> shift;
  }
};

/// The rows and columns of the elements of contiguous rows. A division of 64 bits takes a device longer than it takes
/// to move an element.
struct row_division {
  std::int64_t columns = 1;
  divisor by_columns;
  row_division() = default;
  row_division(std::int64_t rows, std::int64_t row_length)
      : columns(row_length), by_columns(row_length, rows * row_length < (std::int64_t{1} << 31)) {}
  /// The row of element i, and its column.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i, std::int64_t& column) const {
    const std::int64_t row = by_columns(i);
    column = i - row * columns;
    return row;
  }
};

}  // namespace quern::impl

#endif
