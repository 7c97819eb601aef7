// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vendor_sort.hpp"

QUERN_INSTANTIATE_SORT_WITH(std::uint32_t, std::uint64_t)
QUERN_INSTANTIATE_SORT_WITH(std::uint64_t, std::uint64_t)
