# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The library's targets. What a component's headers call is compiled into a library of its own, which exists wherever the
# headers do: with a vendor behind it or without, it decides when it is called.
configure_file("${PROJECT_SOURCE_DIR}/cmake/config.hpp.in" "${PROJECT_BINARY_DIR}/include/quern/config.hpp" @ONLY)

add_library(quern_core INTERFACE)
target_compile_features(quern_core INTERFACE cxx_std_20)
target_include_directories(
  quern_core INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                       "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                       "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
)
target_link_libraries(quern_core INTERFACE Kokkos::kokkos)
set(QUERN_CORE_TARGETS quern_core) # all that users of the component link

# The vendor's sort takes long to compile: it is compiled once.
if(Kokkos_ENABLE_CUDA OR (Kokkos_ENABLE_HIP AND Kokkos_ENABLE_ROCTHRUST))
  add_library(quern_sort)
  foreach(_part IN ITEMS sort_signed sort_unsigned sort_reals sort_with_32_bits sort_with_64_bits)
    target_sources(quern_sort PRIVATE "${PROJECT_SOURCE_DIR}/src/keyed/${_part}.cpp")
  endforeach()
  target_compile_features(quern_sort PUBLIC cxx_std_20)
  target_include_directories(quern_sort PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(quern_sort PUBLIC Kokkos::kokkos)
  set_target_properties(
    quern_sort
    PROPERTIES POSITION_INDEPENDENT_CODE ON
               VERSION "${PROJECT_VERSION}"
               SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" # of minor versions before 1.0
               EXPORT_NAME sort
  )
  target_link_libraries(quern_core INTERFACE quern_sort)
  list(APPEND QUERN_CORE_TARGETS quern_sort)
endif()

set(_linalg_sources unavailable)
set(_linalg_libraries)
if(QUERN_ENABLE_LINALG)
  set(_linalg_sources blas_host lapack)
  set(_linalg_libraries LAPACK::LAPACK)
  if(Kokkos_ENABLE_CUDA)
    list(APPEND _linalg_sources blas_device cuda)
    list(APPEND _linalg_libraries ${QUERN_KOKKOSKERNELS_TARGET} CUDA::cublas CUDA::cusolver)
  elseif(Kokkos_ENABLE_HIP)
    list(APPEND _linalg_sources blas_device hip)
    list(APPEND _linalg_libraries ${QUERN_KOKKOSKERNELS_TARGET} roc::rocblas roc::rocsolver)
  endif()
endif()
list(TRANSFORM _linalg_sources REPLACE "(.+)" "src/linalg/\\1.cpp")
add_library(quern_linalg ${_linalg_sources})
set_target_properties(
  quern_linalg
  PROPERTIES POSITION_INDEPENDENT_CODE ON
             VERSION "${PROJECT_VERSION}"
             SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" # of minor versions before 1.0
             QUERN_LAPACK "${QUERN_ENABLE_LINALG}" # whether single matrices can be factored
             EXPORT_PROPERTIES QUERN_LAPACK
)
target_compile_definitions(quern_linalg PUBLIC QUERN_USES_LINALG) # for a message where the target is not linked
target_link_libraries(quern_linalg PUBLIC quern_core PRIVATE ${_linalg_libraries})

add_library(quern_all INTERFACE)
target_link_libraries(quern_all INTERFACE quern_core quern_linalg)

foreach(_target IN ITEMS core linalg)
  set_target_properties(quern_${_target} PROPERTIES EXPORT_NAME ${_target})
  add_library(Quern::${_target} ALIAS quern_${_target})
endforeach()
set_target_properties(quern_all PROPERTIES EXPORT_NAME quern)
add_library(Quern::quern ALIAS quern_all)
