# Crawls ended by force.
set(room contract/crash)
strata_program(contract_crash trial frontier mlbf tests_frontier)
strata_test(crash_kill crash_stop crash_stop_soon crash_warc_kill crash_full_disk crash_full_map crash_similar_kill
  crash_forget_kill exchange_kill)
target_sources(contract_crash PRIVATE ${room}/promises.c ${room}/said.c)
target_compile_definitions(contract_crash PRIVATE STRATA_DIRECTORY="$<TARGET_FILE_DIR:strata>")

# On a disk, wherever check.sh has the files of the others: what is full.
strata_cases(crash_full_disk ENVIRONMENT TMPDIR=${CMAKE_CURRENT_BINARY_DIR})
strata_cases(crash_full_map ENVIRONMENT TMPDIR=${CMAKE_CURRENT_BINARY_DIR})

# The frontier alone, by a driver of its own: with the usual limits, and with tiny ones.
# STRATA_TIMES=1000 kills so often.
foreach(limits usual tiny)
  add_executable(frontier_driver_${limits} ${room}/frontier_driver.c)
  target_link_libraries(frontier_driver_${limits} PRIVATE strata_flags frontier_${limits})
  strata_program(contract_crash_${limits} tests_frontier SUFFIX _${limits})
  strata_test(crash_frontier)
  target_sources(contract_crash_${limits} PRIVATE ${room}/audit.c)
  target_compile_definitions(contract_crash_${limits} PRIVATE
    FRONTIER_DRIVER="$<TARGET_FILE:frontier_driver_${limits}>")
  add_dependencies(contract_crash_${limits} frontier_driver_${limits})
endforeach()

strata_cases(crash_frontier_tiny ENVIRONMENT TMPDIR=${CMAKE_CURRENT_BINARY_DIR}) # one that is synced on a disk

# By preloaded libraries, which sanitizers do not suffer: a slow disk, death and error at every call that changes a
# file, and a disk that keeps only what it must.
if(NOT STRATA_SANITIZE)
  foreach(library slow_sync fault write_log)
    add_library(${library} MODULE ${room}/${library}.c)
    target_link_libraries(${library} PRIVATE strata_flags ${CMAKE_DL_LIBS})
  endforeach()
  strata_program(contract_crash_calls trial frontier mlbf)
  strata_test(crash_fault)
  target_sources(contract_crash_calls PRIVATE ${room}/promises.c ${room}/said.c)
  foreach(program contract_crash contract_crash_calls)
    target_compile_definitions(${program} PRIVATE SLOW_SYNC="$<TARGET_FILE:slow_sync>"
      FAULT_LIBRARY="$<TARGET_FILE:fault>")
    add_dependencies(${program} slow_sync fault)
  endforeach()
  strata_cases(exchange_kill ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:fault>)
  if(EXISTS /dev/shm)
    strata_cases(crash_fault ENVIRONMENT TMPDIR=/dev/shm)
  endif()
  foreach(limits usual tiny)
    set(program contract_crash_${limits})
    set(suffix _${limits})
    strata_test(crash_power)
    target_sources(${program} PRIVATE ${room}/power_disk.c)
    target_compile_definitions(${program} PRIVATE RECORD_LIBRARY="$<TARGET_FILE:write_log>")
    add_dependencies(${program} write_log)
    if(EXISTS /dev/shm)
      strata_cases(crash_power_${limits} ENVIRONMENT TMPDIR=/dev/shm)
    endif()
  endforeach()
endif()
