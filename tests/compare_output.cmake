# cmake -DPROGRAM=... -DEXPECTED=file -P compare_output.cmake: fails unless the program prints just what the file says.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE result)
file(READ "${EXPECTED}" expected)
if(NOT result EQUAL 0 OR NOT printed STREQUAL expected)
  message("${printed}--- ended with ${result}; expected was\n${expected}---")
  message(FATAL_ERROR "${PROGRAM} should end with 0 and print what stands in ${EXPECTED}")
endif()
