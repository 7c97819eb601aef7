// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vector_columns.hpp"

#include <quern/reduce/vector_columns.hpp>

namespace quern::impl {
namespace {

template <class T>
const vector_columns<T>* choose() {
#ifdef QUERN_VECTOR_COLUMNS
  if (__builtin_cpu_supports("avx512f") && columns_by_avx512<T>() != nullptr) return columns_by_avx512<T>();
  if (__builtin_cpu_supports("avx2")) return columns_by_avx2<T>();
#endif
  return nullptr;
}

}  // namespace

#define QUERN_HERE(T)                                 \
  template <>                                         \
  const vector_columns<T>* vector_columns_here<T>() { \
    static const auto* const chosen = choose<T>();    \
    return chosen;                                    \
  }
QUERN_HERE(float)
QUERN_HERE(double)

}  // namespace quern::impl
