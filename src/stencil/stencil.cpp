// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/stencil/stencil.hpp>

namespace quern::impl {

void check_cells(const std::string& label, const shape& in, const shape& out) {
  if (in != out) reject_extents(label, "in", in, "those of out, " + out.str());
}

}  // namespace quern::impl
