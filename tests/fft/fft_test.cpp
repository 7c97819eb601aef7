// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <fft/transforms.hpp>
#include <limits>
#include <numbers>
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <quern/map.hpp>
#include <support/fourier.hpp>

namespace {

using quern::fft_norm;
using test::as_kokkos;
using test::by_definition;
using test::expect_near;
using test::norm_2;
using test::transform;

/// The array of this name in test::transforms.
template <class T>
std::vector<T> numbers(const std::string& name) {
  if constexpr (quern::impl::is_complex<T>) {
    std::vector<T> result;
    for (const auto& z : test::transforms.values<std::complex<double>>(name)) result.emplace_back(z.real(), z.imag());
    return result;
  } else {
    const auto values = test::transforms.values(name);
    return {values.begin(), values.end()};
  }
}

template <class Case>
struct Fft : testing::Test {
  using exec = typename Case::exec;
  using R = typename Case::value;
  using C = Kokkos::complex<R>;
  using layout = typename Case::layout;
  exec e;

  template <class T, int Rank>
  static auto make(const std::vector<std::int64_t>& extents) {
    std::array<std::int64_t, Rank> a;
    std::copy_n(extents.begin(), Rank, a.begin());
    return test::make_array<T, Rank, layout, exec>(a);
  }
  template <class T, int Rank>
  static auto make(const std::vector<std::int64_t>& extents, const std::vector<T>& values) {
    std::array<std::int64_t, Rank> a;
    std::copy_n(extents.begin(), Rank, a.begin());
    return test::make_array<T, Rank, layout, exec>(a, values);
  }

