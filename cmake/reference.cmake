# Reference pages, section 3: one for each public function and one for each public header, made from the headers'
# comments by reference.awk whenever a header changes. They lie in REFERENCE_PAGES.
find_program(STRATA_AWK awk REQUIRED)
set(REFERENCE_PAGES ${PROJECT_BINARY_DIR}/man3)

file(STRINGS ${PROJECT_SOURCE_DIR}/man/strata.1.in reference_date REGEX "^\\.Dd ")
string(REPLACE ".Dd " "" reference_date "${reference_date}")

set(reference_commands)
set(reference_headers)
foreach(room mlbf frontier)
  get_target_property(headers ${room} HEADER_SET)
  foreach(header ${headers})
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/${room})
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    list(APPEND reference_headers ${header})
    list(APPEND reference_commands COMMAND ${STRATA_AWK} -f ${PROJECT_SOURCE_DIR}/cmake/reference.awk
      -v header=${name} -v out=${REFERENCE_PAGES} -v "date=${reference_date}" ${header})
  endforeach()
endforeach()
add_custom_command(OUTPUT ${REFERENCE_PAGES}.made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${REFERENCE_PAGES}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${REFERENCE_PAGES}
  ${reference_commands}
  COMMAND ${CMAKE_COMMAND} -E touch ${REFERENCE_PAGES}.made
  DEPENDS ${reference_headers} ${PROJECT_SOURCE_DIR}/cmake/reference.awk ${PROJECT_SOURCE_DIR}/man/strata.1.in
  COMMENT "Reference pages from the headers" VERBATIM)
add_custom_target(reference ALL DEPENDS ${REFERENCE_PAGES}.made)
