/* Sitemaps end to end: pages nobody links to are found by them, under the rules of scope and robots.txt. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
#define XML HEAD "application/xml\r\n\r\n"
#define HTML HEAD "text/html\r\n\r\n"

static const struct { const char *target, *answer; } answers[] = {
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

/* Known before the server's process is made: the lines of a text sitemap are whole URLs. */
static unsigned port;

static void answer_list(int fd)
{
  text body = {0};
  text_addf(&body, HEAD "text/plain\r\n\r\nhttp://127.0.0.1:%u/by-list\r\nnot a URL\n", port);
  raw_send(fd, body.bytes, body.size);
  text_free(&body);
}

static void answer_packed(int fd)
{
  static const char map[] = "<urlset><url><loc>/packed</loc></url></urlset>";
  unsigned char packed[256];
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)map, .avail_in = sizeof map - 1, .next_out = packed,
                .avail_out = sizeof packed};
  deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  deflate(&z, Z_FINISH);
  raw_send_string(fd, HEAD "application/gzip\r\n\r\n");
  raw_send(fd, packed, sizeof packed - z.avail_out);
  deflateEnd(&z);
}

static bool is_page(const char *target)
{
  static const char *const targets[] = {"/linked", "/one?a&b", "/packed", "/by-list", "/by-new", "/in-feed", "/guessed",
                                        "/private/page", "/private/map.xml"};
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

static trial *t;
static pid_t server;
static text start;

static int serve(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  server = raw_start(answer, &port);
  memset(&start, 0, sizeof start);
  text_addf(&start, "http://127.0.0.1:%u/", port);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  process_end end;
  kill(server, SIGKILL);
  process_wait(server, 5, &end);
  text_free(&start);
  trial_close(t);
  return 0;
}

/* The paths of pages.jsonl in order of the alphabet; sitemaps in brackets. */
static text fetched(void)
{
  static const char *const order[] = {"/", "/by-list", "/by-new", "/feed", "/guessed", "/in-feed", "/index.xml", "/linked",
                                      "/list.txt", "/missing.xml", "/moved.xml", "/new.xml", "/one.xml", "/one?a&b",
                                      "/packed", "/packed.xml.gz", "/sitemap.xml"};
  page_log log = pages_read(t->pages);
  text paths = {0};
  size_t known = 0;
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (size_t i = 0; i < pages_count(&log); i++) {
      if (strcmp(strchr(pages_url(&log, i) + 7, '/'), order[k]) != 0)
        continue;
      bool is_map = json_is_true(json_object_get(json_array_get(log.list, i), "sitemap"));
      text_addf(&paths, is_map ? "[%s] " : "%s ", order[k]);
      known++;
    }
  assert_int_equal(known, pages_count(&log));
  pages_free(&log);
  return paths;
}

static void assert_fetched(const char *const words[], const char *wanted)
{
  int code = trial_strata(t, words);
  if (code != 0)
    print_error("%s", t->err.bytes);
  assert_int_equal(code, 0);
  text paths = fetched();
  assert_string_equal(paths.bytes, wanted);
  text_free(&paths);
}

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--tries", "1"
#define BY_ROBOTS "[/index.xml] /linked [/list.txt] [/missing.xml] [/moved.xml] [/new.xml] [/one.xml] /one?a&b " \
                  "/packed [/packed.xml.gz] "

static void those_that_robots_txt_names(void **state)
{
  (void)state;
  const char *const words[] = {CRAWL, start.bytes, NULL};
  assert_fetched(words, "/ /by-list /by-new /feed /in-feed " BY_ROBOTS);
  assert_non_null(strstr(t->err.bytes, " 8 pages,")); /* sitemaps are none */
}

static void a_guess_too(void **state)
{
  (void)state;
  const char *const words[] = {CRAWL, "--sitemaps", "guess", start.bytes, NULL};
  assert_fetched(words, "/ /by-list /by-new /feed /guessed /in-feed " BY_ROBOTS "[/sitemap.xml] ");
}

static void none(void **state)
{
  (void)state;
  const char *const words[] = {CRAWL, "--sitemaps", "none", start.bytes, NULL};
  assert_fetched(words, "/ /feed /in-feed /linked ");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(those_that_robots_txt_names, serve, stop),
    cmocka_unit_test_setup_teardown(a_guess_too, serve, stop),
    cmocka_unit_test_setup_teardown(none, serve, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