  template <class O, class I, int Rank>
  void compare(const transform& r) {
    SCOPED_TRACE(r.name + " " + r.norm + " of " + std::to_string(r.in_extents.size()) + " axes, first extent " +
                 std::to_string(r.in_extents[0]));
    const auto in = make<I, Rank>(r.in_extents, numbers<I>(r.group + "in"));
    const auto out = make<O, Rank>(r.out_extents);
    const fft_norm norm = r.normalization();
    if (r.name.ends_with('n')) {
      quern::axes along;
      along.count = static_cast<int>(r.axes.size());
      std::ranges::transform(r.axes, along.number.begin(), [](std::int64_t axis) { return static_cast<int>(axis); });
      quern::shape lengths;
      lengths.rank = static_cast<int>(r.lengths.size());
      std::copy(r.lengths.begin(), r.lengths.end(), lengths.extent.begin());
      const quern::fft_lengths of(lengths);
      if constexpr (!quern::impl::is_complex<I>) quern::rfftn(e, out, in, norm, along, of);
      else if constexpr (!quern::impl::is_complex<O>) quern::irfftn(e, out, in, of, along, norm);
      else r.name == "fftn" ? quern::fftn(e, out, in, along, of, norm) : quern::ifftn(e, out, in, along, norm, of);
    } else {
      const quern::axis along(static_cast<int>(r.axes[0]));
      const quern::fft_lengths of{r.lengths.empty() ? 0 : r.lengths[0]};
      if constexpr (!quern::impl::is_complex<I>)
        r.name == "rfft" ? quern::rfft(e, out, in, along, of, norm) : quern::ihfft(e, out, in, norm, along, of);
      else if constexpr (!quern::impl::is_complex<O>)
        r.name == "irfft" ? quern::irfft(e, out, in, of, norm, along) : quern::hfft(e, out, in, of, along, norm);
      else r.name == "fft" ? quern::fft(e, out, in, along, of, norm) : quern::ifft(e, out, in, norm, of, along);
    }
    expect_near(numbers<O>(r.group + "out"), test::contents(out));
    EXPECT_EQ(numbers<I>(r.group + "in"), test::contents(in));  // inputs are left as they are
  }
  template <int Rank>
  void compare_kind(const transform& r) {
    if (r.from_real() && (r.name == "fft" || r.name == "ifft")) ADD_FAILURE();
    if (r.from_real()) compare<C, R, Rank>(r);
    else if (r.to_real()) compare<R, C, Rank>(r);
    else compare<C, C, Rank>(r);
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Fft, cases);

TYPED_TEST(Fft, AsNumPy) {
  int compared = 0;
  for (const transform& r : test::transforms_of(false)) {
    ++compared;
    switch (r.in_extents.size()) {
      case 1:
        this->template compare_kind<1>(r);
        break;
      case 2:
        this->template compare_kind<2>(r);
        break;
      case 3:
        this->template compare_kind<3>(r);
        break;
      default:
        this->template compare_kind<4>(r);
    }
  }
  EXPECT_GT(compared, 80);
}

TYPED_TEST(Fft, LongAndPrimeByDefinition) {
  using C = typename TestFixture::C;
  for (const std::int64_t n : {63, 64, 65, 127, 257, 1009, 1536}) {
    const auto values = test::samples<C>(n);
    const auto in = this->template make<C, 1>({n}, values), out = this->template make<C, 1>({n});
    quern::fft(this->e, out, in);
    expect_near(as_kokkos(by_definition(values, n, -1)), test::contents(out));
    quern::ifft(this->e, out, in, fft_norm::forward);
    expect_near(as_kokkos(by_definition(values, n, 1)), test::contents(out));
  }
}

TYPED_TEST(Fft, LinesOfPrimeLengthsByDefinition) {
  using C = typename TestFixture::C;
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{3, 509, 2}, {21, 1018, 1}, {1, 521, 37}}) {
    const std::int64_t n = extents[1], inner = extents[2], count = extents[0] * n * inner;
    const auto values = test::samples<C>(count);
    for (const bool inverse : {false, true})
      for (const bool in_place : {false, true}) {
        const auto in = this->template make<C, 3>(extents, values);
        const auto out = in_place ? in : this->template make<C, 3>(extents);
        if (inverse) quern::ifft(this->e, out, in, quern::axis{1}, fft_norm::forward);
        else quern::fft(this->e, out, in, quern::axis{1});
        const auto found = test::contents(out);
        for (std::int64_t line = 0; line < extents[0] * inner; line += 1 + extents[0] * inner / 4) {
          const std::int64_t first = line / inner * n * inner + line % inner;
          std::vector<C> x(n), y(n);
          for (std::int64_t k = 0; k < n; ++k) {
            x[k] = values[first + k * inner];
            y[k] = found[first + k * inner];
          }
          expect_near(as_kokkos(by_definition(x, n, inverse ? 1 : -1)), y);
        }
      }
  }
  const std::vector<std::int64_t> plane{503, 509};
  const auto values = test::samples<C>(503 * 509);
  const auto in = this->template make<C, 2>(plane, values), both = this->template make<C, 2>(plane),
             one = this->template make<C, 2>(plane);
  quern::fft2(this->e, both, in);
  expect_near(values, test::contents(in));
  quern::fft(this->e, one, in, quern::axis{0});
  quern::fft(this->e, one, one, quern::axis{1});
  expect_near(test::contents(one), test::contents(both));
  quern::ifft2(this->e, both, both);
  expect_near(values, test::contents(both));
}

TYPED_TEST(Fft, ThereAndBackKeepsEnergy) {
  using C = typename TestFixture::C;
  using R = typename TestFixture::R;
  for (const std::vector<std::int64_t>& extents :
       {std::vector<std::int64_t>{3, 10007}, {1, 131072}, {257, 129}, {64, 63}}) {
    const auto values = test::samples<R>(extents[0] * extents[1]);
    const auto x = this->template make<R, 2>(extents, values), back = this->template make<R, 2>(extents);
    const auto spectrum = this->template make<C, 2>({extents[0], extents[1] / 2 + 1});
    const auto all = this->template make<C, 2>(extents);
    quern::rfft2(this->e, spectrum, x);
    quern::irfft2(this->e, back, spectrum);
    expect_near(values, test::contents(back));
    quern::fft2(this->e, all, x, fft_norm::ortho);  // of real numbers, converted
    const double before = norm_2(values), after = norm_2(test::contents(all));
    EXPECT_NEAR(before, after, 50 * test::eps<R>() * before);
    quern::ifft2(this->e, all, all, fft_norm::ortho);  // in place
    expect_near(values, test::contents(all));
  }
}

