# What `cmake --install` puts where, under the prefix:
#
#   bin/strata   lib/libmlbf.*, libfrontier.*   include/strata/ROOM/HEADER.h   share/man/man1/strata.1
#   share/man/man3/FUNCTION.3   (made from the headers)
#   lib/cmake/strata/        find_package(strata) gives strata::mlbf and strata::frontier
#   lib/pkgconfig/           strata-mlbf.pc and strata-frontier.pc
#
# The include path is include/strata, so that a stranger's include lines are ours: "mlbf/filter.h". No path
# of the build or of the prefix is written into any file: what is installed may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STRATA_INCLUDES ${CMAKE_INSTALL_INCLUDEDIR}/strata)
set(STRATA_CONFIGS ${CMAKE_INSTALL_LIBDIR}/cmake/strata)

# With BUILD_SHARED_LIBS=ON the libraries and the program find each other from where they lie. Before 1.0 any
# minor version may break, so it is part of the soname.
file(RELATIVE_PATH STRATA_BIN_TO_LIB /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(mlbf frontier PROPERTIES INSTALL_RPATH "$ORIGIN"
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS mlbf frontier EXPORT strata
  ARCHIVE LIBRARY
  INCLUDES DESTINATION ${STRATA_INCLUDES}
  FILE_SET HEADERS DESTINATION ${STRATA_INCLUDES})

# Between our own files there are names without a prefix, which a stranger's program may have too. A static library is
# installed with its public functions alone; a shared one calls its own, whatever the program defines.
foreach(room mlbf frontier)
  get_target_property(headers ${room} HEADER_SET)
  list(TRANSFORM headers REPLACE "^([^/])" "${PROJECT_SOURCE_DIR}/${room}/\\1")
  if(BUILD_SHARED_LIBS)
    target_link_options(${room} PRIVATE LINKER:-Bsymbolic-functions)
  else()
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -E env
      \"LD=${CMAKE_LINKER}\" \"OBJCOPY=${CMAKE_OBJCOPY}\" \"AR=${CMAKE_AR}\"
      \"${PROJECT_SOURCE_DIR}/cmake/show_only.sh\" \"$<TARGET_FILE:${room}>\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${room}>\" ${headers}
      COMMAND_ERROR_IS_FATAL ANY)")
  endif()
endforeach()

if(TARGET strata)
  set_target_properties(strata PROPERTIES INSTALL_RPATH "$ORIGIN/${STRATA_BIN_TO_LIB}")
  install(TARGETS strata)
endif()
install(FILES ${STRATA_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
include(cmake/reference.cmake) # a man page for each function
install(DIRECTORY ${REFERENCE_PAGES}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")

# find_package(strata). A static library still needs what it stands on when a program is linked.
install(EXPORT strata NAMESPACE strata:: FILE strata-targets.cmake DESTINATION ${STRATA_CONFIGS})
configure_package_config_file(cmake/strata-config.cmake.in ${PROJECT_BINARY_DIR}/strata-config.cmake
  INSTALL_DESTINATION ${STRATA_CONFIGS} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strata-config.cmake ${PROJECT_BINARY_DIR}/strata-config-version.cmake
  DESTINATION ${STRATA_CONFIGS})

# pkg-config. The prefix is where the .pc file lies, so that `cmake --install --prefix` and a moved tree work.
file(RELATIVE_PATH STRATA_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" STRATA_PC_TO_PREFIX ${STRATA_PC_TO_PREFIX})
# A program that links the static libraries must also name what they depend on: Requires. Shared ones record it.
if(BUILD_SHARED_LIBS)
  set(STRATA_PC_REQUIRES "Requires.private")
  set(STRATA_PC_AND "\nRequires.private: ")
  set(STRATA_PC_LIBS "\nLibs.private: -lunistring")
else()
  set(STRATA_PC_REQUIRES "Requires")
  set(STRATA_PC_AND ", ")
  set(STRATA_PC_LIBS " -lunistring")
endif()
foreach(room mlbf frontier)
  configure_file(cmake/strata-${room}.pc.in ${PROJECT_BINARY_DIR}/strata-${room}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/strata-${room}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
