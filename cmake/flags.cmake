# What every file of the project is compiled with.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(STRATA_WERROR "Warnings are errors" OFF)
option(STRATA_ASSERTS "A broken invariant aborts: for tests, fuzzers and simulation" OFF)
option(STRATA_LINT "Run clang-tidy and cppcheck on every file as it compiles" OFF)
set(STRATA_ANALYZER_NODES 20000 CACHE STRING
  "How many states of a function clang's static analyzer visits; its own 225000 take five times as long")
set(STRATA_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, such as address,undefined")

add_library(strata_flags INTERFACE)
target_include_directories(strata_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_definitions(strata_flags INTERFACE _GNU_SOURCE STRATA_VERSION="${PROJECT_VERSION}")
target_compile_options(strata_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wvla -fno-strict-aliasing
  $<$<BOOL:${STRATA_WERROR}>:-Werror>
  $<IF:$<BOOL:${STRATA_ASSERTS}>,-UNDEBUG,-DNDEBUG>)           # the last word, whatever the build type says
if(STRATA_SANITIZE)
  target_compile_options(strata_flags INTERFACE
    -fsanitize=${STRATA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE})
endif()

# As co-compilers the linters are as incremental and parallel as the build itself. What they look for and why
# something is left out: .clang-tidy and cmake/cppcheck-suppressions.txt.
if(STRATA_LINT)
  set(CMAKE_C_CLANG_TIDY clang-tidy --quiet --warnings-as-errors=* --extra-arg=-Xclang --extra-arg=-analyzer-config
    --extra-arg=-Xclang --extra-arg=max-nodes=${STRATA_ANALYZER_NODES})
  set(CMAKE_C_CPPCHECK cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr
      --error-exitcode=1 --suppressions-list=${PROJECT_SOURCE_DIR}/cmake/cppcheck-suppressions.txt)
endif()
