// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_DISTRIBUTED_HPP
#define QUERN_APP_DISTRIBUTED_HPP

#include <string>
#include <vector>

namespace app {

struct distributed_options {
  std::vector<std::string> names;
  std::string size, json;
  int repeat = 0;
  bool strong = false;
};

/// Whether a launcher of MPI has started this process among others.
bool one_of_several();
/// Whether workloads of these names run over the ranks of MPI. Of several processes, all do.
bool are_distributed(const std::vector<std::string>& names);
void list_distributed();
/// Runs them; rank 0 prints one table and writes the file.
int run_distributed(const distributed_options& o);

}  // namespace app

#endif
