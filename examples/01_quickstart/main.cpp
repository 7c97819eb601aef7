// Elementwise work with broadcasting, and statistics in one pass.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/quern.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc > 1) return std::puts("quickstart takes options of Kokkos alone, and shows them with --kokkos-help"), 2;
  Kokkos::View<float**> x("x", 1000, 2000), z("z", 1000, 2000);
  Kokkos::View<float*> row("row", 2000);
  quern::fill(x, 2.0f);
  quern::fill(row, 0.5f);
  quern::map(z, KOKKOS_LAMBDA(float a, float b) { return a * a + b; }, x, row);  // NumPy's broadcasting
  auto [mean, var] = quern::mean_var(z);                                         // one pass
  std::printf("mean %g, variance %g\n", mean, var);                              // 4.5 and 0
}
