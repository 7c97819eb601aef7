# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds what each component stands on. Used by the build and, installed, by QuernConfig.cmake, so that both agree. What is
# missing ends the build with an error that says who wants it and what to do; QuernConfig.cmake, which sets
# _quern_installed, hands the same sentence to find_package. All are macros, as packages are found for the caller.

# _quern_missing(WHAT WANTED_BY REMEDY [DETAIL...])
macro(_quern_missing what wanted_by remedy)
  set(_quern_message "${wanted_by} needs ${what}, which was not found. ${remedy}")
  foreach(_quern_detail ${ARGN})
    string(APPEND _quern_message "\n${_quern_detail}")
  endforeach()
  if(_quern_installed)
    set(Quern_FOUND FALSE)
    set(Quern_NOT_FOUND_MESSAGE "${_quern_message}")
    return() # from QuernConfig.cmake
  endif()
  message(FATAL_ERROR "${_quern_message}")
endmacro()

# _quern_find(PACKAGE WHAT WANTED_BY REMEDY [argument of find_package...])
macro(_quern_find package what wanted_by remedy)
  set(_quern_quiet)
  set(_quern_arguments ${ARGN})
  if(Quern_FIND_QUIETLY OR "CONFIG" IN_LIST _quern_arguments) # whose own warning would precede the error
    set(_quern_quiet QUIET)
  endif()
  find_package(${package} ${ARGN} ${_quern_quiet})
  if(NOT ${package}_FOUND)
    set(_quern_details)
    foreach(_quern_place _quern_version IN ZIP_LISTS ${package}_CONSIDERED_CONFIGS ${package}_CONSIDERED_VERSIONS)
      list(APPEND _quern_details "Not suitable: ${_quern_place}, version ${_quern_version}.")
    endforeach()
    if(${package}_NOT_FOUND_MESSAGE)
      list(APPEND _quern_details "${${package}_NOT_FOUND_MESSAGE}")
    endif()
    _quern_missing("${what}" "${wanted_by}" "${remedy}" ${_quern_details})
  endif()
endmacro()

# _quern_wanted_by(OPTION COMPONENT): sets _quern_user to who needs what is looked for, and _quern_else to the other way out.
macro(_quern_wanted_by option component)
  if(_quern_installed)
    set(_quern_user "The component '${component}' of this installation of Quern (built with ${option}=ON)")
    set(_quern_else "find_package(Quern COMPONENTS core) needs Kokkos alone.")
  else()
    set(_quern_user "${option}=ON")
    set(_quern_else "Without it: -D ${option}=OFF.")
  endif()
endmacro()

macro(quern_find_core_dependencies)
  if(NOT TARGET Kokkos::kokkos)
    _quern_find(
      Kokkos "Kokkos 5.0 or later" "Quern"
      "Install it (with Spack: kokkos@5.0:, with its back ends as variants) and set Kokkos_ROOT or CMAKE_PREFIX_PATH to its prefix."
      5.0 CONFIG
    )
  endif()
  # Those that move memory beside what a device computes.
  _quern_find(Threads "a library of threads" "Quern" "It belongs to the C library: look into CMake's log of its checks.")
  _quern_find_highway()
endmacro()

# Sets QUERN_HIGHWAY: whether hosts sort with Highway, which changes no result.
macro(_quern_find_highway)
  set(QUERN_HIGHWAY FALSE)
  if(QUERN_ENABLE_HIGHWAY STREQUAL "AUTO")
    find_package(hwy 1.1 CONFIG QUIET)
    set(QUERN_HIGHWAY ${hwy_FOUND})
  elseif(QUERN_ENABLE_HIGHWAY)
    _quern_wanted_by(QUERN_ENABLE_HIGHWAY core)
    _quern_find(
      hwy "Highway 1.1 or later" "${_quern_user}"
      "Install it (Debian: libhwy-dev; Spack: highway) and set hwy_ROOT or CMAKE_PREFIX_PATH. Without it: -D QUERN_ENABLE_HIGHWAY=OFF."
      1.1 CONFIG
    )
    set(QUERN_HIGHWAY TRUE)
  endif()
endmacro()

