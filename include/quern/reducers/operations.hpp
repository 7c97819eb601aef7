// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_OPERATIONS_HPP
#define QUERN_REDUCERS_OPERATIONS_HPP

#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// Any associative and commutative operation with its identity.
template <class S, class Op>
struct op_reducer {
  using state = S;
  Op op;
  S identity;
  KOKKOS_FUNCTION state init() const { return identity; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    s = combine(s, static_cast<S>(v));
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s = combine(s, fold<S, N>(v, cast_to<S>(), [this](const S& a, const S& b) { return combine(a, b); }));
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = combine(s, t); }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const { return s; }

 private:
  static constexpr bool callable = std::is_invocable_r_v<S, const Op&, const S&, const S&>;
  KOKKOS_FUNCTION S combine(const S& a, const S& b) const {
    static_assert(callable, "quern: op must be callable with two values of the type of the identity, and return one");
    if constexpr (callable) return op(a, b);
    else return a;
  }
};

/// The smaller (Sign -1) or larger (+1) of two, a NaN before both, as in NumPy.
template <int Sign>
struct extremum_op {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return (Sign > 0 ? a > b : a < b) || is_nan(a) ? a : b;
  }
};

struct prod_op {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return wrapping_multiply(a, b);
  }
};
struct and_op {
  KOKKOS_FUNCTION bool operator()(bool a, bool b) const { return a & b; }
};
struct or_op {
  KOKKOS_FUNCTION bool operator()(bool a, bool b) const { return a | b; }
};

}  // namespace quern::impl

#endif
