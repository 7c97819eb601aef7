#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/quern.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::View<double**> x("x", 3, 4);
  quern::fill(x, 1.0);
  std::printf("sum %g\n", quern::sum(x));
}
