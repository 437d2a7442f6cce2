/* tests/support/ordered_case.h: a frontier for tests of URLs with groups, priorities and times. */
#ifndef STRATA_TESTS_ORDERED_CASE_H
#define STRATA_TESTS_ORDERED_CASE_H

#include "frontier/frontier.h"
#include "tests/support/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t NOON_MS = 1700000000000; /* wall time too */

static inline frontier *open_with(const char *where, bool exact)
{
  static const uint8_t secret[MLBF_SECRET_BYTES] = {17}; /* what the filter errs on is the same in each run */
  frontier_options options = {.filter = exact ? MLBF_KIND_BLOOM : MLBF_KIND_MLBF,
                              .expected_urls = exact ? 64 : 10000,
                              .rate = exact ? 0.5 : 1e-9,
                              .exact = exact,
                              .secret = secret,
                              .per_host = 1000,
                              .depth_cap = 100};
  return must_open(where, &options);
}

static inline void good(const frontier *f, frontier_status status)
{
  if (status != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

static inline const url *parse(const char *text)
{
  static url u;
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  return &u;
}

#endif
