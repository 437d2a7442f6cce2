/* What pages and their headers ask of a crawler, and lead it to: Link, Refresh, X-Robots-Tag, nofollow, canonical. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <string.h>

#define WITH(header) "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n" header "\r\n\r\n"

/* clang-format off */
static const small_page pages[] = {
  {"/", WITH("Link: </by-link>; rel=next, </style>; rel=stylesheet\r\nLink: <by-second>; rel=\"prev\"\r\nlink: junk")
        "<base href=/below/><a href=plain>x</a><a rel=nofollow href=/shy>x</a><a href=/header-nofollow>x</a>"
        "<a href=/other-bot>x</a><a href=/canon>x</a><a href=/refresh>x</a><img src=/image srcset='/s1 1x, /s2 2x'>"},
  {"/by-link", SMALL_LEAF}, {"/by-second", SMALL_LEAF}, {"/below/plain", SMALL_LEAF}, {"/shy", SMALL_LEAF},
  {"/header-nofollow", WITH("X-Robots-Tag: noindex, nofollow") "<a href=/behind>x</a>"}, {"/behind", SMALL_LEAF},
  {"/other-bot", WITH("X-Robots-Tag: otherbot: none") "<a href=/beside>x</a>"}, {"/beside", SMALL_LEAF},
  {"/canon", WITH("") "<link rel=canonical href=/canon/real><link rel=canonical href=/no>"},
  {"/canon/real", WITH("Link: <http://elsewhere.example/>; rel=canonical") "leaf"}, {"/no", SMALL_LEAF},
  {"/refresh", WITH("Refresh: 3; url=/refreshed") "leaf"}, {"/refreshed", SMALL_LEAF},
  {"/image", SMALL_HEAD "image/png\r\n\r\nx"}, {"/s1", SMALL_HEAD "image/png\r\n\r\nx"},
  {"/s2", SMALL_HEAD "image/png\r\n\r\nx"},
  {NULL, NULL},
};
/* clang-format on */

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--ignore-robots"
#define ALWAYS "/below/plain /beside /by-link /by-second /canon /canon/real /header-nofollow "

static void assert_fetched(small *s, const char *const words[], const char *wanted)
{
  assert_int_equal(small_strata(s, words, 0), 0);
  text fetched = small_fetched(s);
  assert_string_equal(fetched.bytes, wanted);
  text_free(&fetched);
}

CASE(as_they_ask)
{
  small *s = *state;
  const char *const words[] = {CRAWL, "URL", NULL};
  assert_fetched(s, words, "/ " ALWAYS "/no /other-bot /refresh /refreshed ");
  assert_non_null(strstr(s->trial->err.bytes, "2 nofollow"));
}

CASE(nofollow_is_followed_when_told_so)
{
  const char *const words[] = {CRAWL, "--follow-nofollow", "URL", NULL};
  assert_fetched(*state, words, "/ /behind " ALWAYS "/no /other-bot /refresh /refreshed /shy ");
}

CASE(images_when_told_so)
{
  const char *const words[] = {CRAWL, "--images", "URL", NULL};
  assert_fetched(*state, words, "/ " ALWAYS "/image /no /other-bot /refresh /refreshed /s1 /s2 ");
}

static const json_t *line_of(const page_log *log, const char *end)
{
  for (size_t i = 0; i < pages_count(log); i++) {
    const char *address = pages_url(log, i);
    if (strlen(address) > strlen(end) && strcmp(address + strlen(address) - strlen(end), end) == 0)
      return json_array_get(log->list, i);
  }
  return NULL;
}

CASE(it_is_recorded)
{
  small *s = *state;
  const char *const words[] = {CRAWL, "URL", NULL};
  assert_int_equal(small_strata(s, words, 0), 0);
  page_log log = pages_read(s->trial->pages);
  const json_t *line = line_of(&log, "/header-nofollow");
  assert_true(json_is_true(json_object_get(line, "noindex")));
  assert_true(json_is_true(json_object_get(line, "nofollow")));
  assert_null(json_object_get(line_of(&log, "/other-bot"), "noindex"));
  const char *canonical = json_string_value(json_object_get(line_of(&log, "/canon"), "canonical"));
  assert_non_null(canonical);
  assert_non_null(strstr(canonical, "/canon/real"));
  canonical = json_string_value(json_object_get(line_of(&log, "/canon/real"), "canonical"));
  assert_non_null(canonical);
  assert_string_equal(canonical, "http://elsewhere.example/");
  pages_free(&log);
}

static int serve(void **state)
{
  static small s;
  s = small_open(pages);
  *state = &s;
  return 0;
}

static int stop(void **state)
{
  small_close(*state);
  return 0;
}

EACH_CASE(serve, stop)
