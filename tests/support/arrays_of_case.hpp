// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_ARRAYS_OF_CASE_HPP
#define QUERN_TESTS_SUPPORT_ARRAYS_OF_CASE_HPP

#include <support/testing.hpp>

namespace test {

/// A test whose arrays have the layout and the memory of its case.
template <class Case>
struct arrays_of_case : testing::Test {
  using E = typename Case::exec;
  using L = typename Case::layout;
  template <int Rank, class T = double>
  static auto array(const std::array<std::int64_t, Rank>& n, const std::vector<T>& values) {
    return make_array<T, Rank, L, E>(n, values);
  }
  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& n) {
    return make_array<double, Rank, L, E>(n);
  }
};

}  // namespace test

#endif
