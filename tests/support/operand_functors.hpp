// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_OPERAND_FUNCTORS_HPP
#define QUERN_TESTS_SUPPORT_OPERAND_FUNCTORS_HPP

#include <Kokkos_Core.hpp>

namespace test {

struct weighted {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return 2 * a - b; }
};
struct at_row_and_column {
  template <class At>
  KOKKOS_FUNCTION double operator()(double a, const At& at) const {
    return a + 100 * static_cast<double>(at[0]) + static_cast<double>(at[1]);
  }
};
struct of_row {
  template <class At>
  KOKKOS_FUNCTION double operator()(const At& at) const {
    return static_cast<double>(at[0]);
  }
};

struct sum_and_difference {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double a, double b) const { return {a + b, a - b}; }
};

}  // namespace test

#endif
