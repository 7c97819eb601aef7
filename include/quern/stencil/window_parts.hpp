// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_WINDOW_PARTS_HPP
#define QUERN_STENCIL_WINDOW_PARTS_HPP

#include <Kokkos_Core.hpp>

namespace quern::impl {

/// Whether a rule of windows reduces parts of them, too: `Rule::lift<S>(value)` is the reduction of one, and
/// `Rule::take(s, t)` that of both.
template <class Rule>
inline constexpr bool joins_parts = false;

/// Reduces the windows, of `count` >= N values, of N cells beside each other, where next() gives the values one after
/// the other. What all windows have is reduced once; the first ones add what is before it and the last ones what is
/// behind it (van Herk, Pattern Recognition Letters 13, 1992). So a result takes 4 steps of windows of N values, and 3
/// and count / N of wider ones.
template <class Rule, int N, class S, class Next>
KOKKOS_FORCEINLINE_FUNCTION void reduce_by_parts(S* results, int count, const Next& next) {
  constexpr int block = 4;
  const auto value = [&] { return Rule::template lift<S>(next()); };
  for (int k = 0; k < N - 1; ++k) results[k] = value();
  S s = value();
  int k = N;
  for (; k + block <= count; k += block) {
    S v[block];
    for (int b = 0; b < block; ++b) v[b] = value();
    for (int b = 0; b < block; ++b) Rule::take(s, v[b]);
  }
  for (int b = 0; b < block - 1; ++b)
    if (k + b < count) Rule::take(s, value());
  results[N - 1] = s;
  for (int n = N - 2; n >= 0; --n) {
    Rule::take(s, results[n]);
    results[n] = s;
  }
  if constexpr (N > 1) {
    s = value();
    Rule::take(results[1], s);
  }
  for (int n = 2; n < N; ++n) {
    Rule::take(s, value());
    Rule::take(results[n], s);
  }
}

}  // namespace quern::impl

#endif
