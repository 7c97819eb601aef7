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

# The examples, as complete projects.
function(build_example name program)
  list(TRANSFORM configure REPLACE "${CMAKE_CURRENT_LIST_DIR}/consumer" "${SOURCE}/examples/${name}" OUTPUT_VARIABLE example)
  must_work(${example} -B "${WORK}/${name}" -D "Quern_ROOT=${WORK}/moved")
  must_work("${CMAKE_COMMAND}" --build "${WORK}/${name}")
  set(program "${WORK}/${name}/${program}" PARENT_SCOPE)
  message(STATUS "${name}: built")
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}', got:\n${output}")
  endif()
endfunction()

build_example(01_quickstart quickstart)
must_work("${program}")

if(APP) # the others need what the program needs
  build_example(02_heat3d heat3d)
  set(state "${WORK}/state.npy")
  # Closed walls keep the energy; twice six steps are twelve.
  must_work("${program}" --cells 20 --steps 12 --every 12 --slice "${WORK}/slice.npy" "${WORK}/small.png")
  string(REGEX MATCHALL "energy [0-9.]+" energies "${output}")
  list(GET energies 0 first)
  list(GET energies 1 last)
  if(NOT first STREQUAL last)
    message(FATAL_ERROR "the energy changes:\n${output}")
  endif()
  must_work("${program}" --cells 20 --steps 6 --output "${state}")
  must_work("${program}" --input "${state}" --steps 6 --slice "${WORK}/resumed.npy")
  must_work("${CMAKE_COMMAND}" -E compare_files "${WORK}/slice.npy" "${WORK}/resumed.npy")
  must_work("${program}" --cells 40 --steps 200 --every 200 --boundary constant --slice "${WORK}/slice.png")
  expect("step +200 .*maximum 0\\.[0-9]")
  run("${program}" --input "${WORK}/slice.png")
  if(result EQUAL 0)
    message(FATAL_ERROR "a picture was taken for an array")
  endif()

  build_example(03_photo_filter photo_filter)
  must_work("${program}" sharpen "${WORK}/slice.png" "${WORK}/sharp.png")
  must_work("${program}" gaussian "${WORK}/slice.png" "${WORK}/same.png" --sigma 0)
  must_work("${CMAKE_COMMAND}" -E compare_files "${WORK}/slice.png" "${WORK}/same.png")
  must_work("${program}" edges "${WORK}/sharp.png" "${WORK}/edges.png")
  must_work("${program}" uniform "${WORK}/sharp.png" "${WORK}/uniform.png")
  run("${program}" uniform "${state}" "${WORK}/none.png")
  expect("photo_filter: .*state.npy: ")
endif()

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
