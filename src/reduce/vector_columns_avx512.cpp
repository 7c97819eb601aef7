// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of rows and columns, and moments of columns, by AVX-512. CMake compiles this file with the flags of these
// instructions.
#include "vector_columns.hpp"

namespace quern::impl {
#define QUERN_SUMS_HERE(T, S) QUERN_SUMS(sums_by_avx512, T, S)
#define QUERN_NO_SUMS_HERE(T, S) QUERN_NO_SUMS(sums_by_avx512, T, S)
#if defined(QUERN_VECTOR_COLUMNS) && defined(__AVX512F__)
QUERN_COLUMNS(columns_by_avx512, float)
QUERN_COLUMNS(columns_by_avx512, double)
QUERN_IMPL_VECTOR_SUMS(QUERN_SUMS_HERE)
#else
QUERN_NO_COLUMNS(columns_by_avx512, float)
QUERN_NO_COLUMNS(columns_by_avx512, double)
QUERN_IMPL_VECTOR_SUMS(QUERN_NO_SUMS_HERE)
#endif
}  // namespace quern::impl
