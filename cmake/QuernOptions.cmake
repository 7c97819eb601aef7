# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Combinations of options of which one would be ignored: an error where it changes what the library does, a warning where it
# is about Quern's own tests and benchmarks.

# quern_option_needs(OPTION OTHER): an option of the library without another that it is a part of
function(quern_option_needs option other)
  if(${option} AND NOT ${other})
    message(FATAL_ERROR "${option}=ON needs ${other}=ON. Without it: -D ${option}=OFF.")
  endif()
endfunction()
if(NOT QUERN_ENABLE_HIGHWAY MATCHES "^(AUTO|ON|OFF|TRUE|FALSE|1|0)$")
  message(FATAL_ERROR "QUERN_ENABLE_HIGHWAY is '${QUERN_ENABLE_HIGHWAY}', expected AUTO, ON or OFF.")
endif()
quern_option_needs(QUERN_ENABLE_NCCL QUERN_ENABLE_DISTRIBUTED)
quern_option_needs(QUERN_ENABLE_RCCL QUERN_ENABLE_DISTRIBUTED)

# After Kokkos was found: a vendor's library for another vendor's devices. Nor can both be there, as Kokkos has one of them.
function(quern_option_needs_kokkos option backend)
  if(${option} AND NOT Kokkos_ENABLE_${backend})
    message(
      FATAL_ERROR
        "${option}=ON needs a Kokkos with Kokkos_ENABLE_${backend}=ON; the one in ${Kokkos_DIR} was built for: ${Kokkos_DEVICES}. "
        "Without it: -D ${option}=OFF."
    )
  endif()
endfunction()

function(quern_developer_option option needed)
  if(${option} AND NOT (${needed}))
    message(WARNING "${option} has no effect without ${needed}=ON.")
  endif()
endfunction()
if(QUERN_WARNINGS_AS_ERRORS AND NOT PROJECT_IS_TOP_LEVEL)
  message(WARNING "QUERN_WARNINGS_AS_ERRORS has no effect in a subdirectory, where Quern's sources are compiled without warnings.")
endif()
quern_developer_option(QUERN_BENCHMARK_KOKKOSKERNELS QUERN_ENABLE_BENCHMARKS)
quern_developer_option(QUERN_TEST_OPTIMIZATION QUERN_ENABLE_TESTS)
quern_developer_option(QUERN_TEST_COMPONENTS QUERN_ENABLE_TESTS)
if(NOT QUERN_TEST_PART STREQUAL "")
  if(NOT QUERN_TEST_PART MATCHES "^[01]$")
    message(FATAL_ERROR "QUERN_TEST_PART is '${QUERN_TEST_PART}', expected 0, 1 or nothing.")
  endif()
  if(NOT QUERN_ENABLE_TESTS)
    message(WARNING "QUERN_TEST_PART has no effect without QUERN_ENABLE_TESTS=ON.")
  endif()
endif()