# The vendors' libraries of linalg: BLAS and LAPACK on hosts, Kokkos Kernels and what it passes work on to on devices.
macro(quern_find_linalg_dependencies)
  _quern_wanted_by(QUERN_ENABLE_LINALG linalg)
  _quern_find(
    LAPACK "a BLAS and LAPACK" "${_quern_user}"
    "Install one, such as OpenBLAS (Debian: libopenblas-dev; Spack: openblas), and add its prefix to CMAKE_PREFIX_PATH. ${_quern_else}"
  )
  if(Kokkos_ENABLE_CUDA)
    _quern_find_cuda("cuBLAS and cuSOLVER")
  elseif(Kokkos_ENABLE_HIP)
    foreach(_quern_library IN ITEMS rocblas rocsolver)
      _quern_find_rocm(${_quern_library})
    endforeach()
  endif()
  if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
    quern_find_kokkos_kernels("${_quern_user}" "${_quern_else}")
  endif()
endmacro()

macro(_quern_find_cuda for)
  _quern_find(
    CUDAToolkit "the CUDA toolkit (${for})" "${_quern_user}" "Set CUDAToolkit_ROOT to its folder. ${_quern_else}"
  )
endmacro()

macro(_quern_find_rocm library)
  _quern_find(
    ${library} "${library}" "${_quern_user}"
    "Install it with ROCm and add its prefix to CMAKE_PREFIX_PATH. ${_quern_else}" CONFIG
  )
endmacro()

# What file formats stand on, as far as it was asked for.
macro(quern_find_files_dependencies)
  if(QUERN_ENABLE_FILES)
    _quern_wanted_by(QUERN_ENABLE_FILES files)
    _quern_find(
      ZLIB "zlib" "${_quern_user}" "Install it (Debian: zlib1g-dev; Spack: zlib) and set ZLIB_ROOT or CMAKE_PREFIX_PATH. ${_quern_else}"
    )
  endif()
  if(QUERN_ENABLE_HDF5)
    _quern_find_hdf5()
  endif()
endmacro()

