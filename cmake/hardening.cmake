# What makes a fault of memory hard to use, in optimised builds: position-independent programs at random addresses,
# checked calls of the C library (FORTIFY), canaries on stacks, stacks that cannot jump over their guard page, marked
# targets of jumps, and nothing both writable and executable, nor writable after loading. No file is exempt: SECURITY.md
# says what it costs. Sanitizers bring checks of their own, which FORTIFY would hide.
if(STRATA_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  return()
endif()
include(CheckCCompilerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection) # not every processor has each
  string(MAKE_C_IDENTIFIER HAS${flag} known)
  check_c_compiler_flag("-Werror ${flag}" ${known})
  target_compile_options(strata_flags INTERFACE $<$<BOOL:${${known}}>:${flag}>)
endforeach()
# Programs; libraries are built with -fPIC.
target_compile_options(strata_flags INTERFACE
  -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
