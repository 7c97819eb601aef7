// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_ELEMENTARY_LIST_HPP
#define QUERN_SRC_MAP_ELEMENTARY_LIST_HPP

// Whether there are vector forms: nvcc and hipcc, which would not call them, compile the scalar functions alone.
#if defined(__GNUC__) && defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__CUDACC__) && \
    !defined(__HIPCC__)
#define QUERN_VECTOR_FORMS
#endif

/// The functions of one argument and of two that quern/map/elementary.hpp declares, by their names in C.
// clang-format off
#define QUERN_ELEMENTARY(ONE, TWO)                                                                                    \
  ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log1p) ONE(sin) ONE(cos) ONE(tan) ONE(sinh) ONE(cosh) ONE(tanh) \
  ONE(asin) ONE(acos) ONE(atan) ONE(erf) ONE(cbrt) TWO(pow) TWO(atan2)
// clang-format on

#endif
