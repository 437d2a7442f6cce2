# Source files of mlbf/.
set(room inside/mlbf)
strata_program(inside_mlbf mlbf PkgConfig::XXHASH m)
strata_test(hash hash_sort attack line digest_features digest_sha1 near_table)
target_sources(inside_mlbf PRIVATE support/slow_hash.c support/forged_link.c)

find_program(CLANG clang)                                      # the NEON path compiles, on machines that cannot run it
if(CLANG)
  set(no_libc ${CMAKE_CURRENT_BINARY_DIR}/no_libc)             # there need be no C library for ARM
  file(WRITE ${no_libc}/assert.h "#define assert(condition) ((void)0)\n")
  add_test(NAME line_neon COMMAND ${CLANG} --target=aarch64-linux-gnu -std=c17 -O2 -ffreestanding -Wall -Wextra -Werror
    -isystem ${no_libc} -I${PROJECT_SOURCE_DIR} -c
    ${PROJECT_SOURCE_DIR}/mlbf/filter/line_neon.c -o ${CMAKE_CURRENT_BINARY_DIR}/line_neon.o)
endif()
