// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/per_axis.hpp>

namespace quern::impl {

void reject_parameters(const std::string& operation, std::size_t found, int rank) {
  throw Error(operation, std::to_string(found) + " parameters for " + std::to_string(rank) + " axes");
}

}  // namespace quern::impl
