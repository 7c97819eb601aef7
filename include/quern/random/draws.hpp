// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_DRAWS_HPP
#define QUERN_RANDOM_DRAWS_HPP

#include <quern/core/launch/noinline.hpp>
#include <quern/core/values/values.hpp>
#include <quern/random/generator.hpp>

/// @file
/// The distributions as functors of 128 random bits: `values` numbers from the block of positions that begins at
/// `first`.

namespace quern::impl {

/// Half types are computed in float.
template <class T>
using drawn_in = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Word number i of a block.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION Word word_of(const philox_words& w, int i) {
  if constexpr (sizeof(Word) == 4) return w[i];
  else return std::uint64_t{w[2 * i + 1]} << 32 | w[2 * i];
}

/// A word for each number, as `Derived::number` makes it.
template <class T, class Word, class Derived>
struct word_draw {
  using value_type = T;
  static constexpr int values = 16 / sizeof(Word);
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const random::key& k, const philox_words& w, std::int64_t first,
                                              T (&v)[values]) const {
    each(k, w, first, v, std::make_index_sequence<values>());
  }

 private:
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION void each(const random::key& k, const philox_words& w, std::int64_t first, T (&v)[values],
                                        std::index_sequence<I...>) const {
    ((v[I] = static_cast<const Derived&>(*this).number(word_of<Word>(w, I), k, first + I)), ...);
  }
};

template <class T>
struct bits_draw : word_draw<T, T, bits_draw<T>> {
  KOKKOS_FORCEINLINE_FUNCTION T number(T w, const random::key&, std::int64_t) const { return w; }
};

/// The greatest number that is less than x.
template <class T>
KOKKOS_FUNCTION T below(T x) {
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, variate::word<drawn_in<T>>>;
  const bits b = Kokkos::bit_cast<bits>(x);
  constexpr bits sign = static_cast<bits>(bits(1) << (8 * sizeof(T) - 1));
  if (static_cast<bits>(b & ~sign) == 0) return Kokkos::bit_cast<T>(static_cast<bits>(sign | 1));
  return Kokkos::bit_cast<T>(static_cast<bits>((b & sign) != 0 ? b + 1 : b - 1));
}

/// On [0, 1), as uniform_draw(0, 1) gives it.
template <class T>
struct unit_draw : word_draw<T, variate::word<T>, unit_draw<T>> {
  KOKKOS_FORCEINLINE_FUNCTION T number(variate::word<T> w, const random::key&, std::int64_t) const {
    return variate::uniform(w);
  }
};

template <class T>
struct uniform_draw : word_draw<T, variate::word<drawn_in<T>>, uniform_draw<T>> {
  using real = drawn_in<T>;
  real low, width, high;
  T last;
  template <class Low, class High>
  KOKKOS_FUNCTION uniform_draw(const Low& from, const High& to)
      : low(convert<real>(convert<T>(from))),
        width(convert<real>(convert<T>(to)) - low),
        high(convert<real>(convert<T>(to))),
        last(below(convert<T>(to))) {}
  KOKKOS_FORCEINLINE_FUNCTION T number(variate::word<real> w, const random::key&, std::int64_t) const {
    const T v = convert<T>(Kokkos::fma(variate::uniform(w), width, low));
    return convert<real>(v) < high ? v : last;  // where rounding has reached the end
  }
};

/// A range of at most 2^32 needs a word of 32 bits.
template <class T, class Word>
struct integers_draw : word_draw<T, Word, integers_draw<T, Word>> {
  std::uint64_t low;
  variate::bounded<Word> from;
  KOKKOS_FUNCTION integers_draw(std::uint64_t first, std::uint64_t range) : low(first), from(range) {}
  KOKKOS_FORCEINLINE_FUNCTION T number(Word w, const random::key& k, std::int64_t position) const {
    std::uint64_t n;
    if (!from.take(w, n)) {
      random::Generator more(k, position);
      n = from.number(more);
    }
    return static_cast<T>(low + n);
  }
};

/// Two normal numbers of two words, which Derived::scaled finishes.
template <class T, class Derived>
struct pair_draw {
  using value_type = T;
  using real = drawn_in<T>;
  static constexpr int values = 16 / sizeof(real);
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const random::key&, const philox_words& w, std::int64_t,
                                              T (&v)[values]) const {
    pair<0>(w, v);
    if constexpr (values > 2) pair<2>(w, v);
  }

 private:
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION void pair(const philox_words& w, T (&v)[values]) const {
    using word = variate::word<real>;
    const auto z = variate::normal<real>(word_of<word>(w, I), word_of<word>(w, I + 1));
    v[I] = static_cast<const Derived&>(*this).scaled(z.first);
    v[I + 1] = static_cast<const Derived&>(*this).scaled(z.second);
  }
};