# Sets the target Quern::hdf5. The targets of its packages differ between the ways in which it is installed, so it is made of
# files, which every machine looks up for itself.
macro(_quern_find_hdf5)
  _quern_wanted_by(QUERN_ENABLE_HDF5 files)
  # One process must not load two of its libraries: the parallel one serves all where there are distributed arrays.
  if(QUERN_ENABLE_DISTRIBUTED)
    set(HDF5_PREFER_PARALLEL ON)
  endif()
  _quern_find(
    HDF5 "the C library of HDF5 1.12 or later" "${_quern_user}"
    "Install it (Debian: libhdf5-dev or, beside MPI, libhdf5-openmpi-dev; Spack: hdf5@1.12:) and set HDF5_ROOT or CMAKE_PREFIX_PATH. ${_quern_else}"
    1.12 COMPONENTS C
  )
  if(HDF5_IS_PARALLEL) # then its headers include MPI's
    _quern_find(
      MPI "MPI, as the HDF5 in ${HDF5_C_INCLUDE_DIRS} is a parallel one" "${_quern_user}"
      "Install the MPI that it was built with and add it to CMAKE_PREFIX_PATH or set MPI_HOME, or set HDF5_ROOT to an HDF5 without MPI. ${_quern_else}"
      COMPONENTS CXX
    )
  endif()
  if(NOT TARGET Quern::hdf5)
    add_library(Quern::hdf5 INTERFACE IMPORTED)
    target_include_directories(Quern::hdf5 INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(Quern::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
    if(HDF5_IS_PARALLEL)
      target_compile_definitions(Quern::hdf5 INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
      target_link_libraries(Quern::hdf5 INTERFACE MPI::MPI_CXX)
    endif()
  endif()
endmacro()

# FFTW in both precisions, with the threads of hosts, as the target Quern::fftw, and the vendor's transforms on devices.
macro(quern_find_fft_dependencies)
  _quern_wanted_by(QUERN_ENABLE_FFT fft)
  set(_quern_threads threads)
  if(Kokkos_ENABLE_OPENMP)
    set(_quern_threads omp)
  endif()
  find_path(QUERN_FFTW_INCLUDE_DIR fftw3.h HINTS ENV FFTW_ROOT PATH_SUFFIXES include)
  set(_quern_fftw_missing)
  set(_quern_fftw)
  foreach(_quern_name IN ITEMS fftw3_${_quern_threads} fftw3 fftw3f_${_quern_threads} fftw3f)
    find_library(QUERN_${_quern_name}_LIBRARY ${_quern_name} HINTS ENV FFTW_ROOT PATH_SUFFIXES lib lib64)
    if(QUERN_${_quern_name}_LIBRARY)
      list(APPEND _quern_fftw "${QUERN_${_quern_name}_LIBRARY}")
    else()
      string(APPEND _quern_fftw_missing " lib${_quern_name}")
    endif()
  endforeach()
  if(NOT QUERN_FFTW_INCLUDE_DIR)
    string(APPEND _quern_fftw_missing " fftw3.h")
  endif()
  if(_quern_fftw_missing)
    _quern_missing(
      "FFTW 3 in float and double with threads (missing:${_quern_fftw_missing})" "${_quern_user}"
      "Install it (Debian: libfftw3-dev; Spack: fftw precision=float,double, +openmp for a Kokkos with OpenMP) and set the environment variable FFTW_ROOT or CMAKE_PREFIX_PATH. ${_quern_else}"
    )
  endif()
  if(NOT TARGET Quern::fftw)
    add_library(Quern::fftw INTERFACE IMPORTED)
    target_include_directories(Quern::fftw INTERFACE "${QUERN_FFTW_INCLUDE_DIR}")
    target_link_libraries(Quern::fftw INTERFACE ${_quern_fftw})
  endif()
  if(Kokkos_ENABLE_CUDA)
    _quern_find_cuda(cuFFT)
  elseif(Kokkos_ENABLE_HIP)
    _quern_find_rocm(hipfft)
  endif()
endmacro()

# MPI, and a vendor's library for the memory of devices.
macro(quern_find_distributed_dependencies)
  _quern_wanted_by(QUERN_ENABLE_DISTRIBUTED distributed)
  _quern_find(
    MPI "MPI" "${_quern_user}" "Install one (Debian: libopenmpi-dev; Spack: openmpi or mpich) and set MPI_HOME or CMAKE_PREFIX_PATH. ${_quern_else}"
    COMPONENTS CXX
  )
  if(QUERN_ENABLE_NCCL)
    _quern_wanted_by(QUERN_ENABLE_NCCL distributed)
    _quern_find_nccl()
  elseif(QUERN_ENABLE_RCCL)
    _quern_wanted_by(QUERN_ENABLE_RCCL distributed)
    _quern_find_rocm(rccl)
  endif()
endmacro()

# Sets the target Quern::nccl, for which NVIDIA installs no CMake package.
macro(_quern_find_nccl)
  _quern_find_cuda("its run-time library")
  find_path(QUERN_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(QUERN_NCCL_LIBRARY nccl HINTS ENV NCCL_ROOT ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  if(NOT QUERN_NCCL_INCLUDE_DIR OR NOT QUERN_NCCL_LIBRARY)
    _quern_missing(
      "NCCL (nccl.h and libnccl)" "${_quern_user}"
      "Install it (Debian: libnccl-dev; Spack: nccl) and set the environment variable NCCL_ROOT or CMAKE_PREFIX_PATH. ${_quern_else}"
    )
  endif()
  if(NOT TARGET Quern::nccl)
    add_library(Quern::nccl INTERFACE IMPORTED)
    target_include_directories(Quern::nccl INTERFACE "${QUERN_NCCL_INCLUDE_DIR}")
    target_link_libraries(Quern::nccl INTERFACE "${QUERN_NCCL_LIBRARY}" CUDA::cudart)
  endif()
endmacro()

# quern_find_kokkos_kernels(WANTED_BY ELSE)
macro(quern_find_kokkos_kernels wanted_by else)
  if(NOT TARGET Kokkos::kokkoskernels AND NOT TARGET KokkosKernels::all_libs)
    # Some distributions install no version file, so no version is asked for here; the two have one series anyway.
    _quern_find(
      KokkosKernels "Kokkos Kernels of the series of your Kokkos" "${wanted_by}"
      "Install it (with Spack: kokkos-kernels@5.0:) and set KokkosKernels_ROOT or CMAKE_PREFIX_PATH. ${else}" CONFIG
    )
  endif()
  if(TARGET Kokkos::kokkoskernels)
    set(QUERN_KOKKOSKERNELS_TARGET Kokkos::kokkoskernels)
  elseif(TARGET KokkosKernels::all_libs)
    set(QUERN_KOKKOSKERNELS_TARGET KokkosKernels::all_libs)
  endif()
endmacro()
