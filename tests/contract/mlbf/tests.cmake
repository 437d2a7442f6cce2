# The installed headers of mlbf/.
set(room contract/mlbf)
strata_program(contract_mlbf mlbf frontier tests_frontier PkgConfig::XXHASH m)
strata_test(filter layers plan file format recent chain lazy_verify combine secrets pairs corpus corpus_near
  near_error count digest_sdhash hash_quality keys key_set rebuild window bad_files shingle table_format)
target_sources(contract_mlbf PRIVATE support/slow_hash.c support/hash_quality.c)
set_source_files_properties(${room}/test_corpus_near.c PROPERTIES COMPILE_OPTIONS -O2) # it computes for seconds
strata_test_threads(contract_threads digest)
strata_program(contract_mlbf_faults mlbf)
strata_test(mlbf_faults corpus_faults)
target_sources(contract_mlbf_faults PRIVATE support/lives.c)
strata_faults(contract_mlbf_faults)
