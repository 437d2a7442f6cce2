/* Sitemaps end to end: pages nobody links to are found by them, under the rules of scope and robots.txt. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define HEAD SMALL_HEAD
#define XML HEAD "application/xml\r\n\r\n"
#define HTML SMALL_HTML

static const struct {
  const char *target, *answer;
} answers[] = {
  {"/robots.txt", HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /private\nSitemap: /index.xml\nsitemap: list.txt\n"
                       "Sitemap: http://elsewhere.example/map.xml\nSitemap: /private/map.xml\nSitemap: /moved.xml\n"
                       "Sitemap: /missing.xml\n"},
  {"/", HTML "<link rel=alternate type=application/rss+xml href=/feed><a href=/linked>x</a>"},
  {"/index.xml", XML "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>/packed.xml.gz</loc></sitemap>"
                     "<sitemap><loc>/index.xml</loc></sitemap></sitemapindex>"},
  {"/one.xml", XML "<urlset><url><loc>/one?a&amp;b</loc></url><url><loc>/private/page</loc></url>"
                   "<url><loc>http://elsewhere.example/page</loc></url><url><loc>/linked</loc></url></urlset>"},
  {"/feed", HEAD "application/rss+xml\r\n\r\n<rss><channel><item><link>/in-feed</link></item></channel></rss>"},
  {"/moved.xml", "HTTP/1.1 301 Moved\r\nLocation: /new.xml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
  {"/new.xml", XML "<urlset><url><loc>/by-new</loc></url></urlset>"},
  {"/sitemap.xml", XML "<urlset><url><loc>/guessed</loc></url></urlset>"},
};

/* The lines of a text sitemap are whole URLs. */
static void answer_list(int fd)
{
  text body = {0};
  text_addf(&body, HEAD "text/plain\r\n\r\nhttp://127.0.0.1:%u/by-list\r\nnot a URL\n", small_port);
  raw_send(fd, body.bytes, body.size);
  text_free(&body);
}

static void send_packed(int fd, const char *map, size_t size)
{
  unsigned char packed[4096];
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)map,
                .avail_in = (unsigned)size,
                .next_out = packed,
                .avail_out = sizeof packed};
  deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  deflate(&z, Z_FINISH);
  raw_send_string(fd, HEAD "application/gzip\r\n\r\n");
  raw_send(fd, packed, sizeof packed - z.avail_out);
  deflateEnd(&z);
}

static void answer_packed(int fd)
{
  static const char map[] = "<urlset><url><loc>/packed</loc></url></urlset>";
  send_packed(fd, map, sizeof map - 1);
}

static bool is_page(const char *target)
{
  static const char *const targets[] = {"/linked",  "/one?a&b", "/packed",       "/by-list",        "/by-new",
                                        "/in-feed", "/guessed", "/private/page", "/private/map.xml"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (strcmp(targets[i], target) == 0)
      return true;
  return false;
}

static void answer(int fd, const char *target)
{
  if (strcmp(target, "/list.txt") == 0)
    answer_list(fd);
  else if (strcmp(target, "/packed.xml.gz") == 0)
    answer_packed(fd);
  else if (is_page(target))
    raw_send_string(fd, HTML "page");
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (strcmp(answers[i].target, target) == 0)
      raw_send_string(fd, answers[i].answer);
}

static int serve(void **state)
{
  static small s;
  s = small_open_with(answer);
  *state = &s;
  return 0;
}

/* Sitemaps that name each other, that go on and on, and one that comes late and unpacks to a megabyte. */
static void answer_hostile(int fd, const char *target)
{
  static char late[1 << 20];
  text body = {0};
  unsigned n;
  if (strcmp(target, "/robots.txt") == 0)
    raw_send_string(fd, HEAD "text/plain\r\n\r\nSitemap: /ring-a.xml\nSitemap: /chain/0.xml\nSitemap: /late.xml.gz\n");
  else if (strcmp(target, "/ring-a.xml") == 0)
    raw_send_string(fd, XML "<sitemapindex><sitemap><loc>/ring-b.xml</loc></sitemap></sitemapindex>");
  else if (strcmp(target, "/ring-b.xml") == 0)
    raw_send_string(fd, XML "<sitemapindex><sitemap><loc>/ring-a.xml</loc></sitemap></sitemapindex>");
  else if (sscanf(target, "/chain/%u.xml", &n) == 1)
    text_addf(&body, XML "<sitemapindex><sitemap><loc>%u.xml</loc></sitemap></sitemapindex>", n + 1);
  else if (strcmp(target, "/late.xml.gz") == 0) {
    static const char end[] = "<url><loc>/leaf</loc></url></urlset>";
    memset(late, ' ', sizeof late);
    memcpy(late, "<urlset>", strlen("<urlset>"));
    memcpy(late + sizeof late - strlen(end), end, strlen(end));
    usleep(1500000);
    send_packed(fd, late, sizeof late);
  } else
    raw_send_string(fd, SMALL_LEAF);
  raw_send(fd, body.bytes, body.size);
  text_free(&body);
}

static int serve_hostile(void **state)
{
  static small s;
  s = small_open_with(answer_hostile);
  *state = &s;
  return 0;
}

static int stop(void **state)
{
  small_close(*state);
  return 0;
}

static void assert_fetched(small *s, const char *const words[], const char *wanted)
{
  assert_int_equal(small_strata(s, words, 0), 0);
  text fetched = small_fetched(s);
  assert_string_equal(fetched.bytes, wanted);
  text_free(&fetched);
}

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--tries", "1"
#define BY_ROBOTS                                                                                \
  "[/index.xml] /linked [/list.txt] [/missing.xml] [/moved.xml] [/new.xml] [/one.xml] /one?a&b " \
  "/packed [/packed.xml.gz] "

CASE(those_that_robots_txt_names)
{
  small *s = *state;
  const char *const words[] = {CRAWL, "URL", NULL};
  assert_fetched(s, words, "/ /by-list /by-new /feed /in-feed " BY_ROBOTS);
  assert_non_null(strstr(s->trial->err.bytes, " 8 pages,")); /* sitemaps are none */
}

CASE(a_guess_too)
{
  const char *const words[] = {CRAWL, "--sitemaps", "guess", "URL", NULL};
  assert_fetched(*state, words, "/ /by-list /by-new /feed /guessed /in-feed " BY_ROBOTS "[/sitemap.xml] ");
}

CASE(none)
{
  const char *const words[] = {CRAWL, "--sitemaps", "none", "URL", NULL};
  assert_fetched(*state, words, "/ /feed /in-feed /linked ");
}

/* The first run ends before the late one has come: what is left of it is not read, and it comes again. */
CASE_WITH(rings_chains_and_a_stop_in_the_middle, serve_hostile, stop)
{
  small *s = *state;
  const char *const stopped[] = {CRAWL, "--max-seconds", "0.5", "URL", NULL}, *const words[] = {CRAWL, "URL", NULL};
  assert_int_equal(small_strata(s, stopped, 0), 0);
  text fetched = small_fetched(s);
  assert_null(strstr(fetched.bytes, "late"));
  text_free(&fetched);
  assert_int_equal(small_strata(s, words, 0), 0);
  fetched = small_fetched(s);
  assert_non_null(strstr(fetched.bytes, "[/late.xml.gz] /leaf [/ring-a.xml] [/ring-b.xml] "));
  size_t chained = 0;
  for (const char *at = fetched.bytes; (at = strstr(at, "[/chain/")); at++)
    chained++;
  assert_int_equal(chained, 21);
  text_free(&fetched);
}

EACH_CASE(serve, stop)
