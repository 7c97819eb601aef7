// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_SUMS_HPP
#define QUERN_REDUCERS_SUMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <quern/core/values/values.hpp>
#include <type_traits>

namespace quern::impl {

template <class T>
using sum_of_component =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>,
                       std::conditional_t<is_half<T>, float, T>>;
/// The type in which values of T add up: 64 bits for integers, float for half types, else T; of an Array its components
/// do.
template <class T>
using sum_type = typename with_component<T, sum_of_component<component_type<T>>>::type;

/// The type of a mean of T: double for integers, float for half types, else T; so of the components of an Array.
template <class T>
using mean_type = typename with_component<
    T, std::conditional_t<std::is_integral_v<component_type<T>>, double, sum_of_component<component_type<T>>>>::type;

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

/// Joins N values that are side by side into the first one, half of them into the others at a time. A recursion: of a
/// loop over the halves g++ makes one whose length it does not know, which takes longer than all else of a block.
template <int N, class P, class Join>
KOKKOS_FORCEINLINE_FUNCTION void join_lanes(P* lane, const Join& join) {
  if constexpr (N > 1) {
    constexpr int rest = N - N / 2;
    for (int l = 0; l < N / 2; ++l) lane[l] = join(lane[l], lane[l + rest]);
    join_lanes<rest>(lane, join);
  }
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

/// The sum of 4 N integers T of a byte, in words: two bytes of each, a half word apart, are added at once. Signed ones
/// are added as if they were 128 more.
template <class T, int N>
KOKKOS_FUNCTION std::int32_t sum_of_bytes(const std::uint32_t (&word)[N]) {
  static_assert(sizeof(T) == 1 && N <= 128, "a half word holds the sum of 257 bytes");
  constexpr std::uint32_t bytes = 0x00ff00ff, sign = std::is_signed_v<T> ? 0x80808080 : 0;
  std::uint32_t even = 0, odd = 0;
  for (int n = 0; n < N; ++n) {
    const std::uint32_t w = word[n] ^ sign;
    even += w & bytes;
    odd += w >> 8 & bytes;
  }
  const std::uint32_t both = even + odd;
  return static_cast<std::int32_t>((both & 0xffff) + (both >> 16)) - (sign != 0 ? 128 * 4 * N : 0);
}

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

struct not_nan {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return !is_nan(x);
  }
};
struct zero_if_nan {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return is_nan(x) ? T(0) : x;
  }
};
struct one_if_nan {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return is_nan(x) ? T(1) : x;
  }
};

/// The type of sums of products: of integers 64 bits, signed where one of the factors is.
template <class A, class B>
using product_type = std::conditional_t<mixed_signs<A, B>, std::int64_t, std::common_type_t<sum_type<A>, sum_type<B>>>;

/// Factors to their product, for a sum S: that of integers in double where S is no integer, else in 64 bits.
template <class S>
struct product {
  struct takes_any_value {};
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (!std::is_integral_v<A> || !std::is_integral_v<B>) return a * b;
    else if constexpr (!std::is_integral_v<S>) return static_cast<double>(a) * static_cast<double>(b);
    else return wrapping_multiply(static_cast<product_type<A, B>>(a), static_cast<product_type<A, B>>(b));
  }
};

/// The product with the first factor conjugated.
template <class S>
struct conjugate_product {
  struct takes_any_value {};
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return product<S>()(conjugate(a), b);
  }
};

/// The halves of an integer of 64 bits, of which it is the sum: the nearest multiple of 2^32, and less than that with
/// either sign. Both are exact in double.
struct high_half {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& v) const {
    using half = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    return (static_cast<double>(static_cast<half>(v >> 32)) + static_cast<double>(v >> 31 & 1)) * 0x1p32;
  }
};
struct low_half {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& v) const {
    return static_cast<double>(static_cast<std::int32_t>(v));
  }
};

/// Addition with the rounding errors of the running sum carried along (Knuth's TwoSum; Ogita, Rump and Oishi, SIAM J.
/// Sci. Comput. 26, 2005). Blocks are folded first, so this costs next to nothing and bounds the error by that of the
/// fold, independent of the number of values. Integers, which do not round, need no compensation.
template <class S>
struct compensated {
  static_assert(
      requires(const S& s) { s + s - s; },
      "quern: the sum of structs without + and -; of those of one type of values, quern::rows<k> of a View of "
      "these has the sum of each, and quern::reduce takes a functor");
  template <class T>
  static constexpr bool in_halves = std::is_integral_v<T> && sizeof(T) == 8 && std::is_same_v<S, double>;
  S sum, error;

