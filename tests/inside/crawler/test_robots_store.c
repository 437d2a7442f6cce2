/* crawler/robots/robots_store.h: what it gives is what was put there; it forgets the oldest. */
#include "crawler/robots/robots_store.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 20, INDEX_BYTES = 1 << 14, HOSTS = 20000 };

static robots *rules_of(unsigned host, size_t more)
{
  char *text = malloc(200 + 32 * more);
  assert_non_null(text);
  int size = sprintf(text,
                     "Sitemap: /map\nUser-agent: *\nDisallow: /only/%u$\nDisallow: /f%%66/%%2Fx\nCrawl-delay: %u\n",
                     host, host % 7);
  for (size_t i = 0; i < more; i++)
    size += sprintf(text + size, "Disallow: /more/%zu\n", i);
  robots *rules = robots_parse(text, (size_t)size, "test");
  assert_non_null(rules);
  free(text);
  return rules;
}

static void assert_rules(const robots *rules, unsigned host)
{
  char path[40];
  snprintf(path, sizeof path, "/only/%u", host);
  assert_false(robots_allows(rules, path, strlen(path), NULL));
  snprintf(path, sizeof path, "/only/%u", host + 1);
  assert_true(robots_allows(rules, path, strlen(path), NULL));
  assert_false(robots_allows(rules, "/ff/%2Fxyz", 10, NULL));
  assert_true(robots_crawl_delay(rules) == host % 7);
  assert_null(robots_sitemap(rules, 0));
}

static void put(robots_store *s, unsigned host, size_t more)
{
  char name[64];
  robots *rules = rules_of(host, more);
  snprintf(name, sizeof name, "http://h%u.example", host);
  robots_store_put(s, name, rules, host + 1);
  robots_free(rules);
}

static robots *get(const robots_store *s, unsigned host)
{
  char name[64];
  uint64_t known_ms = 0;
  snprintf(name, sizeof name, "http://h%u.example", host);
  robots *rules = robots_store_get(s, name, &known_ms);
  assert_int_equal(known_ms, rules ? host + 1 : 0);
  if (rules)
    assert_rules(rules, host);
  return rules;
}

static bool has(const robots_store *s, unsigned host)
{
  robots *rules = get(s, host);
  bool is_there = rules != NULL;
  robots_free(rules);
  return is_there;
}

/* The ring is overwritten many times, and the table is too small for all it holds. */
CASE(it_gives_what_was_put_there)
{
  robots_store *s = robots_store_create("/tmp", FILE_BYTES, INDEX_BYTES, test_secret(0));
  unsigned there = 0, put_count = 0;
  assert_non_null(s);
  assert_false(has(s, 0));
  for (unsigned host = 0; host < HOSTS; host++, put_count++) {
    put(s, host, host % 50);
    assert_true(has(s, host));
    for (unsigned back = 1; back <= host && back < 100; back += 33)
      assert_true(has(s, host - back) || back > 30);
  }
  for (unsigned host = 0; host < HOSTS; host++)
    there += has(s, host);
  assert_in_range(there, 100, INDEX_BYTES / 16);
  assert_false(has(s, 0));
  assert_true(has(s, HOSTS - 1));
  put(s, HOSTS - 1, 3); /* again */
  assert_true(has(s, HOSTS - 1));
  robots_store_free(s);
}

CASE(long_ones_are_not_taken)
{
  robots_store *s = robots_store_create("/tmp", FILE_BYTES, INDEX_BYTES, test_secret(0));
  assert_non_null(s);
  put(s, 1, 5000);
  assert_false(has(s, 1));
  put(s, 2, 50);
  assert_true(has(s, 2));
  robots_store_free(s);
  assert_null(robots_store_create("/tmp/there/is/no/such/directory", FILE_BYTES, INDEX_BYTES, test_secret(0)));
}

CASE(other_bytes_are_no_rules)
{
  size_t size;
  robots *rules = rules_of(3, 10);
  char *packed = robots_pack(rules, &size);
  assert_non_null(packed);
  robots *same = robots_unpack(packed, size);
  assert_non_null(same);
  assert_rules(same, 3);
  assert_null(robots_unpack(packed, size - 1));
  assert_null(robots_unpack(packed, 8));
  packed[8 + 7] = 1; /* 2^56 rules */
  assert_null(robots_unpack(packed, size));
  robots_free(same);
  robots_free(rules);
  free(packed);
}
