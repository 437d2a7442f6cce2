/* What a crawl left out is counted by its reason, and "every page in scope was fetched" is said only where the server
 * knows it to be so. */
#include "crawler/base/crawl_dir.h"
#include "tests/site/small.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#define EVERY_PAGE "Done: every page in scope was fetched.\n"
#define NOT_COMPLETE "Done, but not complete: see \"Missing\" below.\n"
#define NO_BODY "Content-Length: 0\r\nConnection: close\r\n\r\n"
#define NOT_THERE "HTTP/1.1 404 Not Found\r\n" NO_BODY
#define BUSY "HTTP/1.1 503 Later\r\n" NO_BODY
enum {
  FEW = 3,
  MANY = 200,
  LINKS_MAX = 100000,
  URLS_MAX = 50000,
  MAPS_MAX = 1000,
  CHAIN = 25,
  LONG = 9000,
  BODY = 10000
};

/* ---- the server ------------------------------------------------------------------------------------------- */

static const char *robots, *kind; /* of the site that is served */
static unsigned urls;             /* of its sitemap */
static struct {
  bool is_well;
  unsigned behind, unconditional; /* requests for /behind/N; for large pages, without a condition */
} * shared;                       /* with the server's processes */

static void send_text(int fd, text *page)
{
  raw_send(fd, page->bytes, page->size);
  text_free(page);
}

static void send_large(int fd, unsigned number)
{
  text page = {0};
  if (raw_request_has("If-None-Match: \"1\"")) {
    raw_send_string(fd, "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n");
    return;
  }
  shared->unconditional++;
  text_add(&page, SMALL_HEAD "text/html\r\nETag: \"1\"\r\n\r\n");
  for (unsigned i = 0; i < BODY; i++)
    text_add(&page, "x ");
  text_addf(&page, "<a href=/behind/%u>x</a>", number);
  send_text(fd, &page);
}

static void send_links(int fd, const char *head, const char *each, unsigned count, const char *end)
{
  text page = {0};
  text_add(&page, head);
  for (unsigned i = 0; i < count; i++)
    text_add(&page, each);
  text_add(&page, end);
  send_text(fd, &page);
}

static void send_numbered(int fd, const char *before, unsigned count)
{
  text page = {0};
  text_add(&page, SMALL_HTML);
  for (unsigned i = 0; i < count; i++)
    text_addf(&page, "<a href=%s%u>x</a>", before, i);
  send_text(fd, &page);
}

static void send_map(int fd)
{
  text page = {0};
  text_add(&page, SMALL_HEAD "application/xml\r\n\r\n<urlset>");
  for (unsigned i = 0; i < urls; i++)
    text_addf(&page, "<url><loc>/%s</loc></url>", i + 1 < urls ? "leaf" : "behind/0");
  text_add(&page, "</urlset>");
  send_text(fd, &page);
}

/* Its last bytes do not come; or it is in two parts, which are one file as gunzip reads it. */
static void send_packed(int fd, bool is_whole)
{
  static const char *const parts[] = {"<urlset><url><loc>/leaf</loc></url>",
                                      "<url><loc>/behind/0</loc></url></urlset>"};
  raw_send_string(fd, SMALL_HEAD "application/gzip\r\n\r\n");
  for (unsigned i = 0; i < 2; i++) {
    unsigned char packed[4096];
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)parts[i],
                  .avail_in = (unsigned)strlen(parts[i]),
                  .next_out = packed,
                  .avail_out = sizeof packed};
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    raw_send(fd, packed, sizeof packed - z.avail_out - (is_whole ? 0 : 12));
    deflateEnd(&z);
    if (!is_whole)
      return;
  }
}

static void send_named_maps(int fd, unsigned count)
{
  text page = {0};
  text_add(&page, SMALL_HEAD "text/plain\r\n\r\n");
  for (unsigned i = 0; i < count; i++)
    text_add(&page, i + 1 < count ? "Sitemap: /gone.xml\n" : "Sitemap: /map.xml\n");
  send_text(fd, &page);
}

static void send_long_link(int fd, const char *before)
{
  text page = {0};
  text_addf(&page, SMALL_HTML "<a href=\"%s", before);
  for (unsigned i = 0; i < LONG; i++)
    text_add(&page, "y");
  text_add(&page, "\">x</a>");
  send_text(fd, &page);
}

