# How a test is declared, and what several tests share.

# A test is a case: CASE(name) in a file test_FILE.c (support/test.h). ctest knows it as FILE.name, and starts its
# program for it alone; a program has the files of one directory.

# strata_program(contract_frontier frontier tests_frontier [SUFFIX _tiny]): a program, and what it is linked with. The
# suffix stands behind FILE where the files are those of another program, too.
macro(strata_program name)
  cmake_parse_arguments(PROGRAM "" "SUFFIX" "" ${ARGN})
  set(program ${name})
  set(suffix "${PROGRAM_SUFFIX}")
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/support/test_main.c)
  target_link_libraries(${name} PRIVATE strata_flags ${PROGRAM_UNPARSED_ARGUMENTS} tests_support PkgConfig::CMOCKA)
  target_compile_definitions(${name} PRIVATE TEST_SUFFIX="${suffix}"
    SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data" TESTS_DIR="${PROJECT_SOURCE_DIR}/tests")
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}.cases.cmake)
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${name}> -DLIST=${list} -DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}
      "-DPROPERTIES=$<TARGET_GENEX_EVAL:${name},$<TARGET_PROPERTY:${name},CASES>>"
      -P ${PROJECT_SOURCE_DIR}/tests/support/list_cases.cmake)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.include.cmake CONTENT "include(${list} OPTIONAL)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.include.cmake)
endmacro()

# strata_test(url): ${room}/test_url.c is one more file of that program.
function(strata_test)
  foreach(name ${ARGN})
    target_sources(${program} PRIVATE ${room}/test_${name}.c)
    set_property(GLOBAL PROPERTY strata_program_of_${name}${suffix} ${program})
  endforeach()
endfunction()

# strata_test_threads(contract_threads handle): of the programs that check.sh builds and runs for tsan as well.
function(strata_test_threads program)
  set(suffix "")
  strata_test(${ARGN})
  foreach(name ${ARGN})
    strata_cases(${name} LABELS threads)
  endforeach()
endfunction()

# strata_test_alone(scope crawler): a program of its own, as the linker gives it other functions than the others have.
macro(strata_test_alone name)
  string(REPLACE "/" "_" alone ${room}/${name})
  strata_program(${alone} ${ARGN})
  strata_test(${name})
endmacro()

# strata_cases(stripes LABELS threads), strata_cases(web_crawl.strata_among_floods LABELS slow): a property of all cases
# of a file, or of one.
function(strata_cases name property value)
  string(REGEX REPLACE "\\..*" "" file ${name})
  get_property(owner GLOBAL PROPERTY strata_program_of_${file})
  set_property(TARGET ${owner} APPEND PROPERTY CASES ${name}|${property}|${value})
endfunction()

# strata_fuzz(url frontier): tests/contract/fuzz/fuzz_url.c. With STRATA_FUZZ a libFuzzer program; always a plain one
# that replays tests/contract/fuzz/corpus/url.txt in the ordinary run.
function(strata_fuzz name)
  add_executable(replay_${name} contract/fuzz/fuzz_${name}.c)
  target_link_libraries(replay_${name} PRIVATE strata_flags ${ARGN} tests_replay)
  add_test(NAME fuzz_${name} COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/contract/fuzz/corpus/${name}.txt)
  if(STRATA_FUZZ)
    add_executable(fuzz_${name} contract/fuzz/fuzz_${name}.c)
    target_link_libraries(fuzz_${name} PRIVATE strata_flags ${ARGN})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

add_library(tests_replay OBJECT contract/fuzz/corpus_replay.c)
target_link_libraries(tests_replay PRIVATE strata_flags)

# strata_faults(inside_frontier): calls that fail, since the linker puts faults.c in their place.
set(calls write pwrite writev ftruncate rename link unlink mkdir rmdir open fsync fdatasync
          malloc calloc realloc posix_memalign strdup mmap)
list(TRANSFORM calls PREPEND LINKER:--wrap=)
function(strata_faults target)
  target_sources(${target} PRIVATE support/faults.c support/each_fault.c)
  target_link_options(${target} PRIVATE ${calls})
endfunction()
# In LMDB too, if it is linked whole and static.
find_library(LMDB_STATIC liblmdb.a)
set(lmdb_whole LINKER:--whole-archive ${LMDB_STATIC} LINKER:--no-whole-archive)

# strata_steps(inside_linear): the parsers of bytes from outside, compiled to count their steps (steps.h), are linked in
# front of the libraries that have them as well.
set(counted_calls memchr memrchr memmem memcpy memmove memset memcmp strlen strnlen strchr strrchr strchrnul strspn
                  strcspn strcmp strncmp strcasecmp strncasecmp calloc realloc snprintf
                  iconv inflate json_loadb pcre2_set_callout_8 pcre2_match_8)
