// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_CARRIES_HPP
#define QUERN_SCAN_CARRIES_HPP

/// @file
/// Scans of arrays in parts: each part is scanned by itself, and what comes before it is carried to its results.

#include <quern/core/launch/operations.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/reducers/operations.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// What comes before a part of an array on one line of a scan; of sums, with the rounding errors of their additions.
template <class S>
struct carried {
  S value, error;
};

/// How sums go on from part to part.
template <class S>
struct carry_sum {
  using type = S;
  KOKKOS_FUNCTION carried<S> start() const { return {S(0), S(0)}; }
  KOKKOS_FUNCTION S result(const carried<S>& before, const S& v) const {
    if constexpr (std::is_integral_v<S>) return wrapping_add(before.value, v);
    else return before.value + (before.error + v);
  }
  KOKKOS_FUNCTION carried<S> next(const carried<S>& before, const S& total) const {
    compensated<S> sum{before.value, before.error};
    sum.add(total);
    return {sum.sum, sum.error};
  }
};
/// How scans by any operation go on.
template <class S, class Op>
struct carry_op {
  using type = S;
  Op op;
  S identity;
  KOKKOS_FUNCTION carried<S> start() const { return {identity, identity}; }
  KOKKOS_FUNCTION S result(const carried<S>& before, const S& v) const { return op(before.value, v); }
  KOKKOS_FUNCTION carried<S> next(const carried<S>& before, const S& total) const {
    return {op(before.value, total), identity};
  }
};

template <class Carry>
struct result_of_carry {
  Carry carry;
  template <class S>
  KOKKOS_FUNCTION S operator()(const carried<S>& before, const S& v) const {
    return carry.result(before, v);
  }
};
/// What comes before the next part, from the last elements of this one's scan. An exclusive scan lacks the last
/// elements of the part itself.
template <class Carry, bool Exclusive>
struct next_carry {
  using S = typename Carry::type;
  Carry carry;
  template <class... T>
  KOKKOS_FUNCTION carried<S> operator()(const carried<S>& before, const S& last, const T&... in) const {
    if constexpr (Exclusive)
      return carry.next(before, carry.result({last, carry.start().error}, static_cast<S>(in)...));
    else return carry.next(before, last);
  }
};

/// What a scan by this reducer carries; nothing where it cannot go on from part to part.
struct no_carry {};
inline no_carry carry_of(const auto&) { return {}; }
template <class S>
carry_sum<S> carry_of(const sum_reducer<S, compensated<S>>&) {
  return {};
}
template <class S, class Op>
carry_op<S, Op> carry_of(const op_reducer<S, Op>& r) {
  return {r.op, r.identity};
}

}  // namespace quern::impl

#endif
