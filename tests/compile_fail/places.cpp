// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that must not compile, where no engine is included; as in messages.cpp.

#include <Kokkos_Core.hpp>
#include <quern/chunked/source.hpp>
#include <quern/fft/fft.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil/inputs.hpp>

/// What a DistributedView is to the headers of operations.
struct blocks {
  using place = quern::impl::over_ranks_place;
  using value_type = double;
  using execution_space = Kokkos::DefaultExecutionSpace;
  static constexpr int rank = 1;
  quern::shape extents() const { return {3}; }
};

struct identity {
  double operator()(double x) const { return x; }
};

void without_engines() {
  const Kokkos::DefaultExecutionSpace exec;
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<Kokkos::complex<double>**> z2("z2", 3, 3);
  const blocks u;
  const auto z = quern::lazy(identity(), quern::in_chunks(x));
  quern::sum(exec, quern::in_chunks(x));             // an operand comes in chunks: include <quern/chunked.hpp>
  quern::map(x, identity(), z);                      // an operand comes in chunks: include <quern/chunked.hpp>
  quern::cumsum(exec, x, quern::in_chunks(x));       // an operand comes in chunks: include <quern/chunked.hpp>
  quern::max(u);                                     // an operand is a DistributedView: include <quern/distributed.hpp>
  quern::add(u, x, 2.0);                             // an operand is a DistributedView: include <quern/distributed.hpp>
  quern::sort(exec, u);                              // an operand is a DistributedView: include <quern/distributed.hpp>
  quern::random::uniform(u, quern::random::key(1));  // an operand is a DistributedView: include <quern/distributed.hpp>
  quern::fftn(exec, quern::in_chunks(z2), z2);       // an operand comes in chunks: include <quern/chunked.hpp>
  quern::dot(exec, u, quern::in_chunks(x));          // what comes in chunks and a DistributedView do not combine

  quern::with_boundary(quern::in_chunks(x), quern::boundary::wrap);  // boundaries of its own is in memory
  quern::with_ghosts(u, quern::depth{1});                            // that stores ghosts is in memory
  quern::with_ghosts(quern::lazy(identity(), x), quern::depth{1});   // a lazy or re-indexed array stores none
}
