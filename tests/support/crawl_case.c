/* See crawl_case.h. */
#include "tests/support/crawl_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static trial *served;

trial *case_serve(const trial_options *options)
{
  served = trial_open(options);
  print_message("seed %llu, %u entries\n", (unsigned long long)options->seed, options->entries);
  return served;
}

trial *case_serve_site(uint64_t seed, uint32_t entries)
{
  return case_serve(&(trial_options){.seed = seed, .entries = entries});
}

int case_end(void **state)
{
  (void)state;
  trial_close(served);
  served = NULL;
  return 0;
}

verdict case_requests(trial *t, const judge_rules *rules)
{
  request_log log = requests_read(t->log);
  verdict v = judge_requests(&log, t->made, rules);
  requests_free(&log);
  return v;
}

verdict case_pages(trial *t, const judge_rules *rules)
{
  page_log log = pages_read(t->pages);
  assert_int_equal(log.bad, 0);
  assert_false(log.torn);
  verdict v = judge_pages(&log, t->made, rules);
  pages_free(&log);
  return v;
}

void case_assert_perfect(verdict v)
{
  assert_int_equal(v.missed, 0);
  assert_int_equal(v.again, 0);
  assert_int_equal(v.forbidden, 0);
  assert_int_equal(v.unknown, 0);
}

void case_assert_code(trial *t, int code, int expected)
{
  if (code != expected)
    print_error("strata ended with %d (signal %d), not %d:\n%s\n", code, t->end.signal, expected, t->err.bytes);
  assert_int_equal(code, expected);
}
