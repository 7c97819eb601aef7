// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_MOMENT_REDUCERS_HPP
#define QUERN_REDUCE_MOMENT_REDUCERS_HPP

#include <quern/reduce/results.hpp>
#include <quern/reduce/sum_reducers.hpp>

namespace quern::impl {

/// A sum in a type so much wider than that of its terms that no rounding error is carried along.
template <class S>
struct widened {
  S sum;
  KOKKOS_FUNCTION void add(const S& x) { sum += x; }
  KOKKOS_FUNCTION void join(const widened& o) { sum += o.sum; }
  KOKKOS_FUNCTION S value() const { return sum; }
};

/// Numbers that a state of six gets, as vector instructions take states apart whose size is a power of two.
template <class W>
struct spare {
  W unused[2];
};
struct no_spare {};

/// x - center of an element, also of one with more digits than S.
template <class S, class T>
KOKKOS_FUNCTION S distance(const T& x, const S& center) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8 && std::is_same_v<S, double>)
    return (high_half()(x) - center) + low_half()(x);
  else return static_cast<S>(x) - center;
}

/// The type of distances between elements T and a mean for a result S: that of S, but with the digits of a double where
/// S has fewer than T.
template <class S, class T>
struct distance_type_of {
  using real = real_type<S>;
  static constexpr bool fewer =
      sizeof(real) < sizeof(double) && (std::is_integral_v<T> || sizeof(real_type<T>) > sizeof(real));
  using wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;
  using type = std::conditional_t<fewer, wide, S>;
};
template <class S, class T>
using distance_type = typename distance_type_of<S, T>::type;

/// Mean and sum of squared deviations in one pass: the sums of the distances of all values from a center, and of their
/// squares (Chan, Golub and LeVeque, The American Statistician 37, 1983). The center is the first value; it moves to
/// the mean when the squares exceed four times those about the mean, which is looked at after each block; a first block
/// is then added once more. So about two bits cancel at most, wherever the mean is and whatever the first values are,
/// and sums about the first of a few small integers are exact. Both sums carry their rounding errors along; those of
/// narrower types are doubles instead.
///
/// @tparam S the type of the result
/// @tparam Element the type of the elements
/// @tparam Integers whether the mean of integers must be exact: the center is one too, and so is the sum of distances
template <class S, class Element = S, bool Integers = std::is_integral_v<Element>>
struct moments_reducer {
  using real = real_type<S>;
  using value = distance_type<S, Element>;
  using value_real = real_type<value>;
  static constexpr bool narrow = sizeof(value_real) < sizeof(double);
  using wide = std::conditional_t<narrow, double, value_real>;
  using wide_value = std::conditional_t<is_complex<S>, Kokkos::complex<wide>, wide>;
  template <class V>
  using running = std::conditional_t<narrow, widened<V>, compensated<V>>;

  struct state : std::conditional_t<narrow, no_spare, spare<wide>> {
    value center;
    running<wide_value> distances;
    running<wide> squares;
    wide n;
  };

  std::int64_t ddof = 0;

  KOKKOS_FUNCTION state init() const { return state{}; }

  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    add_block<1>(s, &v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s.center += start_of(s.n == wide(0), static_cast<value>(v[0]));
    accumulate<N, value>(s, v);
    settle<N>(s, v);
  }
  /// The state of few values, which are all.
  template <int N, class T>
  KOKKOS_FUNCTION state state_of(const T* v) const {
    state s = init();
    s.center = start_of(true, static_cast<value>(v[0]));
    s.squares.sum = squares_of<N, wide_value>(s, v);
    if constexpr (Integers && sizeof(T) == 8 && std::is_same_v<value, double>) add_distances<N, wide_value>(s, v);
    else s.distances.sum = distances_of<N, wide_value>(s, v);
    s.n = wide(N);
    return s;
  }
  /// A block without its `settle`, which loops that shall become vector instructions leave for later.
  template <int N, class T>
  KOKKOS_FUNCTION void take(state& s, const T* v) const {
    s.center += start_of(s.n == wide(0), static_cast<value>(v[0]));
    accumulate<N, wide_value>(s, v);
  }
  /// Whether all but a quarter of the squares come from the distance between center and mean. Scaled, since the
  /// product with n may overflow where squares do not.
  KOKKOS_FUNCTION bool is_unsettled(const state& s) const {
    constexpr wide scale = 0x1p-64;
    const wide_value sum = s.distances.sum;
    return inner(sum, sum * scale) > s.squares.sum * (scale * wide(0.75)) * s.n;
  }
  /// Moves the center if it has to; v is the block that was added last. A first one, of which more bits may have
  /// cancelled, is added once more.
  template <int N, class T>
  KOKKOS_FUNCTION void settle(state& s, const T* v) const {
    if (!is_unsettled(s)) return;
    const auto mean = static_cast<value>(mean_of(s));
    if (s.n > wide(N)) return move(s, mean);
    s = init();
    s.center = rounded(mean);
    accumulate<N, value>(s, v);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (t.n == wide(0)) return;
    state other = t;
    if (other.n > s.n) {
      other = s;
      s = t;
    }
    if (other.n == wide(0)) return;
    move(other, s.center);
    s.distances.join(other.distances);
    s.squares.join(other.squares);
    s.n += other.n;
    if (is_unsettled(s)) move(s, static_cast<value>(mean_of(s)));
  }

