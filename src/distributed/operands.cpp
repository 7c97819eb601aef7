// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/operands.hpp>

namespace quern::impl {

void check_same_blocks(const std::string& label, std::string_view name, const Decomposition& d,
                       const Decomposition& other) {
  check_extents(label, name, other.extents(), d.extents());
  if (!d.same_blocks(other))
    throw Error(label, std::string(name) + " is cut into other blocks, or for another communicator; redistribute it");
}

}  // namespace quern::impl
