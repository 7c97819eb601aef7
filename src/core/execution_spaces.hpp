// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_CORE_EXECUTION_SPACES_HPP
#define QUERN_SRC_CORE_EXECUTION_SPACES_HPP

#include <Kokkos_Core.hpp>

// QUERN_ON_HOSTS(WHAT) is WHAT(Space) for every host execution space that Kokkos was built with.
#ifdef KOKKOS_ENABLE_SERIAL
#define QUERN_ON_SERIAL(WHAT) WHAT(Kokkos::Serial)
#else
#define QUERN_ON_SERIAL(WHAT)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define QUERN_ON_OPENMP(WHAT) WHAT(Kokkos::OpenMP)
#else
#define QUERN_ON_OPENMP(WHAT)
#endif
#define QUERN_ON_HOSTS(WHAT) QUERN_ON_SERIAL(WHAT) QUERN_ON_OPENMP(WHAT)

// QUERN_ON_DEVICES(WHAT) does so for devices, of which Kokkos has one at most.
#if defined(KOKKOS_ENABLE_CUDA)
#define QUERN_ON_DEVICES(WHAT) WHAT(Kokkos::Cuda)
#elif defined(KOKKOS_ENABLE_HIP)
#define QUERN_ON_DEVICES(WHAT) WHAT(Kokkos::HIP)
#else
#define QUERN_ON_DEVICES(WHAT)
#endif

// And for all.
#define QUERN_ON_ALL(WHAT) QUERN_ON_HOSTS(WHAT) QUERN_ON_DEVICES(WHAT)

#endif