  /// The sum of the squared deviations; NaN with an infinite value, infinite if the squares overflow.
  KOKKOS_FUNCTION wide deviations(const state& s) const {
    const wide squares = s.squares.value();
    const wide_value sum = s.distances.value();
    const wide shift = inner(sum, sum / s.n);
    const wide m2 = squares - (is_finite(squares) ? shift : wide(0)) + squared(sum - sum);
    return m2 < wide(0) ? wide(0) : m2;
  }
  /// NaN for no values, or no more than ddof.
  KOKKOS_FUNCTION real variance(const state& s) const {
    const wide freedom = s.n - static_cast<wide>(ddof);
    return static_cast<real>(deviations(s) / (freedom > wide(0) ? freedom : Kokkos::Experimental::quiet_NaN_v<wide>));
  }
  /// NaN for no values.
  KOKKOS_FUNCTION S mean(const state& s) const {
    if constexpr (Integers && std::is_same_v<value, double> && sizeof(Element) < 8) {
      return static_cast<S>(Kokkos::fma(s.center, s.n, s.distances.value()) / s.n);  // of their sum, which is exact
    } else if constexpr (Integers && std::is_same_v<value, double>) {
      const compensated<double> shift = quotient(s.distances, s.n);
      compensated<double> mean{s.center, 0};
      mean.join(shift);
      return static_cast<S>(mean.value());
    } else {
      return static_cast<S>(mean_of(s));
    }
  }
  KOKKOS_FUNCTION moments<S, real> result(const state& s, std::int64_t) const { return {mean(s), variance(s)}; }

