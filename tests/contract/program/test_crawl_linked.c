/* In-link counts of whole crawls against the links that are there: never too low, not after kill -9 but for what that
 * cost, not after a merge; and what many pages link to is fetched before what was found earlier. */
#include "frontier/inlinks.h"
#include "tests/support/dice.h"
#include "tests/support/crawl_secret.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"
#include "tests/site/pages.h"
#include "tests/site/trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 120, LINKS_MOST = 20, FIRST = 30, LATER = 20 };

#define CRAWL(t, ...) \
  trial_strata(t, (const char *const[]){"crawl", "--delay", "0", "--allow-private", "--dir", __VA_ARGS__, NULL})

static char root[SCRATCH_PATH];
static bool leads[PAGES][PAGES]; /* from, to */
static unsigned links_in[PAGES];
static url u;

/* ---- a site of random pages ------------------------------------------------------------------------------- */

static void write_page(unsigned page)
{
  char name[32], path[SCRATCH_PATH], links[64 * (LINKS_MOST + 2)] = "";
  snprintf(name, sizeof name, page ? "p%u.html" : "index.html", page);
  for (uint64_t i = dice_throw(LINKS_MOST); i-- > 0;) { /* some twice, some to itself; most to the first few */
    unsigned to = (unsigned)dice_throw(1 + dice_throw(PAGES));
    leads[page][to] = true;
    snprintf(links + strlen(links), sizeof links - strlen(links), to ? "<a href=p%u.html>x</a>\n" : "<a href=/>x</a>\n",
             to);
  }
  if (page + 1 < PAGES) { /* so that all are found */
    leads[page][page + 1] = true;
    snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=p%u.html#here>x</a>\n", page + 1);
  }
  scratch_join(root, name, path);
  scratch_write(path, links, strlen(links));
}

static int open_site(void **state)
{
  (void)state;
  dice_begin(8);
  scratch_make(root);
  for (unsigned i = 0; i < PAGES; i++)
    write_page(i);
  return 0;
}

