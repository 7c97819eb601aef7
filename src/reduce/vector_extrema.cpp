// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce/vector_extrema.hpp>

#include "vector_extrema.hpp"

namespace quern::impl {
namespace {

template <class T>
const vector_extrema<T>* choose() {
#ifdef QUERN_VECTOR_EXTREMA
  if (__builtin_cpu_supports("avx512f") && extrema_by_avx512<T>() != nullptr) return extrema_by_avx512<T>();
  if (__builtin_cpu_supports("avx2")) return extrema_by_avx2<T>();
#endif
  return nullptr;
}

}  // namespace

#define QUERN_HERE(T)                                 \
  template <>                                         \
  const vector_extrema<T>* vector_extrema_here<T>() { \
    static const auto* const chosen = choose<T>();    \
    return chosen;                                    \
  }
QUERN_HERE(float)
QUERN_HERE(double)
QUERN_HERE(std::int32_t)
QUERN_HERE(std::int64_t)
QUERN_HERE(std::uint32_t)
QUERN_HERE(std::uint64_t)

}  // namespace quern::impl
