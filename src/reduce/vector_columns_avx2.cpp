// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and moments of columns by AVX2. CMake compiles this file with the flags of these instructions.
#include "vector_columns.hpp"

namespace quern::impl {
#if defined(QUERN_VECTOR_COLUMNS) && defined(__AVX2__)
QUERN_COLUMNS(columns_by_avx2, float)
QUERN_COLUMNS(columns_by_avx2, double)
#else
QUERN_NO_COLUMNS(columns_by_avx2, float)
QUERN_NO_COLUMNS(columns_by_avx2, double)
#endif
}  // namespace quern::impl
