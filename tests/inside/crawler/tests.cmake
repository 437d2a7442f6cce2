# Source files of crawler/.
set(room inside/crawler)
strata_program(inside_crawler trial crawler tests_frontier PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::ZSTD)
strata_test(json body_hash clip shown dechunk http_head confine http_exchange cdxj seeds warc_dedup warc_files visit
  page_text same_texts directory_tally scrape_server message disk_pause per_address kept
  retry patterns links response_head ledger fd_limit robots_store host_pace address_share name_limit
  name_tries domain_budget panel body_digests time_shares sitemap_set cluster_name)
target_sources(inside_crawler PRIVATE support/unclean.c)
strata_faults(inside_crawler)

# The commands' words: with all of the commands, and so without the server of `trial`.
strata_program(inside_commands crawler)
strata_test(options crawl_args kept_options)
target_sources(inside_commands PRIVATE support/unclean.c)

strata_test_threads(inside_threads fetch channel)

# Those that replace a call of their own.
function(strata_wrapped name) # FUNCTION...
  strata_test_alone(${name} trial crawler PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::SSL PkgConfig::CRYPTO)
  list(TRANSFORM ARGN PREPEND LINKER:--wrap=)
  target_link_options(inside_crawler_${name} PRIVATE ${ARGN})
endfunction()
strata_wrapped(scope strndup)
strata_wrapped(sitemap malloc calloc)
strata_wrapped(robots malloc calloc realloc)
strata_wrapped(fetch_guard ssrf_address_is_public ssrf_text_is_public)
strata_wrapped(robots_cache malloc url_base_create)
strata_wrapped(visit_end strndup)
strata_wrapped(tls X509_STORE_load_file)
if(NOT STRATA_FUZZ AND NOT STRATA_SANITIZE) # sanitizers have steps of their own
  strata_program(inside_linear trial crawler PkgConfig::ZLIB PkgConfig::PCRE2 PkgConfig::JANSSON)
  strata_test(linear linear_files linear_tables)
  strata_steps(inside_linear)
endif()

# By hand: surt_compare.py.
add_executable(surt_keys ${room}/surt_keys.c)
target_link_libraries(surt_keys PRIVATE strata_flags crawler)
