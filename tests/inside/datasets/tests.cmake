# Source files of datasets/.
set(room inside/datasets)
strata_program(inside_datasets datasets PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::LZMA m)
strata_test(reader urlset sorter replay claims texts paper revocation statistics generator)
