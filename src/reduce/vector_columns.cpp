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

}  // namespace quern::impl