static bool is_kind(const char *name)
{
  return strcmp(kind, name) == 0;
}

static void send_robots(int fd)
{
  if (is_kind("robots-503") && !shared->is_well)
    raw_send_string(fd, BUSY);
  else if (is_kind("robots-broken") && !shared->is_well)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
  else if (is_kind("named-maps"))
    send_named_maps(fd, urls);
  else
    raw_send_string(fd, robots ? robots : NOT_THERE);
}

static void send_start(int fd)
{
  if (is_kind("large"))
    send_numbered(fd, "/large/", urls);
  else if (is_kind("forged"))
    raw_send_string(fd, SMALL_HEAD "text/html\r\nETag: \x01"
                                   "A\r\nLast-Modified: \x01"
                                   "A\r\n\r\n<a href=/large/1>x</a><a href=/large/2>x</a>");
  else if (is_kind("links"))
    send_links(fd, SMALL_HTML, "<a href=/leaf>x</a>", LINKS_MAX, "<a href=/behind/0>x</a>");
  else if (is_kind("feed"))
    raw_send_string(fd, SMALL_HTML "<a href=/feed>x</a>");
  else if (is_kind("chain"))
    raw_send_string(fd, SMALL_HTML "<a href=/chain/0>x</a>");
  else if (is_kind("long"))
    send_long_link(fd, "/");
  else if (is_kind("long-elsewhere"))
    send_long_link(fd, "http://elsewhere.example/?");
  else if (is_kind("longer"))
    send_links(fd, SMALL_HTML "<a href=\"/", "yyyyyyyyyyyyyyyy", 2000, "\">x</a>");
  else if (is_kind("data"))
    send_links(fd, SMALL_HTML "<a href=\"data:", "yyyyyyyyyyyyyyyy", 2000, "\">x</a>");
  else if (is_kind("failing"))
    raw_send_string(fd, SMALL_HTML "<a href=/503>x</a><a href=/broken>x</a><a href=/fields>x</a><a href=/429>x</a>"
                                   "<a href=/404>x</a><a href=/410>x</a><a href=/leaf>x</a>");
  else if (is_kind("slow"))
    raw_send_string(fd, SMALL_HTML "<a href=/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxzy>x</a>");
  else if (is_kind("calendar"))
    send_numbered(fd, "/agenda/2026-1-", 28);
  else if (is_kind("deep"))
    raw_send_string(fd, SMALL_HTML "<a href=/1>x</a>");
  else
    raw_send_string(fd, SMALL_HTML "<a href=/leaf>x</a><a href=/404>x</a><a href=/private>x</a>"
                                   "<a href=/unwanted rel=nofollow>x</a><a href=http://elsewhere.example/>x</a>");
}

static void send_ill(int fd, const char *target)
{
  if (strcmp(target, "/503") == 0)
    raw_send_string(fd, BUSY);
  else if (strcmp(target, "/429") == 0)
    raw_send_string(fd, "HTTP/1.1 429 Slow down\r\n" NO_BODY);
  else if (strcmp(target, "/broken") == 0)
    raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: text/html\r\n\r\nx");
  else
    send_links(fd, "HTTP/1.1 200 OK\r\n", "X: y\r\n", 2000, "\r\n");
}

