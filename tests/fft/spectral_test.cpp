// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <numbers>
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

constexpr double pi = std::numbers::pi;
using quern::convolve_mode;
using quern::poisson_side;

template <class Case>
struct Spectral : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  template <class U, int Rank>
  static auto make(const std::array<std::int64_t, Rank>& extents) {
    return test::make_array<U, Rank, layout, exec>(extents);
  }
  template <int Rank, class F>
  static auto field(const std::array<std::int64_t, Rank>& extents, const F& f) {
    std::vector<T> values;
    std::array<std::int64_t, Rank> i{};
    const std::function<void(int)> walk = [&](int d) {
      if (d == Rank) return values.push_back(static_cast<T>(f(i)));
      for (i[d] = 0; i[d] < extents[d]; ++i[d]) walk(d + 1);
    };
    walk(0);
    return test::make_array<T, Rank, layout, exec>(extents, values);
  }
  template <class V>
  static void expect_equal(const V& expected, const V& found, double bound) {
    const auto a = test::contents(expected), b = test::contents(found);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], bound) << "element " << i;
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Spectral, cases);

TYPED_TEST(Spectral, ConvolutionAndCorrelationByDefinition) {
  using T = typename TestFixture::T;
  using C = Kokkos::complex<T>;
  const std::int64_t na = 7, ma = 5, nb = 4, mb = 3;
  const auto av = test::samples<C>(na * ma, 1), bv = test::samples<C>(nb * mb, 2);
  const auto a = test::make_array<C, 2, typename TestFixture::layout, typename TestFixture::exec>({na, ma}, av);
  const auto b = test::make_array<C, 2, typename TestFixture::layout, typename TestFixture::exec>({nb, mb}, bv);
  const auto element = [&](std::int64_t i, std::int64_t j, bool correlate) {
    std::complex<double> sum = 0;
    for (std::int64_t p = 0; p < na; ++p)
      for (std::int64_t q = 0; q < ma; ++q) {
        const std::int64_t r = correlate ? p - (i - nb + 1) : i - p, s = correlate ? q - (j - mb + 1) : j - q;
        if (r < 0 || s < 0 || r >= nb || s >= mb) continue;
        const std::complex<double> x(av[p * ma + q].real(), av[p * ma + q].imag()),
            y(bv[r * mb + s].real(), bv[r * mb + s].imag());
        sum += x * (correlate ? std::conj(y) : y);
      }
    return sum;
  };
  const auto check = [&](convolve_mode mode, std::int64_t n, std::int64_t m, std::int64_t i0, std::int64_t j0) {
    const auto out = this->template make<C, 2>({n, m});
    for (const bool correlate : {false, true}) {
      correlate ? quern::fftcorrelate(this->e, out, a, b, mode) : quern::fftconvolve(this->e, out, a, b, mode);
      const auto found = test::contents(out);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j) {
          const auto expected = element(i + i0, j + j0, correlate);
          EXPECT_NEAR(expected.real(), found[i * m + j].real(), 1e4 * test::eps<T>());
          EXPECT_NEAR(expected.imag(), found[i * m + j].imag(), 1e4 * test::eps<T>());
        }
    }
  };
  check(convolve_mode::full, na + nb - 1, ma + mb - 1, 0, 0);
  check(convolve_mode::same, na, ma, (nb - 1) / 2, (mb - 1) / 2);
  check(convolve_mode::valid, na - nb + 1, ma - mb + 1, nb - 1, mb - 1);
}

TYPED_TEST(Spectral, ConvolutionOfRealNumbers) {
  using T = typename TestFixture::T;
  using exec = typename TestFixture::exec;
  const std::int64_t n = 1000, m = 37;
  const auto av = test::samples<T>(n, 3);
  const auto bv = test::samples<int>(m, 4);
  const auto a = test::make_array<T, 1, typename TestFixture::layout, exec>({n}, av);
  const auto b = test::make_array<int, 1, typename TestFixture::layout, exec>({m}, bv);
  const auto out = this->template make<T, 1>({n + m - 1});
  quern::fftconvolve(this->e, out, a, b);
  const auto found = test::contents(out);
  for (std::int64_t k = 0; k < n + m - 1; ++k) {
    double sum = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, k - m + 1); j <= std::min(k, n - 1); ++j) sum += av[j] * bv[k - j];
    ASSERT_NEAR(sum, found[k], 4e4 * test::eps<T>());
  }
}

