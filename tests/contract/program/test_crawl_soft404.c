/* A server that answers whatever is asked for with one text, but for the URL in it, and links to more of it, beside a
 * good site: every good page is fetched, the crawl ends by itself, and the directory is named. Also where the good
 * pages are in the same directory, and after kill -9. */
#include "tests/site/pages.h"
#include "tests/site/random.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  GOOD = 400,          /* pages, the start page among them */
  WORDS = 60,          /* of a good page */
  SUSPECT_AFTER = 512, /* pages that say the same */
  ROOT_AFTER = 768,    /* where they are in the root */
  MORE = 3,            /* links of a soft 404 */
  IN_FLIGHT = 200,     /* what the pages that are fetched meanwhile lead to */
  BUDGET = 100,
  NOT_COMMITTED = 300, /* pages that the kill threw away, and that were fetched again */
};

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"

static void add_words(text *page, uint64_t state, unsigned words)
{
  for (unsigned i = 0; i < words; i++)
    text_addf(page, "%c%c%c%u ", (char)('a' + random_below(&state, 26)), (char)('a' + random_below(&state, 26)),
              (char)('a' + random_below(&state, 26)), random_below(&state, 30));
}

/* Of a tree; each leads to what is not there. */
static void add_good(text *page, const char *below, const char *gone_below, unsigned number)
{
  text_addf(page, "<title>Page %u</title>", number);
  add_words(page, random_stream(number, 1), WORDS);
  for (unsigned next = 3 * number + 1; next <= 3 * number + 3 && next < GOOD; next++)
    text_addf(page, "<a href=\"%sgood-%u.html\">on</a>\n", below, next);
  text_addf(page, "<a href=\"%sgone-%u\">what is gone</a>\n", gone_below, number);
}

static void add_soft_404(text *page, const char *below, const char *target)
{
  uint64_t state = random_stream(strlen(target), 3);
  for (const char *at = target; *at; at++)
    state = random_stream(state ^ (unsigned char)*at, 3);
  text_addf(page, "<title>%s</title><h1>Sorry!</h1>There is no page %s here. Would you like to read one of these?\n",
            target, target);
  for (unsigned i = 0; i < MORE; i++)
    text_addf(page, "<a href=\"%s%08x/%u\">this one</a>\n", below, (unsigned)random_next(&state), i);
}

