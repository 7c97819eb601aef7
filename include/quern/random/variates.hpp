// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_VARIATES_HPP
#define QUERN_RANDOM_VARIATES_HPP

#include <quern/core/values/exact.hpp>
#include <quern/map/math.hpp>
#include <quern/random/elementary.hpp>
#include <type_traits>

/// @file
/// From random bits to numbers of a distribution, with the same bits everywhere. `word` is the integer type with as
/// many bits as the result has.

namespace quern::impl {

/// Operations that promise the same bits everywhere are refused where a compiler may change the arithmetic.
template <class Out>
void check_exact() {
  static_assert(sizeof(Out) > 0 && exact_arithmetic,
                "quern::random: not with -ffast-math, which may change the bits of random numbers");
}

}  // namespace quern::impl

namespace quern::impl::variate {

template <class T>
using word = typename portable::format<T>::bits;

/// On [0, 1): multiples of 2^-53 (float: 2^-24).
KOKKOS_FORCEINLINE_FUNCTION float uniform(std::uint32_t w) {
  return static_cast<float>(static_cast<std::int32_t>(w >> 8)) * 0x1p-24f;
}
/// On hosts without a conversion of 64 bits, for which their vector units may have no instruction: a number in [1, 2),
/// and its last bit.
KOKKOS_FORCEINLINE_FUNCTION double uniform(std::uint64_t w) {
  if constexpr (math::impl::on_device) return static_cast<double>(w >> 11) * 0x1p-53;
  constexpr std::uint64_t one = 0x3ff0000000000000, last = 0x3ca0000000000000;  // 2^-53
  const double low = Kokkos::bit_cast<double>((0 - (w >> 11 & 1)) & last);
  return (Kokkos::bit_cast<double>(w >> 12 | one) - 1.0) + low;
}

/// On (0, 1), for logarithms: from 2^-32 to 1 - 2^-24, or odd multiples of 2^-53. The highest bit of a short word is
/// the sign of what then counts without it, the lowest ones of a long word do not count.
KOKKOS_FORCEINLINE_FUNCTION float positive(std::uint32_t w) {
  const float signed_part = static_cast<float>(static_cast<std::int32_t>(w));
  return Kokkos::fma(Kokkos::abs(signed_part), 0x1.fffffep-32f, 0x1p-32f);
}
KOKKOS_FORCEINLINE_FUNCTION double positive(std::uint64_t w) {
  return Kokkos::bit_cast<double>(w >> 12 | 0x3ff0000000000000) - (1.0 - 0x1p-53);
}

/// On [-1, 1).
KOKKOS_FORCEINLINE_FUNCTION float centred(std::uint32_t w) {
  return static_cast<float>(static_cast<std::int32_t>(w)) * 0x1p-31f;
}
KOKKOS_FORCEINLINE_FUNCTION double centred(std::uint64_t w) {
  return Kokkos::fma(2.0, Kokkos::bit_cast<double>(w >> 12 | 0x3ff0000000000000), -3.0);
}

template <class T>
struct two {
  T first, second;
};

/// Two independent normal numbers: Box and Muller, A note on the generation of random normal deviates (Ann. Math. Stat.
/// 29, 1958). The second word is the angle in half a turn; a bit of the first that its logarithm does not need chooses
/// the other half.
template <class T, class Word = word<T>>
KOKKOS_FORCEINLINE_FUNCTION two<T> normal(Word radius, Word angle) {
  constexpr int top = 8 * sizeof(Word) - 1;
  const T r = portable::sqrt(portable::log<-2>(positive(radius))), t = centred(angle);
  const Word sign = (sizeof(T) == 4 ? radius : radius << top) & (Word(1) << top);
  const T c = Kokkos::bit_cast<T>(Kokkos::bit_cast<Word>(portable::cos_quarter(t)) ^ sign);
  return {rounded_product(r, portable::sin_quarter(t)), rounded_product(r, c)};
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T exponential(word<T> w) {
  return portable::log<-1>(positive(w));
}

/// The product of two numbers in two words.
struct wide {
  std::uint64_t high, low;
};
KOKKOS_FUNCTION inline wide multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using product = unsigned __int128;
  const product p = static_cast<product>(a) * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
}

/// Whole numbers from 0 to before `range` (0 means 2^64), each as likely as the others: Lemire, Fast random
/// integer generation in an interval (ACM Trans. Model. Comput. Simul. 29, 2019). A word that would favour some of them
/// is refused.
template <class Word>
struct bounded {
  std::uint64_t range;
  Word refused = 0;  // low parts below it

  KOKKOS_FUNCTION explicit bounded(std::uint64_t n) : range(n) {
    if (n != 0) refused = static_cast<Word>((Word(0) - static_cast<Word>(n)) % n);
  }
  KOKKOS_FUNCTION bool take(Word w, std::uint64_t& number) const {
    if constexpr (sizeof(Word) == 4) {
      const std::uint64_t p = w * range;
      number = p >> 32;
      return static_cast<Word>(p) >= refused;
    } else {
      const wide p = multiply(w, range);
      number = range == 0 ? w : p.high;
      return p.low >= refused;
    }
  }
  /// From a source of bits, which is asked until it gives some that are not refused.
  template <class Source>
  KOKKOS_FUNCTION std::uint64_t number(Source& source) const {
    std::uint64_t n;
    while (!take(static_cast<Word>(source.bits64() >> (64 - 8 * sizeof(Word))), n)) {
    }
    return n;
  }
};

/// k log(k / m) + m - k, the exponent of a Poisson probability beside its Gaussian factor, without cancellation where k
/// is near m: Loader, Fast and accurate computation of binomial probabilities (2000).
KOKKOS_FUNCTION inline double deviance(double k, double m) {
  const double difference = k - m, sum = k + m;
  if (Kokkos::abs(difference) > 0.1 * sum) return Kokkos::fma(k, portable::log(k / m), -difference);
  const double v = difference / sum, square = v * v;
  double power = square, series = square / 3;
  for (int j = 5; j < 40; j += 2) {
    power *= square;
    const double next = series + power / j;
    if (next == series) break;
    series = next;
  }
  return Kokkos::fma(2 * k * v, series, difference * v);
}

/// The logarithm of a Poisson probability: k log(m) - m - log(k!).
KOKKOS_FUNCTION inline double log_poisson(double k, double m) {
  if (k < 16) {
    double factorial = 1;
    for (int i = 2; i <= static_cast<int>(k); ++i) factorial *= i;
    return Kokkos::fma(k, portable::log(m), -m - portable::log(factorial));
  }
  const double inverse = 1 / k;
  const double stirling = portable::polynomial(inverse * inverse, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680);
  const double rest = Kokkos::fma(-inverse, stirling, -deviance(k, m));
  return Kokkos::fma(-0.5, portable::log(6.28318530717958648 * k), rest);
}

}  // namespace quern::impl::variate

#endif
