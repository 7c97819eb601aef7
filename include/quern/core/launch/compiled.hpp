// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_COMPILED_HPP
#define QUERN_CORE_LAUNCH_COMPILED_HPP

/// @file
/// What depends on a value type and on no functor of the user is compiled once, in the library: a header says `extern
/// template` of it for the execution spaces and types below, and the source of its name instantiates it. Other types
/// are instantiated in the programs that use them.
///
/// | header | compiled | for |
/// | --- | --- | --- |
/// | core/launch/launch_units.hpp | the launch of a host's kernel, without its type | |
/// | reduce/select.hpp | `quantile`, `median` | float, double, int32, int64 |
/// | reduce/launch.hpp | `sum`, `min`, `max`, `argmin`, `argmax` of Views | the same, on devices |
/// | scan/scan.hpp | `cumsum` | the same |
/// | scan/segmented_launch.hpp | sums of segments, and so of groups | the same |
/// | keyed/sort.hpp | `sort`, `argsort` in either direction | the same |
/// | keyed/lane_rows.hpp | `sort` of short rows, on devices | the same |
/// | keyed/top_k.hpp | positions for `top_k` and `partial_sort` | the same |
/// | keyed/lane_top_k.hpp | `top_k` of short rows, on devices | the same |
/// | keyed/group_by.hpp | `group_by` of one column | the same |
/// | keyed/group_reductions.hpp | `sum` of groups to their own type | the same |
/// | keyed/groups.hpp | the numbers of the rows' groups | |
/// | linalg/dense_orthogonal.hpp | `qr`, `svd`, `eigh` of single matrices | float, double, their complex numbers |
/// | linalg/lane_solve.hpp | `solve` of batches with 9 to 32 rows, on devices | the same |
/// | linalg/lane_factors.hpp | `cholesky` and `qr` of up to 32 rows, on devices | the same |
/// | linalg/lane_inverse.hpp | `inv` of up to 32 rows, on devices | the same |
/// | linalg/dense_kernels.hpp | what these and others share | the same |
/// | linalg/least_squares.hpp | `lstsq` | the same |
/// | fft/run.hpp | transforms | the same |
/// | stencil/filters.hpp | filters of separable weights, on devices | float, double |
///
/// Not so for other types: each adds as much again as one of the four to the library that all build, for the few
/// programs whose calls are of uint32 or uint64. Nor for joins, groups of several columns and `unique`: they depend on
/// the types of two arrays or more. Most reductions stay in the programs on hosts, where loops are small and gain from
/// the vector instructions that the program is compiled for; those of short rows and of columns call functions of the
/// library for a type (reduce/vector_rows.hpp, reduce/vector_columns.hpp), as radix sorts and elementary functions are.
///
/// What both the library and a program instantiate launches functors, not lambdas: nvcc keeps the functions that copy
/// and call an extended lambda for each translation unit, but merges the templates that it is handed to, so that one of
/// them may call a lambda that its own translation unit has never made.

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>

// QUERN_ON_HOSTS(WHAT, more...) is WHAT(Space, more...) for every host execution space that Kokkos was built with.
#ifdef KOKKOS_ENABLE_SERIAL
#define QUERN_ON_SERIAL(WHAT, ...) WHAT(Kokkos::Serial __VA_OPT__(, ) __VA_ARGS__)
#else
#define QUERN_ON_SERIAL(WHAT, ...)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define QUERN_ON_OPENMP(WHAT, ...) WHAT(Kokkos::OpenMP __VA_OPT__(, ) __VA_ARGS__)
#else
#define QUERN_ON_OPENMP(WHAT, ...)
#endif
#define QUERN_ON_HOSTS(...) QUERN_ON_SERIAL(__VA_ARGS__) QUERN_ON_OPENMP(__VA_ARGS__)

// QUERN_ON_DEVICES does so for devices, of which Kokkos has one at most.
#if defined(KOKKOS_ENABLE_CUDA)
#define QUERN_ON_DEVICES(WHAT, ...) WHAT(Kokkos::Cuda __VA_OPT__(, ) __VA_ARGS__)
#elif defined(KOKKOS_ENABLE_HIP)
#define QUERN_ON_DEVICES(WHAT, ...) WHAT(Kokkos::HIP __VA_OPT__(, ) __VA_ARGS__)
#else
#define QUERN_ON_DEVICES(WHAT, ...)
#endif

// And for all.
#define QUERN_ON_ALL(...) QUERN_ON_HOSTS(__VA_ARGS__) QUERN_ON_DEVICES(__VA_ARGS__)

// QUERN_COMPILED_ELSEWHERE(WHAT), in a header, is WHAT(extern, Space, T) for all execution spaces and the types of most
// data (see above); QUERN_COMPILED_HERE(WHAT), in the source, is WHAT(, Space, T). The other pair does so for devices
// alone.
#define QUERN_OF_NUMBERS(Space, HOW, WHAT) \
  WHAT(HOW, Space, float)                  \
  WHAT(HOW, Space, double)                 \
  WHAT(HOW, Space, std::int32_t)           \
  WHAT(HOW, Space, std::int64_t)
#define QUERN_COMPILED_ELSEWHERE(WHAT) QUERN_ON_ALL(QUERN_OF_NUMBERS, extern, WHAT)
#define QUERN_COMPILED_HERE(WHAT) QUERN_ON_ALL(QUERN_OF_NUMBERS, , WHAT)
#define QUERN_DEVICES_ELSEWHERE(WHAT) QUERN_ON_DEVICES(QUERN_OF_NUMBERS, extern, WHAT)
#define QUERN_DEVICES_HERE(WHAT) QUERN_ON_DEVICES(QUERN_OF_NUMBERS, , WHAT)

// The same for the types of matrices that a LAPACK takes.
#define QUERN_OF_MATRICES(Space, HOW, WHAT) \
  WHAT(HOW, Space, float)                   \
  WHAT(HOW, Space, double)                  \
  WHAT(HOW, Space, Kokkos::complex<float>)  \
  WHAT(HOW, Space, Kokkos::complex<double>)
#define QUERN_MATRICES_ELSEWHERE(WHAT) QUERN_ON_ALL(QUERN_OF_MATRICES, extern, WHAT)
#define QUERN_MATRICES_HERE(WHAT) QUERN_ON_ALL(QUERN_OF_MATRICES, , WHAT)
#define QUERN_DEVICE_MATRICES_ELSEWHERE(WHAT) QUERN_ON_DEVICES(QUERN_OF_MATRICES, extern, WHAT)
#define QUERN_DEVICE_MATRICES_HERE(WHAT) QUERN_ON_DEVICES(QUERN_OF_MATRICES, , WHAT)

#endif