template <class Fixture, class V>
void expect_long_convolutions(const Fixture& fixture, std::int64_t n, std::int64_t m) {
  using exec = typename Fixture::exec;
  using layout = typename Fixture::layout;
  const auto av = test::samples<V>(n, 3), bv = test::samples<V>(m, 4);
  const auto b = test::make_array<V, 1, layout, exec>({m}, bv);
  for (const bool correlate : {false, true})
    for (const convolve_mode mode : {convolve_mode::full, convolve_mode::same, convolve_mode::valid}) {
      const auto a = test::make_array<V, 1, layout, exec>({n}, av);
      const std::int64_t count = mode == convolve_mode::full ? n + m - 1 : mode == convolve_mode::same ? n : n - m + 1;
      const std::int64_t first = mode == convolve_mode::full ? 0 : mode == convolve_mode::same ? (m - 1) / 2 : m - 1;
      // In place, blocks read what others would have overwritten.
      const auto out = mode == convolve_mode::same ? a : test::make_array<V, 1, layout, exec>({count});
      correlate ? quern::fftcorrelate(fixture.e, out, a, b, mode) : quern::fftconvolve(fixture.e, out, a, b, mode);
      const auto found = test::contents(out);
      for (std::int64_t k = 0; k < count; ++k) {
        V sum{};
        for (std::int64_t j = std::max<std::int64_t>(0, k + first - n + 1); j <= std::min(k + first, m - 1); ++j) {
          const V value = correlate ? quern::impl::conjugate(bv[m - 1 - j]) : bv[j];
          sum += av[k + first - j] * value;
        }
        const auto distance = Kokkos::abs(sum - found[k]);
        ASSERT_LE(distance, 4e4 * test::eps<typename Fixture::T>()) << k << " of " << n << " with " << m;
      }
    }
}
// Lines that are convolved in blocks, of which one or several go beyond the ends, and not.
TYPED_TEST(Spectral, ConvolutionOfLongLines) {
  using T = typename TestFixture::T;
  for (const auto& [n, m] : {std::array<std::int64_t, 2>{20'000, 37}, {7'000, 1}, {9'211, 300}, {70'001, 20}})
    expect_long_convolutions<TestFixture, T>(*this, n, m);
  expect_long_convolutions<TestFixture, Kokkos::complex<T>>(*this, 12'345, 67);
}

TYPED_TEST(Spectral, DerivativesOfWaves) {
  using T = typename TestFixture::T;
  for (const std::int64_t n : {15, 16})
    for (const int axis : {0, 1})
      for (const int order : {1, 2, 3, 4}) {
        const double length = 2.5, k = 2 * pi / length;
        std::array<std::int64_t, 2> extents{3, 3};
        extents[axis] = n;
        const auto wave = [&](int derivative) {
          return this->template field<2>(extents, [&](const auto& i) {
            const double x = length * i[axis] / n, other = 1 + i[1 - axis];
            const auto term = [&](double m, double phase) {
              return std::pow(m * k, derivative) * std::sin(m * k * x + phase + derivative * pi / 2);
            };
            return other * term(1, 0.3) + term(5, 1) + (derivative == 0 ? other : 0);
          });
        };
        const auto out = this->template make<T, 2>(extents);
        quern::spectral_derivative(this->e, out, wave(0), quern::axis(axis), quern::derivative_order{order},
                                   quern::period{length});
        TestFixture::expect_equal(wave(order), out, 200 * test::eps<T>() * std::pow(7 * k, order));
      }
}

TYPED_TEST(Spectral, DerivativeOfTheHighestWave) {
  using T = typename TestFixture::T;
  const auto x = this->template field<1>({8}, [](const auto& i) { return i[0] % 2 == 0 ? 1 : -1; });
  const auto out = this->template make<T, 1>({8}),
             expected = this->template field<1>({8}, [](const auto& i) { return i[0] % 2 == 0 ? -16 : 16; });
  quern::spectral_derivative(this->e, out, x, quern::derivative_order{2});
  TestFixture::expect_equal(expected, out, 1e3 * test::eps<T>());
  quern::spectral_derivative(this->e, out, x);
  for (const T v : test::contents(out)) EXPECT_NEAR(0, v, 100 * test::eps<T>());
}

TYPED_TEST(Spectral, PowerOfWavesAndParseval) {
  using T = typename TestFixture::T;
  using exec = typename TestFixture::exec;
  const auto wave = this->template field<3>({8, 9, 10}, [](const auto& i) {
    return 3 * std::cos(2 * pi * (2 * i[0] / 8.0 - i[1] / 9.0 + 2 * i[2] / 10.0)) + 5;  // of length 3
  });
  const auto power = this->template make<double, 1>({9});
  const auto modes = this->template make<std::int64_t, 1>({9});
  quern::power_spectrum(this->e, quern::outputs(power, modes), wave);
  const auto found = test::contents(power);
  for (int s = 0; s < 9; ++s)
    EXPECT_NEAR(s == 0 ? 25 : s == 3 ? 4.5 : 0, found[s], 1e3 * test::eps<T>()) << "shell " << s;
  std::int64_t all = 0;
  for (const std::int64_t m : test::contents(modes)) all += m;
  EXPECT_EQ(8 * 9 * 10, all);
  EXPECT_EQ(1, test::contents(modes)[0]);
  EXPECT_EQ(18, test::contents(modes)[1]);  // 6 of length 1, 12 of the root of 2
  const auto values = test::samples<T>(33);
  const auto noise = test::make_array<T, 1, typename TestFixture::layout, exec>({33}, values);
  const auto line = this->template make<float, 1>({17});
  quern::power_spectrum(line, noise);
  Kokkos::fence();
  double square = 0, sum = 0;
  for (const T v : values) square += v * v / 33;
  for (const float p : test::contents(line)) sum += p;
  EXPECT_NEAR(square, sum, 1e-5 * square);
}

TYPED_TEST(Spectral, PoissonOfModes) {
  using T = typename TestFixture::T;
  using enum poisson_side;
  for (const std::array<poisson_side, 2>& sides : {std::array{periodic, periodic},
                                                   {periodic, dirichlet},
                                                   {dirichlet, neumann},
                                                   {neumann, periodic},
                                                   {dirichlet, dirichlet},
                                                   {neumann, neumann}}) {
    const std::array<std::int64_t, 2> extents{12, 15};
    const std::array<double, 2> lengths{2, 0.5};
    const auto wave_number = [&](int d, int m) { return (sides[d] == periodic ? 2 : 1) * m * pi / lengths[d]; };
    const auto mode = [&](int d, int m, double x) {
      const double angle = wave_number(d, m) * x;
      return sides[d] == dirichlet ? std::sin(angle) : std::cos(angle);
    };
    const auto sum = [&](bool laplacian) {
      return this->template field<2>(extents, [&](const auto& i) {
        const double x = (i[0] + 0.5) * lengths[0] / extents[0], y = (i[1] + 0.5) * lengths[1] / extents[1];
        const auto term = [&](int m, int n) {
          const double k = wave_number(0, m), l = wave_number(1, n);
          return (laplacian ? -k * k - l * l : 1) * mode(0, m, x) * mode(1, n, y);
        };
        return term(1, 2) + 3 * term(4, 1) - term(2, 5);
      });
    };
    const auto u = this->template make<T, 2>(extents);
    const quern::box_lengths box{lengths[0], lengths[1]};
    quern::poisson(this->e, u, sum(true), box, quern::poisson_sides{sides[0], sides[1]});
    TestFixture::expect_equal(sum(false), u, 3e3 * test::eps<T>());
  }
}

TYPED_TEST(Spectral, PoissonOfThreeAxesInPlace) {
  using T = typename TestFixture::T;
  const std::array<std::int64_t, 3> extents{6, 5, 8};
  const auto f = [&](double factor) {
    return this->template field<3>(extents, [&](const auto& i) {
      return factor * std::cos(2 * pi * (i[0] / 6.0 + 2 * i[1] / 5.0)) * std::sin(3 * pi * (i[2] + 0.5) / 8);
    });
  };
  const auto u = f(-4 * pi * pi * (1 + 4) - 9 * pi * pi);
  quern::poisson(this->e, u, u,
                 quern::poisson_sides{poisson_side::periodic, poisson_side::periodic, poisson_side::dirichlet},
                 quern::box_lengths{1, 1, 1});
  TestFixture::expect_equal(f(1), u, 100 * test::eps<T>());
}

TYPED_TEST(Spectral, BadInput) {
  using T = typename TestFixture::T;
  const auto a = this->template make<T, 1>({4}), b = this->template make<T, 1>({5}),
             empty = this->template make<T, 1>({0});
  test::expect_error("quern::fftconvolve: b has extents (5), expected at most those of a, (4)",
                     [&] { quern::fftconvolve(this->e, a, a, b, convolve_mode::valid); });
  test::expect_error("quern::fftconvolve: a or b is empty", [&] { quern::fftconvolve(this->e, a, a, empty); });
  test::expect_error("quern::fftcorrelate: out has extents (4), expected (8) in this mode",
                     [&] { quern::fftcorrelate(this->e, a, a, b); });
  test::expect_error("quern::spectral_derivative: order 0, expected 1 or more",
                     [&] { quern::spectral_derivative(this->e, a, a, quern::derivative_order{0}); });
  test::expect_error("quern::poisson: f has extents (5), expected (4)", [&] { quern::poisson(this->e, a, b); });
  test::expect_error("quern::poisson: the length along axis 0 must be positive and finite",
                     [&] { quern::poisson(this->e, a, a, quern::box_lengths{-1}); });
  test::expect_error("quern::poisson: 2 lengths for an array of rank 1",
                     [&] { quern::poisson(this->e, a, a, quern::box_lengths{1, 2}); });
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double length : {0.0, -2.0, std::nan(""), infinity}) {
    EXPECT_THROW(quern::poisson(this->e, a, a, quern::box_lengths{length}), quern::Error) << length;
    EXPECT_THROW(quern::spectral_derivative(this->e, a, a, quern::period{length}), quern::Error) << length;
  }
}

