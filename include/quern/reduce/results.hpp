// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_RESULTS_HPP
#define QUERN_REDUCE_RESULTS_HPP

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

#endif
