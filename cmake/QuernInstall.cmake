# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs the library as a relocatable CMake package, each component with a file of targets of its own: who asks for one
# needs nothing of what the others stand on.
include(CMakePackageConfigHelpers)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/Quern")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/QuernConfig.cmake.in" "${PROJECT_BINARY_DIR}/QuernConfig.cmake"
  INSTALL_DESTINATION "${_package}"
)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/QuernConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/quern" "${PROJECT_BINARY_DIR}/include/quern"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
foreach(_target IN LISTS QUERN_COMPONENTS ITEMS all)
  install(TARGETS quern_${_target} EXPORT Quern_${_target} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(EXPORT Quern_${_target} NAMESPACE Quern:: FILE QuernTargets_${_target}.cmake DESTINATION "${_package}")
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/QuernConfig.cmake" "${PROJECT_BINARY_DIR}/QuernConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/QuernDependencies.cmake" DESTINATION "${_package}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD-PARTY-NOTICES" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
