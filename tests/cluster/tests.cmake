# A crawl on many machines.
strata_test(cluster_name crawler)
if(NOT STRATA_SANITIZE)
  add_test(NAME cluster COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cluster/test_cluster.sh $<TARGET_FILE:strata>
    ${CMAKE_CURRENT_SOURCE_DIR}/examples/site)
  set_tests_properties(cluster PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
# Workers, machines and Redis die for a while; longer by hand: chaos.py --seconds 60 --pages 200.
add_test(NAME cluster_chaos COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cluster/chaos.py $<TARGET_FILE:strata> --seconds 12
  --pages 30)
set_tests_properties(cluster_chaos PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
strata_slow(cluster_chaos)
