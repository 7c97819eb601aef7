// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/lane_inverse.hpp>

namespace quern::impl {
QUERN_DEVICE_MATRICES_HERE(QUERN_INVERT_BY_LANES)
}  // namespace quern::impl
