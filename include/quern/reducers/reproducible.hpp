// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_REPRODUCIBLE_HPP
#define QUERN_REDUCERS_REPRODUCIBLE_HPP

#include <quern/core/call/options.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/core/values/values.hpp>
#include <quern/reducers/moments.hpp>

namespace quern {

namespace impl {

/// A sum of doubles that no order changes: Demmel and Nguyen, Parallel Reproducible Summation, IEEE Trans. Comput. 64
/// (2015), with integers for the sums.
///
/// Bin number j counts multiples of 2^(26 j - 1074). A value's part in a bin is what its addition to 1.5 * 2^52 such
/// units leaves in the last bits of the sum; what remains of it goes to the next bin. The highest of the `Bins` bins is
/// that of the largest magnitude so far, of which a bin takes 25 bits; what lower bins have had is forgotten when it
/// rises, which makes no difference as to when.
template <int Bins>
struct binned {
  static constexpr int width = 26;
  static constexpr int highest_plain = 78;              // of the bins whose 2^52 units are a double
  static constexpr double down = 0x1p-52, up = 0x1p52;  // two bins, for those above
  template <class V>
  static constexpr bool in_halves = std::is_integral_v<V> && sizeof(V) == 8;
  enum : int { plus_infinity = 1, minus_infinity = 2, not_a_number = 4 };

  std::int64_t bin[Bins];
  int top;
  int special;

  KOKKOS_FUNCTION static binned zero() {
    binned b;
    for (int k = 0; k < Bins; ++k) b.bin[k] = 0;
    b.top = Bins - 1;
    b.special = 0;
    return b;
  }

  KOKKOS_FUNCTION static int exponent(double x) {
    return static_cast<int>(Kokkos::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff;
  }
  KOKKOS_FUNCTION static double power(int biased) {
    return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52);
  }
  /// The lowest bin that takes values of that exponent.
  KOKKOS_FUNCTION static int bin_of(int biased) { return Kokkos::max((biased + 2 * width) / width, Bins - 1); }
  KOKKOS_FUNCTION static double anchor(int bin) { return 1.5 * power(width * bin + 1); }
  KOKKOS_FUNCTION static double unit(int bin) {
    return bin < 2 ? Kokkos::bit_cast<double>(std::uint64_t{1} << width * bin) : power(width * bin - 51);
  }
  /// Magnitudes up to this need no higher bin than the highest.
  KOKKOS_FUNCTION double limit() const { return top > highest_plain ? -1.0 : power(width * (top - 1)); }

  KOKKOS_FUNCTION void raise(int to) {
    for (int shift = Kokkos::min(to - top, Bins); shift > 0; --shift) {
      for (int k = Bins - 1; k > 0; --k) bin[k] = bin[k - 1];
      bin[0] = 0;
    }
    top = Kokkos::max(top, to);
  }

  KOKKOS_FUNCTION void add(double x) {
    const int biased = exponent(x);
    if (biased == 0x7ff) {
      special |= is_nan(x) ? not_a_number : x > 0 ? plus_infinity : minus_infinity;
      return;
    }
    raise(bin_of(biased));
    const bool huge = top > highest_plain;
    const double moved = huge ? x * down : x;
    deposit<1>(&moved, huge ? top - 2 : top);
  }

  /// Integers of 64 bits, which a double may not hold, are added as their halves.
  template <class V>
    requires(in_halves<V>)
  KOKKOS_FUNCTION void add(const V& v) {
    add(high_half()(v));
    add(low_half()(v));
  }
  template <int N, class V>
  KOKKOS_FUNCTION void add_block(const V* v) {
    if constexpr (in_halves<V>) {
      double half[N];
      for (int i = 0; i < N; ++i) half[i] = high_half()(v[i]);
      add_block<N>(half);
      for (int i = 0; i < N; ++i) half[i] = low_half()(v[i]);
      add_block<N>(half);
    } else if (!fit<N>(v) && !make_fit<N>(v)) {
      for (int i = 0; i < N; ++i) add(static_cast<double>(v[i]));
    } else {
      deposit<N>(v, top);
    }
  }

