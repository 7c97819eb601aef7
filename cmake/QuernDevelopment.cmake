# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Settings of Quern's own sources: program, tests and benchmarks. Nothing here is exported or installed.
add_library(quern_development INTERFACE)
target_compile_options(quern_development INTERFACE ${QUERN_WARNING_OPTIONS})
target_compile_definitions(quern_development INTERFACE QUERN_EXECUTION_SPACE=${QUERN_EXECUTION_SPACE})
set(_components Quern::quern)
if(QUERN_TEST_COMPONENTS)
  list(TRANSFORM QUERN_TEST_COMPONENTS PREPEND Quern:: OUTPUT_VARIABLE _components)
endif()
target_link_libraries(quern_development INTERFACE ${_components})
# g++ collects garbage each time its memory has doubled, which takes 3 to 5 % of the time of large sources. The first half
# of a gigabyte is left alone.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT Kokkos_ENABLE_CUDA)
  target_compile_options(quern_development INTERFACE --param=ggc-min-heapsize=524288)
endif()

# What every source of a target includes, compiled once for all of them; wrappers of device compilers do not know how.
function(quern_precompile target)  # headers, or REUSE_FROM and another target
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT Kokkos_ENABLE_CUDA)
    if(ARGV1 STREQUAL "REUSE_FROM")
      target_precompile_headers(${target} ${ARGN})
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()

# quern_join_sources(FILE FOLDER NAME...): writes a source of several, where each has a namespace of its own and nothing left to
# include. NAME is a source's path here, without its ending; what is compiled lies at this path below FOLDER.
function(quern_join_sources file folder)
  set(includes)
  set(parts)
  foreach(name IN LISTS ARGN)
    file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp" lines REGEX "^#include ")
    list(APPEND includes ${lines})
    string(MAKE_C_IDENTIFIER "of_${name}" space)
    string(APPEND parts "namespace ${space} {\n#include \"${folder}/${name}.cpp\"\n}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  file(CONFIGURE OUTPUT "${file}" CONTENT "@includes@\n@parts@" @ONLY)
endfunction()

# quern_join_batches(OUT NAME SOURCE...): the tests or benchmarks of program NAME in batches, as the library's sources are
# with CMAKE_UNITY_BUILD, so that what they call alike is instantiated once. A source that includes on a condition or adds to
# Quern's namespace stays apart, and so do all for devices, whose compilers take minutes for each.
function(quern_join_batches out name)
  if(NOT QUERN_JOIN_SOURCES OR Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(sources)
  set(joined)
  foreach(source IN LISTS ARGN)
    set(lines "#if") # of what is no test
    if(source MATCHES "_(test|bench)\\.cpp$")
      file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" lines REGEX "^(#if|#include|namespace quern)")
    endif()
    if("${lines}" MATCHES "#if.*#include|namespace quern|^#if$")
      list(APPEND sources "${source}")
    else()
      list(APPEND joined "${source}")
    endif()
  endforeach()
  list(TRANSFORM joined REPLACE "\\.cpp$" "")
  set(number 0)
  while(joined)
    list(SUBLIST joined 0 6 batch) # or what is left
    list(REMOVE_ITEM joined ${batch})
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}_${number}.cpp")
    quern_join_sources("${file}" "${CMAKE_CURRENT_SOURCE_DIR}" ${batch})
    list(APPEND sources "${file}")
    math(EXPR number "${number} + 1")
  endwhile()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# What benchmarks and the program record of how they were built.
find_package(Git QUIET)
set(QUERN_COMMIT "unknown")
if(GIT_FOUND)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --exclude *
    OUTPUT_VARIABLE _commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _failed
  )
  if(NOT _failed)
    set(QUERN_COMMIT "${_commit}")
  endif()
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}}" QUERN_CXX_FLAGS)
configure_file("${PROJECT_SOURCE_DIR}/cmake/build_info.hpp.in" "${PROJECT_BINARY_DIR}/development/build_info.hpp" @ONLY)
target_include_directories(quern_development INTERFACE "${PROJECT_BINARY_DIR}/development")

# Tests run ranks of MPI as root, too, and more of them than there are cores. Both of Open MPI's generations are told. A rank
# that waits sleeps for a microsecond at a time: one that only yields gets the core back when another program has used up its
# slice, a few milliseconds for each message.
set(QUERN_MPI_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_hwloc_base_binding_policy=none
    PRTE_MCA_hwloc_default_binding_policy=none OMPI_MCA_btl=self,sm,vader OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_threads_pthreads_yield_strategy=nanosleep OMPI_MCA_threads_pthreads_nanosleep_time=1000 OMP_NUM_THREADS=1
)
