// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where arrays lie: rows with gaps that nothing may write, any distances and alignments, inputs and outputs that are
// the same memory, and inputs of any type.
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <quern/map.hpp>
#include <support/fourier.hpp>

namespace {

using quern::fft_norm;
using test::exact;
using test::expect_near;

template <class Case>
struct FftMemory : testing::Test {
  using exec = typename Case::exec;
  using R = typename Case::value;
  using C = Kokkos::complex<R>;
  using layout = typename Case::layout;
  exec e;

  template <class T, std::size_t Rank>
  static auto make(const std::int64_t (&extents)[Rank]) {
    return test::make_array<T, static_cast<int>(Rank), layout, exec>(std::to_array(extents));
  }
  template <class T, std::size_t Rank>
  static auto make(const std::int64_t (&extents)[Rank], const std::vector<T>& values) {
    return test::make_array<T, static_cast<int>(Rank), layout, exec>(std::to_array(extents), values);
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(FftMemory, cases);

/// The transform of rows along axis 1, of the first `kept` numbers of each result.
template <class T>
std::vector<Kokkos::complex<long double>> rows_by_definition(const std::vector<T>& x, std::int64_t n, int sign,
                                                             std::int64_t kept) {
  std::vector<exact> all;
  for (std::size_t first = 0; first < x.size(); first += n) {
    const auto row = test::by_definition(std::vector<T>(x.begin() + first, x.begin() + first + n), n, sign);
    all.insert(all.end(), row.begin(), row.begin() + kept);
  }
  return test::as_kokkos(all);
}

// Rows of n that lie 2 (n / 2 + 1) apart are what vendors' libraries know from transforms in place.
TYPED_TEST(FftMemory, GapsOfTransformsOfRows) {
  using R = typename TestFixture::R;
  using C = typename TestFixture::C;
  const auto& e = this->e;
  for (const test::gaps kind : test::all_gaps)
    for (std::int64_t n = 1; n <= 12; ++n) {
      SCOPED_TRACE("gaps " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(n));
      const test::with_gaps guard(kind);
      const std::int64_t rows = 4, half = n / 2 + 1;
      const auto reals = test::samples<R>(rows * n);
      const auto signal = this->template make<R>({rows, n}, reals), back = this->template make<R>({rows, n});
      const auto spectrum = this->template make<C>({rows, half});
      quern::rfft(e, spectrum, signal);
      expect_near(rows_by_definition(reals, n, -1, half), test::contents(spectrum));
      const auto halved = test::contents(spectrum);
      quern::irfft(e, back, spectrum);
      expect_near(reals, test::contents(back));
      quern::ihfft(e, spectrum, signal, fft_norm::forward);
      expect_near(rows_by_definition(reals, n, 1, half), test::contents(spectrum));
      const auto conjugates = test::contents(spectrum);
      quern::hfft(e, back, spectrum, fft_norm::forward);
      expect_near(reals, test::contents(back));
      EXPECT_EQ(conjugates, test::contents(spectrum));
      const auto complexes = test::samples<C>(rows * n);
      const auto z = this->template make<C>({rows, n}, complexes), w = this->template make<C>({rows, n});
      quern::fft(e, w, z);
      expect_near(rows_by_definition(complexes, n, -1, n), test::contents(w));
      quern::ifft(e, z, w);
      expect_near(complexes, test::contents(z));
    }
}

TYPED_TEST(FftMemory, GapsOfTransformsOfSeveralAxes) {
  using R = typename TestFixture::R;
  using C = typename TestFixture::C;
  const auto& e = this->e;
  for (const test::gaps kind : test::all_gaps)
    for (const std::int64_t n : {4, 5, 6, 7, 10, 11})
      for (const int count : {2, 3}) {
        SCOPED_TRACE("gaps " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(n));
        const test::with_gaps guard(kind);
        quern::axes along;
        along.count = count;
        for (int i = 0; i < count; ++i) along.number[i] = 3 - count + i;
        const auto reals = test::samples<R>(3 * 4 * n);
        const auto signal = this->template make<R>({3, 4, n}, reals), back = this->template make<R>({3, 4, n});
        const auto spectrum = this->template make<C>({3, 4, n / 2 + 1});
        quern::rfftn(e, spectrum, signal, along);
        const auto halved = test::contents(spectrum);
        quern::irfftn(e, back, spectrum, along);
        expect_near(reals, test::contents(back));
        EXPECT_EQ(halved, test::contents(spectrum));  // the input stays as it is
        const auto z = this->template make<C>({3, 4, n}), w = this->template make<C>({3, 4, n});
        quern::fftn(e, z, signal, along);
        quern::ifftn(e, w, z, along);
        expect_near(reals, test::contents(w));
      }
}

TYPED_TEST(FftMemory, GapsOfWhatIsBuiltOnTransforms) {
  using R = typename TestFixture::R;
  using C = typename TestFixture::C;
  const auto& e = this->e;
  for (const test::gaps kind : test::all_gaps)
    for (const std::int64_t n : {5, 6, 10}) {
      SCOPED_TRACE("gaps " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(n));
      const test::with_gaps guard(kind);
      const auto reals = test::samples<R>(3 * n);
      const auto x = this->template make<R>({3, n}, reals), y = this->template make<R>({3, n});
      const auto z = this->template make<C>({3, n}), w = this->template make<C>({3, n});
      for (const int type : {1, 2, 3, 4})
        for (const int axis : {0, 1}) {
          quern::dct(e, y, x, quern::dct_type{type}, quern::axis(axis));
          quern::idct(e, y, y, quern::dct_type{type}, quern::axis(axis));
          expect_near(reals, test::contents(y));
          quern::dst(e, y, x, quern::dct_type{type}, quern::axis(axis));
          quern::idst(e, y, y, quern::dct_type{type}, quern::axis(axis));
          expect_near(reals, test::contents(y));
        }
      const auto one = this->template make<R>({1, 1}, std::vector<R>{1});
      quern::fftconvolve(e, y, x, one, quern::convolve_mode::same);
      expect_near(reals, test::contents(y));
      quern::fftcorrelate(e, y, x, one, quern::convolve_mode::same);
      expect_near(reals, test::contents(y));
      for (const int axis : {0, 1}) {
        quern::spectral_derivative(e, y, x, quern::axis(axis), quern::derivative_order{2});
        quern::spectral_derivative(e, z, x, quern::axis(axis), quern::derivative_order{2});
        expect_near(test::contents(z), test::contents(y));
      }
      using enum quern::poisson_side;
      for (const auto& sides :
           {std::array{periodic, periodic}, {dirichlet, periodic}, {periodic, neumann}, {neumann, dirichlet}})
        quern::poisson(e, y, x, quern::poisson_sides{sides[0], sides[1]});
      const auto power = this->template make<R>({n});
      const auto modes = this->template make<std::int64_t>({n});
      quern::power_spectrum(e, quern::outputs(power, modes), x);
      quern::fftshift(e, y, x);
      quern::ifftshift(e, z, w);
      const auto line = this->template make<R>({n}), half = this->template make<R>({n / 2 + 1});
      quern::fftfreq(e, line);
      quern::rfftfreq(e, half, n);
    }
}

// Rows of complex<float> an odd distance apart, from columns: FFTW stores two numbers at once, where 16 bytes align.
TYPED_TEST(FftMemory, RowsAnOddDistanceApart) {
  using C = typename TestFixture::C;
  using memory = typename TestFixture::exec::memory_space;
  for (const std::int64_t n : {2, 4, 6, 8, 10, 12, 14, 16, 20, 32, 64, 128, 256})
    for (const std::int64_t batches : {2, 4, 6, 8, 16})
      for (const std::int64_t first : {0, 1}) {
        SCOPED_TRACE(std::to_string(batches) + " of " + std::to_string(n));
        const auto values = test::samples<C>(n * batches);
        const auto in = test::make_array<C, 2, Kokkos::LayoutRight, typename TestFixture::exec>({n, batches}, values);
        const Kokkos::View<C**, Kokkos::LayoutLeft, memory> whole("whole", n + 1, batches);
        const auto out = Kokkos::subview(whole, Kokkos::pair(first, first + n), Kokkos::ALL);
        std::vector<C> turned(values.size());  // columns as rows
        for (std::size_t i = 0; i < values.size(); ++i) turned[i % batches * n + i / batches] = values[i];
        for (const int sign : {-1, 1}) {
          sign < 0 ? quern::fft(this->e, out, in, quern::axis(0))
                   : quern::ifft(this->e, out, in, quern::axis(0), fft_norm::forward);
          const auto found = test::contents(out);
          std::vector<C> rows(found.size());
          for (std::size_t i = 0; i < found.size(); ++i) rows[i % batches * n + i / batches] = found[i];
          expect_near(rows_by_definition(turned, n, sign, n), rows);
        }
      }
}

// The same where a second axis is transformed.
TYPED_TEST(FftMemory, PlanesAnOddDistanceApart) {
  using C = typename TestFixture::C;
  using exec = typename TestFixture::exec;
  for (const std::int64_t n : {4, 16, 32}) {
    const auto values = test::samples<C>(n * 8);
    const auto in = test::make_array<C, 2, Kokkos::LayoutRight, exec>({n, 8}, values);
    const Kokkos::View<C**, Kokkos::LayoutLeft, typename exec::memory_space> whole("whole", n + 1, 8);
    const auto out = Kokkos::subview(whole, Kokkos::pair(std::int64_t{0}, n), Kokkos::ALL);
    const auto back = test::make_array<C, 2, Kokkos::LayoutRight, exec>({n, 8});
    quern::fft2(this->e, out, in, quern::fft_rigor::measure);
    quern::ifft2(this->e, back, out);
    expect_near(values, test::contents(back));
    EXPECT_NEAR(test::norm_2(values) * std::sqrt(8.0 * n), test::norm_2(test::contents(out)),
                50 * test::eps<C>() * test::norm_2(values) * std::sqrt(8.0 * n));
  }
}

/// A View of real numbers whose rows begin where those of complex ones do.
template <class C>
auto real_rows(const C& complexes, std::int64_t n) {
  using R = typename C::non_const_value_type::value_type;
  constexpr int rank = static_cast<int>(C::rank());
  Kokkos::LayoutStride layout;
  for (int d = 0; d < rank; ++d) {
    layout.dimension[d] = d == rank - 1 ? n : complexes.extent(d);
    layout.stride[d] = d == rank - 1 ? 1 : 2 * complexes.stride(d);
  }
  return Kokkos::View<typename test::data_type<R, rank>::type, Kokkos::LayoutStride, typename C::memory_space,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(reinterpret_cast<R*>(complexes.data()), layout);
}

template <class Exec>
struct FftInPlace : testing::Test {
  Exec e;

  template <class R, std::size_t Rank>
  void real_transforms(const std::array<std::int64_t, Rank>& extents, test::gaps kind) {
    using C = Kokkos::complex<R>;
    constexpr int rank = static_cast<int>(Rank);
    const test::with_gaps guard(kind);
    std::array<std::int64_t, Rank> halved = extents;
    std::int64_t size = 1;
    for (const auto n : extents) size *= n;
    const std::int64_t n = extents.back();
    halved.back() = n / 2 + 1;
    const auto values = test::samples<R>(size);
    const auto apart = test::make_array<R, rank, Kokkos::LayoutRight, Exec>(extents, values);
    const auto expected = test::make_array<C, rank, Kokkos::LayoutRight, Exec>(halved);
    const auto spectrum = test::make_array<C, rank, Kokkos::LayoutRight, Exec>(halved);
    const auto signal = real_rows(spectrum, n);
    const auto transformed = [&](const auto& there, const auto& back) {
      quern::copy(e, signal, apart);
      there(expected, apart);
      there(spectrum, signal);
      expect_near(test::contents(expected), test::contents(spectrum));
      back(signal, spectrum);
      expect_near(values, test::contents(signal));
    };
    transformed([&](const auto& out, const auto& in) { quern::rfftn(e, out, in); },
                [&](const auto& out, const auto& in) { quern::irfftn(e, out, in); });
    transformed([&](const auto& out, const auto& in) { quern::rfft(e, out, in); },
                [&](const auto& out, const auto& in) { quern::irfft(e, out, in); });
    transformed([&](const auto& out, const auto& in) { quern::ihfft(e, out, in); },
                [&](const auto& out, const auto& in) { quern::hfft(e, out, in); });
  }
};
TYPED_TEST_SUITE(FftInPlace, test::all_spaces);

TYPED_TEST(FftInPlace, RealTransforms) {
  for (const test::gaps kind : {test::gaps::none, test::gaps::one, test::gaps::columns, test::gaps::halved})
    for (const std::int64_t n : {1, 2, 5, 6, 9, 16}) {
      SCOPED_TRACE("gaps " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(n));
      this->template real_transforms<double, 1>({n}, kind);
      this->template real_transforms<double, 2>({3, n}, kind);
      this->template real_transforms<double, 2>({1, n}, kind);
      this->template real_transforms<float, 2>({4, n}, kind);
      this->template real_transforms<double, 3>({3, 4, n}, kind);
    }
  this->template real_transforms<double, 4>({2, 3, 4, 5}, test::gaps::none);
}

// A single row, whose View may have any stride along the other axis.
TYPED_TEST(FftInPlace, OneRow) {
  using C = Kokkos::complex<double>;
  const auto values = test::samples<double>(5);
  const Kokkos::View<C**, Kokkos::LayoutRight, typename TypeParam::memory_space> spectrum("spectrum", 1, 3);
  const Kokkos::View<double**, Kokkos::LayoutRight, typename TypeParam::memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      signal(reinterpret_cast<double*>(spectrum.data()), 1, 5);
  quern::copy(this->e, signal, test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 5}, values));
  quern::rfft(this->e, spectrum, signal);
  expect_near(rows_by_definition(values, 5, -1, 3), test::contents(spectrum));
  quern::irfft(this->e, signal, spectrum);
  expect_near(values, test::contents(signal));
}

TYPED_TEST(FftInPlace, WhatIsBuiltOnTransforms) {
  const auto values = test::samples<double>(6 * 8);
  const auto make = [&] { return test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({6, 8}, values); };
  const auto same = [&](const auto& call) {
    const auto x = make(), y = make(), there = make();
    call(y, x);
    call(there, there);
    expect_near(test::contents(y), test::contents(there));  // arrays with other gaps may have other plans
  };
  const auto window = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 3}, test::samples<double>(6, 1));
  for (const int axis : {0, 1})
    same([&](const auto& out, const auto& in) { quern::spectral_derivative(this->e, out, in, quern::axis(axis)); });
  same([&](const auto& out, const auto& in) {
    quern::fftconvolve(this->e, out, in, window, quern::convolve_mode::same);
  });
  same([&](const auto& out, const auto& in) {
    quern::fftcorrelate(this->e, out, in, window, quern::convolve_mode::same);
  });
  same([&](const auto& out, const auto& in) { quern::poisson(this->e, out, in); });
  same([&](const auto& out, const auto& in) { quern::dst(this->e, out, in); });
}

