// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/top_k.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_FIRST_POSITIONS)
QUERN_DEVICES_HERE(QUERN_FIRST_ON_LANES)
}  // namespace quern::impl
