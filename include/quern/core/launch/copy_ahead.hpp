// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_COPY_AHEAD_HPP
#define QUERN_CORE_LAUNCH_COPY_AHEAD_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace quern::impl {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define QUERN_IMPL_ASYNC_COPIES
#endif

/// Copies of a thread, each of 16 bytes from global to shared memory, while it computes something else. They need no
/// registers where a device copies by itself; elsewhere what is loaded waits in those. `load` begins copy k, `store` of
/// the same arguments ends it, and after `wait` all are there, for other threads behind a barrier.
template <class Pack, int Count>
struct copies_ahead {
  static_assert(sizeof(Pack) == 16 && std::is_trivially_copyable_v<Pack>);
#ifdef QUERN_IMPL_ASYNC_COPIES
  KOKKOS_FORCEINLINE_FUNCTION void load(int, Pack* to, const Pack* from) {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(int, Pack*) const {}
  KOKKOS_FORCEINLINE_FUNCTION void wait() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
  Pack held[Count];
  KOKKOS_FORCEINLINE_FUNCTION void load(int k, Pack*, const Pack* from) { held[k] = *from; }
  KOKKOS_FORCEINLINE_FUNCTION void store(int k, Pack* to) const { *to = held[k]; }
  KOKKOS_FORCEINLINE_FUNCTION void wait() const {}
#endif
};

#undef QUERN_IMPL_ASYNC_COPIES

}  // namespace quern::impl

#endif
