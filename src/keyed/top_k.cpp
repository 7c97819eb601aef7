// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/top_k.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_FIRST_POSITIONS)
}  // namespace quern::impl
