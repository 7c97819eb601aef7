// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher.hpp"

#include <cstdlib>

namespace app {
namespace {

struct launcher {
  const char *ranks, *rank;
};
/// Of Open MPI, of MPICH and its relatives, and of Slurm.
constexpr launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

const launcher* found() {
  for (const launcher& l : launchers)
    if (std::getenv(l.ranks) != nullptr) return &l;
  return nullptr;
}

}  // namespace

bool launched() { return found() != nullptr; }
int launched_ranks() { return launched() ? number(found()->ranks, 1) : 1; }
int launched_rank() { return launched() ? number(found()->rank, 0) : 0; }

}  // namespace app