TYPED_TEST(Fft, InPlace) {
  using C = typename TestFixture::C;
  const auto values = test::samples<C>(6 * 10);
  for (int axis : {0, 1}) {
    const auto x = this->template make<C, 2>({6, 10}, values), expected = this->template make<C, 2>({6, 10});
    quern::fft(this->e, expected, x, quern::axis(axis));
    quern::fft(this->e, x, x, quern::axis(axis));
    expect_near(test::contents(expected), test::contents(x));
  }
}

TYPED_TEST(Fft, ConvertsInputs) {
  using C = typename TestFixture::C;
  using R = typename TestFixture::R;
  const auto values = test::samples<int>(24);
  const auto in = this->template make<int, 2>({4, 6}, values);
  const auto same = this->template make<R, 2>({4, 6}, std::vector<R>(values.begin(), values.end()));
  const auto out = this->template make<C, 2>({4, 6}), expected = this->template make<C, 2>({4, 6});
  quern::fft(this->e, out, in);
  quern::fft(this->e, expected, same);
  EXPECT_EQ(test::contents(expected), test::contents(out));
  const auto half = this->template make<C, 2>({4, 4}), half_expected = this->template make<C, 2>({4, 4});
  quern::rfft(this->e, half, in);
  quern::rfft(this->e, half_expected, same);
  EXPECT_EQ(test::contents(half_expected), test::contents(half));
}

TYPED_TEST(Fft, BatchesThatDoNotMerge) {
  using C = typename TestFixture::C;
  const std::vector<std::int64_t> extents{3, 5, 4, 2};
  const auto values = test::samples<C>(120);
  const auto in = this->template make<C, 4>(extents, values), out = this->template make<C, 4>(extents);
  for (int axis : {1, 2}) {
    quern::fft(this->e, out, in, quern::axis(axis));
    const auto found = test::contents(out);
    const std::int64_t n = extents[axis], step = axis == 1 ? 8 : 2;
    for (std::int64_t first = 0; first < 120; ++first) {
      if (first / step % n != 0) continue;
      std::vector<C> line(n), line_found(n);
      for (std::int64_t k = 0; k < n; ++k) {
        line[k] = values[first + k * step];
        line_found[k] = found[first + k * step];
      }
      expect_near(as_kokkos(by_definition(line, n, -1)), line_found);
    }
  }
}

TYPED_TEST(Fft, NothingToTransform) {
  using C = typename TestFixture::C;
  const auto none = this->template make<C, 2>({0, 4});
  quern::fft(this->e, none, none);
  const auto empty = this->template make<C, 2>({4, 0});
  test::expect_error("quern::fft: a transform of length 0 along axis 1", [&] { quern::fft(this->e, empty, empty); });
}

TYPED_TEST(Fft, NotANumberSpreadsOverItsRow) {
  using C = typename TestFixture::C;
  auto values = test::samples<C>(16);
  values[3] = C(std::numeric_limits<double>::quiet_NaN(), 0);
  const auto x = this->template make<C, 2>({2, 8}, values), y = this->template make<C, 2>({2, 8});
  quern::fft(this->e, y, x);
  const auto found = test::contents(y);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(std::isnan(found[i].real()) || std::isnan(found[i].imag()));
    EXPECT_FALSE(std::isnan(found[8 + i].real()) || std::isnan(found[8 + i].imag()));
  }
}

struct squares {
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& i) const {
    return static_cast<double>(i[0] * i[0] - 3 * i[1] % 7);
  }
};
struct mixed {
  std::int64_t first_row = 0;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& i) const {
    return static_cast<double>((first_row + i[0]) * 5 % 7 + i[1] * i[1]);
  }
};
struct numbered {
  KOKKOS_FUNCTION int operator()(const Kokkos::Array<std::int64_t, 2>& i) const {
    return static_cast<int>(5 * i[0] + i[1]);
  }
};