// Operations in other words are of no interest to who calls this one.
TYPED_TEST(Spectral, MessagesOfPowerSpectra) {
  using T = typename TestFixture::T;
  const auto field = this->template make<T, 2>({4, 5});
  const auto power = this->template make<T, 1>({4}), few = this->template make<T, 1>({3});
  const auto plane = this->template make<T, 2>({4, 1}), empty = this->template make<T, 2>({4, 0});
  const auto modes = this->template make<std::int64_t, 1>({4});
  const auto many = this->template make<std::int64_t, 2>({4, 1});
  Kokkos::deep_copy(power, T(7));
  test::expect_error("quern::power_spectrum: power has extents (4, 1), expected rank 1",
                     [&] { quern::power_spectrum(this->e, plane, field); });
  test::expect_error("quern::power_spectrum: modes has extents (4, 1), expected (4), those of power",
                     [&] { quern::power_spectrum(this->e, quern::outputs(power, many), field); });
  test::expect_error("quern::power_spectrum: modes has extents (4), expected (3), those of power",
                     [&] { quern::power_spectrum(this->e, quern::outputs(few, modes), field); });
  test::expect_error("quern::power_spectrum: the field has extents (4, 0)",
                     [&] { quern::power_spectrum(this->e, power, empty); });
  EXPECT_EQ(std::vector<T>(4, T(7)), test::contents(power));  // nothing is written before the checks
}

