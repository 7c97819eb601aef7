// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Of a Quern that was built without a library for transforms.
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <support/testing.hpp>

namespace {

template <class F>
void expect_unavailable(const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const quern::BackendError& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find("QUERN_ENABLE_FFT=OFF")) << e.what();
  }
}

TEST(FftWithoutLibrary, SaysWhatIsMissing) {
  const Kokkos::View<Kokkos::complex<double>*> x("x", 8), half("half", 5);
  const Kokkos::View<double*> r("r", 8);
  expect_unavailable([&] { quern::fft(x, x); });
  expect_unavailable([&] { quern::irfft(r, half); });
  expect_unavailable([&] { quern::hfft(r, half); });
  expect_unavailable([&] { quern::dct(r, r); });
  expect_unavailable([&] { quern::poisson(r, r); });
  expect_unavailable([&] { quern::spectral_derivative(r, r); });
}

}  // namespace