static void answer(int fd, const char *target)
{
  unsigned a, b;
  if (strcmp(target, "/robots.txt") == 0)
    send_robots(fd);
  else if (strcmp(target, "/") == 0)
    send_start(fd);
  else if (sscanf(target, "/large/%u", &a) == 1)
    send_large(fd, a);
  else if (sscanf(target, "/behind/%u", &a) == 1)
    shared->behind++, raw_send_string(fd, SMALL_LEAF);
  else if (sscanf(target, "/chain/%u", &a) == 1 && a < CHAIN) {
    text head = {0};
    text_addf(&head, "HTTP/1.1 302 On\r\nLocation: /chain/%u\r\n" NO_BODY, a + 1);
    send_text(fd, &head);
  } else if (sscanf(target, "/agenda/2026-%u-%u", &a, &b) == 2) {
    text page = {0};
    text_addf(&page, SMALL_HTML "<a href=/agenda/2026-%02u-%02u>x</a><a href=/agenda/2026-%02u-%02u>x</a>", a % 12 + 1,
              b, a, b % 28 + 1);
    for (unsigned i = 0; i < 40; i++)
      text_addf(&page, "<a href=/agenda/%u-%02u-%02u>x</a>", 1900 + i, a, b);
    send_text(fd, &page);
  } else if (sscanf(target, "/%u", &a) == 1 && a < 10)
    send_numbered(fd, a == 1 ? "/2" : "/9", 1);
  else if (strcmp(target, "/feed") == 0)
    send_links(fd, SMALL_HEAD "application/rss+xml\r\n\r\n<rss><channel>", "<item><link>/leaf</link></item>", URLS_MAX,
               "<item><link>/behind/0</link></item></channel></rss>");
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-503") && !shared->is_well)
    raw_send_string(fd, BUSY);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-cut"))
    send_packed(fd, false);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-in-two"))
    send_packed(fd, true);
  else if (strcmp(target, "/map.xml") == 0 && is_kind("map-bad"))
    raw_send_string(fd, SMALL_HEAD "application/xml\r\n\r\n<urlset><url><loc>/beh\xFFind</loc></url>"
                                   "<url><loc>/leaf</loc></url></urlset>");
  else if (strcmp(target, "/map.xml") == 0 && urls)
    send_map(fd);
  else if (strcmp(target, "/503") == 0 || strcmp(target, "/429") == 0 || strcmp(target, "/broken") == 0 ||
           strcmp(target, "/fields") == 0)
    shared->is_well ? raw_send_string(fd, SMALL_LEAF) : send_ill(fd, target);
  else if (strcmp(target, "/410") == 0)
    raw_send_string(fd, "HTTP/1.1 410 Gone\r\n" NO_BODY);
  else
    raw_send_string(fd, strcmp(target, "/404") == 0 || strstr(target, "xml") ? NOT_THERE : SMALL_LEAF);
}

/* ---- a crawl, and what it says ------------------------------------------------------------------------------ */

static small served;

static void serve_again(const char *of_kind, unsigned count, const char *its_robots)
{
  kind = of_kind;
  urls = count;
  robots = its_robots;
  served = small_open_with(answer);
}

static void serve(const char *of_kind, unsigned count)
{
  serve_again(of_kind, count, NULL);
}

static int begin(void **state)
{
  (void)state;
  if (!shared)
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(shared, MAP_FAILED);
  memset(shared, 0, sizeof *shared);
  return 0;
}

static int end(void **state)
{
  (void)state;
  small_close(&served);
  return 0;
}

static json_t *json_of(const char *bytes)
{
  json_t *object = json_loads(bytes, 0, NULL);
  if (!object)
    fail_msg("no JSON: %s", bytes);
  return object;
}

static json_t *stat_json(void)
{
  assert_int_equal(small_strata(&served, (const char *const[]){"stat", "DIR", "--json", NULL}, 0), 0);
  return json_of(served.trial->out.bytes);
}

static const char *const counted[] = {"waiting",   "held",      "unfetched",     "robots_unread",
                                      "truncated", "links_cut", "redirects_cut", "sitemaps_cut"};
enum { COUNTED = sizeof counted / sizeof *counted, WORDS_MAX = 40 };

/* A field that is not there is -1. */
static long number(const json_t *object, const char *name)
{
  const json_t *value = json_object_get(object, name);
  return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

/* Of the words of `options`, and the start URL unless it goes on. `complete` and all counts are 0 but `lack`; stat and
 * the report say the same. What was said stays in served.trial->err. */
static void crawl(const char *const options[], const char *lack, long count)
{
  char *summary = trial_path(served.trial, "summary.json");
  const char *words[WORDS_MAX] = {"crawl",   "--dir", "DIR",        "--delay", "0",         "--allow-private",
                                  "--tries", "1",     "--per-host", "4",       "--summary", summary};
  size_t at = 12;
  for (size_t i = 0; options[i]; i++)
    words[at++] = options[i];
  assert_int_equal(small_strata(&served, words, 0), 0);
  text said = {0}, bytes = {0};
  text_add(&said, served.trial->err.bytes);
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes), *kept = stat_json();
  for (size_t i = 0; i < COUNTED; i++) {
    long expected = lack && strcmp(counted[i], lack) == 0 ? count : 0;
    if (number(ended, counted[i]) != expected || number(kept, counted[i]) != expected)
      fail_msg("\"%s\" is %ld, and %ld in stat, not %ld\n%s", counted[i], number(ended, counted[i]),
               number(kept, counted[i]), expected, said.bytes);
  }
  const json_t *first = json_object_get(ended, "complete"), *second = json_object_get(kept, "complete");
  if (json_is_true(first) != !lack || !json_equal(first, second))
    fail_msg("complete, or not\n%s", said.bytes);
  json_decref(ended);
  json_decref(kept);
  assert_int_equal(small_strata(&served, (const char *const[]){"stat", "DIR", NULL}, 0), 0);
  if (!strstr(served.trial->out.bytes, "complete   yes") != (lack != NULL))
    fail_msg("%s", served.trial->out.bytes);
  assert_int_equal(small_strata(&served, (const char *const[]){"report", "DIR", NULL}, 0), 0);
  assert_int_equal(!strstr(served.trial->out.bytes, "<h2>Missing</h2>"), !lack);
  text_free(&served.trial->err);
  served.trial->err = said;
  text_free(&bytes);
  free(summary);
}