static int close_site(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* Lines `first` to `last` - 1 of the log: their links are links. */
static void count_links_of(const trial *t, size_t first, size_t last)
{
  page_log log = pages_read(t->pages);
  for (size_t i = first; i < last && i < pages_count(&log); i++) {
    unsigned page = 0;
    const char *name = strrchr(pages_url(&log, i), '/') + 1;
    if (*name && sscanf(name, "p%u.html", &page) != 1)
      fail_msg("%s", pages_url(&log, i));
    for (unsigned to = 0; to < PAGES; to++)
      links_in[to] += leads[page][to];
  }
  pages_free(&log);
}

static size_t lines_of(const trial *t)
{
  page_log log = pages_read(t->pages);
  size_t count = pages_count(&log);
  pages_free(&log);
  return count;
}

/* None is too low; a filter is wrong about one of ten at most. */
static void compare_counts(const trial *t, const char *directory)
{
  char name[256];
  inlinks *counts = NULL;
  unsigned wrong = 0;
  snprintf(name, sizeof name, "%s/inlinks", directory);
  assert_int_equal(inlinks_open_existing_with(name, crawl_secret_of(directory), &counts), MLBF_OK);
  for (unsigned i = 0; i < PAGES; i++) {
    int size = snprintf(name, sizeof name, i ? "%sp%u.html" : "%s", t->url, i);
    assert_int_equal(url_parse(name, (size_t)size, URL_STRICT, &u), URL_OK);
    uint32_t counted = inlinks_count(counts, &u);
    if (counted < links_in[i])
      fail_msg("%s: %u pages link to it, %u were counted", name, links_in[i], (unsigned)counted);
    wrong += counted > links_in[i];
  }
  inlinks_close(counts);
  assert_in_range(wrong, 0, PAGES / 10);
}

static void kill_a_run(trial *t)
{
  pid_t pid = trial_strata_start(t, (const char *const[]){"crawl", "--dir", "DIR", "--delay", "0", "--allow-private",
                                                          NULL});
  assert_true(trial_wait_requests(t, trial_requests(t) + PAGES / 4, pid));
  kill(pid, SIGKILL);
  assert_int_equal(trial_collect(t, pid), -1);
}

CASE(counts_are_never_too_low)
{
  memset(links_in, 0, sizeof links_in);
  trial *t = trial_open(&(trial_options){.root = root, .latency_ms = 5});
  assert_int_equal(CRAWL(t, "DIR", "--max-pages", "40", "URL"), 0);
  size_t saved = lines_of(t);
  assert_int_equal(saved, 40);
  count_links_of(t, 0, saved);
  compare_counts(t, t->crawl);

  kill_a_run(t); /* its counts are lost with it */
  assert_int_equal(CRAWL(t, "DIR", "--max-pages", "1"), 0);
  size_t killed = lines_of(t);
  assert_in_range(killed, saved, PAGES - 1);
  assert_int_equal(CRAWL(t, "DIR"), 0);
  assert_int_equal(lines_of(t), PAGES);
  count_links_of(t, killed, PAGES);
  compare_counts(t, t->crawl);

  char again[SCRATCH_PATH], both[SCRATCH_PATH];
  scratch_join(t->home, "again", again);
  scratch_join(t->home, "both", both);
  assert_int_equal(CRAWL(t, again, "URL"), 0);
  count_links_of(t, 0, PAGES); /* the same pages */
  assert_int_equal(trial_strata(t, (const char *const[]){"merge", "DIR", again, "-o", both, NULL}), 0);
  compare_counts(t, both); /* both drew their secret: URL by URL */
  trial_close(t);
}

/* A file with a secret that another crawl can have too. */
static void write_secret(const trial *t, const char *name, unsigned number, char path[SCRATCH_PATH])
{
  scratch_join(t->home, name, path);
  scratch_write(path, test_secret(number), MLBF_SECRET_BYTES);
}

CASE(counts_of_one_secret_are_merged)
{
  char again[SCRATCH_PATH], both[SCRATCH_PATH], secret[SCRATCH_PATH];
  memset(links_in, 0, sizeof links_in);
  trial *t = trial_open(&(trial_options){.root = root});
  write_secret(t, "secret", 0, secret);
  scratch_join(t->home, "again", again);
  scratch_join(t->home, "both", both);
  assert_int_equal(CRAWL(t, "DIR", "--secret", secret, "URL"), 0);
  assert_int_equal(CRAWL(t, again, "--secret", secret, "URL"), 0);
  count_links_of(t, 0, PAGES);
  count_links_of(t, 0, PAGES);
  assert_int_equal(trial_strata(t, (const char *const[]){"merge", "DIR", again, "-o", both, NULL}), 0);
  compare_counts(t, both);
  assert_memory_equal(crawl_secret_of(both), test_secret(0), MLBF_SECRET_BYTES);
  trial_close(t);
}

/* ---- deltas ----------------------------------------------------------------------------------------------- */

static int strata_inlinks(trial *t, const char *a, const char *b, const char *c, const char *d, const char *e)
{
  return trial_strata(t, (const char *const[]){"inlinks", a, b, c, d, e, NULL});
}

static void assert_one_sentence(const trial *t, const char *part)
{
  const char *said = t->err.bytes ? t->err.bytes : "";
  const char *end = strchr(said, '\n');
  if (!strstr(said, part) || !end || end[1])
    fail_msg("not one line with \"%s\": %s", part, said);
}

/* A merge of the first 40 pages takes what came since, and has all; what does not fit changes nothing. */
CASE(deltas_travel)
{
  memset(links_in, 0, sizeof links_in);
  trial *t = trial_open(&(trial_options){.root = root});
  char old[SCRATCH_PATH], delta[SCRATCH_PATH], other[SCRATCH_PATH], strange[SCRATCH_PATH], secret[SCRATCH_PATH],
    name[SCRATCH_PATH + 16];
  scratch_join(t->home, "old", old);
  scratch_join(t->home, "delta", delta);
  scratch_join(t->home, "other", other);
  write_secret(t, "secret", 0, secret);
  assert_int_equal(CRAWL(t, "DIR", "--secret", secret, "--max-pages", "40", "URL"), 0);
  assert_int_equal(trial_strata(t, (const char *const[]){"merge", "DIR", "-o", old, NULL}), 0);
  assert_int_equal(CRAWL(t, "DIR"), 0);
  count_links_of(t, 0, PAGES);

  assert_int_equal(strata_inlinks(t, "--delta", "DIR", old, "-o", delta), 1);
  assert_one_sentence(t, "no earlier state");
  assert_int_equal(strata_inlinks(t, "--delta", "/nowhere", "DIR", "-o", delta), 1);
  assert_one_sentence(t, "no in-link counts");
  assert_int_equal(strata_inlinks(t, "--delta", old, "DIR", "-o", "/nowhere/delta"), 1);
  assert_one_sentence(t, "No such file");
  snprintf(name, sizeof name, "%s.0", delta);
  assert_int_equal(access(name, F_OK), -1);
  assert_int_equal(strata_inlinks(t, "--delta", old, "DIR", "-o", delta), 0);
  assert_int_equal(strata_inlinks(t, "--delta", old, "DIR", "-o", delta), 1);
  assert_one_sentence(t, "there already");

  scratch_join(t->home, "strange", strange);
  assert_int_equal(CRAWL(t, strange, "URL"), 0);
  assert_int_equal(strata_inlinks(t, "--apply", delta, strange, NULL, NULL), 1);
  assert_one_sentence(t, "another secret");
  assert_int_equal(strata_inlinks(t, "--delta", old, strange, "-o", "/nowhere/delta"), 1);
  assert_one_sentence(t, "another secret");
  compare_counts(t, strange);
  assert_int_equal(CRAWL(t, other, "--secret", secret, "--expect", "500", "URL"), 0);
  assert_int_equal(strata_inlinks(t, "--apply", delta, other, NULL, NULL), 1);
  assert_one_sentence(t, "another size");
  compare_counts(t, other);
  assert_int_equal(strata_inlinks(t, "--apply", delta, "/nowhere", NULL, NULL), 1);
  assert_int_equal(strata_inlinks(t, "--apply", delta, old, NULL, NULL), 0);
  compare_counts(t, old);
  assert_int_equal(strata_inlinks(t, "--apply", delta, "--delta", old, "DIR"), 2);
  assert_int_equal(strata_inlinks(t, "--delta", old, "-o", delta, NULL), 2);
  assert_int_equal(strata_inlinks(t, "DIR", "-o", delta, NULL, NULL), 2);
  trial_close(t);
}

/* ---- what goes first -------------------------------------------------------------------------------------- */

/* The start page links to twenty pages, then to thirty more, and last to one that each of the twenty links to. */
static void make_popular(char directory[SCRATCH_PATH])
{
  char name[32], path[SCRATCH_PATH], links[4096] = "";
  scratch_make(directory);
  for (int i = 0; i <= LATER + FIRST; i++) {
    snprintf(name, sizeof name, i < LATER ? "a%d.html" : i < LATER + FIRST ? "b%d.html" : "popular.html", i);
    snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=%s>x</a>", name);
    scratch_join(directory, name, path);
    scratch_write(path, i < LATER ? "<a href=popular.html>x</a>" : "x", i < LATER ? 26 : 1);
  }
  scratch_join(directory, "index.html", path);
  scratch_write(path, links, strlen(links));
}

CASE(what_many_pages_link_to_goes_first_though_it_waits)
{
  char directory[SCRATCH_PATH];
  make_popular(directory);
  trial *t = trial_open(&(trial_options){.root = directory});
  assert_int_equal(CRAWL(t, "DIR", "--max-pages", "21", "URL"), 0);
  assert_int_equal(CRAWL(t, "DIR", "--max-pages", "23"), 0);
  page_log log = pages_read(t->pages);
  assert_int_equal(pages_count(&log), 23);
  bool is_next = strstr(pages_url(&log, 21), "popular.html") || strstr(pages_url(&log, 22), "popular.html");
  pages_free(&log);
  assert_true(is_next);
  assert_int_equal(CRAWL(t, "DIR"), 0);
  assert_int_equal(lines_of(t), 1 + LATER + FIRST + 1); /* each once */
  trial_close(t);
  scratch_remove(directory);
}

EACH_CASE(open_site, close_site)
