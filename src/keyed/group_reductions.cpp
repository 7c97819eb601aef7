// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/group_reductions.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_GROUP_SUM)
}  // namespace quern::impl
