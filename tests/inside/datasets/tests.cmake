# Source files of datasets/.
set(room inside/datasets)
strata_program(inside_datasets datasets PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::LZMA PkgConfig::XXHASH m)
strata_test(reader urlset sorter replay claims texts paper mlbf_paper matrix revocation skip_window statistics
  generator)
strata_program(inside_datasets_faults datasets)
strata_test(matrix_faults)
target_sources(inside_datasets_faults PRIVATE support/lives.c)
strata_faults(inside_datasets_faults)
