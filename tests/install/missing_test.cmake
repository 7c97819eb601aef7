# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Configures with one thing missing at a time: each must end in an error that names it, the option that wants it, and a way
# out. Kokkos and the vendors' libraries are stand-ins, so that this says the same on every machine.
cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${WORK}")
# stand_in(FOLDER PACKAGE TEXT): a package that find_package takes
function(stand_in folder package text)
  file(WRITE "${WORK}/${folder}/lib/cmake/${package}/${package}Config.cmake" "${text}\n")
  file(WRITE "${WORK}/${folder}/lib/cmake/${package}/${package}ConfigVersion.cmake"
       "set(PACKAGE_VERSION 5.0.2)\nif(NOT PACKAGE_FIND_VERSION VERSION_GREATER 5.0.2)\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n")
endfunction()
foreach(device IN ITEMS HOST CUDA HIP)
  stand_in(${device} Kokkos "set(Kokkos_VERSION 5.0.2)\nset(Kokkos_DEVICES SERIAL ${device})\nset(Kokkos_ENABLE_${device} ON)
if(NOT TARGET Kokkos::kokkos)\n  add_library(Kokkos::kokkos INTERFACE IMPORTED)\nendif()")
endforeach()
stand_in(old Kokkos "")
file(WRITE "${WORK}/old/lib/cmake/Kokkos/KokkosConfigVersion.cmake" "set(PACKAGE_VERSION 4.7.1)\n")
foreach(library IN ITEMS rocblas rocsolver)
  stand_in(HIP ${library} "")
endforeach()
foreach(library IN ITEMS CLI11 nlohmann_json fmt GTest benchmark)
  stand_in(HOST ${library} "")
endforeach()
foreach(device IN ITEMS CUDA HIP) # whose vendors' transforms are looked for behind FFTW
  file(WRITE "${WORK}/${device}/include/fftw3.h" "")
  foreach(name IN ITEMS fftw3_threads fftw3 fftw3f_threads fftw3f)
    file(WRITE "${WORK}/${device}/lib/lib${name}.a" "")
  endforeach()
endforeach()
foreach(package IN ITEMS Threads LAPACK MPI HDF5 CUDAToolkit)
  file(WRITE "${WORK}/modules/Find${package}.cmake" "set(${package}_FOUND TRUE)\n")
endforeach()
file(APPEND "${WORK}/modules/FindHDF5.cmake" "set(HDF5_IS_PARALLEL TRUE)\nset(HDF5_C_INCLUDE_DIRS /opt/parallel)\n")

# missing(SENTENCE STAND-IN OPTION... [HIDE PACKAGE...] [WITH argument of cmake...])
function(missing sentence kokkos)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "HIDE;WITH")
  set(arguments)
  foreach(option IN ITEMS HIGHWAY LINALG FILES HDF5 FFT DISTRIBUTED NCCL RCCL APP TESTS BENCHMARKS)
    set(value OFF)
    if(option IN_LIST arg_UNPARSED_ARGUMENTS)
      set(value ON)
    endif()
    list(APPEND arguments -D "QUERN_ENABLE_${option}=${value}")
  endforeach()
  foreach(package IN LISTS arg_HIDE)
    list(APPEND arguments -D "CMAKE_DISABLE_FIND_PACKAGE_${package}=ON")
  endforeach()
  file(REMOVE "${WORK}/build/CMakeCache.txt")
  # The last ways to find a library by itself are closed: none but the compiler's own folders.
  must_say("${sentence}" "${CMAKE_COMMAND}" -E env --unset=CMAKE_PREFIX_PATH --unset=Kokkos_ROOT --unset=FFTW_ROOT --unset=NCCL_ROOT
           "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}" -D "CMAKE_MAKE_PROGRAM=${MAKE}"
           -D "CMAKE_CXX_COMPILER=${COMPILER}"
           -D "CMAKE_PREFIX_PATH=${WORK}/${kokkos}" -D "CMAKE_MODULE_PATH=${WORK}/modules" -D CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
           -D CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF ${arguments} ${arg_WITH})
  if(output MATCHES "Configuring done")
    message(FATAL_ERROR "${sentence}: and yet it was configured:\n${output}")
  endif()
  message(STATUS "${sentence}")
endfunction()

missing("Quern needs Kokkos 5.0 or later, which was not found. Install it" none)
missing("KokkosConfig.cmake, version 4.7.1." old)
missing("Quern needs a library of threads, which was not found." HOST HIDE Threads)
missing("QUERN_ENABLE_HIGHWAY=ON needs Highway 1.1 or later, which was not found. Install it" HOST HIGHWAY HIDE hwy)
missing("QUERN_ENABLE_LINALG=ON needs a BLAS and LAPACK, which was not found. Install one" HOST LINALG HIDE LAPACK)
missing("QUERN_ENABLE_FILES=ON needs zlib, which was not found. Install it" HOST FILES HIDE ZLIB)
missing("QUERN_ENABLE_HDF5=ON needs the C library of HDF5 1.12 or later, which was not found. Install it" HOST HDF5 HIDE HDF5)
missing("QUERN_ENABLE_HDF5=ON needs MPI, as the HDF5 in /opt/parallel is a parallel one, which was not found. Install" HOST HDF5 HIDE MPI)
missing("QUERN_ENABLE_FFT=ON needs FFTW 3 in float and double with threads (missing: libfftw3_threads libfftw3 libfftw3f_threads libfftw3f fftw3.h), which was not found. Install it"
        HOST FFT)
