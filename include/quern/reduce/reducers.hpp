// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_REDUCERS_HPP
#define QUERN_REDUCE_REDUCERS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <quern/core/values.hpp>
#include <type_traits>

namespace quern {

/// What `minmax` returns and writes.
template <class T>
struct extrema {
  T min;
  T max;
};

/// What `mean_var` returns and writes: the mean and the variance (of the population: divided by n). The variance of
/// complex numbers is real.
template <class Mean, class Var = Mean>
struct moments {
  Mean mean;
  Var var;
};

namespace impl {

/// a + b and a * b, which wrap around for integers: signed ones do so by way of unsigned ones.
template <class T>
KOKKOS_FUNCTION T wrapping_add(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}
template <class T>
KOKKOS_FUNCTION T wrapping_multiply(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return a * b;
  }
}

template <class T>
struct sum_of {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T>)
struct sum_of<T> {
  using type = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>;
};
template <class T>
  requires(is_half<T> && !std::is_same_v<T, float>)
struct sum_of<T> {
  using type = float;
};

/// The type in which values of T add up: 64 bits for integers, float for half types, else T.
template <class T>
using sum_type = typename sum_of<T>::type;

/// The type of a mean of T: double for integers, float for half types, else T.
template <class T>
using mean_type = std::conditional_t<std::is_integral_v<T>, double, sum_type<T>>;

/// Partial results side by side: as many as vector registers hold without running out of them, or all of a few.
template <int N, class P>
inline constexpr int fold_lanes =
    N < 4 ? N : std::min<int>(N, static_cast<int>(std::bit_floor(std::max<std::size_t>(1, 128 / sizeof(P)))));

/// Combines N values in a tree. Written without a loop, so that compilers can vectorize loops around it.
template <class P, int N, class T, class Lift, class Join>
KOKKOS_FUNCTION P fold_tree(const T* v, const Lift& lift, const Join& join) {
  if constexpr (N == 1) return lift(v[0]);
  else return join(fold_tree<P, N / 2>(v, lift, join), fold_tree<P, N - N / 2>(v + N / 2, lift, join));
}

/// Combines N values in lanes and then in a tree: as accurate as pairwise summation, and what compilers turn into
/// vector instructions. `lift(v[i])` makes an operand of a value, `join` combines two.
template <class P, int N, class T, class Lift, class Join>
KOKKOS_FUNCTION P fold(const T* v, const Lift& lift, const Join& join) {
  constexpr int lanes = fold_lanes<N, P>;
  static_assert(N % lanes == 0);
  if constexpr (N == lanes) {
    return fold_tree<P, N>(v, lift, join);
  } else {
    P lane[lanes];
    for (int l = 0; l < lanes; ++l) lane[l] = lift(v[l]);
    for (int i = lanes; i < N; i += lanes)
      for (int l = 0; l < lanes; ++l) lane[l] = join(lane[l], lift(v[i + l]));
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] = join(lane[l], lane[l + half]);
    return lane[0];
  }
}

// A reducer turns values into one result. It has
//   state            what a thread carries
//   init()           the state of no values
//   add(s, v)        one more value
//   add_block<N>(s, v)  N more values, N a power of two or 3; blocks may differ in N
//   join(s, t)       the state of both
//   result(s, n)     the result of n values
// All are callable from kernels. One that names a type `uses_positions` gets add(s, v, at) and add_block<N>(s, v, at)
// instead, with at the position of the value, and at(i) that of v[i], which grows with i.

/// Addition; that of integers wraps around.
template <class S>
struct plus {
  KOKKOS_FUNCTION S operator()(const S& a, const S& b) const { return wrapping_add(a, b); }
};

template <class S>
struct cast_to {
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& v) const {
    return static_cast<S>(v);
  }
};

/// Factors to their product; that of integers has 64 bits.
struct product {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
      return wrapping_multiply<std::common_type_t<sum_type<A>, sum_type<B>>>(a, b);
    else return a * b;
  }
};

/// The same with the first factor conjugated.
struct conjugate_product {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (is_complex<A>) return product()(Kokkos::conj(a), b);
    else return product()(a, b);
  }
};

/// Addition with the rounding errors of the running sum carried along (Knuth's TwoSum; Ogita, Rump and Oishi, SIAM J.
/// Sci. Comput. 26, 2005). Blocks are folded first, so this costs next to nothing and bounds the error by that of the
/// fold, independent of the number of values. Integers, which do not round, need no compensation.
template <class S>
struct compensated {
  S sum, error;

