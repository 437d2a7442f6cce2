# A crawl on many machines.
if(NOT STRATA_SANITIZE)
  add_test(NAME cluster COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/contract/cluster/test_cluster.sh $<TARGET_FILE:strata>
    ${CMAKE_CURRENT_SOURCE_DIR}/examples/site)
  set_tests_properties(cluster PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
endif()
# Workers, machines and Redis die for a while; longer by hand: chaos.py --seconds 60 --pages 200. In all about a minute
# and a half. The lie has to be noticed.
set(chaos ${CMAKE_CURRENT_SOURCE_DIR}/contract/cluster/chaos.py $<TARGET_FILE:strata>)
set(fault)
if(NOT STRATA_SANITIZE)
  set(fault --fault $<TARGET_FILE:fault>)
endif()
add_test(NAME cluster_chaos COMMAND ${chaos} ${fault} --seconds 12 --pages 30)
set(chaos_tests cluster_chaos)
if(NOT STRATA_SANITIZE) # which see the same code in the first
  add_test(NAME cluster_chaos_web COMMAND ${chaos} ${fault} --web $<TARGET_FILE_DIR:web_server> --sentinel --seconds 12
    --hosts 50)
  add_test(NAME cluster_chaos_lie COMMAND ${chaos} --lie --seconds 8 --pages 30)
  list(APPEND chaos_tests cluster_chaos_web cluster_chaos_lie)
endif()
foreach(test ${chaos_tests})
  set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
endforeach()
