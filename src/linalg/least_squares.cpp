// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/least_squares.hpp>

namespace quern::impl {
QUERN_MATRICES_HERE(QUERN_LEAST_SQUARES)
}  // namespace quern::impl
