// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/scan/segmented_launch.hpp>

namespace quern::impl {
QUERN_COMPILED_HERE(QUERN_SEGMENTED_SUM)
}  // namespace quern::impl
