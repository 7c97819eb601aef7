# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The library's targets, and their installation as a relocatable CMake package.
include(CMakePackageConfigHelpers)

set(QUERN_HAS_LINALG ${QUERN_ENABLE_LINALG})
configure_file("${PROJECT_SOURCE_DIR}/cmake/config.hpp.in" "${PROJECT_BINARY_DIR}/include/quern/config.hpp" @ONLY)

add_library(quern_core INTERFACE)
set_target_properties(quern_core PROPERTIES EXPORT_NAME core)
target_compile_features(quern_core INTERFACE cxx_std_20)
target_include_directories(
  quern_core INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                       "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                       "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
)
target_link_libraries(quern_core INTERFACE Kokkos::kokkos)

add_library(quern_all INTERFACE)
set_target_properties(quern_all PROPERTIES EXPORT_NAME quern)
target_link_libraries(quern_all INTERFACE quern_core)

set(_targets quern_core quern_all)
if(QUERN_ENABLE_LINALG)
  add_library(quern_linalg src/linalg/blas.cpp src/linalg/lapack.cpp)
  set_target_properties(quern_linalg PROPERTIES EXPORT_NAME linalg POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(quern_linalg PUBLIC quern_core PRIVATE ${QUERN_KOKKOSKERNELS_TARGET} LAPACK::LAPACK)
  if(Kokkos_ENABLE_CUDA)
    target_sources(quern_linalg PRIVATE src/linalg/cuda.cpp)
    target_link_libraries(quern_linalg PRIVATE CUDA::cublas CUDA::cusolver)
  elseif(Kokkos_ENABLE_HIP)
    target_sources(quern_linalg PRIVATE src/linalg/hip.cpp)
    target_link_libraries(quern_linalg PRIVATE roc::rocblas roc::rocsolver)
  endif()
  target_link_libraries(quern_all INTERFACE quern_linalg)
  add_library(Quern::linalg ALIAS quern_linalg)
  list(APPEND _targets quern_linalg)
endif()
add_library(Quern::core ALIAS quern_core)
add_library(Quern::quern ALIAS quern_all)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/Quern")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/QuernConfig.cmake.in" "${PROJECT_BINARY_DIR}/QuernConfig.cmake"
  INSTALL_DESTINATION "${_package}"
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/QuernConfigVersion.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT
)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/quern" "${PROJECT_BINARY_DIR}/include/quern"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(TARGETS ${_targets} EXPORT QuernTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT QuernTargets NAMESPACE Quern:: DESTINATION "${_package}")
install(FILES "${PROJECT_BINARY_DIR}/QuernConfig.cmake" "${PROJECT_BINARY_DIR}/QuernConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/QuernDependencies.cmake" DESTINATION "${_package}")
