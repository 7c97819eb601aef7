// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_INTEGRANDS_HPP
#define QUERN_TESTS_SUPPORT_INTEGRANDS_HPP

#include <Kokkos_Core.hpp>

namespace test {

/// x^n, whose integral over [0, 1] is 1 / (n + 1).
struct power {
  int n;
  KOKKOS_FUNCTION double operator()(double x) const {
    double p = 1;
    for (int i = 0; i < n; ++i) p *= x;
    return p;
  }
};

}  // namespace test

#endif
