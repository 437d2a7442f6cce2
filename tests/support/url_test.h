/* What the test_url_*.c share: cmocka in its order of includes, and one way to resolve a row. */
#ifndef STRATA_TESTS_URL_TEST_H
#define STRATA_TESTS_URL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/url.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Resolve `href` on the page `base` ("" for none), which must be a good one. */
static inline url_status resolve_row(const char *base, const char *href, size_t size, url_profile profile, url *out)
{
  if (!*base)
    return url_parse(href, size, profile, out);
  url_base *page = url_base_create();
  assert_non_null(page);
  assert_int_equal(url_base_set(page, base, strlen(base)), URL_OK);
  url_status status = url_resolve(page, href, size, profile, out);
  url_base_free(page);
  return status;
}

#endif
