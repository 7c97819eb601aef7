// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/sort.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_SORT)
QUERN_DEVICES_HERE(QUERN_SORT_ROWS_ON_LANES)
}  // namespace quern::impl