#define CRAWL(lack, count, ...) crawl((const char *const[]){__VA_ARGS__, NULL}, lack, count)

static void assert_said(const char *what)
{
  if (!strstr(served.trial->err.bytes, what))
    fail_msg("nothing of \"%s\" in\n%s", what, served.trial->err.bytes);
}

static void assert_lacks(const char *sentence)
{
  assert_said(NOT_COMPLETE);
  assert_said("  Missing: ");
  assert_said(sentence);
  assert_null(strstr(served.trial->err.bytes, "every page in scope was fetched"));
}

/* So that what was fetched is a second old by the clock. */
static void wait_a_second(void)
{
  time_t now = time(NULL);
  while (time(NULL) <= now)
    usleep(10000);
}

/* ---- the cases ---------------------------------------------------------------------------------------------- */

/* What is not there, forbidden, out of scope or not to be followed is not missing. */
static void all_of_it(void **state)
{
  (void)state;
  serve_again("plain", 0, SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /private\nSitemap: /gone.xml\n");
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

/* With a larger --max-body they are asked for without a condition, which would say that they have not changed. */
static void bodies_that_were_cut(void **state)
{
  (void)state;
  serve("large", FEW);
  CRAWL("truncated", FEW, "--max-body", "8000", "URL");
  assert_lacks("3 pages longer than --max-body");
  assert_int_equal(shared->behind, 0);
  assert_int_equal(shared->unconditional, FEW);
  wait_a_second();
  CRAWL("truncated", FEW, "--max-body", "8000", "--recrawl-after", "1s"); /* each counts once */
  wait_a_second();
  CRAWL(NULL, 0, "--recrawl-after", "1s");
  assert_said(EVERY_PAGE);
  assert_int_equal(shared->behind, FEW);
  assert_int_equal(shared->unconditional, 3 * FEW);
}

/* A server's validator that looks like the mark of a page that was cut takes none off the count. */
static void a_forged_mark(void **state)
{
  (void)state;
  serve("forged", 0);
  for (int run = 1; run <= 3; run++) {
    CRAWL("truncated", 2, "--max-body", "8000", "--recrawl-after", "1s", "URL");
    wait_a_second();
  }
  assert_int_equal(shared->unconditional, 3 * 2);
}

static void links_that_were_not_taken(void **state)
{
  (void)state;
  serve("links", 0);
  CRAWL("links_cut", 1, "URL");
  assert_lacks("links of 1 page");
  assert_int_equal(shared->behind, 0);
}

static void a_feed_with_too_many(void **state)
{
  (void)state;
  serve("feed", 0);
  CRAWL("links_cut", 1, "URL");
  assert_int_equal(shared->behind, 0);
}

static void a_long_chain_of_redirects(void **state)
{
  (void)state;
  serve("chain", 0);
  CRAWL("redirects_cut", 1, "URL");
  assert_lacks("the end of 1 chain of more than 20 redirects");
}

static void urls_that_are_too_long(void **state)
{
  (void)state;
  serve("long", 0);
  CRAWL("links_cut", 1, "URL");
  assert_lacks("links of 1 page");
}

static void longer_than_an_attribute_may_be(void **state)
{
  (void)state;
  serve("longer", 0);
  CRAWL("links_cut", 1, "URL");
}

static void long_urls_of_another_site(void **state)
{
  (void)state;
  serve("long-elsewhere", 0);
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

static void long_urls_of_another_scheme(void **state)
{
  (void)state;
  serve("data", 0);
  CRAWL(NULL, 0, "URL");
}

#define NAMES_MAP SMALL_HEAD "text/plain\r\n\r\nSitemap: /map.xml\n"

static void sitemap(const char *of_kind, unsigned count, const char *lack)
{
  memset(shared, 0, sizeof *shared);
  serve_again(of_kind, count, NAMES_MAP);
  CRAWL(lack, 1, "URL");
  assert_int_equal(shared->behind, !lack);
}

static void sitemaps_that_were_cut(void **state)
{
  (void)state;
  sitemap("map", URLS_MAX, NULL);
  small_close(&served);
  sitemap("map", URLS_MAX + 1, "sitemaps_cut");
  assert_lacks("URLs of 1 sitemap");
  small_close(&served);
  sitemap("map-cut", 1, "sitemaps_cut");
  small_close(&served);
  sitemap("map-in-two", 1, NULL);
  small_close(&served);
  sitemap("map-bad", 1, "sitemaps_cut");
}

static void a_sitemap_that_failed(void **state)
{
  (void)state;
  sitemap("map-503", FEW, "unfetched");
  shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_int_equal(shared->behind, 1);
}

static void more_sitemaps_than_are_read(void **state)
{
  (void)state;
  serve("named-maps", MAPS_MAX);
  CRAWL(NULL, 0, "URL");
  assert_int_equal(shared->behind, 1);
  small_close(&served);
  serve("named-maps", MAPS_MAX + 1);
  CRAWL("sitemaps_cut", 1, "URL");
  CRAWL("sitemaps_cut", 1, "URL"); /* that robots.txt is read again changes nothing */
}

/* No answer, not a good one, and one that the ledger ends; but what is gone is gone. */
static void pages_that_failed(void **state)
{
  (void)state;
  serve("failing", 0);
  CRAWL("unfetched", 4, "URL");
  assert_lacks("4 URLs that failed");
  CRAWL("unfetched", 4, "--retry-failed"); /* each counts once */
  shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_said(EVERY_PAGE);
}

/* A URL waits while the others are queued again, and fails after that. */
static void what_failed_later(void **state)
{
  (void)state;
  serve("failing", 0);
  CRAWL("waiting", 7, "--max-pages", "1", "--connections", "1", "URL");
  CRAWL("waiting", 7, "--max-pages", "1", "--retry-failed");
  CRAWL("unfetched", 4, "--tries", "1");
  shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
}

static void without_robots(const char *of_kind)
{
  memset(shared, 0, sizeof *shared);
  serve(of_kind, 0);
  char *summary = trial_path(served.trial, "summary.json");
  const char *const words[] = {"crawl",   "--dir", "DIR",       "--delay", "0",   "--allow-private",
                               "--tries", "1",     "--summary", summary,   "URL", NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&served, words, 1), 1); /* no start URL gave a page */
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes);
  assert_int_equal(number(ended, "robots_unread"), 1);
  assert_int_equal(number(ended, "unfetched"), 0);
  assert_true(json_is_false(json_object_get(ended, "complete")));
  json_decref(ended);
  text_free(&bytes);
  free(summary);
  shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_said(EVERY_PAGE);
}

static void hosts_whose_robots_cannot_be_read(void **state)
{
  (void)state;
  without_robots("robots-503");
  small_close(&served);
  without_robots("robots-broken");
}

/* Complete as far as it was to go, and that is said. */
static void no_deeper_than_told(void **state)
{
  (void)state;
  serve("deep", 0);
  CRAWL(NULL, 0, "--max-depth", "1", "URL");
  assert_said("Done: every page within --max-depth was fetched.\n");
  json_t *kept = stat_json();
  assert_int_equal(number(kept, "too_deep"), 1);
  json_decref(kept);
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

static void what_waits(void **state)
{
  (void)state;
  serve("large", FEW);
  CRAWL("waiting", FEW, "--max-pages", "1", "URL");
  assert_said("Done: the cap of --max-pages is reached.\n");
  CRAWL(NULL, 0, "URL");
  small_close(&served);
  serve("large", FEW);
  CRAWL("waiting", FEW, "--max-bytes", "1", "URL");
}

static void what_is_held(void **state)
{
  (void)state;
  serve("calendar", 0);
  char *summary = trial_path(served.trial, "summary.json");
  const char *const words[] = {"crawl",         "--dir", "DIR",       "--delay", "0",   "--allow-private",
                               "--trap-budget", "5",     "--summary", summary,   "URL", NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&served, words, 0), 0);
  assert_said("Done: every page in scope was fetched, but what looks like a trap.\n");
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes), *kept = stat_json();
  assert_true(number(ended, "held") > 0);
  assert_int_equal(number(kept, "held"), number(ended, "held"));
  assert_int_equal(number(kept, "waiting"), 0);
  assert_true(json_is_false(json_object_get(ended, "complete")));
  assert_true(json_is_false(json_object_get(kept, "complete")));
  json_decref(ended);
  json_decref(kept);
  text_free(&bytes);
  free(summary);
}

