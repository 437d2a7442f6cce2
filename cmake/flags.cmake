# What every file of the project is compiled with.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(STRATA_WERROR "Warnings are errors" OFF)
set(STRATA_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, such as address,undefined")

add_library(strata_flags INTERFACE)
target_include_directories(strata_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_definitions(strata_flags INTERFACE _GNU_SOURCE STRATA_VERSION="${PROJECT_VERSION}")
target_compile_options(strata_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wvla -fno-strict-aliasing
  $<$<BOOL:${STRATA_WERROR}>:-Werror>)
if(STRATA_SANITIZE)
  target_compile_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE})
endif()
