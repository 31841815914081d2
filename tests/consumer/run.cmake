# Uses posenc as another project does, in the given WAY, and fails where that project's author would be surprised. One way
# is posenc by itself, with everything that it can build.
# Called by ctest, which sets the variables that CMakeLists.txt beside this file names.

set(guest_source "${CMAKE_CURRENT_LIST_DIR}/guest")
set(guest_build "${WORK_DIR}/${WAY}")
set(guest_prefix "${WORK_DIR}/${WAY}_prefix")
set(posenc_prefix "${WORK_DIR}/moved")
file(REMOVE_RECURSE "${guest_build}" "${guest_prefix}")

# Runs a command, which has to succeed, and leaves what it printed in `output`.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message("${command}\n${text}")  # apart, since FATAL_ERROR wraps long lines
    message(FATAL_ERROR "the command above failed")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect_program_output program)
  run("${program}")
  if(NOT output STREQUAL "posenc ${POSENC_VERSION}\n")
    message(FATAL_ERROR "${program} printed: ${output}")
  endif()
endfunction()

# User and system package registries are left out: they may name some other posenc or Eigen.
set(configure ${CMAKE_COMMAND} -S "${guest_source}" -B "${guest_build}" ${CONFIGURE_OPTIONS} --no-warn-unused-cli
  -DWAY=${WAY} "-DPOSENC_TREE=${POSENC_TREE}" "-DCMAKE_INSTALL_PREFIX=${guest_prefix}" -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_FIND_USE_SYSTEM_PACKAGE_REGISTRY=OFF)

function(configure_build_run_install)
  run(${configure} ${ARGN})
  run(${CMAKE_COMMAND} --build "${guest_build}" --config Release)
  find_program(guest_program guest_program PATHS "${guest_build}" "${guest_build}/Release" NO_DEFAULT_PATH)
  expect_program_output("${guest_program}")
  run(${CMAKE_COMMAND} --install "${guest_build}" --config Release)
endfunction()

if(WAY STREQUAL "add_subdirectory" OR WAY STREQUAL "fetch_content")
  configure_build_run_install("-DFETCHCONTENT_SOURCE_DIR_POSENC=${POSENC_TREE}")
  file(GLOB_RECURSE ours "${guest_prefix}/*posenc*" "${guest_prefix}/*igen*")
  if(ours)
    message(FATAL_ERROR "installed together with a guest that did not ask for it: ${ours}")
  endif()

elseif(WAY STREQUAL "everything")
  # The README's line, with no option given: examples, benchmarks and tests are all on, and no two of them may claim
  # one target. Configuring is enough to see that.
  run(${CMAKE_COMMAND} -S "${POSENC_TREE}" -B "${guest_build}" ${CONFIGURE_OPTIONS} --no-warn-unused-cli
      -DPOSENC_BUILD_EXAMPLES=ON -DPOSENC_BUILD_BENCHMARKS=ON -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON)
  if(output MATCHES "Google Benchmark not found")
    message(STATUS "SKIPPED: Google Benchmark is not installed, so examples and benchmarks were not configured together")
  endif()

elseif(WAY STREQUAL "install")
  # Installed in one place and moved to another: nothing may remember the first one.
  set(first_place "${WORK_DIR}/installed")
  file(REMOVE_RECURSE "${first_place}" "${posenc_prefix}")
  run(${CMAKE_COMMAND} --install "${POSENC_BUILD}" --prefix "${first_place}")
  file(RENAME "${first_place}" "${posenc_prefix}")
  file(GLOB here RELATIVE "${POSENC_TREE}/include/posenc" "${POSENC_TREE}/include/posenc/*")
  file(GLOB there RELATIVE "${posenc_prefix}/include/posenc" "${posenc_prefix}/include/posenc/*")
  if(NOT here STREQUAL there)
    message(FATAL_ERROR "headers are ${here}, installed are ${there}")
  endif()

elseif(WAY STREQUAL "find_package")
  configure_build_run_install("-DCMAKE_PREFIX_PATH=${posenc_prefix}" "-DVERSION=${POSENC_VERSION}")
  file(READ "${guest_prefix}/share/cmake/guest/guestTargets.cmake" exported)
  if(NOT exported MATCHES "posenc::posenc" OR exported MATCHES "Eigen")
    message(FATAL_ERROR "an exported guest should name posenc::posenc and leave Eigen to it:\n${exported}")
  endif()

elseif(WAY STREQUAL "wrong_version")
  execute_process(COMMAND ${configure} "-DCMAKE_PREFIX_PATH=${posenc_prefix}" "-DVERSION=${WRONG_VERSION}"
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "\"${WRONG_VERSION}\"" OR NOT output MATCHES "version: ${POSENC_VERSION}")
    message(FATAL_ERROR "version ${WRONG_VERSION} was not refused, or without both versions being named:\n${output}")
  endif()

elseif(WAY STREQUAL "pkg_config")
  set(ENV{PKG_CONFIG_PATH} "${posenc_prefix}/share/pkgconfig")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf)
  if(NOT PKG_CONFIG)
    message(STATUS "SKIPPED: there is no pkg-config")
    return()
  endif()
  execute_process(COMMAND ${PKG_CONFIG} --exists eigen3 RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(STATUS "SKIPPED: pkg-config knows no eigen3")
    return()
  endif()
  run(${PKG_CONFIG} --modversion posenc)
  if(NOT output STREQUAL "${POSENC_VERSION}\n")
    message(FATAL_ERROR "pkg-config --modversion posenc printed: ${output}")
  endif()
  run(${PKG_CONFIG} --cflags --libs posenc)
  separate_arguments(flags UNIX_COMMAND "${output}")
  file(MAKE_DIRECTORY "${guest_build}")
  run("${COMPILER}" -std=c++17 "${guest_source}/program.cpp" "${guest_source}/library.cpp" ${flags} -o "${guest_build}/program")
  expect_program_output("${guest_build}/program")

else()
  message(FATAL_ERROR "unknown way \"${WAY}\"")
endif()
