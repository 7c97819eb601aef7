// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_RESULTS_HPP
#define QUERN_REDUCERS_RESULTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace quern {

/// The result of `minmax`.
template <class T>
struct extrema {
  T min;
  T max;
};

/// The result of `mean_var`: the mean and the variance (of the population: divided by n). The variance of
/// complex numbers is real.
template <class Mean, class Var = Mean>
struct moments {
  Mean mean;
  Var var;
};

}  // namespace quern

namespace quern::impl {

/// The type of a reducer's results.
template <class Reducer>
using result_of = std::remove_cvref_t<decltype(std::declval<const Reducer&>().result(
    std::declval<typename Reducer::state>(), std::int64_t()))>;

/// A reducer whose results are its states.
template <class Reducer>
struct reducer_of_states : Reducer {
  using state = typename Reducer::state;
  KOKKOS_FUNCTION state result(const state& s, std::int64_t) const { return s; }
};

}  // namespace quern::impl

#endif
