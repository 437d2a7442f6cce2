# After PROGRAM is built: writes to LIST an add_test() for each of its cases, with PROPERTIES, which are
# FILE|PROPERTY|VALUE or FILE.CASE|PROPERTY|VALUE (strata_cases in support.cmake). EMULATOR runs programs for another
# processor, or is empty.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --list OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
set(text "")
foreach(name ${names})
  string(REGEX REPLACE "\\..*" "" file ${name})
  set(labels "")
  set(others "")
  foreach(property ${PROPERTIES})
    if(property MATCHES "^(${file}|${name})[|]LABELS[|](.*)$")
      list(APPEND labels ${CMAKE_MATCH_2})
    elseif(property MATCHES "^(${file}|${name})[|]([A-Z_]+)[|](.*)$")
      string(APPEND others " ${CMAKE_MATCH_2} \"${CMAKE_MATCH_3}\"")
    endif()
  endforeach()
  string(APPEND text "add_test(${name} ${EMULATOR} \"${PROGRAM}\" ${name})\n"
    "set_tests_properties(${name} PROPERTIES TIMEOUT 1800 LABELS \"${labels}\"${others})\n")
endforeach()
file(WRITE ${LIST} "${text}")
