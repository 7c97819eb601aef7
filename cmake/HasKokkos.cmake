# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -P HasKokkos.cmake fails where find_package would find no Kokkos 5.0 or later.
cmake_minimum_required(VERSION 3.22)
if(DEFINED ENV{CMAKE_PREFIX_PATH})
  string(REPLACE ":" ";" CMAKE_PREFIX_PATH "$ENV{CMAKE_PREFIX_PATH}")
endif()
find_file(
  version_file KokkosConfigVersion.cmake
  HINTS "$ENV{Kokkos_ROOT}" "$ENV{Kokkos_DIR}" "$ENV{KOKKOS_ROOT}"
  PATHS /usr /usr/local
  PATH_SUFFIXES lib/cmake/Kokkos lib64/cmake/Kokkos lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake/Kokkos
                lib/x86_64-linux-gnu/cmake/Kokkos
)
if(NOT version_file)
  message(FATAL_ERROR "no Kokkos")
endif()
set(PACKAGE_FIND_VERSION 5.0)
set(PACKAGE_FIND_VERSION_MAJOR 5)
set(PACKAGE_FIND_VERSION_MINOR 0)
set(CMAKE_SIZEOF_VOID_P 8)
include("${version_file}")
if(PACKAGE_VERSION VERSION_LESS 5.0)
  message(FATAL_ERROR "Kokkos ${PACKAGE_VERSION}")
endif()
