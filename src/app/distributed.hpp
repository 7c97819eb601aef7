// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_DISTRIBUTED_HPP
#define QUERN_APP_DISTRIBUTED_HPP

#include "run_options.hpp"

namespace app {

/// Whether a call runs over the ranks of MPI: several processes do, and what is asked for has ranks alone.
bool runs_on_ranks(const run_options& o);
void list_distributed();
/// Runs the workloads; rank 0 prints one table and writes the file.
int run_distributed(const run_options& o);

}  // namespace app

#endif