template <class Exec>
struct FftOn : testing::Test {
  Exec e;
  template <class T>
  using view = Kokkos::View<T, Kokkos::LayoutRight, typename Exec::memory_space>;
  using C = Kokkos::complex<double>;
};
TYPED_TEST_SUITE(FftOn, test::all_spaces);

TYPED_TEST(FftOn, RealRowsInPlace) {
  using memory = typename TypeParam::memory_space;
  using C = typename TestFixture::C;
  const std::int64_t rows = 3, n = 10;
  const typename TestFixture::template view<C**> spectrum("spectrum", rows, n / 2 + 1),
      expected("expected", rows, n / 2 + 1);
  const Kokkos::View<double**, Kokkos::LayoutStride, memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> signal(
      reinterpret_cast<double*>(spectrum.data()), Kokkos::LayoutStride(rows, n + 2, n, 1));
  const typename TestFixture::template view<double**> copy("copy", rows, n);
  quern::map(this->e, signal, squares(), quern::positions());
  quern::copy(this->e, copy, signal);
  quern::rfft(this->e, expected, copy);
  quern::rfft(this->e, spectrum, signal);
  expect_near(test::contents(expected), test::contents(spectrum));
  quern::irfft(this->e, signal, spectrum);
  const auto back = test::contents(signal), before = test::contents(copy);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(before[i], back[i], 1e-13);
}

struct plane_wave {
  Kokkos::Array<double, 3> turns;
  KOKKOS_FUNCTION Kokkos::complex<double> operator()(const Kokkos::Array<std::int64_t, 3>& i) const {
    double phase = 0;
    for (int d = 0; d < 3; ++d) phase += turns[d] * static_cast<double>(i[d]);
    return {Kokkos::cos(phase), Kokkos::sin(phase)};
  }
};
struct real_wave {
  plane_wave wave;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 3>& i) const { return wave(i).real(); }
};

// Powers of two between the elements of long lines, which hosts transform one axis after the other.
TYPED_TEST(FftOn, AxesThatCachesDoNotLike) {
  using C = typename TestFixture::C;
  const std::int64_t n = 256, few = 4, last = 510, half = last / 2 + 1;
  const double turn = 2 * std::numbers::pi;
  const typename TestFixture::template view<C***> x("x", n, few, n), y("y", n, few, n);
  quern::map(this->e, x, plane_wave{{turn * 200 / n, turn * 3 / few, turn * 5 / n}}, quern::positions());
  quern::fftn(this->e, y, x);
  std::vector<C> expected(n * few * n);
  expected[(200 * few + 3) * n + 5] = static_cast<double>(n * few * n);
  expect_near(expected, test::contents(y));

  const typename TestFixture::template view<double***> signal("signal", n, few, last), back("back", n, few, last);
  const typename TestFixture::template view<C***> spectrum("spectrum", n, few, half);
  quern::map(this->e, signal, real_wave{{{turn * 200 / n, turn * 3 / few, turn * 5 / last}}}, quern::positions());
  quern::rfftn(this->e, spectrum, signal);
  std::vector<C> peak(n * few * half);
  peak[(200 * few + 3) * half + 5] = static_cast<double>(n * few * last) / 2;
  expect_near(peak, test::contents(spectrum));
  quern::irfftn(this->e, back, spectrum);
  expect_near(test::contents(signal), test::contents(back));
}

