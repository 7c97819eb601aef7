#include <Kokkos_Core.hpp>
#include <quern/files.hpp>

int main() {}