  /// Adds values one after the other: `put(i, sum)` is told what there is with the first i + 1 of them.
  template <int N, class V, class Put>
  KOKKOS_FUNCTION void add_each(const V* v, const Put& put) {
    if (!in_halves<V> && special == 0 && fit<N>(v)) {
      double from[Bins], each[N];
      for (int k = 0; k < Bins; ++k) from[k] = anchor(top - k);
      for (int i = 0; i < N; ++i) each[i] = static_cast<double>(v[i]);  // before `put` may write there
      for (int i = 0; i < N; ++i) {
        double x = each[i];
        for (int k = 0; k < Bins; ++k) {
          const double t = x + from[k];
          bin[k] +=
              static_cast<std::int64_t>(Kokkos::bit_cast<std::uint64_t>(t) - Kokkos::bit_cast<std::uint64_t>(from[k]));
          x -= t - from[k];
        }
        put(i, sum_below(top));
      }
    } else {
      for (int i = 0; i < N; ++i) {
        if constexpr (in_halves<V>) add(v[i]);
        else add(static_cast<double>(v[i]));
        put(i, value());
      }
    }
  }

  KOKKOS_FUNCTION void join(const binned& o) {
    binned other = o;
    other.raise(top);
    raise(other.top);
    for (int k = 0; k < Bins; ++k) bin[k] += other.bin[k];
    special |= o.special;
  }

  KOKKOS_FUNCTION double value() const {
    if (special == plus_infinity) return Kokkos::Experimental::infinity_v<double>;
    if (special == minus_infinity) return -Kokkos::Experimental::infinity_v<double>;
    if (special != 0) return Kokkos::Experimental::quiet_NaN_v<double>;
    return top > highest_plain ? sum_below(top - 2) * up : sum_below(top);
  }

 private:
  /// The sum of the bins, if the top one were bin `highest`: their halves from the largest to the smallest.
  KOKKOS_FUNCTION double sum_below(int highest) const {
    compensated<double> sum{};
    for (int k = 0; k < Bins; ++k) {
      const double u = unit(highest - k);
      const double high = static_cast<double>(static_cast<std::int32_t>(bin[k] >> 32)) * (u * 0x1p32);
      if (k == 0) sum.sum = high;
      else sum.add(high);
      sum.add(static_cast<double>(static_cast<std::uint32_t>(bin[k])) * u);
    }
    return sum.value();
  }
  template <int N, class V>
  KOKKOS_FUNCTION bool fit(const V* v) const {
    const double largest = limit();
    bool all = true;
    for (int i = 0; i < N; ++i) all = all & (Kokkos::abs(static_cast<double>(v[i])) <= largest);
    return all;
  }
  /// Raises the bins to what the values need, unless that takes more than plain arithmetic.
  template <int N, class V>
  KOKKOS_FUNCTION bool make_fit(const V* v) {
    int biased = 0;
    for (int i = 0; i < N; ++i) biased = Kokkos::max(biased, exponent(static_cast<double>(v[i])));
    if (bin_of(biased) > highest_plain) return false;
    raise(bin_of(biased));
    return top <= highest_plain;
  }
  /// Adds values that fit below bin `highest` + 1; it is used as the top bin.
  template <int N, class V>
  KOKKOS_FUNCTION void deposit(const V* v, int highest) {
    constexpr int lanes = N < 64 ? 1 : 8;  // hosts, which have wide vectors, take long blocks
    double from[Bins];
    std::uint64_t sum[Bins][lanes] = {};
    for (int k = 0; k < Bins; ++k) from[k] = anchor(highest - k);
    for (int i = 0; i < N; i += lanes)
      for (int l = 0; l < lanes; ++l) {
        double x = static_cast<double>(v[i + l]);
        for (int k = 0; k < Bins; ++k) {
          const double t = x + from[k];
          sum[k][l] += Kokkos::bit_cast<std::uint64_t>(t);
          x -= t - from[k];
        }
      }
    for (int k = 0; k < Bins; ++k) {
      std::uint64_t all = 0;
      for (int l = 0; l < lanes; ++l) all += sum[k][l];
      bin[k] += static_cast<std::int64_t>(all - N * Kokkos::bit_cast<std::uint64_t>(from[k]));
    }
  }
};

template <int Bins>
struct binned_complex {
  binned<Bins> re, im;

