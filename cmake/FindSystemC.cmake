# SPDX-License-Identifier: Apache-2.0
# Provides SystemC::systemc. Looks at SYSTEMC_HOME, at what pkg-config knows, then at the system's own folders.
set(SWITCHYARD_SC_CPLUSPLUS 201703L CACHE STRING "Language level that the SystemC library was built with")
mark_as_advanced(SWITCHYARD_SC_CPLUSPLUS)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_SystemC QUIET systemc)
endif()
find_path(SystemC_INCLUDE_DIR systemc HINTS "$ENV{SYSTEMC_HOME}/include" ${PC_SystemC_INCLUDE_DIRS})
find_library(SystemC_LIBRARY systemc
  HINTS "$ENV{SYSTEMC_HOME}" ${PC_SystemC_LIBRARY_DIRS} PATH_SUFFIXES lib lib64 lib-linux64)
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC
  REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libsystemc-dev or set SYSTEMC_HOME")

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Threads::Threads
    INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=${SWITCHYARD_SC_CPLUSPLUS};SC_INCLUDE_DYNAMIC_PROCESSES")
endif()
