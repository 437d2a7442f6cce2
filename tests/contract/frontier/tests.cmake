# The installed headers of frontier/.
set(room contract/frontier)
strata_program(contract_frontier frontier tests_frontier Threads::Threads)
strata_test(url url_profile url_rules frontier frontier_hook frontier_format full_batch exchange clock fairness queue
  ordered ordered_model ordered_care host trap_marks traps recrawl promote inlinks add add_alone previous open_options
  each find resting)
target_sources(contract_frontier PRIVATE ${frontier_model} support/trap_web.c support/full_filter.c
  support/slow_hash.c)
target_compile_definitions(contract_frontier PRIVATE FRONTIER_DRIVER="$<TARGET_FILE:frontier_driver_tiny>")
add_dependencies(contract_frontier frontier_driver_tiny)
strata_test_threads(contract_threads add_texts handle lander wake)

# ... again with tiny limits.
strata_program(contract_frontier_tiny frontier_tiny tests_frontier SUFFIX _tiny)
strata_test(frontier queue ordered_model host traps recrawl promote)
target_sources(contract_frontier_tiny PRIVATE ${frontier_model} support/trap_web.c)

# A directory cared for, after crawls that meet every limit; and partitions that meet them.
strata_program(contract_care tests_crawl tests_frontier)
strata_test(check repair repair_again miscounted identity left_file own_secret compact snapshot merge exact
  exact_repair exact_care)
target_sources(contract_care PRIVATE support/waiting_crawl.c)
strata_program(contract_care_tiny tests_crawl frontier_tiny tests_frontier)
strata_test(check_child erase maintain exchange_model)
target_sources(contract_care_tiny PRIVATE support/exchange_world.c support/exchange_pages.c support/exchange_disks.c
  support/exchange_over.c support/exchange_carrier.c)

# Each call fails once.
strata_test_alone(url_arena frontier)
target_link_options(contract_frontier_url_arena PRIVATE -Wl,--wrap=malloc)
strata_program(contract_frontier_faults frontier)
strata_test(said_later)
strata_faults(contract_frontier_faults)
if(LMDB_STATIC)
  foreach(limits usual tiny)
    strata_program(contract_faults_${limits} frontier_${limits} tests_frontier SUFFIX _${limits})
    strata_test(frontier_faults late)
    strata_faults(contract_faults_${limits})
    target_link_options(contract_faults_${limits} PRIVATE ${lmdb_whole})
  endforeach()
  strata_program(contract_care_faults tests_crawl frontier_tiny tests_frontier)
  strata_test(renewal admin_faults)
  strata_faults(contract_care_faults)
  target_link_options(contract_care_faults PRIVATE ${lmdb_whole})
endif()
