// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vendor_sort.hpp"

QUERN_INSTANTIATE_SORT(float)
QUERN_INSTANTIATE_SORT(double)
