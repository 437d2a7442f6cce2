/* The first ten minutes of a new user: what goes wrong is explained, followed by what to do, and tried again. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/crawl_case.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static small served;
static int *phase; /* shared with the server */

#define SAYS(sentence) says(sentence, true)
#define SAYS_NOT(sentence) says(sentence, false)

static void says(const char *sentence, bool wanted)
{
  if ((strstr(served.trial->err.bytes, sentence) != NULL) != wanted)
    fail_msg("%s \"%s\" in: %s", wanted ? "no" : "a", sentence, served.trial->err.bytes);
}

#define RUN(expected, ...) \
  assert_int_equal(small_strata(&served, (const char *const[]){__VA_ARGS__, NULL}, expected), expected)

/* Nothing of this crawl is listed as failed. */
static void nothing_has_failed(void)
{
  RUN(0, "export", "DIR", "--state", "failed");
  assert_string_equal(served.trial->out.bytes, "");
  RUN(0, "stat", "DIR");
  assert_non_null(strstr(served.trial->out.bytes, " 0 failed, 0 skipped"));
  assert_null(strstr(served.trial->out.bytes, "failed-"));
  assert_null(strstr(served.trial->out.bytes, "missing "));
  assert_null(strstr(served.trial->out.bytes, "errors"));
}

static const small_page page[] = {{"/", SMALL_HTML "<p>words of a page"}, {NULL, NULL}};

CASE(a_private_address_is_allowed_on_the_second_try)
{
  served = small_open(page);
  for (int i = 0; i < 2; i++) {
    RUN(1, "crawl", "--dir", "DIR", "--delay", "0", "URL");
    SAYS("no start URL gave a page: http://127.0.0.1:");
    SAYS("not a public address");
    SAYS("--allow-private");
  }
  RUN(0, CRAWL, "URL");
  SAYS("every page in scope was fetched");
  SAYS_NOT("Failed:");
  nothing_has_failed();
}