static void what_takes_too_long_to_match(void **state)
{
  (void)state;
  serve("slow", 0);
  CRAWL("links_cut", 1, "--include", "(x+x+)+y", "URL");
}

/* A filter that errs on one URL in ten does not know; with exact keys it does. */
static void what_a_filter_lost(void **state)
{
  (void)state;
  serve("large", MANY);
  char *summary = trial_path(served.trial, "summary.json");
  const char *const words[] = {"crawl",      "--dir", "DIR",       "--delay", "0",        "--allow-private",
                               "--filter",   "bloom", "--fp",      "0.5",     "--expect", "1",
                               "--per-host", "8",     "--summary", summary,   "URL",      NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&served, words, 0), 0);
  assert_lacks("--filter exact");
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes);
  assert_true(json_is_false(json_object_get(ended, "complete")));
  json_decref(ended);
  text_free(&bytes);
  free(summary);
  small_close(&served);
  memset(shared, 0, sizeof *shared);
  serve("large", MANY);
  CRAWL(NULL, 0, "--filter", "exact:bloom", "--fp", "0.5", "--expect", "1", "URL");
  assert_int_equal(shared->behind, MANY);
}

/* kill -9 again and again: each page that was cut counts once. */
static void counts_survive_a_kill(void **state)
{
  (void)state;
  serve("large", MANY);
  for (unsigned i = 1; i <= 3; i++) {
    const char *const words[] = {"crawl",      "--dir", "DIR",     "--delay", "0", "--allow-private", "--per-host", "2",
                                 "--max-body", "8000",  "--quiet", "URL",     NULL};
    pid_t child = trial_strata_start(served.trial, words);
    unsigned before = shared->unconditional;
    for (int left = 6000; left && shared->unconditional < before + MANY / 5; left--)
      usleep(10000);
    process_kill(child);
  }
  CRAWL("truncated", MANY, "--max-body", "8000", "URL");
}

