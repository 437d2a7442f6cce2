/* See full_filter.h. */
#include "tests/support/full_filter.h"
#include "tests/support/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void note_all(frontier *f)
{
  static url u;
  frontier_verdict verdict;
  for (unsigned i = 0; i < FULL_FILTER_KEYS; i++) {
    must_parse(&u, "http://h%u.test/known/%u", i % 16, i);
    if (frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict) != FRONTIER_OK)
      fail_msg("%s", frontier_message(f));
  }
}

static frontier *open_or_fail(const char *directory, mlbf_kind kind, bool keep_identity)
{
  const frontier_options options = {.filter = kind,
                                    .expected_urls = FULL_FILTER_KEYS,
                                    .rate = 0.5,
                                    .per_host = 8,
                                    .depth_cap = UINT16_MAX,
                                    .keep_identity = keep_identity,
                                    .exact = true};
  return must_open(directory, &options);
}

void full_filter_make(const char *directory, mlbf_kind kind)
{
  frontier *f = open_or_fail(directory, kind, false);
  note_all(f);
  full_filter_confirm(f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

frontier *full_filter_open(const char *directory)
{
  return open_or_fail(directory, MLBF_KIND_BLOOM, true);
}

/* In an hour from call to call each pass is due. */
uint64_t full_filter_confirm(frontier *f)
{
  enum { CALLS_MAX = 10000, HOUR_MS = 3600000 };
  frontier_stats stats = {.unconfirmed = 1};
  for (uint64_t call = 1; call < CALLS_MAX && stats.unconfirmed; call++) {
    frontier_lease lease;
    size_t count;
    int64_t wait_ms;
    assert_int_equal(frontier_next(f, call * HOUR_MS, &lease, 0, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  }
  assert_int_equal(stats.unconfirmed, 0);
  return stats.late;
}

/* 1,234,567 */
static const char *grouped(uint64_t number, char text[32])
{
  char digits[24];
  int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  char *end = text;
  for (int i = 0; i < size; i++) {
    if (i > 0 && (size - i) % 3 == 0)
      *end++ = ',';
    *end++ = digits[i];
  }
  *end = '\0';
  return text;
}

const char *full_filter_sentence(uint64_t waiting, uint64_t late, char text[FULL_FILTER_SENTENCE])
{
  char links[32], urls[32];
  snprintf(text, FULL_FILTER_SENTENCE, "%s link%s to be confirmed; %s URL%s came late", grouped(waiting, links),
           waiting == 1 ? " waits" : "s wait", grouped(late, urls), late == 1 ? "" : "s");
  return text;
}