  KOKKOS_FUNCTION static compensated zero() { return {S(0), S(0)}; }
  template <class T>
  KOKKOS_FUNCTION void add(const T& v) {
    const S x = static_cast<S>(v);
    if constexpr (std::is_integral_v<S>) {
      sum = wrapping_add(sum, x);
    } else {
      const S s = sum + x;
      const S b = s - sum;
      error += (sum - (s - b)) + (x - b);
      sum = s;
    }
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(const T* v) {
    add(fold<S, N>(v, cast_to<S>(), plus<S>()));
    settle();
  }
  /// Moves the error to the sum, as far as that goes. Over millions of additions it would grow and itself be rounded.
  KOKKOS_FUNCTION void settle() {
    if constexpr (!std::is_integral_v<S>) {
      const S s = value();
      error -= s - sum;
      sum = s;
    }
  }
  KOKKOS_FUNCTION void join(const compensated& o) {
    add(o.sum);
    error += o.error;
  }
  /// An overflown sum has a NaN as its error and is infinite all the same.
  KOKKOS_FUNCTION S value() const {
    const S e = error;
    if constexpr (is_complex<S>)
      return S(is_nan(e.real()) ? sum.real() : sum.real() + e.real(),
               is_nan(e.imag()) ? sum.imag() : sum.imag() + e.imag());
    else return is_nan(e) ? sum : sum + e;
  }
};

/// A sum of type S by an accumulator, `compensated` or one that is reproducible.
template <class S, class Sum = compensated<S>>
struct sum_reducer {
  using state = Sum;
  KOKKOS_FUNCTION state init() const { return Sum::zero(); }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    s.add(v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s.template add_block<N>(v);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s.join(t); }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const { return static_cast<S>(s.value()); }
};

template <class S, class Sum = compensated<S>>
struct mean_reducer : sum_reducer<S, Sum> {
  KOKKOS_FUNCTION S result(const Sum& s, std::int64_t n) const {
    const auto sum = s.value();
    return static_cast<S>(sum / static_cast<real_type<std::remove_const_t<decltype(sum)>>>(n));
  }
};

template <class S, class Sum = compensated<S>>
struct root_reducer : sum_reducer<S, Sum> {
  KOKKOS_FUNCTION S result(const Sum& s, std::int64_t) const { return static_cast<S>(Kokkos::sqrt(s.value())); }
};

/// Any associative and commutative operation with its identity.
template <class S, class Op>
struct op_reducer {
  using state = S;
  Op op;
  S identity;
  KOKKOS_FUNCTION state init() const { return identity; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    s = op(s, static_cast<S>(v));
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s = op(s, fold<S, N>(v, cast_to<S>(), op));
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = op(s, t); }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const { return s; }
};

/// The smaller of two, a NaN before both, as in NumPy.
struct min_op {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a < b || is_nan(a) ? a : b;
  }
};
struct max_op {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a > b || is_nan(a) ? a : b;
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

/// What min, max and their pair start from.
template <class T>
KOKKOS_FUNCTION T highest() {
  if constexpr (std::is_integral_v<T>) return Kokkos::Experimental::finite_max_v<T>;
  else return Kokkos::Experimental::infinity_v<T>;
}
template <class T>
KOKKOS_FUNCTION T lowest() {
  if constexpr (std::is_integral_v<T>) return Kokkos::Experimental::finite_min_v<T>;
  else return -Kokkos::Experimental::infinity_v<T>;
}

template <class T>
struct one_for_nan {
  KOKKOS_FUNCTION T operator()(const T& x) const { return is_nan(x) ? T(1) : T(0); }
};
/// Whether a block has a NaN. A walk of its own: not every compiler makes vector instructions of a flag that is found
/// beside something else.
template <int N, class T>
KOKKOS_FUNCTION bool any_nan(const T* v) {
  if constexpr (std::is_integral_v<T>) return false;
  else return fold<T, N>(v, one_for_nan<T>(), plus<T>()) != T(0);
}

/// The better one of two values that are no NaN: the smaller (Sign -1) or larger (+1). NaN in b loses.
template <int Sign, class T>
KOKKOS_FUNCTION T better(const T& a, const T& b) {
  return (Sign > 0 ? b > a : b < a) ? b : a;
}
template <int Sign, class T>
KOKKOS_FUNCTION T worst() {
  return Sign > 0 ? lowest<T>() : highest<T>();
}
/// The smallest or largest value of a block that is not NaN. Without branches.
template <int N, int Sign, class T>
KOKKOS_FUNCTION T block_extremum(const T* v) {
  constexpr int lanes = fold_lanes<N, T>;
  T best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = worst<Sign, T>();
  for (int i = 0; i < N; i += lanes)
    for (int l = 0; l < lanes; ++l) best[l] = better<Sign>(best[l], v[i + l]);
  for (int l = 1; l < lanes; ++l) best[0] = better<Sign>(best[0], best[l]);
  return best[0];
}
/// Both in one walk.
template <int N, class T>
KOKKOS_FUNCTION extrema<T> block_extrema(const T* v) {
  constexpr int lanes = fold_lanes<N, T>;
  T low[lanes], high[lanes];
  for (int l = 0; l < lanes; ++l) {
    low[l] = worst<-1, T>();
    high[l] = worst<1, T>();
  }
  for (int i = 0; i < N; i += lanes)
    for (int l = 0; l < lanes; ++l) {
      low[l] = better<-1>(low[l], v[i + l]);
      high[l] = better<1>(high[l], v[i + l]);
    }
  for (int l = 1; l < lanes; ++l) {
    low[0] = better<-1>(low[0], low[l]);
    high[0] = better<1>(high[0], high[l]);
  }
  return {low[0], high[0]};
}
/// What is found in a block, or NaN if there is one.
template <int N, class T>
KOKKOS_FUNCTION T or_nan(const T& found, const T* v) {
  if constexpr (std::is_integral_v<T>) return found;
  else return any_nan<N>(v) ? Kokkos::Experimental::quiet_NaN_v<T> : found;
}

/// The smallest or the largest value.
template <class T, int Sign>
struct extremum_reducer {
  using state = T;
  KOKKOS_FUNCTION state init() const { return worst<Sign, T>(); }
  KOKKOS_FUNCTION void add(state& s, const T& v) const { join(s, v); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    join(s, or_nan<N>(block_extremum<N, Sign>(v), v));
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    s = std::conditional_t<(Sign > 0), max_op, min_op>()(s, t);
  }
  KOKKOS_FUNCTION T result(const state& s, std::int64_t) const { return s; }
};

/// The minimum and the maximum.
template <class T>
struct minmax_reducer {
  using state = extrema<T>;
  using min = extremum_reducer<T, -1>;
  using max = extremum_reducer<T, 1>;
  KOKKOS_FUNCTION state init() const { return {min().init(), max().init()}; }
  KOKKOS_FUNCTION void add(state& s, const T& v) const { join(s, {v, v}); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    extrema<T> block = block_extrema<N>(v);
    block.min = or_nan<N>(block.min, v);
    if (is_nan(block.min)) block.max = block.min;
    join(s, block);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    min().join(s.min, t.min);
    max().join(s.max, t.max);
  }
  KOKKOS_FUNCTION extrema<T> result(const state& s, std::int64_t) const { return s; }
};

/// Mean and variance in one pass: blocks by the two-pass formula while they are in registers, joined by the update of
/// Chan, Golub and LeVeque (The American Statistician 37, 1983). No difference of large squares ever occurs.
template <class S>
struct moments_reducer {
  using real = real_type<S>;
  std::int64_t ddof = 0;
  struct state {
    S mean;
    real m2;
    std::int64_t n;
  };

