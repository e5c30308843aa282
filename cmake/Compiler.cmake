# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and link-time optimisation. switchyard_options carries the flags of our own code.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(SWITCHYARD_CCACHE ccache)
mark_as_advanced(SWITCHYARD_CCACHE)
if(SWITCHYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SWITCHYARD_CCACHE}")
endif()

add_library(switchyard_options INTERFACE)
# The same results from every compiler: no fused multiply-add, no tuning for the machine that builds.
target_compile_options(switchyard_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(SWITCHYARD_WERROR)
  target_compile_options(switchyard_options INTERFACE -Werror)
endif()

if(SWITCHYARD_SANITIZE)
  set(sanitize -fsanitize=${SWITCHYARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${sanitize})
  add_link_options(${sanitize})
  # SystemC 2.3.4 does not announce the end of a coroutine; checking stack objects then gives false reports.
  if(SWITCHYARD_SANITIZE MATCHES "address")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(--param=asan-stack=0)
    else()
      add_compile_options("SHELL:-mllvm -asan-stack=0")
    endif()
  endif()
  # The instrumented code of g++ looks uninitialised to g++ itself.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(switchyard_options INTERFACE -Wno-maybe-uninitialized)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  include(CheckIPOSupported)
  check_ipo_supported(RESULT SWITCHYARD_IPO OUTPUT ipo_output LANGUAGES CXX)
  if(SWITCHYARD_IPO AND NOT DEFINED CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  endif()
endif()
