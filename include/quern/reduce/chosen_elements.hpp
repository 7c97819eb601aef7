// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CHOSEN_ELEMENTS_HPP
#define QUERN_REDUCE_CHOSEN_ELEMENTS_HPP

#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// `values[k] = f(p[k]...)` for k < n on a host, which it returns, of an f that computes all of some elements alone, by
/// a mask. Where a mask selects all of a few elements, or none, compilers make vector instructions of a loop without a
/// branch. Of others those that it selects come first: a branch at each element would be mispredicted at masks without
/// a pattern, which takes longer than most functions.
template <class F>
class chosen_elements {
  static constexpr std::int64_t together = 64;
  in_loop<F> f_;  // what the loop reads must not be what it might write

 public:
  explicit chosen_elements(const F& f) : f_(f) {}

  template <class T, class... P>
  const T* apply(T* values, std::int64_t n, const P&... p) const {
    for (std::int64_t first = 0; first < n; first += together)
      apply_to(values, first, Kokkos::min(together, n - first), p...);
    return values;
  }

 private:
  template <class... V>
  int computes_all(const V&... v) const {
    return f_.template computes_all<0>(v...) ? 1 : 0;
  }
  template <class T, class... P>
  void apply_to(T* values, std::int64_t first, std::int64_t n, const P&... p) const {
    int of_all = 0;
    independent_loop(first, first + n, [&](std::int64_t k) { of_all += computes_all(p[k]...); });
    const auto all = [&](std::int64_t k) { values[k] = f_.template where_known<true, 0>(p[k]...); };
    const auto other = [&](std::int64_t k) {
      if constexpr (masks_of<F> == 1) values[k] = f_.template where_known<false, 0>(p[k]...);
      else values[k] = f_(p[k]...);
    };
    if (of_all == n) {
      independent_loop(first, first + n, all);
    } else if (of_all == 0) {
      independent_loop(first, first + n, other);
    } else {
      std::int32_t chosen[together], left[together];
      int found = 0;
      for (std::int32_t k = 0; k < n; ++k) {
        chosen[found] = left[k - found] = k;
        found += computes_all(p[first + k]...);
      }
      for (int i = 0; i < found; ++i) all(first + chosen[i]);
      for (int i = 0; i < n - found; ++i) other(first + left[i]);
    }
  }
};

}  // namespace quern::impl

#endif
