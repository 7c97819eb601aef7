#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/fft.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

// The component alone, in an ordinary function: there and back, or a sentence that says what is missing.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::View<double**> x("x", 3, 4);
  Kokkos::View<Kokkos::complex<double>**> y("y", 3, 3);
  quern::fill(x, 1.0);
  try {
    quern::rfft2(y, x);
    quern::irfft2(x, y);
    quern::fftshift(y, Kokkos::View<Kokkos::complex<double>**>("copy", 3, 3));
  } catch (const quern::BackendError& e) {
    std::printf("%s\n", e.what());
  }
  std::printf("sum %g\n", quern::sum(x));
}
