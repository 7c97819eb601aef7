#include <Kokkos_Core.hpp>
#include <quern/linalg.hpp>

int main() {}
