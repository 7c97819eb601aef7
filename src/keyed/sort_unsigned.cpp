// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vendor_sort.hpp"

QUERN_INSTANTIATE_SORT(std::uint8_t)
QUERN_INSTANTIATE_SORT(std::uint16_t)
QUERN_INSTANTIATE_SORT(std::uint32_t)
QUERN_INSTANTIATE_SORT(std::uint64_t)
