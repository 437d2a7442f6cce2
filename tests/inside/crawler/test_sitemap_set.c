/* crawler/loop/sitemap_set.h: a key is lacking until it was added, also in the next run, up to a number of them. */
#include "crawler/loop/sitemap_set.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static frontier *make_frontier(void)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  const frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-3, .per_host = 1};
  assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_OK);
  return f;
}

static const url *parsed(const char *text)
{
  static url u;
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  return &u;
}

static const url *numbered(unsigned i)
{
  char text[64];
  snprintf(text, sizeof text, "http://h.example/%u.xml", i);
  return parsed(text);
}

static size_t kept_bytes(frontier *f)
{
  const void *kept;
  size_t size = 0;
  frontier_status status = frontier_setting_get(f, "sitemaps", &kept, &size);
  assert_true(status == FRONTIER_OK || status == FRONTIER_NOT_FOUND);
  return size;
}

CASE(each_key_once_over_all_runs)
{
  frontier *f = make_frontier();
  for (unsigned run = 0; run < 2; run++) {
    sitemap_set *s = sitemap_set_create(f);
    assert_non_null(s);
    assert_int_equal(sitemap_set_lacks(s, parsed("http://h.example/%61.xml")), run == 0);
    if (run == 0) {
      sitemap_set_add(s, parsed("http://h.example/a.xml"));
      assert_int_equal(kept_bytes(f), 0);
    }
    assert_false(sitemap_set_lacks(s, parsed("http://H.example:80/a.xml#x")));
    assert_true(sitemap_set_lacks(s, parsed("http://h.example/b.xml")));
    assert_int_equal(sitemap_set_keep(s), FRONTIER_OK);
    assert_int_equal(kept_bytes(f), 16);
    sitemap_set_free(s);
  }
  frontier_close(f);
}

/* Past the last one nothing is lacking, so nothing is asked for twice. */
CASE(a_full_set_lacks_nothing)
{
  frontier *f = make_frontier();
  sitemap_set *s = sitemap_set_create(f);
  for (unsigned i = 0; i < SITEMAP_SET_MAX; i++) {
    assert_true(sitemap_set_lacks(s, numbered(i)));
    sitemap_set_add(s, numbered(i));
  }
  assert_false(sitemap_set_lacks(s, numbered(SITEMAP_SET_MAX)));
  assert_int_equal(sitemap_set_keep(s), FRONTIER_OK);
  assert_int_equal(kept_bytes(f), 16 * SITEMAP_SET_MAX);
  sitemap_set_free(s);
  s = sitemap_set_create(f);
  assert_false(sitemap_set_lacks(s, numbered(SITEMAP_SET_MAX)));
  sitemap_set_free(s);
  frontier_close(f);
}

/* Whatever bytes stand there: too many, a part of a hash, the same ones again and again. */
CASE(a_setting_of_any_bytes)
{
  static uint8_t bytes[16 * (SITEMAP_SET_MAX + 3) + 5];
  frontier *f = make_frontier();
  for (unsigned round = 0; round < 2; round++) {
    for (size_t i = 0; round && i + 16 <= sizeof bytes; i += 16)
      memcpy(bytes + i, &i, sizeof i);
    assert_int_equal(frontier_setting_put(f, "sitemaps", bytes, sizeof bytes), FRONTIER_OK);
    sitemap_set *s = sitemap_set_create(f);
    assert_non_null(s);
    assert_int_equal(sitemap_set_lacks(s, numbered(1)), round == 0);
    sitemap_set_free(s);
  }
  frontier_close(f);
}
