# SPDX-License-Identifier: Apache-2.0
# `make test`: builds what each stage needs, runs its tests, and adds the results up.
# Run with -D JOBS=<n> -P from the project's root. A failed test does not
# stop the later stages, a failed build does.
cmake_minimum_required(VERSION 3.22)

function(run)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc)
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "failed (${rc}): ${line}")
  endif()
endfunction()

set(passed 0)
set(failed 0)
set(summary "")
set(stages dev sanitize release)
# What a stage builds and runs, where that is less than everything. The sanitizers see the unit tests; the optimised
# program runs the experiments and reads every shipped configuration file.
set(targets_sanitize unit_tests)
set(targets_release program_tests)
set(filter_release -L "^(cli|experiment|config)$")
foreach(stage IN LISTS stages)
  set(target "")
  if(targets_${stage})
    set(target --target ${targets_${stage}})
  endif()
  run("${CMAKE_COMMAND}" --preset ${stage})
  run("${CMAKE_COMMAND}" --build --preset ${stage} -j ${JOBS} ${target})
  message(STATUS "ctest --preset ${stage}")
  execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --preset ${stage} ${filter_${stage}}
    RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE err ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE)
  if(NOT out MATCHES "[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)")
    message(FATAL_ERROR "ctest --preset ${stage} ran no tests (${rc})")
  endif()
  list(APPEND summary "${stage}: ${CMAKE_MATCH_0}")
  math(EXPR passed "${passed} + ${CMAKE_MATCH_2} - ${CMAKE_MATCH_1}")
  math(EXPR failed "${failed} + ${CMAKE_MATCH_1}")
  if(NOT rc EQUAL 0 AND CMAKE_MATCH_1 EQUAL 0)
    math(EXPR failed "${failed} + 1")
  endif()
endforeach()

# The same results from every build: those above, and both kinds of build by another compiler where there is one. Of those
# only the program is built, and without debug information, which changes no code.
set(others release)
find_program(clang clang++)
if(clang)
  set(flags_clang-dev "-D" "CMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS")
  foreach(preset IN ITEMS clang-dev clang-release)
    run("${CMAKE_COMMAND}" --preset ${preset} -B build/${preset}-program -D SWITCHYARD_TESTS=OFF ${flags_${preset}})
    run("${CMAKE_COMMAND}" --build build/${preset}-program -j ${JOBS} --target switchyard)
    list(APPEND others ${preset}-program)
  endforeach()
endif()
file(GLOB determinism_configs tests/scripts/determinism/*.yaml)
foreach(other IN LISTS others)
  execute_process(COMMAND scripts/check-determinism.sh build/dev/switchyard build/${other}/switchyard
    ${determinism_configs} RESULT_VARIABLE rc)
  if(rc EQUAL 0)
    math(EXPR passed "${passed} + 1")
    list(APPEND summary "determinism: dev and ${other} agree")
  else()
    math(EXPR failed "${failed} + 1")
    list(APPEND summary "determinism: dev and ${other} differ (${rc})")
  endif()
endforeach()

if(failed GREATER 0)
  message(SEND_ERROR "Tests failed; see above")  # the exit code
endif()
list(JOIN summary "\n" summary)
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${summary}\n${passed} passed, ${failed} failed")
