# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
  set(result "${result}" PARENT_SCOPE)
endfunction()

function(must_work)
  run(${ARGN})
  set(output "${output}" PARENT_SCOPE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
must_work("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/moved")

set(configure "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -G "${GENERATOR}" -D CMAKE_BUILD_TYPE=Release
    -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_CXX_FLAGS=${FLAGS}" -D "Kokkos_DIR=${KOKKOS}")
if(KERNELS)
  list(APPEND configure -D "KokkosKernels_DIR=${KERNELS}")
endif()

function(build_and_run name)
  must_work(${configure} -B "${WORK}/${name}" ${ARGN})
  must_work("${CMAKE_COMMAND}" --build "${WORK}/${name}")
  must_work("${WORK}/${name}/app")
  if(NOT output MATCHES "sum 12")
    message(FATAL_ERROR "${name}: expected 'sum 12', got:\n${output}")
  endif()
  message(STATUS "${name}: built and run")
endfunction()

build_and_run(package -D "Quern_ROOT=${WORK}/moved")
build_and_run(subdirectory -D "QUERN_SOURCE=${SOURCE}")

# The example of the README.
list(TRANSFORM configure REPLACE "${CMAKE_CURRENT_LIST_DIR}/consumer" "${SOURCE}/examples/01_quickstart"
     OUTPUT_VARIABLE example)
must_work(${example} -B "${WORK}/example" -D "Quern_ROOT=${WORK}/moved")
must_work("${CMAKE_COMMAND}" --build "${WORK}/example")
must_work("${WORK}/example/quickstart")

# A component: found where it was built, refused with a sentence where it was not.
run(${configure} -B "${WORK}/component" -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=linalg)
if(LINALG AND NOT result EQUAL 0)
  message(FATAL_ERROR "the component linalg was built but not found:\n${output}")
endif()
if(NOT LINALG)
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  if(result EQUAL 0 OR NOT flat MATCHES "built without its component 'linalg' \\(QUERN_ENABLE_LINALG=OFF\\)")
    message(FATAL_ERROR "expected a refusal of the component linalg, got:\n${output}")
  endif()
endif()

# Another minor version is not compatible before 1.0.
run(${configure} -B "${WORK}/version" -D "Quern_ROOT=${WORK}/moved" -D VERSION=0.2)
if(result EQUAL 0)
  message(FATAL_ERROR "version 0.2 was asked for and 0.1 accepted")
endif()
