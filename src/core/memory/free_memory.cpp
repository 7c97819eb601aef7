// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <fstream>
#include <quern/core/memory/free_memory.hpp>
#include <string>

namespace quern::impl {

template <>
std::size_t free_memory<Kokkos::HostSpace>() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes; file >> key >> kilobytes; std::getline(file, unit))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

#ifdef KOKKOS_ENABLE_CUDA
template <>
std::size_t free_memory<Kokkos::CudaSpace>() {
  std::size_t available = 0, total = 0;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
std::size_t free_memory<Kokkos::HIPSpace>() {
  std::size_t available = 0, total = 0;
  return hipMemGetInfo(&available, &total) == hipSuccess ? available : 0;
}
#endif

}  // namespace quern::impl
