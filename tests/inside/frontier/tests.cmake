# Source files of frontier/. All of them see calls fail where a case asks for it.
set(room inside/frontier)
strata_program(inside_frontier frontier tests_frontier)
strata_test(workbench refs wave hosts host_changes schedule fanout counters leases hash_set pair_heap
  seen write_set rows url_row known_cache doubt_row url_states store_rows store_urls due_keys journal key_file
  runs runs_harm url_fast)
target_sources(inside_frontier PRIVATE support/store_case.c support/runs_world.c)
strata_faults(inside_frontier)
strata_program(inside_frontier_tiny frontier_tiny tests_frontier SUFFIX _tiny)
strata_test(runs runs_harm)
target_sources(inside_frontier_tiny PRIVATE support/runs_world.c)
strata_faults(inside_frontier_tiny)
strata_program(inside_late tests_crawl frontier_tiny tests_frontier)
strata_test(late_lot)
target_sources(inside_late PRIVATE support/full_filter.c)
if(LMDB_STATIC)
  strata_test(doubts doubts_damage)
  target_sources(inside_late PRIVATE support/doubts_life.c)
  strata_faults(inside_late)
  target_link_options(inside_late PRIVATE ${lmdb_whole})
endif()
strata_test_alone(store frontier tests_frontier) # it limits its address space, of which other tests need more
