/* What a crawl left out is counted by its reason, and "every page in scope was fetched" is said only where the server
 * knows it to be so. */
#include "frontier/frontier.h"
#include "tests/support/lacking_site.h"
#include "tests/support/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY_PAGE "Done: every page in scope was fetched.\n"
#define NOT_COMPLETE "Done, but not complete: see \"Missing\" below.\n"

enum { FEW = 3, MANY = 200 };

/* ---- a crawl, and what it says ------------------------------------------------------------------------------ */

static json_t *json_of(const char *bytes)
{
  json_t *object = json_loads(bytes, 0, NULL);
  if (!object)
    fail_msg("no JSON: %s", bytes);
  return object;
}

static json_t *stat_json(void)
{
  assert_int_equal(small_strata(&lacking_served, (const char *const[]){"stat", "DIR", "--json", NULL}, 0), 0);
  return json_of(lacking_served.trial->out.bytes);
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
 * the report say the same. What was said stays in lacking_served.trial->err. */
static void crawl(const char *const options[], const char *lack, long count)
{
  char *summary = trial_path(lacking_served.trial, "summary.json");
  const char *words[WORDS_MAX] = {"crawl",   "--dir", "DIR",        "--delay", "0",         "--allow-private",
                                  "--tries", "1",     "--per-host", "4",       "--summary", summary};
  size_t at = 12;
  for (size_t i = 0; options[i]; i++)
    words[at++] = options[i];
  assert_int_equal(small_strata(&lacking_served, words, 0), 0);
  text said = {0}, bytes = {0};
  text_add(&said, lacking_served.trial->err.bytes);
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
  assert_int_equal(small_strata(&lacking_served, (const char *const[]){"stat", "DIR", NULL}, 0), 0);
  if (!strstr(lacking_served.trial->out.bytes, "complete   yes") != (lack != NULL))
    fail_msg("%s", lacking_served.trial->out.bytes);
  assert_int_equal(small_strata(&lacking_served, (const char *const[]){"report", "DIR", "--out", "-", NULL}, 0), 0);
  assert_int_equal(!strstr(lacking_served.trial->out.bytes, "<h2>Missing</h2>"), !lack);
  text_free(&lacking_served.trial->err);
  lacking_served.trial->err = said;
  text_free(&bytes);
  free(summary);
}

#define CRAWL(lack, count, ...) crawl((const char *const[]){__VA_ARGS__, NULL}, lack, count)

static void assert_said(const char *what)
{
  if (!strstr(lacking_served.trial->err.bytes, what))
    fail_msg("nothing of \"%s\" in\n%s", what, lacking_served.trial->err.bytes);
}

static void assert_lacks(const char *sentence)
{
  assert_said(NOT_COMPLETE);
  assert_said("  Missing: ");
  assert_said(sentence);
  assert_null(strstr(lacking_served.trial->err.bytes, "every page in scope was fetched"));
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
CASE(all_of_it)
{
  lacking_serve_again("plain", 0,
                      SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /private\nSitemap: /gone.xml\n");
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

/* With a larger --max-body they are asked for without a condition, which would say that they have not changed. */
CASE(bodies_that_were_cut)
{
  lacking_serve("large", FEW);
  CRAWL("truncated", FEW, "--max-body", "8000", "URL");
  assert_lacks("3 pages longer than --max-body");
  assert_int_equal(lacking_shared->behind, 0);
  assert_int_equal(lacking_shared->unconditional, FEW);
  wait_a_second();
  CRAWL("truncated", FEW, "--max-body", "8000", "--recrawl-after", "1s"); /* each counts once */
  wait_a_second();
  CRAWL(NULL, 0, "--max-body", "16M", "--recrawl-after", "1s");
  assert_said(EVERY_PAGE);
  assert_int_equal(lacking_shared->behind, FEW);
  assert_int_equal(lacking_shared->unconditional, 3 * FEW);
}

/* A server's validator that looks like the mark of a page that was cut takes none off the count. */
CASE(a_forged_mark)
{
  lacking_serve("forged", 0);
  for (int run = 1; run <= 3; run++) {
    CRAWL("truncated", 2, "--max-body", "8000", "--recrawl-after", "1s", "URL");
    wait_a_second();
  }
  assert_int_equal(lacking_shared->unconditional, 3 * 2);
}

CASE(links_that_were_not_taken)
{
  lacking_serve("links", 0);
  CRAWL("links_cut", 1, "URL");
  assert_lacks("links of 1 page");
  assert_int_equal(lacking_shared->behind, 0);
}

CASE(a_feed_with_too_many)
{
  lacking_serve("feed", 0);
  CRAWL("links_cut", 1, "URL");
  assert_int_equal(lacking_shared->behind, 0);
}

CASE(a_long_chain_of_redirects)
{
  lacking_serve("chain", 0);
  CRAWL("redirects_cut", 1, "URL");
  assert_lacks("the end of 1 chain of more than 20 redirects");
}

CASE(urls_that_are_too_long)
{
  lacking_serve("long", 0);
  CRAWL("links_cut", 1, "URL");
  assert_lacks("links of 1 page");
}

CASE(longer_than_an_attribute_may_be)
{
  lacking_serve("longer", 0);
  CRAWL("links_cut", 1, "URL");
}

CASE(long_urls_of_another_site)
{
  lacking_serve("long-elsewhere", 0);
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

CASE(long_urls_of_another_scheme)
{
  lacking_serve("data", 0);
  CRAWL(NULL, 0, "URL");
}

#define NAMES_MAP SMALL_HEAD "text/plain\r\n\r\nSitemap: /map.xml\n"

static void sitemap(const char *of_kind, unsigned count, const char *lack)
{
  memset(lacking_shared, 0, sizeof *lacking_shared);
  lacking_serve_again(of_kind, count, NAMES_MAP);
  CRAWL(lack, 1, "URL");
  assert_int_equal(lacking_shared->behind, !lack);
}

CASE(sitemaps_that_were_cut)
{
  sitemap("map", URLS_MAX, NULL);
  small_close(&lacking_served);
  sitemap("map", URLS_MAX + 1, "sitemaps_cut");
  assert_lacks("URLs of 1 sitemap");
  small_close(&lacking_served);
  sitemap("map-cut", 1, "sitemaps_cut");
  small_close(&lacking_served);
  sitemap("map-in-two", 1, NULL);
  small_close(&lacking_served);
  sitemap("map-bad", 1, "sitemaps_cut");
}

CASE(a_sitemap_that_failed)
{
  sitemap("map-503", FEW, "unfetched");
  lacking_shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_int_equal(lacking_shared->behind, 1);
}

CASE(more_sitemaps_than_are_read)
{
  lacking_serve("named-maps", MAPS_MAX);
  CRAWL(NULL, 0, "URL");
  assert_int_equal(lacking_shared->behind, 1);
  small_close(&lacking_served);
  lacking_serve("named-maps", MAPS_MAX + 1);
  CRAWL("sitemaps_cut", 1, "URL");
  CRAWL("sitemaps_cut", 1, "URL"); /* that robots.txt is read again changes nothing */
}

/* No answer, not a good one, and one that the ledger ends; but what is gone is gone. */
CASE(pages_that_failed)
{
  lacking_serve("failing", 0);
  CRAWL("unfetched", 4, "URL");
  assert_lacks("4 URLs that failed");
  CRAWL("unfetched", 4, "--retry-failed"); /* each counts once */
  lacking_shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_said(EVERY_PAGE);
}

/* A URL waits while the others are queued again, and fails after that. */
CASE(what_failed_later)
{
  lacking_serve("failing", 0);
  CRAWL("waiting", 7, "--max-pages", "1", "--connections", "1", "URL");
  CRAWL("waiting", 7, "--max-pages", "1", "--retry-failed");
  CRAWL("unfetched", 4, "--tries", "1");
  lacking_shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
}

static void without_robots(const char *of_kind)
{
  memset(lacking_shared, 0, sizeof *lacking_shared);
  lacking_serve(of_kind, 0);
  char *summary = trial_path(lacking_served.trial, "summary.json");
  const char *const words[] = {"crawl",   "--dir", "DIR",       "--delay", "0",   "--allow-private",
                               "--tries", "1",     "--summary", summary,   "URL", NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&lacking_served, words, 1), 1); /* no start URL gave a page */
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes);
  assert_int_equal(number(ended, "robots_unread"), 1);
  assert_int_equal(number(ended, "unfetched"), 0);
  assert_true(json_is_false(json_object_get(ended, "complete")));
  json_decref(ended);
  text_free(&bytes);
  free(summary);
  lacking_shared->is_well = true;
  CRAWL(NULL, 0, "--retry-failed");
  assert_said(EVERY_PAGE);
}

CASE(hosts_whose_robots_cannot_be_read)
{
  without_robots("robots-503");
  small_close(&lacking_served);
  without_robots("robots-broken");
}

/* Complete as far as it was to go, and that is said. */
CASE(no_deeper_than_told)
{
  lacking_serve("deep", 0);
  CRAWL(NULL, 0, "--max-depth", "1", "URL");
  assert_said("Done: every page within --max-depth was fetched.\n");
  json_t *kept = stat_json();
  assert_int_equal(number(kept, "too_deep"), 1);
  json_decref(kept);
  CRAWL(NULL, 0, "URL");
  assert_said(EVERY_PAGE);
}

CASE(what_waits)
{
  lacking_serve("large", FEW);
  CRAWL("waiting", FEW, "--max-pages", "1", "URL");
  assert_said("Done: the cap of --max-pages is reached.\n");
  CRAWL(NULL, 0, "URL");
  small_close(&lacking_served);
  lacking_serve("large", FEW);
  CRAWL("waiting", FEW, "--max-bytes", "1", "URL");
}

CASE(what_is_held)
{
  lacking_serve("calendar", 0);
  char *summary = trial_path(lacking_served.trial, "summary.json");
  const char *const words[] = {"crawl",         "--dir", "DIR",       "--delay", "0",   "--allow-private",
                               "--trap-budget", "5",     "--summary", summary,   "URL", NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&lacking_served, words, 0), 0);
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

CASE(what_takes_too_long_to_match)
{
  lacking_serve("slow", 0);
  CRAWL("links_cut", 1, "--include", "(x+x+)+y", "URL");
}

/* A filter that errs on one URL in ten does not know; with exact keys it does. */
CASE(what_a_filter_lost)
{
  lacking_serve("large", MANY);
  char *summary = trial_path(lacking_served.trial, "summary.json");
  const char *const words[] = {"crawl",      "--dir", "DIR",       "--delay", "0",        "--allow-private",
                               "--filter",   "bloom", "--fp",      "0.5",     "--expect", "1",
                               "--per-host", "8",     "--summary", summary,   "URL",      NULL};
  text bytes = {0};
  assert_int_equal(small_strata(&lacking_served, words, 0), 0);
  assert_lacks("--filter exact");
  assert_true(text_add_file(&bytes, summary));
  json_t *ended = json_of(bytes.bytes);
  assert_true(json_is_false(json_object_get(ended, "complete")));
  json_decref(ended);
  text_free(&bytes);
  free(summary);
  small_close(&lacking_served);
  memset(lacking_shared, 0, sizeof *lacking_shared);
  lacking_serve("large", MANY);
  CRAWL(NULL, 0, "--filter", "exact:bloom", "--fp", "0.5", "--expect", "1", "URL");
  assert_int_equal(lacking_shared->behind, MANY);
}

/* kill -9 again and again: each page that was cut counts once. */
CASE(counts_survive_a_kill)
{
  lacking_serve("large", MANY);
  for (unsigned i = 1; i <= 3; i++) {
    const char *const words[] = {"crawl",      "--dir", "DIR",     "--delay", "0", "--allow-private", "--per-host", "2",
                                 "--max-body", "8000",  "--quiet", "URL",     NULL};
    pid_t child = trial_strata_start(lacking_served.trial, words);
    unsigned before = lacking_shared->unconditional;
    for (int left = 6000; left && lacking_shared->unconditional < before + MANY / 5; left--)
      usleep(10000);
    process_kill(child);
  }
  CRAWL("truncated", MANY, "--max-body", "8000", "URL");
}

/* Which is one without this version's mark. */
CASE(begun_by_an_older_version)
{
  lacking_serve("plain", 0);
  CRAWL(NULL, 0, "URL");
  char *path = trial_path(lacking_served.trial, "crawl/frontier");
  const frontier_options as_made = {.filter = MLBF_KIND_MLBF,
                                    .expected_urls = 1,
                                    .rate = 1e-6,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .keep_identity = true};
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  assert_int_equal(frontier_open(path, &as_made, &f, message), FRONTIER_OK);
  free(path);
  assert_int_equal(frontier_setting_put(f, "lacks", "", 0), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  CRAWL("older", 0, "URL");
  assert_lacks("an older version of strata left out");
}

EACH_CASE(lacking_begin, lacking_end)
