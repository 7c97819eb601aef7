// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_MOMENTS_HPP
#define QUERN_REDUCERS_MOMENTS_HPP

#include <quern/reducers/results.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// A sum in a type so much wider than that of its terms that no rounding error is carried along.
template <class S>
struct widened {
  S sum;
  KOKKOS_FUNCTION void add(const S& x) { sum += x; }
  KOKKOS_FUNCTION void join(const widened& o) { sum += o.sum; }
  KOKKOS_FUNCTION S value() const { return sum; }
};

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
/// squares (Chan, Golub and LeVeque, The American Statistician 37, 1983). The center is one of the first values; it
/// moves to the mean when the squares exceed four times those about the mean, which is looked at after each block; a
/// first block is then added once more. So about two bits cancel at most, wherever the mean is and whatever the first
/// values are, and sums about one of a few small integers are exact. Both sums carry their rounding errors along; those
/// of narrower types are doubles instead, and those of a block of integers of 16 bits or less are integers.
///
/// @tparam S the type of the result
/// @tparam Element the type of the elements
/// @tparam Integers whether the elements are integers whose sum of distances is exact, as the center is an integer, too
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

  /// Integers whose distances from an integer have at most 17 bits.
  template <class T>
  static constexpr bool small = Integers && std::is_same_v<value, double> && std::is_integral_v<T> && sizeof(T) <= 2;

  struct state {
    value center;
    running<wide_value> distances;
    running<wide> squares;
    wide n;
  };

  /// Values that a thread of a device adds at once: fewer where their distances take wider registers.
  template <class T>
  static constexpr int at_once = small<T>                    ? 32
                                 : sizeof(T) < sizeof(value) ? 8
                                                             : 16;

  std::int64_t ddof = 0;

  KOKKOS_FUNCTION state init() const { return state{}; }
  /// Where threads begin that share a result with these first values: about that which is nearest to their mean. States
  /// with one center join without moving it.
  template <int N, class T>
  KOKKOS_FUNCTION state start(const T* v) const {
    const auto mean = fold<value, N>(v, cast_to<value>(), plus<value>()) / value_real(N);
    auto nearest = static_cast<value>(v[0]);
    for (int i = 1; i < N; ++i) {
      const auto x = static_cast<value>(v[i]);
      if (squared(x - mean) < squared(nearest - mean)) nearest = x;
    }
    state s = init();
    s.center = usable(true, nearest);
    return s;
  }

  template <class T>
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    add_block<1>(s, &v);
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    s.center += usable(is_new(s), static_cast<value>(v[0]));
    if (!accumulate<N, value>(s, v)) settle<N>(s, v);
  }
  /// The state of few values, which are all.
  template <int N, class T>
  KOKKOS_FUNCTION state state_of(const T* v) const {
    state s = init();
    s.center = usable(true, static_cast<value>(v[0]));
    s.squares.sum = squares_of<N, wide_value>(s, v);
    if constexpr (in_halves<T>) add_in_halves<N>(s, v);
    else s.distances.sum = distances_of<N, wide_value>(s, v);
    s.n = wide(N);
    return s;
  }
  /// A block without its `settle`, which loops that shall become vector instructions leave for later.
  template <int N, class T>
  KOKKOS_FUNCTION void take(state& s, const T* v) const {
    s.center += usable(is_new(s), static_cast<value>(v[0]));
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
    const bool first = s.n <= wide(N), overflows = !is_finite(s.squares.sum) && is_finite(s.distances.sum);
    if (!is_unsettled(s) && !(first && overflows)) return;
    const wide_value mean = mean_of(s);
    if (!first) return move(s, mean);
    s = init();
    s.center = center_at(mean);
    accumulate<N, value>(s, v);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (t.n == wide(0)) return;
    state other = t;
    const bool common = s.center == other.center;  // which suits both, and so does both together
    if (!common) {
      if (other.n > s.n) {
        other = s;
        s = t;
      }
      if (other.n == wide(0)) return;
      move(other, static_cast<wide_value>(s.center));
    }
    s.distances.join(other.distances);
    s.squares.join(other.squares);
    s.n += other.n;
    if (!common && is_unsettled(s)) move(s, mean_of(s));
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
  /// Whether a state has neither a value nor a center of those that `start` gives; one of 0 counts as none.
  KOKKOS_FUNCTION static bool is_new(const state& s) { return (s.n == wide(0)) & (s.center == value(0)); }

  template <class V>
  struct distance_from {
    V center;
    template <class T>
    KOKKOS_FUNCTION V operator()(const T& x) const {
      return distance<V>(x, center);
    }
  };
  /// A distance times 2^-96: 256 squares of those add up to a finite number, and what is lost of distances below 1 is
  /// nothing beside one whose square is not finite.
  struct scaled_distance_from {
    value center;
    template <class T>
    KOKKOS_FUNCTION value operator()(const T& x) const {
      return static_cast<value>(x) * value_real(0x1p-96) - center * value_real(0x1p-96);
    }
  };
  template <class Distance>
  struct square_of {
    Distance distance;
    template <class T>
    KOKKOS_FUNCTION auto operator()(const T& x) const {
      return squared(distance(x));
    }
  };
  /// The squares of a block; of small integers in integers of 32 bits, which add up in any order that compilers choose.
  template <int N, class V, class T>
  KOKKOS_FUNCTION static real_type<V> squares_of(const state& s, const T* v) {
    if constexpr (small<T> && N > 1) {
      const auto center = static_cast<std::int32_t>(s.center);
      std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t> squares = 0;
      for (int i = 0; i < N; ++i) {
        const auto distance = static_cast<std::uint32_t>(static_cast<std::int32_t>(v[i]) - center);
        squares += distance * distance;
      }
      return static_cast<double>(squares);
    } else {
      const square_of<distance_from<V>> square{{static_cast<V>(s.center)}};
      return fold<real_type<V>, N>(v, square, plus<real_type<V>>());
    }
  }
  template <int N, class V, class T>
  KOKKOS_FUNCTION static V distances_of(const state& s, const T* v) {
    if constexpr (small<T> && N > 1) {
      std::int32_t sum = 0;
      for (int i = 0; i < N; ++i) sum += v[i];
      return sum - s.center * N;
    } else {
      return fold<V, N>(v, distance_from<V>{static_cast<V>(s.center)}, plus<V>());
    }
  }
  /// Distances between integers of 64 bits may need more digits than a double has: their halves do not.
  template <int N, class T>
  KOKKOS_FUNCTION static void add_in_halves(state& s, const T* v) {
    const double product = s.center * N;
    s.distances.template add_block<N>(v);
    s.distances.add(-product);
    s.distances.add(-rounding_of(product, s.center, N));
  }
  template <class T>
  static constexpr bool in_halves = Integers && sizeof(T) == 8 && std::is_same_v<value, double>;

  template <int N, class T>
  KOKKOS_FUNCTION static void accumulate_scaled(state& s, const T* v) {
    const scaled_distance_from distance{s.center};
    const square_of<scaled_distance_from> square{distance};
    s.squares.add(static_cast<wide>(fold<value_real, N>(v, square, plus<value_real>())) * 0x1p192);
    s.distances.add(static_cast<wide_value>(fold<value, N>(v, distance, plus<value>())) * 0x1p96);
    s.n += wide(N);
  }
  /// Distances and squares are formed in V; scaled where they overflow in a type narrower than that of the sums. Says
  /// whether the center is known to suit these values: if it suits the others, then all of them (by Cauchy's
  /// inequality).
  template <int N, class V, class T>
  KOKKOS_FUNCTION static bool accumulate(state& s, const T* v) {
    constexpr int part = 1024 / sizeof(value_real);
    if constexpr (N > part && !small<T>) {  // equal values in long folds round the same way each time
      bool suits = true;
      for (int i = 0; i < N; i += part) suits &= accumulate<part, V>(s, v + i);
      return suits;
    } else {
      const real_type<V> squares = squares_of<N, V>(s, v);
      if constexpr (!std::is_same_v<V, wide_value>) {
        if (!is_finite(squares)) {
          accumulate_scaled<N>(s, v);
          return false;
        }
      }
      s.squares.add(static_cast<wide>(squares));
      s.n += wide(N);
      if constexpr (in_halves<T>) {
        add_in_halves<N>(s, v);
        return false;
      } else {
        const V sum = distances_of<N, V>(s, v);
        s.distances.add(static_cast<wide_value>(sum));
        return inner(sum, sum * (real_type<V>(1) / N)) < squares * real_type<V>(0.75);  // also where both overflow
      }
    }
  }
  /// x where it is chosen and distances from it do not overflow, else 0. Masked: of a condition compilers make a
  /// branch, which keeps loops over states from becoming vector instructions.
  template <class W>
  KOKKOS_FUNCTION static W usable(bool chosen, const W& x) {
    if constexpr (is_complex<W>) {
      return {usable(chosen, x.real()), usable(chosen, x.imag())};
    } else {
      const bool starts = chosen & (Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<W> / (narrow ? 1 : 4));
      using bits = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;
      if constexpr (sizeof(W) != sizeof(bits)) return starts ? x : W(0);
      else return Kokkos::bit_cast<W>(Kokkos::bit_cast<bits>(x) & -static_cast<bits>(starts));
    }
  }
  /// A center at a mean, or beside it where it is an integer or has fewer digits.
  KOKKOS_FUNCTION static value center_at(const wide_value& mean) {
    if constexpr (Integers && std::is_same_v<value, double>) {
      const double units = mean < 0 ? -0x1p52 : 0x1p52;
      return Kokkos::abs(mean) < 0x1p52 ? (mean + units) - units : mean;
    } else if constexpr (is_complex<value> && narrow) {
      return value(static_cast<float>(to_24_bits(mean.real())), static_cast<float>(to_24_bits(mean.imag())));
    } else {
      return static_cast<value>(mean);
    }
  }
  /// The nearest number that a float holds, as g++ 12 leaves out the conversions of pairs to float and back.
  KOKKOS_FUNCTION static double to_24_bits(double x) {
    constexpr std::uint64_t unit = std::uint64_t{1} << 29;
    return Kokkos::bit_cast<double>((Kokkos::bit_cast<std::uint64_t>(x) + unit / 2) & ~(unit - 1));
  }

  KOKKOS_FUNCTION static wide_value mean_of(const state& s) {
    return static_cast<wide_value>(s.center) + s.distances.value() / s.n;
  }
  /// Moves the center: sums change by n (to - center), which is two numbers and their product with n four, so that
  /// nothing is rounded but the squares.
  KOKKOS_FUNCTION static void move(state& s, const wide_value& to) {
    const value center = center_at(to);
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
  KOKKOS_FUNCTION static real_type<W> inner(const W& a, const W& b) {
    if constexpr (is_complex<W>) return a.real() * b.real() + a.imag() * b.imag();
    else return a * b;
  }
  template <class W>
  KOKKOS_FUNCTION static bool is_finite(const W& x) {
    if constexpr (is_complex<W>) return is_finite(x.real()) && is_finite(x.imag());
    else return Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<W>;
  }
};

/// Without the mean, sums of integers of 64 bits need not be exact.
template <class S, class T>
using squares_reducer = moments_reducer<S, T, std::is_integral_v<T> && sizeof(T) < 8>;

/// A variance, or its root.
template <class S, class T = S, bool Root = false>
struct var_reducer : squares_reducer<S, T> {
  KOKKOS_FUNCTION real_type<S> result(const typename squares_reducer<S, T>::state& s, std::int64_t) const {
    if constexpr (Root) return Kokkos::sqrt(this->variance(s));
    else return this->variance(s);
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