/* Which is one without this version's mark. */
static void begun_by_an_older_version(void **state)
{
  (void)state;
  serve("plain", 0);
  CRAWL(NULL, 0, "URL");
  frontier *f = crawl_dir_open_to_change("crawl", served.trial->crawl);
  assert_non_null(f);
  assert_int_equal(frontier_setting_put(f, "lacks", "", 0), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  CRAWL("older", 0, "URL");
  assert_lacks("an older version of strata left out");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
    CASE(all_of_it),
    CASE(bodies_that_were_cut),
    CASE(a_forged_mark),
    CASE(links_that_were_not_taken),
    CASE(a_feed_with_too_many),
    CASE(a_long_chain_of_redirects),
    CASE(urls_that_are_too_long),
    CASE(longer_than_an_attribute_may_be),
    CASE(long_urls_of_another_site),
    CASE(long_urls_of_another_scheme),
    CASE(sitemaps_that_were_cut),
    CASE(a_sitemap_that_failed),
    CASE(more_sitemaps_than_are_read),
    CASE(pages_that_failed),
    CASE(what_failed_later),
    CASE(hosts_whose_robots_cannot_be_read),
    CASE(no_deeper_than_told),
    CASE(what_waits),
    CASE(what_is_held),
    CASE(what_takes_too_long_to_match),
    CASE(what_a_filter_lost),
    CASE(begun_by_an_older_version),
    CASE(counts_survive_a_kill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
