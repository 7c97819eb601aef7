// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds without MPI.
#include "distributed.hpp"
#include "workload.hpp"

namespace app {

bool one_of_several() { return false; }
bool are_distributed(const std::vector<std::string>&) { return false; }
void list_distributed() {}
int run_distributed(const distributed_options&) { throw usage_error("this program was built without MPI"); }

}  // namespace app