TYPED_TEST(FftOn, OverloadsWithoutAnInstance) {
  using C = typename TestFixture::C;
  using reals = typename TestFixture::template view<double**>;
  using complexes = typename TestFixture::template view<C**>;
  const reals x("x", 6, 9), y("y", 6, 9);
  const complexes c("c", 6, 9), z("z", 6, 9), half("half", 6, 5), half_out("half_out", 6, 5);
  quern::map(this->e, x, mixed(), quern::positions());
  quern::fft2(this->e, c, x);
  quern::rfft2(this->e, half, x);
  const auto same = [&](const auto& out, const auto& call_on, const auto& call) {
    call_on();
    const auto expected = test::contents(out);
    Kokkos::deep_copy(out, -7.0);
    call();
    Kokkos::fence();
    EXPECT_EQ(expected, test::contents(out));
  };
#define QUERN_TEST_OVERLOAD(name, out, ...) \
  same(out, [&] { quern::name(this->e, out, __VA_ARGS__); }, [&] { quern::name(out, __VA_ARGS__); })
  QUERN_TEST_OVERLOAD(fft, z, c);
  QUERN_TEST_OVERLOAD(ifft, z, c);
  QUERN_TEST_OVERLOAD(rfft, half_out, x);
  QUERN_TEST_OVERLOAD(irfft, y, half);
  QUERN_TEST_OVERLOAD(hfft, y, half);
  QUERN_TEST_OVERLOAD(ihfft, half_out, x);
  QUERN_TEST_OVERLOAD(fftn, z, c);
  QUERN_TEST_OVERLOAD(ifftn, z, c);
  QUERN_TEST_OVERLOAD(rfftn, half_out, x);
  QUERN_TEST_OVERLOAD(irfftn, y, half);
  QUERN_TEST_OVERLOAD(fft2, z, c);
  QUERN_TEST_OVERLOAD(ifft2, z, c);
  QUERN_TEST_OVERLOAD(rfft2, half_out, x);
  QUERN_TEST_OVERLOAD(irfft2, y, half);
  QUERN_TEST_OVERLOAD(dct, y, x);
  QUERN_TEST_OVERLOAD(idct, y, x);
  QUERN_TEST_OVERLOAD(dst, y, x);
  QUERN_TEST_OVERLOAD(idst, y, x);
  QUERN_TEST_OVERLOAD(fftconvolve, y, x, x, quern::convolve_mode::same);
  QUERN_TEST_OVERLOAD(fftcorrelate, y, x, x, quern::convolve_mode::same);
  QUERN_TEST_OVERLOAD(spectral_derivative, y, x);
  QUERN_TEST_OVERLOAD(poisson, y, x);
#undef QUERN_TEST_OVERLOAD
}

// On devices: hosts would take too long.
TYPED_TEST(FftOn, MoreThanTwoToThe31Elements) {
  if (!quern::impl::is_device<TypeParam>) GTEST_SKIP() << "not on hosts";
  using C = Kokkos::complex<float>;
  const std::int64_t rows = (std::int64_t{1} << 25) + 3, n = 64;
  typename TestFixture::template view<C**> x;
  try {
    x = {"x", static_cast<std::size_t>(rows), static_cast<std::size_t>(n)};
    quern::map(this->e, x, mixed(), quern::positions());
    quern::fft(this->e, x, x);
  } catch (const std::exception& e) {
    GTEST_SKIP() << "not enough memory: " << e.what();
  }
  for (const std::int64_t first : {std::int64_t{0}, rows - 4}) {
    const typename TestFixture::template view<C**> expected("expected", 4, n);
    quern::map(this->e, expected, mixed{first}, quern::positions());
    quern::fft(this->e, expected, expected);
    const auto found = Kokkos::subview(x, Kokkos::pair<std::int64_t, std::int64_t>(first, first + 4), Kokkos::ALL);
    expect_near(test::contents(expected), test::contents(found));
  }
}

