// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vector_columns.hpp"

#include <quern/reduce/vector_columns.hpp>

namespace quern::impl {
namespace {

template <class T>
const vector_columns<T>* choose_columns() {
#ifdef QUERN_VECTOR_COLUMNS
  if (__builtin_cpu_supports("avx512f") && columns_by_avx512<T>() != nullptr) return columns_by_avx512<T>();
  if (__builtin_cpu_supports("avx2")) return columns_by_avx2<T>();
#endif
  return nullptr;
}

template <class T, class S>
const vector_sums<T, S>* choose_sums() {
#ifdef QUERN_VECTOR_COLUMNS
  if (__builtin_cpu_supports("avx512f") && sums_by_avx512<T, S>() != nullptr) return sums_by_avx512<T, S>();
  if (__builtin_cpu_supports("avx2")) return sums_by_avx2<T, S>();
#endif
  return nullptr;
}

}  // namespace

#define QUERN_COLUMNS_HERE(T)                              \
  template <>                                              \
  const vector_columns<T>* vector_columns_here<T>() {      \
    static const auto* const chosen = choose_columns<T>(); \
    return chosen;                                         \
  }
QUERN_COLUMNS_HERE(float)
QUERN_COLUMNS_HERE(double)
#undef QUERN_COLUMNS_HERE
#define QUERN_SUMS_HERE(T, S)                              \
  template <>                                              \
  const vector_sums<T, S>* vector_sums_here<T, S>() {      \
    static const auto* const chosen = choose_sums<T, S>(); \
    return chosen;                                         \
  }
QUERN_IMPL_VECTOR_SUMS(QUERN_SUMS_HERE)
#undef QUERN_SUMS_HERE

}  // namespace quern::impl
