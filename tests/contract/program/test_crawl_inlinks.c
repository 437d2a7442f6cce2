/* strata inlinks on a site whose links are known, after a crawl in two runs. */
#include "frontier/inlinks.h"
#include "tests/support/crawl_secret.h"
#include "tests/support/scratch.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})

static char root[SCRATCH_PATH];
static trial *served;

static const struct {
  const char *name, *links;
} pages[] = {
  {"index.html", "<a href=a.html>a</a> <a href=a.html#x>a again</a> <a href=b.html>b</a> <a href=c.html>c</a>"},
  {"a.html", "<a href=b.html>b</a> <a href=/>home</a> <a href=http://elsewhere.example/>out of scope</a>"},
  {"b.html", "<a href=a.html>a</a> <a href=b.html>myself</a> <a href=c.html rel=nofollow>not followed</a>"},
  {"c.html", "<a href=b.html>b</a>"},
};

static int open_site(void **state)
{
  (void)state;
  scratch_make(root);
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    char path[SCRATCH_PATH];
    scratch_join(root, pages[i].name, path);
    scratch_write(path, pages[i].links, strlen(pages[i].links));
  }
  served = trial_open(&(trial_options){.root = root});
  return served ? 0 : -1;
}

static int close_site(void **state)
{
  (void)state;
  trial_close(served);
  scratch_remove(root);
  return 0;
}

static void assert_inlinks(trial *t, const char *top, const char *const lines[])
{
  char expected[1024] = "";
  assert_int_equal(STRATA(t, "inlinks", "DIR", "--top", top), 0);
  for (int i = 0; lines[i]; i++) {
    size_t size = strlen(expected);
    snprintf(expected + size, sizeof expected - size, "%.2s%s%s\n", lines[i], t->url, lines[i] + 2);
  }
  assert_string_equal(t->out.bytes ? t->out.bytes : "", expected);
}

/* Each page counts once for each URL it links to; what nofollow names is not counted. */
CASE(pages_that_link_are_counted)
{
  trial *t = served;
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--max-pages", "1", "URL"), 0);
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private"), 0);
  assert_inlinks(t, "2", (const char *const[]){"4\tb.html", "2\ta.html", NULL});
  assert_inlinks(t, "100", (const char *const[]){"4\tb.html", "2\ta.html", "1\t", "1\tc.html", NULL});
}

/* The start page links to rare pages first, then to twenty that all link to one more. Made new again, that one is
 * fetched before the rare ones, as its counts are known by now. */
CASE(what_many_pages_link_to_goes_first_when_it_is_new_again)
{
  enum { MANY = 20 };
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], links[4096] = "", urls[4][128];
  scratch_make(directory);
  for (int i = 0; i < MANY + 3; i++) {
    char name[32];
    snprintf(name, sizeof name, i < 3 ? "rare%d.html" : "page%d.html", i);
    snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=%s>x</a>", name);
    scratch_join(directory, name, path);
    scratch_write(path, "<a href=popular.html>x</a>", i < 3 ? 0 : 26);
  }
  snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=popular.html>x</a>");
  scratch_join(directory, "index.html", path);
  scratch_write(path, links, strlen(links));
  scratch_join(directory, "popular.html", path);
  scratch_write(path, "x", 1);
  trial *t = trial_open(&(trial_options){.root = directory});
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "URL"), 0);
  for (int i = 0; i < 4; i++)
    snprintf(urls[i], sizeof urls[i], i < 3 ? "%srare%d.html" : "%spopular.html", t->url, i);
  assert_int_equal(STRATA(t, "forget", "DIR", t->url, urls[0], urls[1], urls[2], urls[3]), 0);
  size_t before, size;
  free(scratch_read(t->pages, &before));
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "URL"), 0);
  char *pages_then = scratch_read(t->pages, &size);
  const char *popular = strstr(pages_then + before, urls[3]), *rare = strstr(pages_then + before, urls[0]);
  assert_true(popular && rare && popular < rare);
  free(pages_then);
  trial_close(t);
  scratch_remove(directory);
}

/* Merged with itself, a crawl has each count twice. */
CASE_AFTER(merged_crawls_add_up_their_counts, pages_that_link_are_counted)
{
  trial *t = served;
  inlinks *counts = NULL;
  static url u;
  char both[SCRATCH_PATH], name[SCRATCH_PATH], page[256];
  scratch_join(t->home, "both", both);
  scratch_join(t->home, "both/inlinks", name);
  assert_int_equal(STRATA(t, "merge", "DIR", "DIR", "-o", both), 0);
  assert_int_equal(inlinks_open_existing_with(name, crawl_secret_of(both), &counts), MLBF_OK);
  int size = snprintf(page, sizeof page, "%sb.html", t->url);
  assert_int_equal(url_parse(page, (size_t)size, URL_STRICT, &u), URL_OK);
  assert_int_equal(inlinks_count(counts, &u), 8);
  inlinks_close(counts);
}

CASE_AFTER(what_has_no_counts_is_refused, pages_that_link_are_counted)
{
  trial *t = served;
  assert_int_equal(STRATA(t, "inlinks", "DIR", "--top", "0"), 2);
  assert_int_equal(STRATA(t, "inlinks"), 2);
  assert_int_equal(STRATA(t, "inlinks", "/nowhere/at/all"), 1);
  char name[SCRATCH_PATH];
  snprintf(name, sizeof name, "%s/inlinks.0", t->crawl);
  assert_int_equal(remove(name), 0);
  assert_int_equal(STRATA(t, "inlinks", "DIR"), 1);
  assert_non_null(strstr(t->err.bytes, "no in-link counts yet"));
  scratch_write(name, "my diary\n", 9);
  assert_int_equal(STRATA(t, "inlinks", "DIR"), 1);
  assert_non_null(strstr(t->err.bytes, "not a filter file"));
  /* damaged counts stop no crawl, and are not written over */
  assert_int_equal(STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--allow-private"), 0);
  assert_non_null(strstr(t->err.bytes, "not a filter file"));
  size_t size;
  char *kept = scratch_read(name, &size);
  assert_string_equal(kept, "my diary\n");
  free(kept);
}

EACH_CASE(open_site, close_site)