TYPED_TEST(FftOn, BadInput) {
  using C = typename TestFixture::C;
  const typename TestFixture::template view<C**> x("x", 4, 6), y("y", 4, 6), narrow("narrow", 4, 5);
  const typename TestFixture::template view<double**> r("r", 4, 9);
  const auto& e = this->e;
  test::expect_error("quern::fft: out has extents (4, 5), expected (4, 6) for this transform of in",
                     [&] { quern::fft(e, narrow, x); });
  test::expect_error("quern::irfft: out has extents (4, 9), expected 10 or 11 along axis 1 for in (4, 6)",
                     [&] { quern::irfft(e, r, x); });
  test::expect_error("quern::fft: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::fft(e, y, x, quern::axis(2)); });
  test::expect_error(
      "quern::fft: lengths are (4, 6), expected one for each axis that is transformed, of which the number is 1",
      [&] { quern::fft(e, y, x, quern::fft_lengths{4, 6}); });
  test::expect_error("quern::fft: a transform of length -3", [&] { quern::fft(e, y, x, quern::fft_lengths{-3}); });
  test::expect_error(
      "quern::fftn: lengths are (4), expected one for each axis that is transformed, of which the number is 2",
      [&] { quern::fftn(e, y, x, quern::axes{0, 1}, quern::fft_lengths{4}); });
  const auto part = Kokkos::subview(x, Kokkos::pair(0, 3), Kokkos::ALL),
             shifted = Kokkos::subview(x, Kokkos::pair(1, 4), Kokkos::ALL);
  EXPECT_THROW(quern::fft(e, part, shifted), quern::Error);
}

TYPED_TEST(FftOn, Frequencies) {
  const auto frequencies = [&](std::int64_t n) {
    const typename TestFixture::template view<double*> f("f", n);
    quern::fftfreq(this->e, f, 0.5);
    return test::contents(f);
  };
  EXPECT_EQ((std::vector<double>{0, 0.5, -1, -0.5}), frequencies(4));
  EXPECT_EQ((std::vector<double>{0, 1 / 2.5, 2 / 2.5, -2 / 2.5, -1 / 2.5}), frequencies(5));
  const typename TestFixture::template view<float*> half("half", 3);
  quern::rfftfreq(this->e, half, 5);
  EXPECT_EQ((std::vector<float>{0, 1 / 5.0f, 2 / 5.0f}), test::contents(half));
  test::expect_error("quern::rfftfreq: out has extents (3), expected (4) for this n",
                     [&] { quern::rfftfreq(this->e, half, 6); });
  quern::fftfreq(this->e, half, -0.5);  // as NumPy's
  EXPECT_EQ((std::vector<float>{0, -1 / 1.5f, 1 / 1.5f}), test::contents(half));
}

TYPED_TEST(FftOn, FrequenciesOfNothing) {
  const typename TestFixture::template view<float*> half("half", 3), one("one", 1), none("none", 0);
  Kokkos::deep_copy(half, 7.0f);
  for (const std::int64_t n : {0, -1, -6})
    test::expect_error("quern::rfftfreq: n is " + std::to_string(n) + ", expected 1 or more",
                       [&] { quern::rfftfreq(this->e, one, n); });
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double spacing : {0.0, -0.0, infinity, -infinity, std::nan(""), 1e-60, 1e60}) {
    EXPECT_THROW(quern::fftfreq(this->e, half, spacing), quern::Error) << spacing;
    EXPECT_THROW(quern::rfftfreq(this->e, half, 4, spacing), quern::Error) << spacing;
  }
  EXPECT_EQ(std::vector<float>(3, 7), test::contents(half));
  test::expect_error("quern::fftfreq: the spacing of samples is 0.000000, expected a finite one that is not 0",
                     [&] { quern::fftfreq(this->e, none, 0); });
  quern::fftfreq(this->e, none);
}

TYPED_TEST(FftOn, Shifts) {
  const typename TestFixture::template view<int**> x("x", 2, 5), y("y", 2, 5), back("back", 2, 5);
  quern::map(this->e, x, numbered(), quern::positions());
  quern::fftshift(this->e, y, x);
  EXPECT_EQ((std::vector<int>{8, 9, 5, 6, 7, 3, 4, 0, 1, 2}), test::contents(y));
  quern::ifftshift(this->e, back, y);
  EXPECT_EQ(test::contents(x), test::contents(back));
  quern::fftshift(this->e, y, x, quern::axis(-1));
  EXPECT_EQ((std::vector<int>{3, 4, 0, 1, 2, 8, 9, 5, 6, 7}), test::contents(y));
  test::expect_error("quern::fftshift: out and in share memory", [&] { quern::fftshift(this->e, x, x); });
}

}  // namespace