// In plain code, on the execution space of the Views.
TEST(FftCalls, WithoutAnInstance) {
  using C = Kokkos::complex<double>;
  const auto values = test::samples<double>(8, 3);
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>({8}, values);
  const Kokkos::View<double*> y("y", 8);
  const auto expect_values = [&] {
    const auto found = test::contents(y);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(values[i], found[i], 1e-14);
  };
  quern::dct(y, x);
  quern::idct(y, y);
  expect_values();
  quern::dst(y, x, quern::dct_type{1}, quern::fft_norm::ortho);
  quern::idst(y, y, quern::fft_norm::ortho, quern::dct_type{1});
  expect_values();
  const Kokkos::View<C*> spectrum("spectrum", 5);
  quern::ihfft(spectrum, x);
  quern::hfft(y, spectrum);
  expect_values();
  quern::rfft(spectrum, x, quern::axis{0});
  quern::irfft(y, spectrum, quern::axis{-1});
  expect_values();
  const Kokkos::View<C**> z("z", 3, 4);
  quern::fill(z, C(1, 0));
  quern::fft2(z, z);
  EXPECT_NEAR(12, quern::sum(z).real(), 1e-14);
  quern::ifft2(z, z, quern::axes{0, 1});
  EXPECT_NEAR(12, quern::sum(z).real(), 1e-14);
  quern::fill(x, 1.0);
  quern::spectral_derivative(y, x, quern::derivative_order{2}, quern::period{1});
  for (const double zero : test::contents(y)) EXPECT_NEAR(0, zero, 1e-12);
}

}  // namespace