list(TRANSFORM counted_calls PREPEND LINKER:--wrap=)
add_library(parsers_counted OBJECT EXCLUDE_FROM_ALL)
set_target_properties(parsers_counted PROPERTIES C_CLANG_TIDY "" C_CPPCHECK "") # their own libraries are linted
foreach(source crawler/html/charset crawler/html/decoder crawler/html/entities crawler/html/foreign
               crawler/html/link_headers crawler/html/links crawler/html/page_text crawler/html/plain_tag
               crawler/html/attribute_words crawler/html/prescan crawler/html/refresh crawler/html/sitemap
               crawler/html/sitemap_reader crawler/html/sniff crawler/html/xml_names
               crawler/html/srcset
               crawler/html/tokenizer crawler/loop/retry crawler/loop/visit crawler/robots/robots
               crawler/robots/robots_match crawler/robots/robots_pack crawler/http/cookie_field
               crawler/http/cookies crawler/http/dechunk
               crawler/http/http_head crawler/http/ledger crawler/http/response_head crawler/scope/domain
               crawler/scope/patterns crawler/base/clip crawler/base/json crawler/base/mime_type crawler/base/utf8
               frontier/url/url frontier/url/url_arena frontier/url/url_bytes frontier/url/url_direct
               frontier/url/url_fast frontier/url/url_host frontier/url/url_idna frontier/url/url_profile
               frontier/url/url_punycode frontier/url/url_reference frontier/url/url_rules
               frontier/url/url_segments frontier/url/url_slow frontier/url/url_status mlbf/similar/shingle
               crawler/base/tally crawler/report/report_data crawler/report/report_pairs datasets/read/format
               datasets/read/format_archive datasets/read/format_sogou datasets/read/reader datasets/read/rowkey
               datasets/read/source datasets/read/urlset)
  target_sources(parsers_counted PRIVATE ${PROJECT_SOURCE_DIR}/${source}.c)
endforeach()
target_link_libraries(parsers_counted PRIVATE strata_flags crawler PkgConfig::URIPARSER PkgConfig::CURL PkgConfig::ZLIB
  PkgConfig::PSL PkgConfig::PCRE2 PkgConfig::XXHASH PkgConfig::JANSSON PkgConfig::ZSTD PkgConfig::LZMA)
strata_optimized(parsers_counted)
target_compile_options(parsers_counted PRIVATE -fsanitize-coverage=trace-pc -fno-builtin -U_FORTIFY_SOURCE)
function(strata_steps target)
  target_sources(${target} PRIVATE support/steps.c support/attack.c $<TARGET_OBJECTS:parsers_counted>)
  target_link_options(${target} PRIVATE ${counted_calls})
endfunction()

# Scratch directories, trees of real pages, files of rows.
add_library(tests_support STATIC support/scratch.c support/page_trees.c support/row_file.c)
target_link_libraries(tests_support PRIVATE strata_flags)

# A command as a shell would see it.
add_library(tests_command STATIC support/command.c)
target_link_libraries(tests_command PRIVATE strata_flags)
target_compile_definitions(tests_command PRIVATE STRATA_PROGRAM="$<TARGET_FILE:strata>")
add_dependencies(tests_command strata)

# Directories of a frontier, and a reader of FORMAT.md.
add_library(tests_frontier STATIC
  support/story.c support/spoil.c support/second_records.c support/second_rows.c support/second_reader.c
  support/second_late.c support/second_agree.c)
target_link_libraries(tests_frontier PRIVATE strata_flags PUBLIC tests_support PkgConfig::LMDB PkgConfig::XXHASH)
target_include_directories(tests_frontier PUBLIC ${PROJECT_SOURCE_DIR})

# A model of a crawl, slow and plain.
set(frontier_model support/frontier_model.c support/model_world.c support/model_in.c support/model_out.c
  support/model_auditor.c)

# The same frontier where memory holds 64 URLs, a batch 50, a chunk 8: what only a large crawl meets else happens all
# the time.
add_library(frontier_tiny OBJECT)
set_target_properties(frontier_tiny PROPERTIES C_CLANG_TIDY "" C_CPPCHECK "")
foreach(source core/add core/frontier core/open_batch core/commit core/open core/checkpoint core/renewal core/maintain
               core/workbench core/queue core/ordering core/host core/recrawl core/again core/folding core/late
               core/late_pass core/late_upkeep core/outbox exchange/lane exchange/sent_lately store/journal
               hosts/host_changes late/doubts late/doubt_parts late/doubt_pass late/runs late/runs_marks late/runs_ask
               late/runs_merge admin/check_child admin/erase admin/compact_copy admin/mdb_urls admin/merge)
  target_sources(frontier_tiny PRIVATE ${PROJECT_SOURCE_DIR}/frontier/${source}.c)
endforeach()
target_compile_definitions(frontier_tiny PUBLIC FRONTIER_TINY)
strata_optimized(frontier_tiny)
target_link_libraries(frontier_tiny PRIVATE strata_flags PUBLIC frontier)
add_library(frontier_usual ALIAS frontier)

# Crawls that meet every limit.
add_library(tests_crawl STATIC support/small_crawl.c)
target_link_libraries(tests_crawl PRIVATE strata_flags PUBLIC frontier_tiny PkgConfig::CMOCKA)
