/* The first capture of a payload is found again, through growth, until there is no more room to learn. */
#include "crawler/warc/warc_dedup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void take(warc_dedup *p, unsigned n, const char *expected_url)
{
  char digest[48], address[32];
  snprintf(digest, sizeof digest, "%08xABCDEFGHIJKLMNOPQRSTUVWX", n * 2654435761u);
  snprintf(address, sizeof address, "http://h/%u", n);
  payload first = warc_dedup_take(p, digest, "2026-11-20T00:00:00.000Z", address);
  if (!expected_url) {
    assert_null(first.url);
    return;
  }
  assert_string_equal(first.url, expected_url);
  assert_string_equal(first.date, "2026-11-20T00:00:00.000Z");
}

static void the_first_is_found_again(void **state)
{
  (void)state;
  enum { MANY = 20000 };
  warc_dedup *p = warc_dedup_create();
  assert_non_null(p);
  for (unsigned n = 0; n < MANY; n++)
    take(p, n, NULL);
  for (unsigned n = 0; n < MANY; n++) {
    char address[32];
    snprintf(address, sizeof address, "http://h/%u", n);
    take(p, n, address);
  }
  warc_dedup_clear(p);
  take(p, 7, NULL);
  take(p, 7, "http://h/7");
  warc_dedup_free(p);
  warc_dedup_free(NULL);
}

static void beyond_its_memory_nothing_is_learnt(void **state)
{
  (void)state;
  static char address[8 << 20];
  warc_dedup *p = warc_dedup_create();
  assert_non_null(p);
  memset(address, 'x', sizeof address - 1);
  unsigned known = 0;
  for (unsigned n = 0; n < 20; n++) {
    char digest[16];
    snprintf(digest, sizeof digest, "%014u", n);
    assert_null(warc_dedup_take(p, digest, "", address).url);
    known += warc_dedup_take(p, digest, "", address).url != NULL;
  }
  assert_in_range(known, 3, 8); /* 64 MB at most */
  warc_dedup_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_is_found_again),
    cmocka_unit_test(beyond_its_memory_nothing_is_learnt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
