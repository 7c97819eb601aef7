// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/chunked/reduce.hpp>
#include <quern/files/chunks.hpp>

double run(const char* path) {
  return quern::sum(quern::files::npy_source<double, 2>(path), quern::chunking{.memory = 1 << 30});
}
