# What `cmake --install` puts where, under the prefix:
#
#   bin/strata   share/man/man1/strata.1   and its completion where bash, zsh and fish look for it
#   lib/libmlbf.*, libfrontier.*   include/strata/ROOM/HEADER.h
#   share/man/man3/FUNCTION.3, TYPE.3   (made from the headers)   share/doc/strata/ROOM/FORMAT.md, an example
#   lib/cmake/strata/        find_package(strata) gives strata::mlbf and strata::frontier
#   lib/pkgconfig/           strata-mlbf.pc and strata-frontier.pc
#
# The include path is include/strata, so that a stranger's include lines are ours: "mlbf/filter.h". No path
# of the build or of the prefix is written into any file: what is installed may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STRATA_INCLUDES ${CMAKE_INSTALL_INCLUDEDIR}/strata)
set(STRATA_CONFIGS ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
set(STRATA_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completion")

# Before anything is there: which directories this installation makes, for the target uninstall. What an earlier one
# made is still ours.
set(STRATA_MADE ${PROJECT_BINARY_DIR}/install_made.txt)
set(at ${CMAKE_INSTALL_BINDIR} ${STRATA_CONFIGS} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${STRATA_INCLUDES}
  ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man3 ${CMAKE_INSTALL_DATADIR}/doc/strata ${STRATA_ZSH_DIR}
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(CODE "
  foreach(directory ${at})
    set(directory \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${directory}\")
    while(NOT EXISTS \"\${directory}\")
      file(APPEND \"${STRATA_MADE}\" \"\${directory}\\n\")
      cmake_path(GET directory PARENT_PATH directory)
    endwhile()
  endforeach()" ALL_COMPONENTS)

# Between our own files there are names without a prefix, which a stranger's program or plugin may have too. So a
# library is installed with its public functions alone: a static one as one object, a shared one (BUILD_SHARED_LIBS=ON,
# beside the static one) by a version script that is made of its headers. Our own program uses private ones, and has the
# static libraries in it. Before 1.0 any minor version may break, so it is part of the soname, and of the symbols'
# version (MLBF_0.1, FRONTIER_0.1), which keeps two such libraries in one process apart.
set(STRATA_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(room mlbf frontier)
  get_target_property(headers ${room} HEADER_SET)
  list(TRANSFORM headers REPLACE "^([^/])" "${PROJECT_SOURCE_DIR}/${room}/\\1")
  # A plugin may have the static ones in it. With -fPIC alone gcc would inline no function that another library might
  # replace.
  set_target_properties(${room} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${room} PRIVATE -fno-semantic-interposition)
  set(${room}_library ${room}) # what programs of others link: the static one, or the shared one
  set(shown ${PROJECT_BINARY_DIR}/shown/lib${room}.a)
  add_custom_command(OUTPUT ${shown}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/shown
    COMMAND ${CMAKE_COMMAND} -E env LD=${CMAKE_LINKER} OBJCOPY=${CMAKE_OBJCOPY} AR=${CMAKE_AR}
      ${PROJECT_SOURCE_DIR}/cmake/show_only.sh $<TARGET_FILE:${room}> ${shown} ${headers}
    DEPENDS ${room} ${headers} ${PROJECT_SOURCE_DIR}/cmake/show_only.sh ${PROJECT_SOURCE_DIR}/cmake/public_names.sh
    COMMENT "Static library with the public functions of ${room}" VERBATIM)
  add_custom_target(${room}_shown ALL DEPENDS ${shown})
  if(BUILD_SHARED_LIBS)
    set(${room}_library ${room}_shared)
    set(script ${PROJECT_BINARY_DIR}/${room}.map)
    string(TOUPPER ${room} node)
    add_custom_command(OUTPUT ${script}
      COMMAND ${PROJECT_SOURCE_DIR}/cmake/version_script.sh ${script} ${node}_${STRATA_SOVERSION} ${headers}
      DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/version_script.sh ${PROJECT_SOURCE_DIR}/cmake/public_names.sh
      COMMENT "Version script of ${room}" VERBATIM)
    add_custom_target(${room}_map DEPENDS ${script})
    add_library(${room}_shared SHARED $<TARGET_OBJECTS:${room}>)
    add_dependencies(${room}_shared ${room}_map)
    target_link_options(${room}_shared PRIVATE LINKER:-Bsymbolic-functions LINKER:--version-script=${script})
    target_sources(${room}_shared PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
    set_target_properties(${room}_shared PROPERTIES OUTPUT_NAME ${room} EXPORT_NAME ${room} INSTALL_RPATH "$ORIGIN"
      LINKER_LANGUAGE C LINK_DEPENDS ${script} VERSION ${PROJECT_VERSION} SOVERSION ${STRATA_SOVERSION})
  endif()
  install(TARGETS ${${room}_library} EXPORT strata
    ARCHIVE COMPONENT dev
    LIBRARY COMPONENT lib${room} NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${STRATA_INCLUDES}
    FILE_SET HEADERS DESTINATION ${STRATA_INCLUDES} COMPONENT dev)
  install(FILES ${PROJECT_SOURCE_DIR}/${room}/FORMAT.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strata/${room}
    COMPONENT dev) # the headers cite it, and URL.md
  # In place of the one with all names, which is taken away: CMake takes two files made in one second to be the same.
  install(CODE "file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/lib${room}.a\")"
    COMPONENT dev)
  install(FILES ${shown} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endforeach()
install(FILES frontier/url/URL.md tests/examples/two_partitions.c # the example that exchange.h cites
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strata/frontier COMPONENT dev)
if(BUILD_SHARED_LIBS)
  target_link_libraries(mlbf_shared PRIVATE PkgConfig::XXHASH m)
  target_link_libraries(frontier_shared
    PUBLIC mlbf_shared
    PRIVATE PkgConfig::URIPARSER unistring PkgConfig::LMDB PkgConfig::XXHASH)
endif()

if(NOT STRATA_LIBRARIES_ONLY)
  install(TARGETS strata COMPONENT strata)
  install(FILES ${STRATA_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT strata)
  install(FILES ${STRATA_COMPLETIONS}/strata DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT strata)
  install(FILES ${STRATA_COMPLETIONS}/_strata DESTINATION ${STRATA_ZSH_DIR} COMPONENT strata)
  install(FILES ${STRATA_COMPLETIONS}/strata.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT strata)
endif()
include(cmake/reference.cmake) # man pages for functions and types
install(DIRECTORY ${REFERENCE_PAGES}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT dev
  FILES_MATCHING PATTERN "*.3")

# Takes away what the last installation from this build put anywhere.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -D MADE=${STRATA_MADE}
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
# The sources as one file: the same bytes from the same commit.
add_custom_target(dist
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/dist.sh ${PROJECT_VERSION} ${PROJECT_BINARY_DIR}/strata-${PROJECT_VERSION}.tar.gz
  VERBATIM)

# find_package(strata). A static library still needs what it stands on when a program is linked.
install(EXPORT strata NAMESPACE strata:: FILE strata-targets.cmake DESTINATION ${STRATA_CONFIGS} COMPONENT dev)
configure_package_config_file(cmake/strata-config.cmake.in ${PROJECT_BINARY_DIR}/strata-config.cmake
  INSTALL_DESTINATION ${STRATA_CONFIGS} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strata-config.cmake ${PROJECT_BINARY_DIR}/strata-config-version.cmake
  DESTINATION ${STRATA_CONFIGS} COMPONENT dev)

# pkg-config. The prefix is where the .pc file lies, so that `cmake --install --prefix` and a moved tree work.
file(RELATIVE_PATH STRATA_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" STRATA_PC_TO_PREFIX ${STRATA_PC_TO_PREFIX})
# A program that links the static libraries must also name what they stand on. Shared ones record it, and want none of
# those packages where such a program is built: so it is in Libs.private, which --static adds, not in Requires.private.
if(BUILD_SHARED_LIBS)
  set(STRATA_MLBF_NEEDS "\nLibs.private: -lxxhash -lm")
  set(STRATA_FRONTIER_NEEDS "\nLibs.private: -luriparser -lunistring -llmdb -lxxhash")
else()
  set(STRATA_MLBF_NEEDS " -lm\nRequires: libxxhash")
  set(STRATA_FRONTIER_REQUIRES ", liburiparser, lmdb, libxxhash")
  set(STRATA_FRONTIER_NEEDS " -lunistring")
endif()
foreach(room mlbf frontier)
  configure_file(cmake/strata-${room}.pc.in ${PROJECT_BINARY_DIR}/strata-${room}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/strata-${room}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
