# Commands and whole crawls, end to end: they run the program.
set(room contract/program)
strata_program(contract_program trial tests_command tests_web frontier tests_frontier PkgConfig::GUMBO
  PkgConfig::URIPARSER PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::SSL PkgConfig::CRYPTO PkgConfig::LMDB
  PkgConfig::XXHASH)
strata_test(cmd_url cmd_plan cmd_uniq uniq_pipe cmd_replay replay_numbers replay_program cmd_links cmd_forget cmd_robots
  cmd_digest cmd_generate_urls cmd_export cmd_like cmd_seen mistakes summary report audit warc pages_log first_minutes)
strata_test(site crawl_site crawl_limits crawl_complete crawl_moved_start crawl_hostile crawl_attacks
  crawl_cookies crawl_tls crawl_tls_records crawl_shown crawl_forged crawl_charset crawl_retry crawl_metrics
  crawl_options crawl_private crawl_directives crawl_traps crawl_soft404 crawl_again crawl_sitemap crawl_closed_pipe
  crawl_descriptors crawl_bad_input crawl_planted crawl_addresses crawl_resting crawl_robots crawl_polite crawl_farm
  crawl_inlinks crawl_secret crawl_late crawl_linked)
target_sources(contract_program PRIVATE support/crawl_case.c support/full_filter.c support/lacking_site.c
  support/terminal.c support/tls_site.c support/unclean.c)
strata_test_threads(contract_threads crawl_cores)
target_sources(contract_threads PRIVATE support/crawl_case.c)

# ... beside crawls with tiny limits.
strata_program(contract_program_care trial tests_command tests_crawl tests_frontier)
strata_test(cmd_admin progress in_child)
target_sources(contract_program_care PRIVATE support/terminal.c)

if(NOT STRATA_SANITIZE)
  strata_program(contract_program_plain trial PkgConfig::SSL PkgConfig::CRYPTO)
  strata_test(crawl_http2)      # so slow with sanitizers that good pages end by time beside the floods
  strata_test(crawl_confined)   # a preloaded library, which they do not suffer
  target_sources(contract_program_plain PRIVATE support/tls_site.c)
  add_library(escape MODULE ${room}/escape.c)
  target_link_libraries(escape PRIVATE strata_flags ${CMAKE_DL_LIBS})
  target_compile_definitions(contract_program_plain PRIVATE ESCAPE_LIBRARY="$<TARGET_FILE:escape>")
  add_dependencies(contract_program_plain escape)

  # The script of the score card, on two webs of 20 hosts: they must be crawled without a fault.
  add_test(NAME bench_web COMMAND ${PROJECT_SOURCE_DIR}/bench/bench_web.sh --smoke $<TARGET_FILE:strata>
    $<TARGET_FILE:web_server> $<TARGET_FILE:web_judge>)
  set_tests_properties(bench_web PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
  # Reports as a browser shows them. check.sh installs chromium for `all` alone: it is 80 MB to fetch.
  add_test(NAME report_in_browser COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/${room}/report_in_browser.py
    $<TARGET_FILE:strata>)
  set_tests_properties(report_in_browser PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
endif()

# Every file of a crawl's directory changed, under every command. More: hostile_directory strata 10000 all
add_executable(hostile_directory contract/fuzz/hostile_directory.c)
target_link_libraries(hostile_directory PRIVATE strata_flags tests_crawl tests_frontier)
add_test(NAME hostile_directory COMMAND hostile_directory $<TARGET_FILE:strata> 60)
add_test(NAME hostile_directory_more COMMAND hostile_directory $<TARGET_FILE:strata> 300)
set_tests_properties(hostile_directory hostile_directory_more PROPERTIES TIMEOUT 1800)
add_test(NAME url_sets COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${room}/test_url_sets.sh $<TARGET_FILE:strata>
  ${PROJECT_SOURCE_DIR}/datasets/samples)
include(contract/program/answers/answers.cmake)