template <class T>
struct standard_normal_draw : pair_draw<T, standard_normal_draw<T>> {
  KOKKOS_FORCEINLINE_FUNCTION T scaled(drawn_in<T> z) const { return convert<T>(z); }
};

template <class T>
struct normal_draw : pair_draw<T, normal_draw<T>> {
  using real = drawn_in<T>;
  real mean, deviation;
  template <class Mean, class Deviation>
  KOKKOS_FUNCTION normal_draw(const Mean& m, const Deviation& s)
      : mean(convert<real>(m)), deviation(convert<real>(s)) {}
  KOKKOS_FORCEINLINE_FUNCTION T scaled(real z) const { return convert<T>(Kokkos::fma(deviation, z, mean)); }
};

template <class T>
struct exponential_draw : word_draw<T, variate::word<drawn_in<T>>, exponential_draw<T>> {
  using real = drawn_in<T>;
  real scale;
  template <class Scale>
  KOKKOS_FUNCTION explicit exponential_draw(const Scale& s) : scale(convert<real>(s)) {}
  KOKKOS_FORCEINLINE_FUNCTION T number(variate::word<real> w, const random::key&, std::int64_t) const {
    return convert<T>(scale * variate::exponential<real>(w));
  }
};

template <class T>
struct bernoulli_draw : word_draw<T, std::uint64_t, bernoulli_draw<T>> {
  double p;
  template <class P>
  KOKKOS_FUNCTION explicit bernoulli_draw(const P& probability) : p(convert<double>(probability)) {}
  KOKKOS_FORCEINLINE_FUNCTION T number(std::uint64_t w, const random::key&, std::int64_t) const {
    return static_cast<T>(variate::uniform(w) < p);
  }
};

/// Marsaglia and Tsang's first attempt, with a normal number of the words and a uniform one of the 23 bits that it does
/// not need. On hosts what their simple bound does not accept is left to `finish`, so that vector instructions can do
/// the rest; and shapes below 1 are given the words that follow.
template <class T>
struct gamma_draw {
  using value_type = T;
  static constexpr int values = 1;
  double shape, scale, d, c;
  template <class Shape, class Scale>
  KOKKOS_FUNCTION gamma_draw(const Shape& a, const Scale& s)
      : shape(convert<double>(a)),
        scale(convert<double>(s)),
        d((shape < 1 ? shape + 1 : shape) - 1.0 / 3),
        c(1 / Kokkos::sqrt(9 * d)) {}

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const random::key& k, const philox_words& w, std::int64_t position,
                                              T (&v)[1]) const {
    if constexpr (math::impl::on_device) v[0] = convert<T>(number(k, w, position));
    else v[0] = first_attempt(w, 1, shape >= 1);
  }
  KOKKOS_FUNCTION void finish(const random::key& k, const philox_words& w, std::int64_t position, T* v) const {
    if constexpr (!math::impl::on_device)
      if (is_nan(*v)) *v = convert<T>(number(k, w, position));
  }
  /// The first attempt, and the number where that is refused; of shapes from 1 on.
  bool attempts_first() const { return shape >= 1; }
  KOKKOS_FORCEINLINE_FUNCTION T attempt(const philox_words& w) const { return first_attempt(w, 1, true); }
  KOKKOS_FUNCTION T again(const random::key& k, const philox_words& w, std::int64_t position) const {
    return convert<T>(number(k, w, position));
  }
  static KOKKOS_FUNCTION bool is_refused(const T& v) { return is_nan(v); }
  /// Gamma numbers of small shapes in loops.
  bool draws_twice() const { return shape < 1; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const random::key&, const philox_words& w, const philox_words& next,
                                              T (&v)[1]) const {
    v[0] = first_attempt(w, random::Generator::gamma_factor(shape, word_of<std::uint64_t>(next, 0)), shape > 0);
  }

 private:
  /// NaN where it is refused; without branches.
  KOKKOS_FORCEINLINE_FUNCTION T first_attempt(const philox_words& w, double factor, bool valid) const {
    const double x = normal(w), t = Kokkos::fma(c, x, 1.0), nan = NAN;
    const double v = random::Generator::gamma_value(d, c, x) * factor;
    return convert<T>(scale * v + ((at_once(w, x, t) & valid) ? 0.0 : nan));
  }
  static KOKKOS_FORCEINLINE_FUNCTION double normal(const philox_words& w) {
    return variate::normal<double>(word_of<std::uint64_t>(w, 0), word_of<std::uint64_t>(w, 1)).first;
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::int32_t spare_bits(const philox_words& w) {
    return static_cast<std::int32_t>((w[0] & 0xffe) << 11 | (w[2] & 0xfff));
  }
  /// Whether the simple bound accepts all uniform numbers that begin with the spare bits.
  static KOKKOS_FORCEINLINE_FUNCTION bool at_once(const philox_words& w, double x, double t) {
    return (t > 0) & (static_cast<double>(spare_bits(w) + 1) * 0x1p-23 < random::Generator::gamma_bound(x * x));
  }
  /// Not inlined: kernels of devices would hold it once for each of the numbers of a thread.
  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION double number(const random::key& k, const philox_words& w,
                                                    std::int64_t position) const {
    random::Generator more(k, position);
    if (!(shape > 0 && shape <= Kokkos::Experimental::finite_max_v<double>)) return scale * more.gamma(shape);
    const double factor = shape < 1 ? more.gamma_factor(shape) : 1;
    const double x = normal(w), t = Kokkos::fma(c, x, 1.0);
    if (at_once(w, x, t)) return scale * (random::Generator::gamma_value(d, c, x) * factor);
    const double u = (static_cast<double>(spare_bits(w)) + variate::positive(more.bits64())) * 0x1p-23;
    return scale * (more.large_gamma(d, c, x, u) * factor);
  }
};

