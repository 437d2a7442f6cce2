# What others have written down: rows of standards, and other people's programs beside ours. The one room of contract/
# that calls parsers which are not installed.
set(room contract/standards)
strata_program(contract_standards trial crawler tests_frontier unistring PkgConfig::JANSSON PkgConfig::GUMBO
  PkgConfig::LIBXML2 PkgConfig::ZLIB PkgConfig::ZSTD)
strata_test(url_conformance url_rows url_suites robots_rows links_gumbo entities sitemap_libxml2 charset decoder cookies
  cookie_date ssrf_guard mime_type sniff surt content_decoder digest_rows refresh
  link_headers srcset)
target_sources(contract_standards PRIVATE support/url_suite.c)
