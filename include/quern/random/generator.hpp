// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_GENERATOR_HPP
#define QUERN_RANDOM_GENERATOR_HPP

#include <quern/core/launch/noinline.hpp>
#include <quern/random/key.hpp>
#include <quern/random/variates.hpp>

namespace quern::impl {

template <class T>
struct gamma_draw;
template <class T>
struct large_poisson_draw;

/// From one stream of a key's to the next; odd, so that 2^64 of them differ.
inline constexpr std::uint64_t next_stream = 0x9e3779b97f4a7c15;

}  // namespace quern::impl

namespace quern::random {

/// A generator for one work item of a user's kernel: `Generator g(k, i)` gives item i numbers of its own, the same ones
/// wherever and in whatever order items run.
///
/// @code
/// Kokkos::parallel_for(n, KOKKOS_LAMBDA(int i) {
///   quern::random::Generator g(k, i);
///   x(i) += g.uniform() < p(i) ? g.normal() : 0;
/// });
/// @endcode
///
/// It holds a key, a counter and 64 bits, and draws from Philox on counters that no View of that key has; making one
/// costs nothing. The numbers have the same bits on every back end. Not for several threads at once.
///
/// `poisson` and `gamma` are not inlined: a product that a caller passes is rounded before something is added to it,
/// which compilers that contract would leave out on some back ends.
class Generator {
 public:
  KOKKOS_FUNCTION Generator(const key& k, std::uint64_t i) : seed_(k.seed), stream_(k.stream), item_(i) {}

  /// 64 random bits.
  KOKKOS_FUNCTION std::uint64_t bits64() {
    full_ = !full_;
    if (!full_) return second_;
    stream_ += impl::next_stream;  // Views draw with the first
    const auto w = impl::philox(seed_, item_, stream_);
    second_ = std::uint64_t{w[3]} << 32 | w[2];
    return std::uint64_t{w[1]} << 32 | w[0];
  }
  /// 32 random bits, of 64 that are drawn.
  KOKKOS_FUNCTION std::uint32_t bits32() { return static_cast<std::uint32_t>(bits64() >> 32); }

  /// On [0, 1): multiples of 2^-53 (float: 2^-24).
  template <class T = double>
  KOKKOS_FUNCTION T uniform() {
    return impl::variate::uniform(word<T>());
  }

  /// From `low` to before `high`, each as likely as the others. `low < high`.
  KOKKOS_FUNCTION std::int64_t integer(std::int64_t low, std::int64_t high) {
    const impl::variate::bounded<std::uint64_t> from(static_cast<std::uint64_t>(high) -
                                                     static_cast<std::uint64_t>(low));
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + from.number(*this));
  }

  /// Mean 0, variance 1.
  template <class T = double>
  KOKKOS_FUNCTION T normal() {
    const auto radius = word<T>();
    return impl::variate::normal<T>(radius, word<T>()).first;
  }

  /// Mean 1: `exp(-x)` for x >= 0.
  template <class T = double>
  KOKKOS_FUNCTION T exponential() {
    return impl::variate::exponential<T>(word<T>());
  }

  /// True with a probability of `p`.
  KOKKOS_FUNCTION bool bernoulli(double p) { return uniform() < p; }

  /// How many events of that mean number: `exp(-rate) rate^k / k!`. NaN becomes -1, and so does what is negative.
  ///
  /// Below 10 by inversion; else Hoermann, The transformed rejection method for generating Poisson random variables
  /// (Insurance: Mathematics and Economics 12, 1993), algorithm PTRS.
  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION std::int64_t poisson(double rate) {
    if (!(rate >= 0 && rate < 0x1p62)) return -1;
    return rate < 10 ? few_events(rate) : many_events(rate);
  }

  /// `x^(shape - 1) exp(-x)` up to a factor, for x >= 0. NaN for a shape that is negative or NaN; 0 for 0.
  ///
  /// Marsaglia and Tsang, A simple method for generating gamma variables (ACM Trans. Math. Softw. 26, 2000).
  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION double gamma(double shape) {
    if (!(shape > 0)) return shape == 0 ? 0 : Kokkos::Experimental::quiet_NaN_v<double>;
    if (shape >= 1) return large_gamma(shape);
    const double factor = gamma_factor(shape);  // drawn first, whatever order a compiler likes
    return large_gamma(shape + 1) * factor;
  }

 private:
  template <class T>
  KOKKOS_FUNCTION impl::variate::word<T> word() {
    if constexpr (sizeof(T) == 4) return bits32();
    else return bits64();
  }

  KOKKOS_FUNCTION std::int64_t few_events(double rate) {
    const double u = uniform();
    double p = impl::portable::exp(-rate), below = p;
    std::int64_t k = 0;
    while (u >= below) {
      p = p * rate / static_cast<double>(++k);
      const double next = below + p;
      if (next == below) break;  // all that is left is less than the rounding of the sum
      below = next;
    }
    return k;
  }

