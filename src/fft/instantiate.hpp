// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FFT_INSTANTIATE_HPP
#define QUERN_SRC_FFT_INSTANTIATE_HPP

#include <Kokkos_Core.hpp>
#include <quern/fft/transform.hpp>

// What each glue file instantiates for its execution spaces.
#define QUERN_FFT(E)                                                              \
  template bool available<E>();                                                   \
  template bool takes<E>(const transform&, const void*, const void*);             \
  template bool overwrites<E>(kind, int);                                         \
  template plan_key key_of(const E&, const transform&, const void*, const void*); \
  template std::shared_ptr<void> plan(const E&, const plan_key&);                 \
  template void execute(const E&, const std::shared_ptr<void>&, const transform&, void*, void*);

#ifdef KOKKOS_ENABLE_SERIAL
#define QUERN_FFT_ON_SERIAL QUERN_FFT(Kokkos::Serial)
#else
#define QUERN_FFT_ON_SERIAL
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define QUERN_FFT_ON_OPENMP QUERN_FFT(Kokkos::OpenMP)
#else
#define QUERN_FFT_ON_OPENMP
#endif
#define QUERN_FFT_ON_HOSTS QUERN_FFT_ON_SERIAL QUERN_FFT_ON_OPENMP

#if defined(KOKKOS_ENABLE_CUDA)
#define QUERN_FFT_ON_DEVICES QUERN_FFT(Kokkos::Cuda)
#elif defined(KOKKOS_ENABLE_HIP)
#define QUERN_FFT_ON_DEVICES QUERN_FFT(Kokkos::HIP)
#else
#define QUERN_FFT_ON_DEVICES
#endif

#endif
