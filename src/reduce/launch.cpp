// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce/launch.hpp>

namespace quern::impl {
QUERN_DEVICES_HERE(QUERN_REDUCTIONS)
}  // namespace quern::impl