static void send_page(int fd, const char *good_below, const char *gone_below, const char *target)
{
  text page = {0};
  unsigned number = 0;
  size_t below = strlen(good_below);
  if (strcmp(target, "/robots.txt") == 0) {
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  if (strcmp(target, "/") == 0 ||
      (strncmp(target, good_below, below) == 0 && sscanf(target + below, "good-%u.html", &number) == 1))
    add_good(&page, good_below, gone_below, number);
  else
    add_soft_404(&page, gone_below, target);
  raw_send_string(fd, OK);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void answer_beside(int fd, const char *target)
{
  send_page(fd, "/docs/", "/soft404/", target);
}

static void answer_within(int fd, const char *target)
{
  send_page(fd, "/", "/", target);
}

/* Of 1,000 pages, each of which leads to the next one and to any other one: all say the same, or each has some words of
 * its own behind those of the shop. */
static void send_finite(int fd, const char *target, bool is_shop)
{
  enum { PAGES = 1000, SHOP_WORDS = 60, OWN_WORDS = 12 };
  text page = {0};
  unsigned number = (unsigned)strtoul(target + strcspn(target, "0123456789"), NULL, 10);
  add_words(&page, random_stream(1, 5), SHOP_WORDS);
  if (is_shop)
    add_words(&page, random_stream(number, 6), OWN_WORDS);
  text_addf(&page, "<a href=\"/all/%u\"></a><a href=\"/all/%u\"></a>\n", (number + 1) % PAGES,
            (number * 7919 + 13) % PAGES);
  raw_send_string(fd, strcmp(target, "/robots.txt") == 0
                        ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        : OK);
  if (strcmp(target, "/robots.txt") != 0)
    raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void answer_the_same(int fd, const char *target)
{
  send_finite(fd, target, false);
}

static void answer_as_a_shop(int fd, const char *target)
{
  send_finite(fd, target, true);
}

/* ---- what the crawl made of it --------------------------------------------------------------------------- */

static trial *served;
static pid_t server;
static char start[64];

static void serve(raw_answer *answer)
{
  unsigned port;
  served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  server = raw_start(answer, &port);
  snprintf(start, sizeof start, "http://127.0.0.1:%u/", port);
}

static int clean_up(void **state)
{
  (void)state;
  process_kill(server);
  trial_close(served);
  return 0;
}

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--per-host", "8", "--max-seconds", "50"

static int crawl(const char *budget)
{
  return trial_strata(served, (const char *const[]){CRAWL, "--trap-budget", budget, start, NULL});
}

static void count_pages(unsigned *good, unsigned *gone)
{
  page_log log = pages_read(served->pages);
  *good = *gone = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const char *path = strchr(pages_url(&log, i) + strlen("http://"), '/');
    bool is_good = strstr(path, "/good-") || strcmp(path, "/") == 0;
    *good += is_good;
    *gone += !is_good;
  }
  pages_free(&log);
}

static const char *stat_of(bool is_json)
{
  const char *const words[] = {"stat", "DIR", "--traps", is_json ? "--json" : NULL, NULL};
  assert_int_equal(trial_strata(served, words), 0);
  return served->out.bytes;
}

static json_int_t counter(const char *name)
{
  json_t *all = json_loads(stat_of(true), 0, NULL);
  json_int_t value = json_integer_value(json_object_get(json_object_get(all, "counters"), name));
  json_decref(all);
  return value;
}

/* The name of the only suspect directory, behind the host. */
static void check_suspect(const char *name)
{
  char wanted[96];
  snprintf(wanted, sizeof wanted, "%s%s", start + strlen("http://"), name + 1);
  json_t *all = json_loads(stat_of(true), 0, NULL);
  const json_t *list = json_object_get(json_object_get(all, "traps"), "suspect_directories");
  assert_int_equal(json_array_size(list), 1);
  assert_string_equal(json_string_value(json_array_get(list, 0)), wanted);
  json_decref(all);
  assert_int_equal(counter("suspect-directories"), 1);
  assert_non_null(strstr(stat_of(false), "suspect    1 directory whose pages nearly all say the same\n"));
  assert_non_null(strstr(served->out.bytes, wanted));
  assert_int_equal(trial_strata(served, (const char *const[]){"report", "DIR", "--out", "-", NULL}), 0);
  assert_non_null(strstr(served->out.bytes, "Suspect directories"));
  assert_non_null(strstr(served->out.bytes, wanted));
}

/* Suspect after so many pages of the soft 404 at least, and at most. */
static void check_end(unsigned after, unsigned at_most)
{
  unsigned good, gone;
  print_message("%s", served->err.bytes);
  assert_non_null(strstr(served->err.bytes, "Done: every page in scope was fetched, but what looks like a trap.\n"));
  assert_non_null(strstr(served->err.bytes, "  Suspect: 1 directory whose pages nearly all say the same; to see"));
  count_pages(&good, &gone);
  assert_int_equal(good, GOOD);
  assert_in_range(gone, after, MORE * at_most + GOOD + BUDGET + IN_FLIGHT);
}

CASE(beside_a_good_site)
{
  unsigned good, gone, more;
  serve(answer_beside);
  assert_int_equal(crawl("100"), 0);
  check_end(SUSPECT_AFTER, SUSPECT_AFTER);
  check_suspect("/soft404/");
  count_pages(&good, &gone);
  assert_int_equal(crawl("150"), 0); /* what it learnt, it still knows */
  count_pages(&good, &more);
  assert_int_equal(more - gone, 50);
  check_suspect("/soft404/");
}

/* Then pages of the directory that say something else lead on to pages that do not come last. */
CASE(in_the_directory_of_good_pages)
{
  serve(answer_within);
  assert_int_equal(crawl("100"), 0);
  check_end(ROOT_AFTER, ROOT_AFTER + GOOD); /* seven of eight are good ones at first */
  check_suspect("/");
}

/* Until the directory is known as suspect, to which it takes SUSPECT_AFTER pages; these are not fetched again. */
CASE(after_a_kill)
{
  serve(answer_beside);
  pid_t running = trial_strata_start(served, (const char *const[]){CRAWL, "--trap-budget", "0", start, NULL});
  for (unsigned tries = 0; tries < 400 && access(served->pages, F_OK) != 0; tries++)
    usleep(50000);
  json_int_t before = 0;
  for (unsigned tries = 0; tries < 400 && (before = counter("suspect-directories")) == 0; tries++)
    usleep(20000);
  assert_int_equal(kill(running, SIGKILL), 0);
  trial_collect(served, running);
  assert_int_equal(before, 1);
  check_suspect("/soft404/");
  assert_int_equal(crawl("100"), 0);
  print_message("%s", served->err.bytes);
  assert_non_null(strstr(served->err.bytes, "Done: every page in scope was fetched, but what looks like a trap.\n"));
  unsigned good, gone;
  json_int_t of_trap = counter("suspect-pages");
  count_pages(&good, &gone);
  assert_int_equal(good, GOOD);
  check_suspect("/soft404/");
  print_message("%u pages of the soft 404, %lld of them known as such\n", gone, (long long)of_trap);
  assert_in_range((json_int_t)gone - of_trap, SUSPECT_AFTER, SUSPECT_AFTER + NOT_COMMITTED);
}

static void crawl_finite(raw_answer *answer)
{
  serve(answer);
  assert_int_equal(crawl("100"), 0);
  print_message("%s", served->err.bytes);
  assert_non_null(strstr(served->err.bytes, "Done: every page in scope was fetched.\n"));
  assert_null(strstr(served->err.bytes, "Suspect"));
  assert_int_equal(counter("suspect-directories"), 0);
}

CASE(a_finite_site_that_says_the_same)
{
  crawl_finite(answer_the_same);
}

CASE(a_shop)
{
  crawl_finite(answer_as_a_shop);
}

EACH_CASE(NULL, clean_up)
