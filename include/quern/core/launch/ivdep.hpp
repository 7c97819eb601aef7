// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_IVDEP_HPP
#define QUERN_CORE_LAUNCH_IVDEP_HPP

/// QUERN_IMPL_IVDEP before a loop tells g++ that no iteration depends on another through memory. Other compilers do not
/// know the pragma and warn of it; clang's own would also warn wherever it then makes no vector instructions.
#if defined(__GNUC__) && !defined(__clang__)
#define QUERN_IMPL_IVDEP _Pragma("GCC ivdep")
#else
#define QUERN_IMPL_IVDEP
#endif

/// QUERN_IMPL_KEEP_LOOP before a loop of a few rounds over long vectors keeps g++ from writing all rounds out, after
/// which it orders their loads as no prefetcher expects them. Device code writes all out and is left alone.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define QUERN_IMPL_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define QUERN_IMPL_KEEP_LOOP
#endif

/// QUERN_IMPL_UNROLL_LOOP before a loop of a few rounds whose values are to stay in registers has g++ write all rounds
/// out below -O3, too.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define QUERN_IMPL_UNROLL_LOOP _Pragma("GCC unroll 8")
#else
#define QUERN_IMPL_UNROLL_LOOP
#endif

#include <cstdint>

namespace quern::impl {

/// f(k) for k from first to before end, in any order: none depends on another through memory. At -O2 g++ makes vector
/// instructions only of loops whose known length leaves no remainder.
template <class F>
inline std::int64_t independent_loop(std::int64_t first, std::int64_t end, const F& f) {
  constexpr int known_length = 32;  // four vectors of doubles at least
  std::int64_t k = first;
  for (; k + known_length <= end; k += known_length) {
    QUERN_IMPL_IVDEP
    for (int i = 0; i < known_length; ++i) f(k + i);
  }
  QUERN_IMPL_IVDEP
  for (; k < end; ++k) f(k);
  return k;
}

}  // namespace quern::impl

#endif
