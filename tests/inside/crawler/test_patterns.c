/* crawler/scope/patterns.c: what --include and --exclude take, and that no expression runs away. */
#include "crawler/scope/patterns.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static char message[PATTERNS_MESSAGE];

/* A URL of which only the spellings count. */
static bool is_taken(patterns *p, const char *fetch, size_t fetch_size, const char *key, size_t key_size)
{
  static url u;
  u = (url){.fetch = fetch, .fetch_size = (uint32_t)fetch_size, .key = key, .key_size = (uint32_t)key_size};
  return patterns_take(p, &u);
}

/* Of a text as patterns_text gives it. */
static patterns *made_of(const char *text)
{
  patterns *p = patterns_create();
  assert_non_null(p);
  if (!patterns_read(p, text, strlen(text)))
    fail_msg("cannot be read: %s", text);
  assert_string_equal(patterns_text(p), text);
  return p;
}

CASE(what_is_taken)
{
  static const struct {
    const char *patterns, *url;
    bool is_taken;
  } rows[] = {
    {"", "http://h/", true},
    {"+/docs/\n", "http://h/docs/a", true},
    {"+/docs/\n", "http://h/a", false},
    {"-\\.pdf$\n", "http://h/a.pdf", false},
    {"-\\.pdf$\n", "http://h/a.pdf?x", true},
    {"+/docs/\n+/news/\n-/old/\n", "http://h/news/1", true},
    {"+/docs/\n+/news/\n-/old/\n", "http://h/news/old/1", false},
    {"+^https:\n", "http://h/", false},
    {"-(?i)LOGOUT\n", "http://h/logout", false},
    {"-\xC3\xA9\n", "http://h/%C3%A9", true}, /* URLs are ASCII: write %C3%A9 */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    patterns *p = made_of(rows[i].patterns);
    if (is_taken(p, rows[i].url, strlen(rows[i].url), rows[i].url, strlen(rows[i].url)) != rows[i].is_taken)
      fail_msg("%s: %s", rows[i].patterns, rows[i].url);
    patterns_free(p);
  }
}

/* As it is requested, and its key: one match of either is a match. */
CASE(either_spelling_counts)
{
  static const struct {
    const char *patterns, *href;
    url_profile profile;
    bool is_taken;
  } rows[] = {
    {"-f\\[\\]=\n", "http://h/?f[]=1", URL_STRICT, false},
    {"-f%5B%5D=\n", "http://h/?f[]=1", URL_STRICT, false},
    {"+/%7Ebob\n", "http://h/%7Ebob", URL_STRICT, true},
    {"+/~bob\n", "http://h/%7Ebob", URL_STRICT, true},
    {"+/%7Ebob\n", "http://h/~bob", URL_STRICT, false},
    {"+/%7Ebob\n-/~bob\n", "http://h/%7Ebob", URL_STRICT, false},
    {"+%c3%a9\n", "http://h/%c3%a9", URL_STRICT, true},
    {"+%C3%A9\n", "http://h/%c3%a9", URL_STRICT, true},
    {"-utm_\n", "http://h/a?utm_source=x", URL_NO_TRACKING, false},
    {"+^http://h/a$\n", "http://www.h.example/a?utm_source=x", URL_NO_TRACKING | URL_NO_WWW, false},
    {"+^http://h\\.example/a$\n", "https://www.h.example/a?utm_source=x",
     URL_NO_TRACKING | URL_NO_WWW | URL_HTTP_IS_HTTPS, true},
    {"+^https:\n", "https://h/", URL_HTTP_IS_HTTPS, true},
  };
  static url u;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    patterns *p = made_of(rows[i].patterns);
    assert_int_equal(url_parse(rows[i].href, strlen(rows[i].href), rows[i].profile, &u), URL_OK);
    if (patterns_take(p, &u) != rows[i].is_taken || patterns_undecided(p))
      fail_msg("%s: %s", rows[i].patterns, rows[i].href);
    patterns_free(p);
  }
}

CASE(what_is_no_expression)
{
  static const char *const rows[] = {"(", "[a", "a{2,1}", "(?<n", "\\", "*", "", "a\nb", "(*UTF8)x"};
  patterns *p = patterns_create();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    message[0] = '\0';
    if (patterns_add(p, true, rows[i], message) || !*message)
      fail_msg("%s was taken", rows[i]);
  }
  assert_string_equal(patterns_text(p), "");
  assert_true(is_taken(p, "http://h/", 9, "http://h/", 9));
  patterns_free(p);
  p = patterns_create();
  assert_false(patterns_read(p, "x\n", 2));
  assert_false(patterns_read(p, "+x", 2));
  assert_false(patterns_read(p, "+(\n", 3));
  patterns_free(p);
}

/* Exponential without limits: it ends, and on the side of not taking. */
CASE(a_runaway)
{
  char address[4096];
  memset(address, 'a', sizeof address);
  patterns *p = made_of("-^(a+)+$\n"), *q = made_of("+^(a+)+$\n");
  address[sizeof address - 1] = '!';
  assert_false(is_taken(p, address, sizeof address, address, sizeof address));
  assert_false(is_taken(q, address, sizeof address, address, sizeof address));
  assert_int_equal(patterns_undecided(p), 1);
  assert_int_equal(patterns_undecided(q), 1);
  assert_true(is_taken(q, address, 30, address, 30));
  assert_int_equal(patterns_undecided(q), 1);
  patterns_free(p);
  patterns_free(q);
}

/* An expression that takes all steps leaves none for the next one, which matches; the next URL has all of them. */
CASE(expressions_share_their_steps)
{
  char address[4000];
  memset(address, 'a', sizeof address);
  patterns *p = made_of("+[a-z]{0,300}[a-z]{0,300}\\d\n+^a\n");
  assert_false(is_taken(p, address, sizeof address, address, sizeof address));
  assert_int_equal(patterns_undecided(p), 1);
  assert_true(is_taken(p, address, 30, address, 30));
  assert_int_equal(patterns_undecided(p), 1);
  patterns_free(p);
}

/* So do the two spellings of one URL. */
CASE(spellings_share_their_steps)
{
  char address[4000];
  memset(address, 'a', sizeof address);
  patterns *p = made_of("-[a-z]{0,300}[a-z]{0,300}\\d\n");
  assert_false(is_taken(p, address, sizeof address, "a", 1));
  assert_false(is_taken(p, "a", 1, address, sizeof address));
  assert_int_equal(patterns_undecided(p), 2);
  assert_true(is_taken(p, "a", 1, "b", 1));
  patterns_free(p);
}
