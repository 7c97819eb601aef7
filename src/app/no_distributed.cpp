// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds without MPI.
#include "distributed.hpp"
#include "launcher.hpp"

namespace app {

bool runs_on_ranks(const run_options& o) { return launched_ranks() > 1 || contains(o.given, option::scaling); }
void list_distributed() {}
int run_distributed(const run_options&) {
  throw usage_error(
      "this program was built without MPI and runs in one process: build it with QUERN_ENABLE_DISTRIBUTED=ON");
}

}  // namespace app
