// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_SUPPORT_RANKS_HPP
#define QUERN_BENCH_SUPPORT_RANKS_HPP

namespace bench {

/// The processes that run a benchmark together, while this object lives: one, or those of MPI.
class ranks {
 public:
  ranks(int& argc, char**& argv);
  ~ranks();
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;

  static int count();
  /// Whether this is the process that prints.
  static bool reports();
  /// The greatest of all processes' numbers: what takes part of them is as slow as the slowest, and no process begins
  /// before all have come here.
  static double most(double x);
};

}  // namespace bench

#endif
