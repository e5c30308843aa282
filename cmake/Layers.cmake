# SPDX-License-Identifier: Apache-2.0
# The folders of models/, lowest first. A library may use the ones before it.
set(SWITCHYARD_LAYERS base sim memory cpu interrupt hypervisor kernel workloads)

# switchyard_add_library(<name> [SOURCES <files...>] [HEADERS <files...>] [LINK <targets...>] [OBJECT])
# One library of the project: static (or object) with sources, interface with headers only, nothing without either.
function(switchyard_add_library name)
  cmake_parse_arguments(ARG "OBJECT" "" "SOURCES;HEADERS;LINK" ${ARGN})
  if(ARG_SOURCES)
    set(kind STATIC)
    if(ARG_OBJECT)
      set(kind OBJECT)
    endif()
    add_library(${name} ${kind} ${ARG_SOURCES} ${ARG_HEADERS})
    target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE switchyard_options)
  elseif(ARG_HEADERS)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# switchyard_existing(<result> <targets...>): those of the targets that exist.
function(switchyard_existing result)
  set(found "")
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      list(APPEND found ${target})
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