  KOKKOS_FUNCTION static binned_complex zero() { return {binned<Bins>::zero(), binned<Bins>::zero()}; }
  template <class T>
  KOKKOS_FUNCTION void add(const Kokkos::complex<T>& v) {
    re.add(v.real());
    im.add(v.imag());
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(const Kokkos::complex<T>* v) {
    T part[N];
    for (int i = 0; i < N; ++i) part[i] = v[i].real();
    re.template add_block<N>(part);
    for (int i = 0; i < N; ++i) part[i] = v[i].imag();
    im.template add_block<N>(part);
  }
  KOKKOS_FUNCTION void join(const binned_complex& o) {
    re.join(o.re);
    im.join(o.im);
  }
  KOKKOS_FUNCTION Kokkos::complex<double> value() const { return {re.value(), im.value()}; }
};

/// The accumulator of a reproducible sum of type S. Integers need nothing for that.
template <class S>
struct reproducible_sum_of {
  static_assert(sizeof(real_type<S>) <= 8, "quern::reproducible: sums of up to 64 bits only");
  static constexpr int bins = sizeof(real_type<S>) == 8 ? 4 : 3;
  using type = std::conditional_t<std::is_integral_v<S>, compensated<S>,
                                  std::conditional_t<is_complex<S>, binned_complex<bins>, binned<bins>>>;
};
template <class S>
using reproducible_sum = typename reproducible_sum_of<S>::type;

/// Products, each rounded by itself in double: exact for floats.
template <class S>
struct reproducible_product {
  struct takes_any_value {};
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<S>) {
      return product<S>()(a, b);
    } else if constexpr (is_complex<A> || is_complex<B>) {
      const Kokkos::complex<double> x(a), y(b);
      return Kokkos::complex<double>(rounded_product(x.real(), y.real()) - rounded_product(x.imag(), y.imag()),
                                     rounded_product(x.real(), y.imag()) + rounded_product(x.imag(), y.real()));
    } else {
      return rounded_product(static_cast<double>(a), static_cast<double>(b));
    }
  }
};
struct reproducible_square {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& x) const {
    if constexpr (is_complex<T>) {
      return rounded_product(x.real(), x.real()) + rounded_product(x.imag(), x.imag());
    } else {
      return rounded_product(static_cast<double>(x), static_cast<double>(x));
    }
  }
};
struct reproducible_magnitude {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& x) const {
    if constexpr (is_complex<T>) return Kokkos::sqrt(reproducible_square()(x));
    else return Kokkos::abs(static_cast<double>(x));
  }
};
/// x - mean, in double
struct reproducible_distance {
  template <class T, class S>
  KOKKOS_FUNCTION auto operator()(const T& x, const S& mean) const {
    using value = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;
    return distance<value>(x, static_cast<value>(mean));
  }
};

/// The sum of squared deviations of n values from their mean, from the squares and the sum of their distances from a
/// number beside it: squares - |sum|^2 / n, and at least 0. Squares that overflow, or are NaN, stay so.
template <class Sum>
KOKKOS_FUNCTION double squares_about_mean(double squares, const Sum& sum, double n) {
  if (!(squares <= Kokkos::Experimental::finite_max_v<double>)) return squares;
  double rest = squares;
  if constexpr (is_complex<Sum>)
    rest -= rounded_product(sum.real(), sum.real() / n) + rounded_product(sum.imag(), sum.imag() / n);
  else rest -= rounded_product(sum, sum / n);
  return rest < 0 ? 0 : rest;
}

/// The variance, or its root, from distances from means of type Mean. A mean that is rounded is off by their own mean,
/// whose square the mean of their squares has in addition.
template <class S, bool Root, class Mean>
struct centred_reducer {
  using uses_mean = Mean;  // a second input of the transform
  using real = real_type<S>;
  struct state {
    reproducible_sum<Mean> distances;
    reproducible_sum<real_type<Mean>> squares;
  };
  std::int64_t ddof = 0;

  KOKKOS_FUNCTION state init() const {
    return {reproducible_sum<Mean>::zero(), reproducible_sum<real_type<Mean>>::zero()};
  }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& d) const {
    s.distances.add(d);
    s.squares.add(reproducible_square()(d));
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* d) const {
    double squares[N];
    for (int i = 0; i < N; ++i) squares[i] = reproducible_square()(d[i]);
    s.distances.template add_block<N>(d);
    s.squares.template add_block<N>(squares);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    s.distances.join(t.distances);
    s.squares.join(t.squares);
  }
  KOKKOS_FUNCTION real result(const state& s, std::int64_t n) const {
    if (n <= ddof) return Kokkos::Experimental::quiet_NaN_v<real>;
    const double deviations = squares_about_mean(s.squares.value(), s.distances.value(), static_cast<double>(n));
    const double var = deviations / static_cast<double>(n - ddof);
    return static_cast<real>(Root ? Kokkos::sqrt(var) : var);
  }
};

/// The accumulator of a sum of type S, as the options want it.
template <class S, class... Args>
auto accumulator_for() {
  if constexpr (reproducibly<Args...>) {
    static_assert(sizeof(S) > 0 && exact_arithmetic,
                  "quern::reproducible: not with -ffast-math, -fassociative-math or x87 arithmetic");
    return std::type_identity<reproducible_sum<S>>();
  } else {
    return std::type_identity<compensated<S>>();
  }
}
template <class S, class... Args>
using accumulator = typename decltype(accumulator_for<S, Args...>())::type;

}  // namespace impl
}  // namespace quern

#endif
