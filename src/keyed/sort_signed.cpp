// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vendor_sort.hpp"

QUERN_INSTANTIATE_SORT(std::int8_t)
QUERN_INSTANTIATE_SORT(std::int16_t)
QUERN_INSTANTIATE_SORT(std::int32_t)
QUERN_INSTANTIATE_SORT(std::int64_t)
