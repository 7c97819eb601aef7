// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/group_by.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_GROUP_COLUMN)
QUERN_ON_ALL(QUERN_LABEL_ROWS)
QUERN_ON_ALL(QUERN_RECORD_COLUMNS)
}  // namespace quern::impl
