#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/linalg.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  Kokkos::View<double**> a("a", 3, 4), b("b", 4, 1), c("c", 3, 1), square("square", 1, 1), inverse("inverse", 1, 1);
  quern::fill(a, 1.0);
  quern::fill(b, 1.0);
  quern::matmul(c, a, b);
  quern::einsum<"ij,jk->ik">(c, a, b);
  std::printf("sum %g\n", quern::sum(c));
  try {
    quern::fill(square, 4.0);
    quern::inv(inverse, square);
    std::printf("inverse %g\n", quern::sum(inverse));
  } catch (const quern::Error& e) {
    std::printf("%s\n", e.what());
  }
}