 private:
  template <class V>
  struct distance_from {
    V center;
    template <class T>
    KOKKOS_FUNCTION V operator()(const T& x) const {
      return distance<V>(x, center);
    }
  };
  template <class V>
  struct squared_distance_from {
    V center;
    template <class T>
    KOKKOS_FUNCTION real_type<V> operator()(const T& x) const {
      return squared(distance<V>(x, center));
    }
  };
  template <int N, class V, class T>
  KOKKOS_FUNCTION static real_type<V> squares_of(const state& s, const T* v) {
    return fold<real_type<V>, N>(v, squared_distance_from<V>{static_cast<V>(s.center)}, plus<real_type<V>>());
  }
  /// Distances and squares are formed in V; in the wide type where they overflow in a narrow one.
  template <int N, class V, class T>
  KOKKOS_FUNCTION static void accumulate(state& s, const T* v) {
    constexpr int part = 1024 / sizeof(value_real);
    if constexpr (N > part) {  // equal values in long folds round the same way each time
      for (int i = 0; i < N; i += part) accumulate<part, V>(s, v + i);
    } else {
      const real_type<V> squares = squares_of<N, V>(s, v);
      if constexpr (!std::is_same_v<V, wide_value>) {
        if (!is_finite(squares)) return accumulate<N, wide_value>(s, v);
      }
      s.squares.add(static_cast<wide>(squares));
      add_distances<N, V>(s, v);
      s.n += wide(N);
    }
  }
  /// Distances between integers of 64 bits may need more digits than a double has: their halves do not.
  template <int N, class V, class T>
  KOKKOS_FUNCTION static void add_distances(state& s, const T* v) {
    if constexpr (Integers && sizeof(T) == 8 && std::is_same_v<value, double>) {
      const double product = s.center * N;
      s.distances.template add_block<N>(v);
      s.distances.add(-product);
      s.distances.add(-rounding_of(product, s.center, N));
    } else {
      s.distances.add(distances_of<N, V>(s, v));
    }
  }
  template <int N, class V, class T>
  KOKKOS_FUNCTION static wide_value distances_of(const state& s, const T* v) {
    return static_cast<wide_value>(fold<V, N>(v, distance_from<V>{static_cast<V>(s.center)}, plus<V>()));
  }
  /// x where it is chosen and distances from it do not overflow, else 0. Masked: of a condition compilers make a
  /// branch, which keeps loops over states from becoming vector instructions.
  template <class W>
  KOKKOS_FUNCTION static W start_of(bool chosen, const W& x) {
    const bool starts = chosen & (Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<W> / (narrow ? 1 : 4));
    if constexpr (sizeof(W) != 4 && sizeof(W) != 8) {
      return starts ? x : W(0);
    } else {
      using bits = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;
      return Kokkos::bit_cast<W>(Kokkos::bit_cast<bits>(x) & -static_cast<bits>(starts));
    }
  }
  template <class W>
  KOKKOS_FUNCTION static Kokkos::complex<W> start_of(bool chosen, const Kokkos::complex<W>& x) {
    return {start_of(chosen, x.real()), start_of(chosen, x.imag())};
  }
  /// The nearest integer among integers.
  KOKKOS_FUNCTION static value rounded(const value& x) {
    if constexpr (Integers && std::is_same_v<value, double>) {
      const double units = x < 0 ? -0x1p52 : 0x1p52;
      return Kokkos::abs(x) < 0x1p52 ? (x + units) - units : x;
    } else {
      return x;
    }
  }

  KOKKOS_FUNCTION static wide_value mean_of(const state& s) {
    return static_cast<wide_value>(s.center) + s.distances.value() / s.n;
  }
  /// Moves the center: sums change by n (to - center), which is two numbers and their product with n four, so that
  /// nothing is rounded but the squares.
  KOKKOS_FUNCTION static void move(state& s, const value& to) {
    const value center = rounded(to);
    const auto from = static_cast<wide_value>(s.center), by = static_cast<wide_value>(center) - from;
    const wide_value back = by - static_cast<wide_value>(center),
                     rest = (static_cast<wide_value>(center) - (by - back)) - (from + back);
    const wide_value before = s.distances.value(), product = by * s.n;
    s.distances.add(-product);
    s.distances.add(-(rounding_of(product, by, s.n) + rest * s.n));
    s.squares.add(-inner(by, before + s.distances.value()));
    s.center = center;
  }
  KOKKOS_FUNCTION static wide rounding_of(wide product, wide a, wide b) { return Kokkos::fma(a, b, -product); }
  template <class W>
  KOKKOS_FUNCTION static Kokkos::complex<W> rounding_of(const Kokkos::complex<W>& product, const Kokkos::complex<W>& a,
                                                        W b) {
    return {rounding_of(product.real(), a.real(), b), rounding_of(product.imag(), a.imag(), b)};
  }
  template <class W>
  KOKKOS_FUNCTION static W inner(const W& a, const W& b) {
    return a * b;
  }
  template <class W>
  KOKKOS_FUNCTION static W inner(const Kokkos::complex<W>& a, const Kokkos::complex<W>& b) {
    return a.real() * b.real() + a.imag() * b.imag();
  }
  template <class W>
  KOKKOS_FUNCTION static bool is_finite(const W& x) {
    return Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<W>;
  }
};

template <class S, class T = S>
struct var_reducer : moments_reducer<S, T, false> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S, T, false>::state& s, std::int64_t) const {
    return this->variance(s);
  }
};

template <class S, class T = S>
struct stddev_reducer : moments_reducer<S, T, false> {
  KOKKOS_FUNCTION real_type<S> result(const typename moments_reducer<S, T, false>::state& s, std::int64_t) const {
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
  template <int N, class T>
  KOKKOS_FUNCTION void take(state& s, const T* v) const {
    add_block<N>(s, v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void settle(state&, const T*) const {}  // `add` has done that
  template <int N, class T>
  KOKKOS_FUNCTION state state_of(const T* v) const = delete;  // not all are added
};

}  // namespace quern::impl

#endif
