if(STRATA_ASSERTS)
  set(room house)
  strata_test(asserts crawler)      # and all rooms below
  unset(room)
endif()

# What no sanitizer changes: the scripts, the headers alone, and what is installed.
if(NOT STRATA_SANITIZE)
  add_subdirectory(headers)
  add_test(NAME layering COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_layering.sh)
  add_test(NAME columns COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_columns.sh)
  add_test(NAME skipped COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_skipped.sh)
  add_test(NAME words COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_words.sh)
  add_test(NAME promises COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_promises.sh ${PROJECT_BINARY_DIR}
    ${PROJECT_SOURCE_DIR}/tests/PROMISES.md)
  add_test(NAME handle_fields COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_handle_fields.sh)
  add_test(NAME limits COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_limits.sh)
  foreach(room mlbf frontier)
    get_target_property(headers ${room} HEADER_SET)
    foreach(header ${headers})
      cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/${room})
      list(APPEND public_headers ${header})
    endforeach()
  endforeach()
  add_test(NAME locked COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_locked.sh ${PROJECT_SOURCE_DIR}/frontier
    ${public_headers})
  add_test(NAME reference
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_reference.sh ${PROJECT_BINARY_DIR}/man3 ${public_headers})
  if(STRATA_ASSERTS)
    add_test(NAME asserts_release COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_asserts.sh ${PROJECT_BINARY_DIR})
  endif()
  if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
    add_test(NAME hardened COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_hardened.sh $<TARGET_FILE:strata>
      $<TARGET_FILE:mlbf> $<TARGET_FILE:frontier> $<TARGET_FILE:datasets> $<TARGET_FILE:crawler>)
  endif()
  add_test(NAME debian COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_debian.sh)
  add_test(NAME manual COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/house/test_manual.sh $<TARGET_FILE:strata> ${STRATA_MANUAL})
  add_test(NAME completion COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/program/test_completion.sh $<TARGET_FILE:strata>
    ${STRATA_COMPLETIONS})
  set_tests_properties(completion PROPERTIES TIMEOUT 300)
  add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/test_install.sh ${PROJECT_BINARY_DIR})
  add_test(NAME install_shared COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/test_install_shared.sh ${PROJECT_BINARY_DIR}
    ${CMAKE_C_COMPILER})
  add_test(NAME dist COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/test_dist.sh)
  set_tests_properties(dist PROPERTIES SKIP_RETURN_CODE 77)
  set_tests_properties(install_shared PROPERTIES TIMEOUT 1200)
  strata_slow(install_shared)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64") # whose layouts are kept
    add_test(NAME abi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/test_abi.sh ${PROJECT_BINARY_DIR})
    set_tests_properties(abi PROPERTIES TIMEOUT 1200)
    strata_slow(abi)
  endif()
endif()