  KOKKOS_FUNCTION static real square(const S& x) {
    if constexpr (is_complex<S>) return x.real() * x.real() + x.imag() * x.imag();
    else return x * x;
  }
  struct squared_deviation {
    S mean;
    template <class T>
    KOKKOS_FUNCTION real operator()(const T& x) const {
      return square(static_cast<S>(x) - mean);
    }
  };

  KOKKOS_FUNCTION state init() const { return {S(0), real(0), 0}; }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (t.n == 0) return;
    if (s.n == 0) {
      s = t;
      return;
    }
    const std::int64_t n = s.n + t.n;
    const real share = static_cast<real>(t.n) / static_cast<real>(n);
    const S delta = t.mean - s.mean;
    s.mean += delta * share;
    s.m2 += t.m2 + square(delta) * (static_cast<real>(s.n) * share);
    s.n = n;
  }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    const S x = static_cast<S>(v);
    join(s, {x, square(x - x), 1});  // NaN for an infinite value, as its variance is
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    const S mean = fold<S, N>(v, cast_to<S>(), plus<S>()) / static_cast<real>(N);
    join(s, {mean, fold<real, N>(v, squared_deviation{mean}, plus<real>()), N});
  }
  /// NaN for no values, or no more than ddof.
  KOKKOS_FUNCTION real variance(const state& s) const {
    if (s.n <= ddof) return Kokkos::Experimental::quiet_NaN_v<real>;
    return s.m2 / static_cast<real>(s.n - ddof);
  }
  KOKKOS_FUNCTION moments<S, real> result(const state& s, std::int64_t) const {
    const real var = variance(s);
    return {s.n == 0 ? s.mean + var : s.mean, var};
  }
};

template <class S>
struct var_reducer : moments_reducer<S> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S>::state& s, std::int64_t) const {
    return this->variance(s);
  }
};

