// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_FROZEN_ARRAYS_HPP
#define QUERN_TESTS_SUPPORT_FROZEN_ARRAYS_HPP

#include <support/frozen.hpp>
#include <support/testing.hpp>

namespace test {

/// Arrays of a combination, filled with the values that frozen results are of, or for the results.
template <class Case>
struct FrozenArrays : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;

  template <std::size_t Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, std::int64_t first = 0) {
    std::int64_t n = 1;
    for (const auto e : extents) n *= e;
    return make_array<T, Rank, typename Case::layout, E>(extents, frozen_values<T>(n, first));
  }
  template <class R, std::size_t Rank>
  static auto results(const std::array<std::int64_t, Rank>& extents) {
    return make_array<R, Rank, typename Case::layout, E>(extents);
  }
};
using frozen_numbers =
    covering<float, double, Kokkos::complex<float>, Kokkos::complex<double>, std::int8_t, std::int64_t>;
using frozen_reals = covering<float, double>;

}  // namespace test

#endif
