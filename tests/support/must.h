/* tests/support/must.h: calls that must succeed, for tests of what comes after them. */
#ifndef STRATA_TESTS_MUST_H
#define STRATA_TESTS_MUST_H

#include "frontier/frontier.h"
#include "tests/support/test.h"

#include <stdio.h>

static inline frontier *must_open(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

/* The URL that printf would write. */
__attribute__((format(printf, 2, 3))) static inline void must_parse(url *u, const char *format, ...)
{
  char address[URL_LENGTH_MAX + 1];
  va_list values;
  va_start(values, format);
  int size = vsnprintf(address, sizeof address, format, values);
  va_end(values);
  assert_int_equal(url_parse(address, (size_t)size, URL_STRICT, u), URL_OK);
}

#endif
