# cmake -DPROGRAM=... -DPICTURES=docs/pictures -DFOLDER=... -P compare_numbers.cmake: fails unless the program writes
# into FOLDER just the files that stand in docs/pictures/data, byte for byte.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${PROGRAM}" "${FOLDER}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()

file(GLOB written RELATIVE "${FOLDER}" "${FOLDER}/*")
file(GLOB kept RELATIVE "${PICTURES}/data" "${PICTURES}/data/*")
if(NOT "${written}" STREQUAL "${kept}" OR "${written}" STREQUAL "")
  message(FATAL_ERROR "The program writes ${written}, but docs/pictures/data has ${kept}")
endif()
set(differing "")
foreach(name IN LISTS written)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files "${FOLDER}/${name}" "${PICTURES}/data/${name}"
                  RESULT_VARIABLE differs ERROR_QUIET)
  if(NOT differs EQUAL 0)
    list(APPEND differing "${name}")
    execute_process(COMMAND diff "${PICTURES}/data/${name}" "${FOLDER}/${name}")  # shows where, if there is a diff
  endif()
endforeach()
if(differing)
  message(FATAL_ERROR "Other numbers than in docs/pictures/data: ${differing}.\n"
                      "If they are meant to be others: sh docs/pictures/draw.sh, and look at the pictures")
endif()
