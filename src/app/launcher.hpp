// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_LAUNCHER_HPP
#define QUERN_APP_LAUNCHER_HPP

namespace app {

/// Whether a launcher of MPI (mpirun, srun) has started this process, alone or among others, as its environment says.
bool launched();
/// How many processes it has started: 1 without one.
int launched_ranks();
/// The number of this one, from 0. One rank prints.
int launched_rank();

}  // namespace app

#endif