/// The number of a Generator for each position, of rates of their own.
template <class T>
struct poisson_draw {
  using value_type = T;
  static constexpr int values = 1;
  double rate;
  template <class Rate>
  KOKKOS_FUNCTION explicit poisson_draw(const Rate& r) : rate(convert<double>(r)) {}
  KOKKOS_FUNCTION void operator()(const random::key& k, const philox_words&, std::int64_t position, T (&v)[1]) const {
    v[0] = static_cast<T>(random::Generator(k, position).poisson(rate));
  }
};

/// The first attempt of algorithm PTRS with the words of the block; on hosts `finish` makes the others.
template <class T>
struct large_poisson_draw {
  using value_type = T;
  static constexpr int values = 1;
  using rejection = random::Generator::transformed_rejection;
  rejection by;
  explicit large_poisson_draw(double rate) : by(rate) {}

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const random::key& key, const philox_words& w, std::int64_t position,
                                              T (&v)[1]) const {
    if constexpr (math::impl::on_device) {
      v[0] = number(key, w, position);
    } else {  // without branches, and without a conversion of 64 bits
      constexpr double round = portable::format<double>::round;
      const double k = by.candidate(first(w)) + round;
      const bool accepted = by.at_once(first(w), second(w)) & (by.rate < 0x1p50);
      const auto n = Kokkos::bit_cast<std::int64_t>(k) - Kokkos::bit_cast<std::int64_t>(round);
      v[0] = static_cast<T>(n | (accepted ? 0 : refused));
    }
  }
  KOKKOS_FUNCTION void finish(const random::key& k, const philox_words& w, std::int64_t position, T* v) const {
    if constexpr (!math::impl::on_device)
      if (*v == static_cast<T>(refused)) *v = number(k, w, position);
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION double first(const philox_words& w) {
    return variate::uniform(word_of<std::uint64_t>(w, 0)) - 0.5;
  }
  static KOKKOS_FORCEINLINE_FUNCTION double second(const philox_words& w) {
    return variate::positive(word_of<std::uint64_t>(w, 1));
  }
  static constexpr std::int64_t refused = -1;  // a number that looks like it is made again
  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION T number(const random::key& k, const philox_words& w,
                                               std::int64_t position) const {
    random::Generator more(k, position);
    return static_cast<T>(more.many_events(by, first(w), second(w)));
  }
};

/// The second part of a draw that has two.
template <class Draw, class T>
KOKKOS_FORCEINLINE_FUNCTION void finish(const Draw& draw, const random::key& k, const philox_words& w,
                                        std::int64_t first, T* v) {
  if constexpr (requires { draw.finish(k, w, first, v); }) draw.finish(k, w, first, v);
}

}  // namespace quern::impl

#endif