template <class Exec>
struct FftInputs : testing::Test {
  Exec e;

  /// Every transform of numbers of type T gives what that of the same numbers in double gives.
  template <class T>
  void converted() {
    using C = Kokkos::complex<double>;
    using V = std::conditional_t<quern::impl::is_complex<T>, C, double>;
    const auto values = test::samples<T>(3 * 6);
    std::vector<V> same;
    for (const T& v : values) same.push_back(static_cast<V>(v));
    const auto in = array<T>({3, 6}, values);
    const auto as_double = array<V>({3, 6}, same);
    const auto compare = [&]<class O>(O, std::int64_t m, const auto& call) {
      const auto found = array<O>({3, m}, std::vector<O>(3 * m, O(-7))),
                 expected = array<O>({3, m}, std::vector<O>(3 * m, O(-7)));
      call(expected, as_double);
      call(found, in);
      expect_near(test::contents(expected), test::contents(found));  // arrays with other gaps may have other plans
    };
    compare(C(), 6, [&](const auto& out, const auto& x) { quern::fft(e, out, x); });
    compare(C(), 6, [&](const auto& out, const auto& x) { quern::ifft(e, out, x); });
    compare(double(), 10, [&](const auto& out, const auto& x) { quern::irfft(e, out, x); });
    compare(double(), 11, [&](const auto& out, const auto& x) { quern::hfft(e, out, x); });
    compare(C(), 6, [&](const auto& out, const auto& x) { quern::fft2(e, out, x); });
    compare(C(), 6, [&](const auto& out, const auto& x) { quern::ifft2(e, out, x); });
    compare(double(), 10, [&](const auto& out, const auto& x) { quern::irfft2(e, out, x); });
    compare(C(), 6, [&](const auto& out, const auto& x) { quern::spectral_derivative(e, out, x); });
    compare(C(), 6,
            [&](const auto& out, const auto& x) { quern::fftconvolve(e, out, x, x, quern::convolve_mode::same); });
    if constexpr (!quern::impl::is_complex<T>) {
      compare(C(), 4, [&](const auto& out, const auto& x) { quern::rfft(e, out, x); });
      compare(C(), 4, [&](const auto& out, const auto& x) { quern::ihfft(e, out, x); });
      compare(C(), 4, [&](const auto& out, const auto& x) { quern::rfft2(e, out, x); });
      compare(double(), 6, [&](const auto& out, const auto& x) { quern::dct(e, out, x); });
      compare(double(), 6, [&](const auto& out, const auto& x) { quern::idst(e, out, x); });
      compare(double(), 6, [&](const auto& out, const auto& x) { quern::spectral_derivative(e, out, x); });
      compare(double(), 6, [&](const auto& out, const auto& x) { quern::poisson(e, out, x); });
      compare(double(), 6,
              [&](const auto& out, const auto& x) { quern::fftcorrelate(e, out, x, x, quern::convolve_mode::same); });
    }
  }
  template <class T>
  static auto array(const std::array<std::int64_t, 2>& extents, const std::vector<T>& values) {
    return test::make_array<T, 2, Kokkos::LayoutRight, Exec>(extents, values);
  }
};
TYPED_TEST_SUITE(FftInputs, test::all_spaces);

TYPED_TEST(FftInputs, OfIntegersAndOtherPrecision) {
  this->template converted<std::int8_t>();
  this->template converted<std::uint16_t>();
  this->template converted<int>();
  this->template converted<std::int64_t>();
  this->template converted<float>();
  this->template converted<Kokkos::complex<float>>();
}

// From an independent place: hfft of real numbers is twice their cosine series.
TYPED_TEST(FftInputs, HermitianTransformOfIntegers) {
  const std::vector<int> values{3, -1, 4, 2};
  const auto x = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({4}, values);
  const auto out = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({6});
  quern::hfft(this->e, out, x);
  std::vector<double> expected;
  for (int k = 0; k < 6; ++k)
    expected.push_back(3 + (k % 2 == 0 ? 2 : -2) +
                       2 * (-1 * std::cos(k * std::numbers::pi / 3) + 4 * std::cos(2 * k * std::numbers::pi / 3)));
  expect_near(expected, test::contents(out));
}

}  // namespace
