# Filters and maps are larger than 4 GiB: what is not 64 bits wide cannot run any of it.
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  math(EXPR width "8 * ${CMAKE_SIZEOF_VOID_P}")
  message(FATAL_ERROR "Strata needs a 64-bit system: this compiler builds for ${width} bits.")
endif()

# Everything comes from Debian 12; nothing is vendored. The names are those of the Debian packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(XXHASH    REQUIRED IMPORTED_TARGET libxxhash)    # libxxhash-dev
pkg_check_modules(URIPARSER REQUIRED IMPORTED_TARGET liburiparser) # liburiparser-dev
pkg_check_modules(LMDB      REQUIRED IMPORTED_TARGET lmdb)         # liblmdb-dev
find_library(UNISTRING unistring REQUIRED)                         # libunistring-dev, which has no module
if(STRATA_LIBRARIES_ONLY)
  return()
endif()
pkg_check_modules(CURL      REQUIRED IMPORTED_TARGET libcurl)      # libcurl4-openssl-dev
pkg_check_modules(SSL       REQUIRED IMPORTED_TARGET libssl)       # libssl-dev
pkg_check_modules(CRYPTO    REQUIRED IMPORTED_TARGET libcrypto)    # libssl-dev
pkg_check_modules(PSL       REQUIRED IMPORTED_TARGET libpsl)       # libpsl-dev
pkg_check_modules(PCRE2     REQUIRED IMPORTED_TARGET libpcre2-8)   # libpcre2-dev
pkg_check_modules(ZLIB      REQUIRED IMPORTED_TARGET zlib)         # zlib1g-dev
pkg_check_modules(ZSTD      REQUIRED IMPORTED_TARGET libzstd)      # libzstd-dev
pkg_check_modules(BROTLI    REQUIRED IMPORTED_TARGET libbrotlidec) # libbrotli-dev
pkg_check_modules(LZMA      REQUIRED IMPORTED_TARGET liblzma)      # liblzma-dev
pkg_check_modules(JANSSON   REQUIRED IMPORTED_TARGET jansson)      # libjansson-dev
find_library(HIREDIS NAMES libhiredis.a REQUIRED)                  # libhiredis-dev; static: no machine needs it
