# Which stages of check.sh leave a test out. Without a label it runs in each of them: quick, gcc, asan, night.
#   slow    not in quick: seconds of the cores, for what another test of quick finds nearly always
#   gcc     not under the sanitizers, which judge no numbers, and see its code in other tests
#   asan    not in quick nor gcc: what it finds the sanitized run finds as well
#   night   only in the night: a twin with the limits that users have of a test with tiny ones, a build of everything
set(slow_tests
  answers_admin attack corpus_near filter linear near_error open_options paper portable_digest portable_filter
  portable_line portable_url_fast surt
  cluster cluster_chaos cluster_chaos_lie crash_fault crash_kill crash_power_tiny exchange_kill
  real_tree report_in_browser swarm_long swarm_plants swarm_same web_crawl web_truth
  completion dist handle_fields install install_libraries install_shared readme_lines reference)
set(gcc_tests
  answers_admin attack corpus_near count filter frontier generator line near_error open_options paper plan surt
  crash_kill exchange_kill real_tree swarm swarm_long swarm_same web_crawl web_truth)
set(asan_tests
  admin_faults fairness frontier_faults_tiny chain late_tiny renewal runs_harm_tiny
  crawl_late crawl_planted crawl_shown crawl_soft404 swarm_tiny)
set(night_tests
  cluster_chaos_web
  crash_frontier_usual crash_power_usual frontier_faults_usual hash_quality hostile_directory_more late_usual runs
  runs_harm without_avx
  abi packages readme_lines_built)

# At the end of each directory that declares tests.
function(strata_label)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(label slow gcc asan night)
    foreach(test IN LISTS ${label}_tests)
      if(test IN_LIST tests)
        set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
      endif()
    endforeach()
  endforeach()
endfunction()

# Of the tests that have cases, when all are declared.
function(strata_label_cases)
  foreach(label slow gcc asan night)
    foreach(test IN LISTS ${label}_tests)
      string(REGEX REPLACE "\\..*" "" file ${test})
      get_property(program GLOBAL PROPERTY strata_program_of_${file})
      if(program)
        strata_cases(${test} LABELS ${label})
      endif()
    endforeach()
  endforeach()
endfunction()
