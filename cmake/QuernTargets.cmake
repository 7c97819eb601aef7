# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The library's targets: for each component its headers and what they call, compiled. The compiled part of linalg exists
# wherever the headers do: with a vendor behind it or without, it decides when it is called.

# Where sources are compiled together (CMAKE_UNITY_BUILD), these stay apart, as they give types of their own to templates.
set_source_files_properties(src/transfer/staging.cpp src/distributed/box_exchange.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

configure_file("${PROJECT_SOURCE_DIR}/cmake/config.hpp.in" "${PROJECT_BINARY_DIR}/include/quern/config.hpp" @ONLY)

# Programs and shared libraries find Quern's libraries beside themselves, wherever the installation is moved to, and what they
# were linked with (a shared Kokkos outside of the loader's path) where it was.
file(RELATIVE_PATH _to_libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set(_origin "$ORIGIN")
if(APPLE)
  set(_origin "@loader_path")
endif()
function(quern_set_install_rpath target)
  set(_path ${_origin} ${_origin}/${_to_libraries} ${CMAKE_INSTALL_RPATH})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${_path}" INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# Warnings in Quern's own sources: those of the library, and of what QuernDevelopment.cmake is for. Nothing of it is exported.
# As a subdirectory, the warnings that the project around it asks for are about that project's sources.
set(QUERN_WARNING_OPTIONS)
if(CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  set(QUERN_WARNING_OPTIONS -Wall -Wextra -Wshadow)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(QUERN_WARNING_OPTIONS -w)
  elseif(QUERN_WARNINGS_AS_ERRORS)
    list(APPEND QUERN_WARNING_OPTIONS -Werror)
  endif()
endif()

# quern_add_component(NAME SOURCE...): the library of a component, of sources under src/ without their suffix.
function(quern_add_component name)
  list(TRANSFORM ARGN REPLACE "(.+)" "src/\\1.cpp" OUTPUT_VARIABLE sources)
  add_library(quern_${name} ${sources})
  set_target_properties(
    quern_${name}
    PROPERTIES POSITION_INDEPENDENT_CODE ON
               VERSION "${PROJECT_VERSION}"
               SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" # of minor versions before 1.0
               EXPORT_NAME ${name}
  )
  target_compile_options(quern_${name} PRIVATE ${QUERN_WARNING_OPTIONS})
  quern_set_install_rpath(quern_${name})
  add_library(Quern::${name} ALIAS quern_${name})
endfunction()

# Core: what does not depend on the types of a call, what is instantiated for the types of most data, and the vendor's sort,
# which takes long to compile.
set(_core_sources core/values/bytes_text core/call/error core/call/label core/call/per_axis core/views/axes core/views/computed_pads core/views/extents core/views/index_operands core/views/layouts
    core/views/mapped_array core/views/operands core/views/overlap core/views/repeat_by_counts
    core/launch/arguments core/launch/host_threads core/launch/launch_units core/launch/loop_nest core/launch/nontemporal_store
    core/memory/free_memory core/memory/pool core/memory/workspace transfer/box_copy transfer/copy_async transfer/staging chunked/array_io
    chunked/pipeline chunked/reindexed stencil/boundary stencil/footprint analysis/label analysis/kmeans_update particles/domain random/fill stencil/filters stencil/grid stencil/halo_fields stencil/one_sided stencil/separable_passes stencil/stencil reduce/byte_counts reduce/launch reduce/select reduce/vector_columns reduce/vector_columns_avx2 reduce/vector_columns_avx512 reduce/vector_extrema reduce/vector_extrema_avx2 reduce/vector_extrema_avx512 scan/scan scan/segmented_launch keyed/sort keyed/top_k keyed/group_by keyed/hash_keys keyed/group_reductions
    map/transpose_tile map/elementary map/elementary_avx2 map/elementary_avx512 map/elementary_neon print/digits print/formats print/gather print/text)
if(Kokkos_ENABLE_CUDA OR (Kokkos_ENABLE_HIP AND Kokkos_ENABLE_ROCTHRUST))
  list(APPEND _core_sources keyed/sort_signed keyed/sort_unsigned keyed/sort_reals keyed/sort_with_32_bits
       keyed/sort_with_64_bits keyed/narrow_keys)
endif()
# The elementary functions: each source for one set of instructions, whatever else is compiled for, and with the arithmetic
# that is written there, alone, so that nothing of it is shared with others.
set(_elementary src/map/elementary.cpp src/map/elementary_avx2.cpp src/map/elementary_avx512.cpp src/map/elementary_neon.cpp)
set_source_files_properties(${_elementary} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP)
  set(_exact -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
  set_source_files_properties(${_elementary} PROPERTIES COMPILE_OPTIONS "${_exact}")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set_source_files_properties(src/map/elementary_avx2.cpp PROPERTIES COMPILE_OPTIONS "${_exact};-mavx2;-mfma")
    set_source_files_properties(src/map/elementary_avx512.cpp PROPERTIES COMPILE_OPTIONS "${_exact};-mavx512f;-mfma")
  endif()
endif()
set_source_files_properties(src/reduce/byte_counts.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP)
  set_source_files_properties(src/reduce/byte_counts.cpp PROPERTIES COMPILE_OPTIONS -O3)
endif()
# Extrema, and sums of rows and columns with the arithmetic that is written there, each source for one set of instructions as well. g++ 12 takes what its own header leaves undefined for an error of it.
set(_extrema src/reduce/vector_columns_avx2.cpp src/reduce/vector_columns_avx512.cpp src/reduce/vector_extrema_avx2.cpp
             src/reduce/vector_extrema_avx512.cpp)
set_source_files_properties(${_extrema} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang"
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$"
   AND NOT Kokkos_ENABLE_CUDA
   AND NOT Kokkos_ENABLE_HIP
)
  set_source_files_properties(src/reduce/vector_extrema_avx2.cpp PROPERTIES COMPILE_OPTIONS "-O3;-mavx2")
  set_source_files_properties(src/reduce/vector_columns_avx2.cpp PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off;-mavx2")
  set_source_files_properties(
    src/reduce/vector_columns_avx512.cpp PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off;-mavx512f"
  )
  set_source_files_properties(
    src/reduce/vector_extrema_avx512.cpp PROPERTIES COMPILE_OPTIONS "-O3;-mavx512f;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>"
  )
endif()
if(QUERN_HIGHWAY)
  list(APPEND _core_sources core/launch/vector_sort keyed/quicksort keyed/quicksort_positions)
else()
  list(APPEND _core_sources core/launch/no_vector_sort keyed/no_quicksort)
endif()
quern_add_component(core ${_core_sources})
target_compile_features(quern_core PUBLIC cxx_std_20)
# For the same reason headers are those of a system there.
set(_system)
if(NOT PROJECT_IS_TOP_LEVEL)
  set(_system SYSTEM)
endif()
target_include_directories(
  quern_core ${_system}
             PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
)
target_link_libraries(quern_core PUBLIC Kokkos::kokkos PRIVATE Threads::Threads)
if(QUERN_HIGHWAY)
  target_link_libraries(quern_core PRIVATE hwy::hwy_contrib)
endif()

set(_linalg_sources linalg/unavailable)
set(_linalg_libraries)
if(QUERN_ENABLE_LINALG)
  set(_linalg_sources linalg/blas_host linalg/lapack)
  set(_linalg_libraries LAPACK::LAPACK)
  if(Kokkos_ENABLE_CUDA)
    list(APPEND _linalg_sources linalg/blas_device linalg/cuda)
    list(APPEND _linalg_libraries ${QUERN_KOKKOSKERNELS_TARGET} CUDA::cublas CUDA::cusolver)
  elseif(Kokkos_ENABLE_HIP)
    list(APPEND _linalg_sources linalg/blas_device linalg/hip)
    list(APPEND _linalg_libraries ${QUERN_KOKKOSKERNELS_TARGET} roc::rocblas roc::rocsolver)
  endif()
endif()
quern_add_component(linalg fits/coordinate_descent fits/logistic_steps fits/normal_equations linalg/dense_kernels linalg/dense_orthogonal linalg/lane_factors linalg/lane_inverse linalg/lane_solve linalg/least_squares ${_linalg_sources})
set_target_properties(
  quern_linalg
  PROPERTIES QUERN_LAPACK "${QUERN_ENABLE_LINALG}" # whether single matrices can be factored
             EXPORT_PROPERTIES QUERN_LAPACK
)
target_compile_definitions(quern_linalg PUBLIC QUERN_USES_LINALG) # for a message where the target is not linked
target_link_libraries(quern_linalg PUBLIC quern_core PRIVATE ${_linalg_libraries})

# Files: .npy, .npz and raw files always; compressed archives by zlib, HDF5 by its C library.
set(_files_sources files/array_file files/array_info files/convert files/elements files/npy files/npy_header files/npz files/output_file files/time_series)
set(_files_libraries)
if(QUERN_ENABLE_FILES)
  list(APPEND _files_sources files/zlib)
  list(APPEND _files_libraries ZLIB::ZLIB)
else()
  list(APPEND _files_sources files/no_zlib)
endif()
if(QUERN_ENABLE_HDF5)
  list(APPEND _files_sources files/hdf5 files/hdf5_attributes files/hdf5_handle files/hdf5_types)
  list(APPEND _files_libraries Quern::hdf5)
else()
  list(APPEND _files_sources files/no_hdf5)
endif()
quern_add_component(files ${_files_sources})
target_compile_definitions(quern_files PUBLIC QUERN_USES_FILES) # for a message where the target is not linked
target_link_libraries(quern_files PUBLIC quern_core PRIVATE ${_files_libraries})

# Fourier transforms: as linalg, the target exists with a library behind it or without.
set(_fft_sources fft/fft fft/plan_cache fft/plans fft/run)
set(_fft_libraries)
if(QUERN_ENABLE_FFT)
  list(APPEND _fft_sources fft/fftw)
  list(APPEND _fft_libraries Quern::fftw)
  if(Kokkos_ENABLE_CUDA)
    list(APPEND _fft_sources fft/device)
    list(APPEND _fft_libraries CUDA::cufft)
  elseif(Kokkos_ENABLE_HIP)
    list(APPEND _fft_sources fft/device)
    list(APPEND _fft_libraries hip::hipfft)
  endif()
else()
  list(APPEND _fft_sources fft/unavailable)
endif()
quern_add_component(fft ${_fft_sources})
set_target_properties(
  quern_fft
  PROPERTIES QUERN_FFT "${QUERN_ENABLE_FFT}" # whether there is a library
             EXPORT_PROPERTIES QUERN_FFT
)
target_compile_definitions(quern_fft PUBLIC QUERN_USES_FFT) # for a message where the target is not linked
target_link_libraries(quern_fft PUBLIC quern_core PRIVATE ${_fft_libraries})

# Tables: all of their operations, compiled.
quern_add_component(
  table table/arrow_read table/arrow_table table/arrow_write table/chunk_describe table/chunk_groups table/columns table/concat
  table/csv_chunks table/csv_fields table/csv_parse table/csv_read table/csv_records table/csv_source table/csv_write table/describe table/groups
  table/merge table/merge_asof table/names table/order table/partial_aggregates table/pivot table/print table/rolling
  table/statistics_of_groups table/table
)
target_compile_definitions(quern_table PUBLIC QUERN_USES_TABLE) # for a message where the target is not linked
target_link_libraries(quern_table PUBLIC quern_core PRIVATE quern_files)

set(QUERN_COMPONENTS core linalg files fft table)

# Distributed arrays: there is no such target without MPI, as their headers hold its types.
if(QUERN_ENABLE_DISTRIBUTED)
  set(_distributed_sources distributed/box_exchange distributed/checkpoint distributed/communicator distributed/decomposition distributed/describe
      distributed/fft distributed/group_by distributed/halo_boxes distributed/halo_sums distributed/merge distributed/migrate_table distributed/operands distributed/own_blocks distributed/same_calls
      distributed/stencil_parts distributed/table_rows)
  if(QUERN_ENABLE_HDF5 AND HDF5_IS_PARALLEL)
    list(APPEND _distributed_sources distributed/parallel_hdf5)
  else()
    list(APPEND _distributed_sources distributed/no_parallel_hdf5)
  endif()
  if(QUERN_ENABLE_NCCL OR QUERN_ENABLE_RCCL)
    list(APPEND _distributed_sources distributed/device_link)
  else()
    list(APPEND _distributed_sources distributed/no_device_link)
  endif()
  if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
    list(APPEND _distributed_sources distributed/side_instance)
  endif()
  quern_add_component(distributed ${_distributed_sources})
  target_compile_definitions(quern_distributed PUBLIC QUERN_USES_DISTRIBUTED OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(quern_distributed PUBLIC quern_core quern_fft quern_files quern_linalg quern_table MPI::MPI_CXX)
  if(QUERN_ENABLE_HDF5)
    target_link_libraries(quern_distributed PRIVATE Quern::hdf5)
  endif()
  if(QUERN_ENABLE_NCCL)
    target_link_libraries(quern_distributed PRIVATE Quern::nccl)
  elseif(QUERN_ENABLE_RCCL)
    target_link_libraries(quern_distributed PRIVATE roc::rccl)
  endif()
  list(APPEND QUERN_COMPONENTS distributed)
endif()

add_library(quern_all INTERFACE)
foreach(_target IN LISTS QUERN_COMPONENTS)
  target_link_libraries(quern_all INTERFACE quern_${_target})
endforeach()
set_target_properties(quern_all PROPERTIES EXPORT_NAME quern)
add_library(Quern::quern ALIAS quern_all)
