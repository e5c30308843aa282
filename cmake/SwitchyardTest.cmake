# SPDX-License-Identifier: Apache-2.0
# switchyard_add_test(<name> SOURCES <files...> LINK <targets...> [LABELS <labels...>] [TIMEOUT <seconds>])
# Builds one Boost.Test binary; registers one ctest entry (= one process) per test case.
function(switchyard_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(discover "${PROJECT_SOURCE_DIR}/cmake/DiscoverBoostTests.cmake")
  switchyard_existing(support switchyard_test_support)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE switchyard_test_main ${support} ${ARG_LINK} switchyard_options)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${discover}")
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake")
  add_custom_command(TARGET ${name} POST_BUILD
    BYPRODUCTS "${list_file}"
    COMMAND "${CMAKE_COMMAND}" -D "EXE=$<TARGET_FILE:${name}>" -D "NAME=${name}" -D "OUT=${list_file}"
            -D "LABELS=${ARG_LABELS}" -D "TIMEOUT=${ARG_TIMEOUT}" -P "${discover}"
    VERBATIM)
  set(stub "${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake")
  file(WRITE "${stub}" "if(EXISTS \"${list_file}\")
  include(\"${list_file}\")
else()
  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
  set_tests_properties(${name}_NOT_BUILT PROPERTIES LABELS \"${ARG_LABELS}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${stub}")
endfunction()