  KOKKOS_FUNCTION static compensated zero() { return {S(0), S(0)}; }
  /// Of integers of 64 bits, both halves, which round nothing.
  template <class T>
  KOKKOS_FUNCTION void add(const T& v) {
    if constexpr (std::is_integral_v<S>) {
      sum = wrapping_add(sum, static_cast<S>(v));
    } else if constexpr (in_halves<T>) {
      add(high_half()(v));
      add(low_half()(v));
    } else {
      const S x = static_cast<S>(v);
      const S s = sum + x;
      const S b = s - sum;
      error += (sum - (s - b)) + (x - b);
      sum = s;
    }
  }
  /// Blocks of integers of 16 bits or less are folded in 32, which no block exceeds.
  template <int N, class T>
  using folded = std::conditional_t<std::is_integral_v<T> && std::is_integral_v<S> && sizeof(T) <= 2 && (N < 1 << 15),
                                    std::int32_t, S>;
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(const T* v) {
    if constexpr (std::is_same_v<T, bool>) {  // 0 or 1, for which compilers test; many are counted in bytes first
      const auto* const ones = reinterpret_cast<const std::uint8_t*>(v);
      if constexpr (constexpr int lanes = fold_lanes<N, std::uint8_t>; N > lanes && N / lanes <= 255) {
        std::uint8_t count[lanes] = {};
        for (int i = 0; i < N; i += lanes)
          for (int l = 0; l < lanes; ++l) count[l] = static_cast<std::uint8_t>(count[l] + ones[i + l]);
        return add_block<lanes>(count);
      } else {
        return add_block<N>(ones);
      }
    } else if constexpr (in_halves<T>) {
      static_assert(N <= 1 << 21, "a sum of so many numbers of 32 bits is exact in double");
      add(fold<double, N>(v, high_half(), plus<double>()));
      add(fold<double, N>(v, low_half(), plus<double>()));
    } else {
      using P = folded<N, T>;
      add(fold<P, N>(v, cast_to<P>(), plus<P>()));
    }
    settle();
  }
  template <class T, int N>
  KOKKOS_FUNCTION void add_bytes(const std::uint32_t (&word)[N]) {
    add(sum_of_bytes<T>(word));
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
  /// An overflown sum has a NaN as its error and is infinite all the same. What is chosen here is not computed, for
  /// compilers to vectorize loops around it.
  KOKKOS_FUNCTION S value() const {
    const auto known = [](const real_type<S>& e) { return is_nan(e) ? real_type<S>(0) : e; };
    if constexpr (is_complex<S>) return S(sum.real() + known(error.real()), sum.imag() + known(error.imag()));
    else return sum + known(error);
  }
};

/// sum / n, to more digits than a double holds.
KOKKOS_FUNCTION inline compensated<double> quotient(const compensated<double>& sum, double n) {
  const double high = sum.value(), low = sum.error - (high - sum.sum), q = high / n;
  return {q, (Kokkos::fma(-q, n, high) + low) / n};
}

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
  template <class T, int N>
    requires(std::is_same_v<Sum, compensated<S>>)
  KOKKOS_FUNCTION void add_bytes(state& s, const std::uint32_t (&word)[N]) const {
    s.template add_bytes<T>(word);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { s.join(t); }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const { return static_cast<S>(s.value()); }
};

/// A mean.
/// @tparam Integers whether the elements are integers, whose sum is exact
template <class S, class Sum = compensated<S>, bool Integers = false>
struct mean_reducer : sum_reducer<S, Sum> {
  KOKKOS_FUNCTION S result(const Sum& s, std::int64_t n) const {
    if constexpr (Integers && std::is_same_v<Sum, compensated<double>>)
      return static_cast<S>(quotient(s, static_cast<double>(n)).value());
    const auto sum = s.value();
    return static_cast<S>(sum / static_cast<real_type<std::remove_const_t<decltype(sum)>>>(n));
  }
};

template <class S, class Sum = compensated<S>>
struct root_reducer : sum_reducer<S, Sum> {
  KOKKOS_FUNCTION S result(const Sum& s, std::int64_t) const { return static_cast<S>(Kokkos::sqrt(s.value())); }
};

/// The sum and the number of the values that are not NaN, for their mean.
template <class S>
struct nan_mean_reducer {
  struct state {
    compensated<S> sum;
    std::int64_t n;
  };
  KOKKOS_FUNCTION state init() const { return {compensated<S>::zero(), 0}; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    add_block<1>(s, &v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    const auto number = [](const T& x) { return static_cast<S>(zero_if_nan()(x)); };
    s.sum.add(fold<S, N>(v, number, plus<S>()));
    s.n += fold<std::int64_t, N>(v, not_nan(), plus<std::int64_t>());
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    s.sum.join(t.sum);
    s.n += t.n;
  }
  KOKKOS_FUNCTION S result(const state& s, std::int64_t) const {
    return s.sum.value() / static_cast<real_type<S>>(s.n);
  }
};

}  // namespace quern::impl

#endif