static void answer(int fd, const char *target)
{
  if (strcmp(target, "/robots.txt") == 0)
    raw_send_string(fd, *phase == 3 ? SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /\n"
                                    : SMALL_HEAD "text/plain\r\n\r\n");
  else if (*phase == 1 || (*phase == 4 && strcmp(target, "/") != 0))
    raw_send_string(fd, "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  else if (*phase == 2)
    raw_send_string(fd, "no HTTP at all\r\n\r\n");
  else if (*phase == 4 || (*phase == 5 && strcmp(target, "/") == 0))
    raw_send_string(fd, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /home\r\nContent-Length: 0\r\n\r\n");
  else
    raw_send_string(fd, SMALL_HTML "<p>words");
}

/* Whatever it was: the same command tries it again once that is mended. */
CASE(a_start_url_that_is_named_gets_a_fresh_try)
{
  static const struct {
    int phase, mended;
    const char *reason, *step;
  } rows[] = {
    {1, 0, "HTTP status 503", "run the same command again later"},
    {2, 0, "/: ", "check that this port speaks http"},
    {3, 0, "forbidden by robots.txt", "--ignore-robots"},
    {4, 5, "/home: HTTP status 503", "run the same command again later"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    served = small_open_with(answer);
    *phase = rows[i].phase;
    for (int times = 0; times < 2; times++) {
      RUN(1, CRAWL, "--tries", "1", "URL");
      SAYS(rows[i].reason);
      SAYS(rows[i].step);
    }
    RUN(1, CRAWL);
    SAYS("--retry-failed");
    *phase = rows[i].mended;
    RUN(0, CRAWL, "URL");
    nothing_has_failed();
    small_close(&served);
  }
  served = (small){0};
}

CASE(no_server_listens)
{
  served = small_open(page);
  RUN(1, "crawl", "--dir", "DIR", "--allow-private", "--tries", "1", "http://127.0.0.1:1/");
  SAYS("no start URL gave a page: http://127.0.0.1:1/: ");
  SAYS("check host and port, and that a server runs there");
  RUN(1, "crawl", "--dir", "DIR", "--tries", "1", "http://nosuchhost.invalid/");
  SAYS("check how the host is spelt");
  RUN(0, CRAWL, "--tries", "1", "URL", "http://127.0.0.1:1/"); /* one of two */
  SAYS("Start URL without a page: http://127.0.0.1:1/: ");
}

static const small_page pages[] = {{"/", SMALL_HTML "<a href=a>a</a> <a href=b>b</a>"},
                                   {"/a", SMALL_HTML "words of a"},
                                   {"/b", SMALL_HTML "words of b"},
                                   {NULL, NULL}};

/* No command that would fetch nothing; and the cap goes, in whatever way it was spelt. */
CASE(to_go_on_only_where_something_is_left)
{
  served = small_open(pages);
  RUN(0, CRAWL, "--max-p", "1", "URL");
  SAYS("  1 page, ");
  SAYS(" 0 redirects, 0 errors\n");
  SAYS("  In all: 1 page, 3 URLs known, 2 of them waiting, 1 host\n");
  SAYS("To go on: strata crawl --dir ");
  SAYS_NOT("--max-p ");
  RUN(0, CRAWL, "--max-pages=2");
  SAYS_NOT("--max-pages=");
  RUN(0, CRAWL);
  SAYS("every page in scope was fetched");
  SAYS_NOT("To go on");
}

CASE(a_recrawl_says_what_it_asked)
{
  served = small_open(pages);
  RUN(0, CRAWL, "URL");
  SAYS_NOT("Recrawl");
  RUN(0, CRAWL, "--recrawl-after", "1h");
  SAYS("  Recrawl: no page is older than --recrawl-after yet");
  struct timespec wait = {.tv_sec = 1, .tv_nsec = 100000000};
  nanosleep(&wait, NULL);
  RUN(0, CRAWL, "--recrawl-after", "1s");
  SAYS("  Recrawl: asked for 3 pages again: 3 unchanged, 0 changed, 0 failed\n");
  SAYS_NOT("To go on");
}

#define TEXT(n) " these " #n " are " #n " some " #n " words " #n " of " #n " a " #n " text " #n " that " #n " is"
#define LONG_TEXT \
  TEXT(1) TEXT(2) TEXT(3) TEXT(4) TEXT(5) TEXT(6) TEXT(7) TEXT(8) TEXT(9) TEXT(10) TEXT(11) TEXT(12) TEXT(13) TEXT(14)

/* Two pages of one text are one near-duplicate, however often they are fetched. */
CASE(a_recrawl_finds_no_near_duplicates_anew)
{
  static const small_page alike[] = {{"/", SMALL_HTML "<p>begins<a href=/a>a</a><a href=/b>b</a>"},
                                     {"/a", SMALL_HTML "<p>" LONG_TEXT},
                                     {"/b", SMALL_HTML "<p>" LONG_TEXT " longer"},
                                     {NULL, NULL}};
  (void)state;
  served = small_open(alike);
  for (unsigned run = 0; run < 2; run++) {
    RUN(0, CRAWL, "--recrawl-after", "1s", "URL");
    SAYS("Near-duplicates: 1 page says what another one says");
    struct timespec wait = {.tv_sec = 1, .tv_nsec = 100000000};
    nanosleep(&wait, NULL);
  }
  SAYS("asked for 3 pages again: 3 unchanged");
  RUN(0, "report", "DIR", "--out", "-");
  assert_non_null(strstr(served.trial->out.bytes, "in the other): 1.</p>"));
}

/* Of a crawl that has not ended, with all its files; the copy goes on, is sound, can be merged, and is left alone. */
CASE(a_snapshot_is_a_crawl)
{
  served = small_open(pages);
  char *copy = trial_path(served.trial, "copy"), *both = trial_path(served.trial, "both"),
       *later = trial_path(served.trial, "later");
  RUN(0, CRAWL, "--warc", "--max-pages", "1", "URL");
  RUN(0, "snapshot", "DIR", copy);
  SAYS(": 3 URLs, 2 of them waiting; to go on with it: strata crawl --dir ");
  RUN(1, "snapshot", "DIR", copy);
  SAYS(" is there already");
  RUN(0, CRAWL); /* the first one goes on */
  RUN(0, "check", copy);
  RUN(0, "export", copy, "--state", "done");
  assert_non_null(strstr(served.trial->out.bytes, "/\n"));
  assert_null(strstr(served.trial->out.bytes, "/a\n"));
  RUN(0, "show", copy, served.trial->url);
  assert_non_null(strstr(served.trial->out.bytes, "<a href=a>"));
  RUN(0, "crawl", "--dir", copy, "--delay", "0", "--allow-private", "--warc");
  SAYS("  In all: 3 pages, 3 URLs known, 0 of them waiting");
  RUN(0, "check", copy);
  RUN(0, "merge", "DIR", copy, "-o", both);
  RUN(1, "snapshot", both, "/nowhere/copy");
  RUN(1, "snapshot", "/nowhere", later);
  RUN(0, "crawl", "--dir", later, "--delay", "0", "--allow-private", "--previous", copy, "URL");
  RUN(0, "stat", later);
  assert_non_null(strstr(served.trial->out.bytes, " 3 known-before"));
  RUN(1, "crawl", "--dir", later, "--previous", "/nowhere", "URL");
  SAYS("--previous /nowhere: ");
  free(copy);
  free(both);
  free(later);
}

CASE(a_shell_for_a_script_is_said_to_be_one)
{
  static const small_page shell[] = {{"/",
                                      SMALL_HTML "<title>App</title><script src=/app.js></script><div id=root></div>"
                                                 "<noscript>You need to enable JavaScript to run this app.</noscript>"},
                                     {NULL, NULL}};
  static const small_page others[] = {
    {"/", SMALL_HTML "<script>1</script><a href=a>a</a> <a href=b>b</a>"},
    {"/a", SMALL_HTML "<script>1</script>"
                      "One page has a script, as most of them do, and no link to any other; but it "
                      "says something, and more than the few words in which a page asks for a browser with scripts."},
    {"/b", SMALL_HTML "no script"},
    {NULL, NULL}};
  served = small_open(shell);
  RUN(0, CRAWL, "URL");
  SAYS("  Scripts: 1 page is only an empty shell for a script");
  small_close(&served);
  served = small_open(others);
  RUN(0, CRAWL, "URL");
  SAYS_NOT("Scripts:");
}

static size_t options_in(const char *help)
{
  size_t count = 0;
  for (const char *at = help; (at = strstr(at, "\n  --")); at++)
    count++;
  return count;
}

/* One screen at first. */
CASE(help_is_short_until_all_is_asked_for)
{
  served = small_open(page);
  RUN(0, "help", "crawl");
  assert_in_range(options_in(served.trial->out.bytes), 10, 14);
  assert_non_null(strstr(served.trial->out.bytes, "strata help crawl --all"));
  RUN(0, "help", "crawl", "--all");
  assert_in_range(options_in(served.trial->out.bytes), 44, 99);
  assert_non_null(strstr(served.trial->out.bytes, "--robots-memory"));
  RUN(0, "crawl", "--all", "--help");
  assert_non_null(strstr(served.trial->out.bytes, "--robots-memory"));
}

static int begin(void **state)
{
  (void)state;
  *phase = 0;
  return 0;
}

static int end(void **state)
{
  (void)state;
  if (served.trial)
    small_close(&served);
  served = (small){0};
  return 0;
}

static int prepare(void **state)
{
  (void)state;
  phase = mmap(NULL, sizeof *phase, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
