// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CHOSEN_ELEMENTS_HPP
#define QUERN_REDUCE_CHOSEN_ELEMENTS_HPP

#include <quern/core/launch/launch_units.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// `values[k] = f(p[k]...)` for k < n on a host, which it returns, of an f that computes all of some elements alone, by
/// a mask: first for these and then for the others. A branch at each element would be mispredicted at masks without a
/// pattern, which takes longer than most functions.
template <class F, class T, class... P>
const T* apply_by_choice(const F& f, T* values, std::int64_t n, const P&... p) {
  constexpr std::int64_t together = 256;
  std::int64_t all[together], others[together];
  in_loop<F> local = f;  // what the loop reads must not be what it might write
  for (std::int64_t first = 0; first < n; first += together) {
    const std::int64_t end = Kokkos::min(n, first + together);
    std::int64_t of_all = 0, of_others = 0;
    for (std::int64_t k = first; k < end; ++k) {
      all[of_all] = others[of_others] = k;
      of_all += local.template computes_all<0>(p[k]...);
      of_others = k + 1 - first - of_all;
    }
    for (std::int64_t i = 0; i < of_all; ++i) values[all[i]] = local(p[all[i]]...);
    for (std::int64_t i = 0; i < of_others; ++i) values[others[i]] = local(p[others[i]]...);
  }
  return values;
}

}  // namespace quern::impl

#endif