missing("QUERN_ENABLE_DISTRIBUTED=ON needs MPI, which was not found. Install one" HOST DISTRIBUTED HIDE MPI)
missing("QUERN_ENABLE_LINALG=ON needs the CUDA toolkit (cuBLAS and cuSOLVER), which was not found." CUDA LINALG HIDE CUDAToolkit)
missing("QUERN_ENABLE_FFT=ON needs the CUDA toolkit (cuFFT), which was not found. Set CUDAToolkit_ROOT" CUDA FFT HIDE CUDAToolkit)
missing("QUERN_ENABLE_FFT=ON needs hipfft, which was not found. Install it" HIP FFT HIDE hipfft)
missing("QUERN_ENABLE_NCCL=ON needs the CUDA toolkit (its run-time library), which was not found. Set CUDAToolkit_ROOT"
        CUDA DISTRIBUTED NCCL HIDE CUDAToolkit)
missing("QUERN_ENABLE_LINALG=ON needs Kokkos Kernels of the series of your Kokkos, which was not found." CUDA LINALG HIDE KokkosKernels)
missing("QUERN_ENABLE_NCCL=ON needs NCCL (nccl.h and libnccl), which was not found. Install it" CUDA DISTRIBUTED NCCL)
foreach(library IN ITEMS rocblas rocsolver)
  missing("QUERN_ENABLE_LINALG=ON needs ${library}, which was not found. Install it" HIP LINALG HIDE ${library})
endforeach()
missing("QUERN_ENABLE_RCCL=ON needs rccl, which was not found. Install it" HIP DISTRIBUTED RCCL HIDE rccl)
missing("QUERN_ENABLE_TESTS=ON needs GoogleTest, which was not found. Install it" HOST TESTS HIDE GTest)
missing("QUERN_ENABLE_TESTS=ON needs Python 3, which was not found. Install it" HOST TESTS HIDE Python3)
missing("QUERN_ENABLE_BENCHMARKS=ON needs Google Benchmark, which was not found. Install it" HOST BENCHMARKS HIDE benchmark)
missing("QUERN_BENCHMARK_KOKKOSKERNELS=ON needs Kokkos Kernels of the series of your Kokkos, which was not found. Install it"
        HOST BENCHMARKS HIDE KokkosKernels WITH -D QUERN_BENCHMARK_KOKKOSKERNELS=ON)
foreach(library IN ITEMS CLI11 nlohmann_json fmt)
  string(REPLACE "_" "-" name ${library})
  missing("QUERN_ENABLE_APP=ON (the quern program) needs ${name}, which was not found. Install it" HOST APP HIDE ${library})
endforeach()
missing("QUERN_ENABLE_APP=ON (the quern program) needs stb (stb_image.h), which was not found. Install it" HOST APP)

# Combinations of which one option would be ignored.
missing("QUERN_ENABLE_NCCL=ON needs QUERN_ENABLE_DISTRIBUTED=ON. Without it: -D QUERN_ENABLE_NCCL=OFF." CUDA NCCL)
missing("QUERN_ENABLE_RCCL=ON needs QUERN_ENABLE_DISTRIBUTED=ON. Without it: -D QUERN_ENABLE_RCCL=OFF." HIP RCCL)
missing("QUERN_ENABLE_NCCL=ON needs a Kokkos with Kokkos_ENABLE_CUDA=ON" HOST DISTRIBUTED NCCL)
missing("QUERN_ENABLE_RCCL=ON needs a Kokkos with Kokkos_ENABLE_HIP=ON" CUDA DISTRIBUTED RCCL)
missing("QUERN_ENABLE_HIGHWAY is 'maybe', expected AUTO, ON or OFF." HOST WITH -D QUERN_ENABLE_HIGHWAY=maybe)
missing("QUERN_TEST_PART is '2', expected 0, 1 or nothing." HOST WITH -D QUERN_TEST_PART=2)

# Those for what is not built warn, whatever else ends the configuration here.
missing("QUERN_BENCHMARK_KOKKOSKERNELS has no effect without QUERN_ENABLE_BENCHMARKS=ON." none WITH -D QUERN_BENCHMARK_KOKKOSKERNELS=ON)
missing("QUERN_TEST_OPTIMIZATION has no effect without QUERN_ENABLE_TESTS=ON." none WITH -D QUERN_TEST_OPTIMIZATION=-O1)
missing("QUERN_TEST_PART has no effect without QUERN_ENABLE_TESTS=ON." none WITH -D QUERN_TEST_PART=1)
