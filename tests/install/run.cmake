# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the scripts of this folder share: commands that must work, or fail with a sentence.
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

# must_say(TEXTS COMMAND...): it fails, and says each of these, in lines however broken
function(must_say texts)
  run(${ARGN})
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  foreach(text IN LISTS texts)
    string(FIND "${flat}" "${text}" place)
    if(result EQUAL 0 OR place EQUAL -1)
      message(FATAL_ERROR "expected a failure with '${text}', got:\n${output}")
    endif()
  endforeach()
endfunction()
