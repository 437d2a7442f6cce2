# Virtual time: strata crawl, whole, on a simulated machine in front of the web in a box. contract/web/SIMULATION.md.
# LMDB's writes fail and kill as ours do, so it is linked whole and static.
if(LMDB_STATIC AND TARGET tests_web)
  set(overheard frontier_add frontier_add_batch_sized frontier_next_sized frontier_done frontier_release
    frontier_host_next frontier_again frontier_is_finished commit_batch)
  list(TRANSFORM overheard PREPEND LINKER:--wrap=)
  foreach(limits usual tiny)
    add_library(sim_${limits} OBJECT
      contract/web/sim.c           # the machine: its state, its trace
      contract/web/sim_machine.c   # its clocks, waiting and dice, in place of frontier/base/machine.c
      contract/web/sim_fetch.c     # its network, in place of crawler/http/fetch.c
      contract/web/sim_flight.c    # ... one request
      contract/web/witness.c         # who looks whether promises are kept
      contract/web/witness_turns.c   # ... among them that nobody starves
      contract/web/witness_wrap.c    # what the crawl says to the frontier, overheard
      support/faults.c            # system calls that fail or kill
      support/scratch.c
    )
    target_link_libraries(sim_${limits} PRIVATE strata_flags frontier_${limits} tests_web
      PkgConfig::CURL PkgConfig::XXHASH PkgConfig::LMDB)
    add_executable(swarm_${limits}
      contract/web/swarm.c         # many seeds, or one
      contract/web/swarm_draw.c    # what a seed stands for
      contract/web/swarm_life.c    # one life of its crawl
      contract/web/swarm_judge.c   # what that left
      contract/web/swarm_polite.c  # one long crawl
      site/warc_reader.c  # its archive, read by the standard
    )
    target_link_libraries(swarm_${limits} PRIVATE strata_flags sim_${limits} frontier_${limits} tests_web crawler
      PkgConfig::CURL PkgConfig::JANSSON PkgConfig::XXHASH PkgConfig::CRYPTO PkgConfig::ZLIB)
    target_link_options(swarm_${limits} PRIVATE ${calls} ${overheard}
      ${lmdb_whole})
  endforeach()

  function(swarm_test name limits what)
    add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/contract/web/test_swarm.sh ${what}
      $<TARGET_FILE:swarm_${limits}> ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  endfunction()
  swarm_test(swarm usual seeds)
  swarm_test(swarm_tiny tiny seeds)
  swarm_test(swarm_long usual long)
  swarm_test(swarm_same usual same)
  add_test(NAME swarm_polite COMMAND swarm_usual --polite 500x5000)
  set_tests_properties(swarm_polite PROPERTIES TIMEOUT 1800)
  if(NOT STRATA_SANITIZE)
    swarm_test(swarm_plants usual plants)
    swarm_test(swarm_known usual known ${CMAKE_CURRENT_SOURCE_DIR}/contract/web/known_failures.txt)
  endif()
endif()
