// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/dense_kernels.hpp>

namespace quern::impl {
QUERN_MATRICES_HERE(QUERN_DENSE_KERNELS)
}  // namespace quern::impl
