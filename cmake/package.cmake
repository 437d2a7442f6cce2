# Debian packages, by `cmake --preset deb`, `cmake --build --preset deb --target package`: build/deb/packages/*.deb.
#
#   libmlbf0.1  libfrontier0.1    the shared libraries; named after their sonames
#   libstrata-dev                 headers, static libraries, man pages of section 3, find_package, pkg-config
#   strata                        the program, its man page and completion
#   python3-strata-frontier       the Python package, on the two shared libraries
#
# One more is a component of install rules and a line strata_package(COMPONENT ...) before include(CPack) below.
# A release has the same version here, in debian/changelog.
set(STRATA_PACKAGE_VERSION ${PROJECT_VERSION}-1)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "Strata")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# Packages of your own build, so no mail about them may reach anybody else: .invalid is no domain, ever (RFC 2606).
set(STRATA_MAINTAINER "The Strata authors <strata@strata.invalid>" CACHE STRING "Who answers for the Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${STRATA_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# copyright and changelog of each package; man pages as Debian wants them
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/documents.cmake)
set(CPACK_STRATA_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_COMPONENTS_ALL)

# strata_package(COMPONENT PACKAGE SECTION [NEEDS_NO_LIBRARIES] [DEPENDS ...] SUMMARY ... TEXT ...)
function(strata_package component package section)
  cmake_parse_arguments(PARSE_ARGV 3 is NEEDS_NO_LIBRARIES "" "DEPENDS;SUGGESTS;SUMMARY;TEXT")
  string(TOUPPER ${component} name)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_STRATA_PACKAGE_${component} ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  if(NOT is_NEEDS_NO_LIBRARIES)
    set(CPACK_DEBIAN_${name}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  endif()
  list(JOIN is_DEPENDS ", " is_DEPENDS)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS ${is_DEPENDS} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SUGGESTS ${is_SUGGESTS} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${is_SUMMARY}\n${is_TEXT}" PARENT_SCOPE)
endfunction()

strata_package(libmlbf libmlbf${STRATA_SOVERSION} libs
  SUMMARY "URL-seen filters of web crawlers, with layers"
  TEXT "Multi-layer Bloom filters, which say whether a key was seen, and from
which part on it is new. Also windows, counters, near-duplicate indexes and
similarity digests.")
strata_package(libfrontier libfrontier${STRATA_SOVERSION} libs
  DEPENDS "libmlbf${STRATA_SOVERSION} (= ${STRATA_PACKAGE_VERSION})"
  SUMMARY "frontier of a web crawler, safe from crashes"
  TEXT "Canonical URLs, which of them are new, and which is fetched next: queues in
LMDB, politeness by host, and recovery from a crash at any moment.")
strata_package(dev libstrata-dev libdevel NEEDS_NO_LIBRARIES
  DEPENDS "libmlbf${STRATA_SOVERSION} (= ${STRATA_PACKAGE_VERSION})"
    "libfrontier${STRATA_SOVERSION} (= ${STRATA_PACKAGE_VERSION})"
  SUGGESTS "libxxhash-dev, liburiparser-dev, libunistring-dev, liblmdb-dev"
  SUMMARY "filters and frontier of web crawlers, to build programs with"
  TEXT "Headers and libraries of libmlbf and libfrontier, with a manual page for each
function and type. The suggested packages are for linking the static libraries.")
strata_package(strata strata web
  SUMMARY "web crawler with a memory that survives crashes"
  TEXT "Crawls sites politely, remembers which URLs were seen, and goes on where it
stopped, even after a power cut. Also drops lines whose URL was seen before,
compares filters, and checks, merges and exports what crawls have stored.")
if(STRATA_PYTHON_PACKAGE)
  strata_package(python python3-strata-frontier python
    DEPENDS "libmlbf${STRATA_SOVERSION} (= ${STRATA_PACKAGE_VERSION})"
      "libfrontier${STRATA_SOVERSION} (= ${STRATA_PACKAGE_VERSION})" "python3:any (>= 3.8)" python3-cffi-backend
    SUGGESTS python3-scrapy
    SUMMARY "frontier and URL-seen filters of crawls, for Python"
    TEXT "Which URLs were seen, and which is fetched next: on disk, safe from crashes.
With a scheduler for Scrapy, whose crawls then survive a kill at any moment.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/python/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/python/prerm)
endif()

# What programs that link a library depend on, and that the loader is to hear of it: by a trigger, as Debian wants it.
# CPack adds scripts that call ldconfig, unless some are named here; a file that is not there is passed over.
foreach(room mlbf frontier)
  string(TOUPPER lib${room} name)
  set(control ${PROJECT_BINARY_DIR}/debian/${room})
  file(WRITE ${control}/shlibs "lib${room} ${STRATA_SOVERSION} lib${room}${STRATA_SOVERSION} (>= ${PROJECT_VERSION})\n")
  file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers
    ${control}/postinst ${control}/postrm)
endforeach()
include(CPack)