  /// The constants of algorithm PTRS for a rate, and its steps.
  struct transformed_rejection {
    double rate, a, b, scale, squeeze;
    KOKKOS_FUNCTION explicit transformed_rejection(double r) : rate(r) {
      b = Kokkos::fma(2.53, Kokkos::sqrt(rate), 0.931);
      a = Kokkos::fma(0.02483, b, -0.059);
      scale = 1.1239 + 1.1328 / (b - 3.4);
      squeeze = 0.9277 - 3.6224 / (b - 2);
    }
    KOKKOS_FORCEINLINE_FUNCTION double candidate(double u) const {
      return Kokkos::floor(Kokkos::fma(2 * a / edge(u) + b, u, rate + 0.43));
    }
    /// Whether a candidate is accepted whatever it is.
    KOKKOS_FORCEINLINE_FUNCTION bool at_once(double u, double v) const { return (edge(u) >= 0.07) & (v <= squeeze); }
    KOKKOS_FUNCTION bool accepts(double k, double u, double v) const {
      if (k < 0 || (edge(u) < 0.013 && v > edge(u))) return false;
      const double density = a / (edge(u) * edge(u)) + b;
      return impl::portable::log(v * scale / density) <= impl::variate::log_poisson(k, rate);
    }
    static KOKKOS_FORCEINLINE_FUNCTION double edge(double u) { return 0.5 - Kokkos::abs(u); }
  };
  /// The first attempt is made with these numbers.
  KOKKOS_FUNCTION std::int64_t many_events(const transformed_rejection& by, double u, double v) {
    for (;;) {
      const double k = by.candidate(u);
      if (by.at_once(u, v) || by.accepts(k, u, v)) return static_cast<std::int64_t>(k);
      u = uniform() - 0.5;
      v = impl::variate::positive(bits64());
    }
  }
  KOKKOS_FUNCTION std::int64_t many_events(double rate) {
    const double u = uniform() - 0.5, v = impl::variate::positive(bits64());
    return many_events(transformed_rejection(rate), u, v);
  }

  /// A shape of at least 1: d = shape - 1/3, c = (9 d)^-1/2. The first attempt is made with these numbers.
  KOKKOS_FUNCTION double large_gamma(double d, double c, double x, double u) {
    for (;; x = normal(), u = impl::variate::positive(bits64())) {
      const double t = Kokkos::fma(c, x, 1.0);
      if (t <= 0) continue;
      const double square = x * x;
      if (u < gamma_bound(square) || impl::portable::log(u) < gamma_log_bound(d, c, x)) return gamma_value(d, c, x);
    }
  }
  KOKKOS_FUNCTION double large_gamma(double shape) {
    const double x = normal(), u = impl::variate::positive(bits64()), d = shape - 1.0 / 3;
    return large_gamma(d, 1 / Kokkos::sqrt(9 * d), x, u);
  }
  /// From this d on, digits are lost where 1 + c x is formed.
  static constexpr double large_d = 0x1p20;
  /// d (1 + c x)^3; for a large d as d + d ((1 + c x)^3 - 1).
  static KOKKOS_FORCEINLINE_FUNCTION double gamma_value(double d, double c, double x) {
    const double t = Kokkos::fma(c, x, 1.0), y = c * x;
    const double difference = Kokkos::fma(d * y, Kokkos::fma(y, y + 3.0, 3.0), d);
    return d < large_d ? d * (t * t * t) : difference;
  }
  /// x^2 / 2 + d (1 - v + log(v)) with v = (1 + c x)^3, of which the logarithm of a uniform number must be less. For a
  /// large d this is the difference of numbers that agree in most digits, so its series in y = c x is summed up:
  /// 3 d (-y^4 / 4 + y^5 / 5 - ...), where d y^4 = x^4 / (81 d).
  static KOKKOS_FUNCTION double gamma_log_bound(double d, double c, double x) {
    const double t = Kokkos::fma(c, x, 1.0), y = c * x, square = x * x;
    if (d < large_d) return Kokkos::fma(d, Kokkos::fma(-t * t, t, 1.0) + impl::portable::log(t * t * t), 0.5 * square);
    const double series = impl::portable::polynomial(y, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8);
    return square * (square / (27 * d)) * series;
  }
  /// The factor that makes a number of a shape less than 1 of one whose shape is greater by 1.
  static KOKKOS_FORCEINLINE_FUNCTION double gamma_factor(double shape, std::uint64_t bits) {
    const double power = impl::portable::log(impl::variate::positive(bits)) / shape, least = -700;
    const double first = Kokkos::max(power, least);  // in two parts, and without branches
    return impl::portable::exp(first) * impl::portable::exp(Kokkos::max(power - first, least));
  }
  KOKKOS_FUNCTION double gamma_factor(double shape) { return gamma_factor(shape, bits64()); }
  /// Below this, a uniform number is accepted whatever the shape.
  static KOKKOS_FORCEINLINE_FUNCTION double gamma_bound(double square) {
    return Kokkos::fma(-0.0331 * square, square, 1.0);
  }

  template <class T>
  friend struct impl::gamma_draw;
  template <class T>
  friend struct impl::large_poisson_draw;

  std::uint64_t seed_, stream_, item_, second_ = 0;
  bool full_ = false;
};

}  // namespace quern::random

#endif