template <class S>
struct stddev_reducer : moments_reducer<S> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S>::state& s, std::int64_t) const {
    return Kokkos::sqrt(this->variance(s));
  }
};

/// Mean and variance of the values that are not NaN.
template <class Reducer>
struct nan_moments_reducer : Reducer {
  using state = typename Reducer::state;
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    if (!is_nan(v)) Reducer::add(s, v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    bool some = false;
    for (int i = 0; i < N; ++i) some = some || is_nan(v[i]);
    if (!some) {
      Reducer::template add_block<N>(s, v);
    } else {
      for (int i = 0; i < N; ++i) add(s, v[i]);
    }
  }
};

/// The sum and the number of the values that are not NaN, for their mean.
template <class S>
struct nan_mean_reducer {
  struct state {
    compensated<S> sum;
    std::int64_t n;
  };
  struct zero_if_nan {
    template <class T>
    KOKKOS_FUNCTION S operator()(const T& v) const {
      return is_nan(v) ? S(0) : static_cast<S>(v);
    }
  };
  struct one_if_not_nan {
    template <class T>
    KOKKOS_FUNCTION std::int64_t operator()(const T& v) const {
      return is_nan(v) ? 0 : 1;
    }
  };
  KOKKOS_FUNCTION state init() const { return {compensated<S>::zero(), 0}; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    s.sum.add(zero_if_nan()(v));
    s.n += one_if_not_nan()(v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s.sum.add(fold<S, N>(v, zero_if_nan(), plus<S>()));
    s.n += fold<std::int64_t, N>(v, one_if_not_nan(), plus<std::int64_t>());
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    s.sum.join(t.sum);
    s.n += t.n;
  }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const {
    return s.sum.value() / static_cast<real_type<S>>(s.n);
  }
};

/// The smallest (Sign -1) or largest (+1) of the values that are not NaN; NaN where there is none.
template <class T, int Sign>
struct nan_extremum_reducer {
  struct state {
    T value;
    bool some;
  };
  KOKKOS_FUNCTION state init() const { return {worst<Sign, T>(), false}; }
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    if (!is_nan(v)) join(s, {v, true});
  }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    const T best = block_extremum<N, Sign>(v);
    bool some = best != worst<Sign, T>();  // otherwise a block of NaN, or of infinities
    for (int i = 0; !some && !s.some && i < N; ++i) some = !is_nan(v[i]);
    join(s, {best, some});
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s = {better<Sign>(s.value, t.value), s.some || t.some}; }
  KOKKOS_FUNCTION T result(const state& s, std::int64_t) const {
    if constexpr (std::is_integral_v<T>) return s.value;
    else return s.some ? s.value : Kokkos::Experimental::quiet_NaN_v<T>;
  }
};

/// The first position of the smallest (Sign -1) or largest (+1) value. A NaN counts as better than all, or is left out
/// (SkipNan); -1 where nothing is left.
template <class T, int Sign, bool SkipNan>
struct arg_reducer {
  using uses_positions = void;
  struct state {
    T value;
    std::int64_t at;
  };
  static constexpr std::int64_t nowhere = Kokkos::Experimental::finite_max_v<std::int64_t>;

  KOKKOS_FUNCTION static bool beats(const T& a, const T& b) {
    return (Sign > 0 ? a > b : a < b) || (!SkipNan && is_nan(a) && !is_nan(b));
  }
  KOKKOS_FUNCTION static bool ties(const T& a, const T& b) { return a == b || (!SkipNan && is_nan(a) && is_nan(b)); }

  KOKKOS_FUNCTION state init() const { return {worst<Sign, T>(), nowhere}; }
  KOKKOS_FUNCTION void add(state& s, const T& v, std::int64_t at) const { join(s, {v, at}); }
  /// Finds the block's best value in a few instructions, and its position only where that may matter.
  template <int N, class Positions>
  KOKKOS_FUNCTION void add_block(state& s, const T* v, const Positions& at) const {
    const T best = SkipNan ? block_extremum<N, Sign>(v) : or_nan<N>(block_extremum<N, Sign>(v), v);
    if (!beats(best, s.value) && !(ties(best, s.value) && at(0) < s.at)) return;
    int first = N;
    for (int i = 0; i < N; ++i)
      if (ties(v[i], best) && i < first) first = i;
    if (first < N) join(s, {best, at(first)});
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (beats(t.value, s.value) || (ties(t.value, s.value) && t.at < s.at)) s = t;
  }
  KOKKOS_FUNCTION std::int64_t result(const state& s, std::int64_t) const { return s.at == nowhere ? -1 : s.at; }
};

}  // namespace impl
}  // namespace quern

#endif
