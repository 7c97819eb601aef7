// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_VIEWS_NUMBERED_HPP
#define QUERN_TESTS_VIEWS_NUMBERED_HPP

#include <support/testing.hpp>

/// Small arrays of the default execution space for tests that are no templates.
namespace test::numbered {

using exec = Kokkos::DefaultExecutionSpace;
using matrix = Kokkos::View<double**, exec>;
using line = Kokkos::View<double*, exec>;

struct twice_plus {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return 2 * a + b; }
};

/// A matrix of the numbers from 0 on in row-major order.
inline matrix make(std::int64_t n, std::int64_t m) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < n * m; ++i) values.push_back(static_cast<double>(i));
  return test::make_array<double, 2, matrix::array_layout, exec>({n, m}, values);
}
inline line make(const std::vector<double>& values) {
  return test::make_array<double, 1, line::array_layout, exec>({static_cast<std::int64_t>(values.size())}, values);
}
inline Kokkos::View<int*, exec> make_indices(const std::vector<int>& values) {
  return test::make_array<int, 1, Kokkos::LayoutRight, exec>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace test::numbered

#endif
