# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds what each component stands on. Used by the build and, installed, by QuernConfig.cmake, so that both agree.
include(CMakeFindDependencyMacro)

macro(quern_find_core_dependencies)
  if(NOT TARGET Kokkos::kokkos)
    find_dependency(Kokkos 5.0 CONFIG)
  endif()
  find_dependency(Threads) # those that move memory beside what a device computes
endmacro()

# The vendors' libraries of linalg: BLAS and LAPACK on hosts, Kokkos Kernels and what it passes work on to on devices.
macro(quern_find_linalg_dependencies)
  find_dependency(LAPACK)
  if(Kokkos_ENABLE_CUDA)
    find_dependency(CUDAToolkit)
  elseif(Kokkos_ENABLE_HIP)
    find_dependency(rocblas CONFIG)
    find_dependency(rocsolver CONFIG)
  endif()
  if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
    quern_find_kokkos_kernels()
  endif()
endmacro()

# What file formats stand on, as far as it was asked for.
macro(quern_find_files_dependencies)
  if(QUERN_ENABLE_FILES)
    find_dependency(ZLIB)
  endif()
  if(QUERN_ENABLE_HDF5)
    # One process must not load two of its libraries: the parallel one serves all where there are distributed arrays.
    if(QUERN_ENABLE_DISTRIBUTED)
      set(HDF5_PREFER_PARALLEL ON)
      find_dependency(MPI COMPONENTS CXX)
    endif()
    find_dependency(HDF5 COMPONENTS C)
  endif()
endmacro()

# FFTW in both precisions, with the threads of hosts, and the vendor's transforms on devices.
macro(quern_find_fft_dependencies)
  find_path(QUERN_FFTW_INCLUDE_DIR fftw3.h HINTS ENV FFTW_ROOT PATH_SUFFIXES include REQUIRED)
  if(Kokkos_ENABLE_OPENMP)
    set(_threads omp)
  else()
    set(_threads threads)
  endif()
  set(QUERN_FFTW_LIBRARIES)
  foreach(_name IN ITEMS fftw3_${_threads} fftw3 fftw3f_${_threads} fftw3f)
    find_library(QUERN_${_name}_LIBRARY ${_name} HINTS ENV FFTW_ROOT PATH_SUFFIXES lib lib64 REQUIRED)
    list(APPEND QUERN_FFTW_LIBRARIES "${QUERN_${_name}_LIBRARY}")
  endforeach()
  if(Kokkos_ENABLE_CUDA)
    find_dependency(CUDAToolkit)
  elseif(Kokkos_ENABLE_HIP)
    find_dependency(hipfft CONFIG)
  endif()
endmacro()

# MPI, and a vendor's library for the memory of devices.
macro(quern_find_distributed_dependencies)
  find_dependency(MPI COMPONENTS CXX)
  if(QUERN_ENABLE_NCCL)
    find_dependency(CUDAToolkit)
    find_path(QUERN_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include REQUIRED)
    find_library(QUERN_NCCL_LIBRARY nccl HINTS ENV NCCL_ROOT ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64 REQUIRED)
  elseif(QUERN_ENABLE_RCCL)
    find_dependency(rccl CONFIG)
  endif()
endmacro()

macro(quern_find_kokkos_kernels)
  if(NOT TARGET Kokkos::kokkoskernels AND NOT TARGET KokkosKernels::all_libs)
    # Some distributions install no version file, so no version is asked for here; the two have one series anyway.
    find_dependency(KokkosKernels CONFIG)
  endif()
  if(TARGET Kokkos::kokkoskernels)
    set(QUERN_KOKKOSKERNELS_TARGET Kokkos::kokkoskernels)
  elseif(TARGET KokkosKernels::all_libs)
    set(QUERN_KOKKOSKERNELS_TARGET KokkosKernels::all_libs)
  endif()
endmacro()
