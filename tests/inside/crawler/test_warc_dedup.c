/* The record of a payload is found again, through growth, until there is no more room to learn. */
#include "crawler/warc/warc_dedup.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 48 };

static size_t digest_of(unsigned n, char digest[DIGEST])
{
  return (size_t)snprintf(digest, DIGEST, "sha1:%08XABCDEFGHIJKLMNOPQRSTUVWX", n * 2654435761u);
}

static bool put(warc_dedup *p, unsigned n, unsigned file)
{
  char digest[DIGEST];
  size_t size = digest_of(n, digest);
  return warc_dedup_put(p, digest, size, (warc_spot){file, (uint64_t)n << 8});
}

static unsigned file_of(const warc_dedup *p, unsigned n)
{
  char digest[DIGEST];
  size_t size = digest_of(n, digest);
  warc_spot spot = warc_dedup_find(p, digest, size);
  if (spot.file)
    assert_int_equal(spot.offset, (uint64_t)n << 8);
  return spot.file;
}

CASE(the_record_is_found_again)
{
  enum { MANY = 20000 };
  warc_dedup *p = warc_dedup_create();
  assert_non_null(p);
  for (unsigned n = 0; n < MANY; n++) {
    assert_int_equal(file_of(p, n), 0);
    assert_true(put(p, n, n + 1));
  }
  for (unsigned n = 0; n < MANY; n++)
    assert_int_equal(file_of(p, n), n + 1);
  assert_true(put(p, 7, 9999999));
  assert_int_equal(file_of(p, 7), 9999999);
  warc_dedup_free(p);
  warc_dedup_free(NULL);
}

CASE(beyond_its_memory_nothing_is_learnt)
{
  enum { ROOM = (1 << 22) / 4 * 3, MORE = 1000 };
  warc_dedup *p = warc_dedup_create();
  assert_non_null(p);
  for (unsigned n = 0; n < ROOM; n++)
    assert_true(put(p, n, 1));
  for (unsigned n = ROOM; n < ROOM + MORE; n++) {
    assert_false(put(p, n, 1));
    assert_int_equal(file_of(p, n), 0);
  }
  assert_true(put(p, 5, 2)); /* instead of an earlier one */
  assert_int_equal(file_of(p, 5), 2);
  assert_int_equal(file_of(p, ROOM - 1), 1);
  warc_dedup_free(p);
}

CASE(offsets_that_are_too_large)
{
  warc_dedup *p = warc_dedup_create();
  assert_non_null(p);
  assert_true(warc_dedup_put(p, "d", 1, (warc_spot){1, ((uint64_t)1 << 40) - 1}));
  assert_true(warc_dedup_put(p, "e", 1, (warc_spot){1, (uint64_t)1 << 40}));
  assert_int_equal(warc_dedup_find(p, "d", 1).offset, ((uint64_t)1 << 40) - 1);
  assert_int_equal(warc_dedup_find(p, "e", 1).file, 0);
  warc_dedup_free(p);
}
