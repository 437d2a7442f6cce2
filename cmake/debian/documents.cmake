# Run by CPack before it packs: in each package's tree, the files that Debian wants, as it wants them.
find_program(GZIP gzip REQUIRED)
foreach(component ${CPACK_COMPONENTS_ALL})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(package ${CPACK_STRATA_PACKAGE_${component}})
  set(documents ${usr}/share/doc/${package})
  if(component STREQUAL dev) # FORMAT.md and the like
    file(RENAME ${usr}/share/doc/strata ${documents})
  endif()
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${CPACK_STRATA_SOURCE}/cmake/debian/copyright DESTINATION ${documents})
  configure_file(${CPACK_STRATA_SOURCE}/cmake/debian/changelog ${documents}/changelog.Debian COPYONLY)
  configure_file(${CPACK_STRATA_SOURCE}/CHANGELOG.md ${documents}/changelog COPYONLY)
  file(GLOB_RECURSE zipped ${usr}/share/man/*.[1-9])
  execute_process(COMMAND ${GZIP} -9nf ${zipped} ${documents}/changelog.Debian ${documents}/changelog
    COMMAND_ERROR_IS_FATAL ANY)
  # whatever the umask
  execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY}/${component} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
