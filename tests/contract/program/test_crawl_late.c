/* strata crawl --filter exact, with filters that are often wrong: pages come late, and none is missed. */
#include "tests/support/crawl_case.h"
#include "tests/support/full_filter.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES = 600 };

/* A site, and a directory whose filter is full already. */
static trial *serve(uint64_t seed, mlbf_kind kind)
{
  trial *t = case_serve_site(seed, ENTRIES);
  char *path = trial_path(t, "crawl/frontier");
  assert_int_equal(mkdir(t->crawl, 0777), 0);
  full_filter_make(path, kind);
  free(path);
  return t;
}

static json_t *load_json(const char *bytes)
{
  json_t *object = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
  assert_true(json_is_object(object));
  return object;
}

static uint64_t number_of(const json_t *object, const char *name)
{
  const json_t *value = json_object_get(object, name);
  assert_true(json_is_integer(value));
  return (uint64_t)json_integer_value(value);
}

/* The member `name` of strata stat --json. */
static uint64_t stat_number(trial *t, const char *name)
{
  case_assert_code(t, STRATA(t, "stat", "DIR", "--json"), 0);
  json_t *object = load_json(t->out.bytes);
  uint64_t number = number_of(object, name);
  json_decref(object);
  return number;
}

/* What the last run's summary says to people is what it says to programs, and what stat says. How many came late. */
static uint64_t assert_summary(trial *t, const char *path, bool is_over)
{
  text file = {0};
  char said[FULL_FILTER_SENTENCE];
  assert_true(text_add_file(&file, path));
  json_t *summary = load_json(file.bytes);
  uint64_t waits = number_of(summary, "unconfirmed"), late = number_of(summary, "late");
  if (waits + late > 0)
    assert_non_null(strstr(t->err.bytes, full_filter_sentence(waits, late, said)));
  else
    assert_null(strstr(t->err.bytes, "to be confirmed"));
  assert_int_equal(stat_number(t, "late"), late);
  assert_int_equal(stat_number(t, "unconfirmed"), waits);
  assert_true(waits == 0 || !is_over);
  json_decref(summary);
  text_free(&file);
  return late;
}

/* The links that pages say were new and queued: all URLs but the start URL and those that came late, as it may have. */
static void assert_new_links(trial *t, uint64_t late)
{
  uint64_t urls = stat_number(t, "done") + stat_number(t, "failed") + stat_number(t, "skipped"), found = 0;
  page_log log = pages_read(t->pages);
  for (size_t i = 0; i < pages_count(&log); i++) {
    long long links = pages_number(&log, i, "new");
    found += links > 0 ? (uint64_t)links : 0;
  }
  pages_free(&log);
  assert_in_range(urls - late - found, 0, 1);
}

/* In two runs all of it is fetched once; returns how many came late. `first_pages` are those of the first run. A server
 * error is not tried again: the second run would begin to count anew. */
static uint64_t every_page(trial *t, const char *filter, const char *first_pages)
{
  struct stat info;
  uint64_t before = stat(t->crawl, &info) == 0 ? stat_number(t, "late") : 0;
  char *path = trial_path(t, "summary.json");
  case_assert_code(t,
                   STRATA(t, CRAWL, "--per-host", "8", "--tries", "1", "--filter", filter, "--fp", "0.5", "--expect",
                          "1", "--max-pages", first_pages, "--summary", path, "URL"),
                   0);
  assert_summary(t, path, false);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "8", "--tries", "1", "--summary", path), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  case_assert_perfect(case_pages(t, &judge_everything));
  uint64_t late = assert_summary(t, path, true) - before;
  print_message("%llu of them late\n", (unsigned long long)late);
  assert_new_links(t, late);
  free(path);
  return late;
}

/* This filter knows new segments, and takes few URLs for seen. So its site is larger. */
CASE(every_page_with_layers)
{
  every_page(case_serve_site(71, 8000), "exact", "3000");
}

CASE(every_page_with_the_classic_filter)
{
  assert_true(every_page(serve(72, MLBF_KIND_BLOOM), "exact:bloom", "200") > ENTRIES / 20);
}

CASE(every_page_with_lines)
{
  assert_true(every_page(serve(73, MLBF_KIND_LINE), "exact:line", "200") > ENTRIES / 20);
}

/* By name, another filter or rate is refused, in one sentence; without a name, what the directory has is meant. */
CASE(a_directory_keeps_its_filter_and_rate)
{
  static const struct {
    const char *option, *value, *was;
  } rows[] = {
    {"--filter", "line", "exact:line"},
    {"--filter", "mlbf", "exact:line"},
    {"--filter", "exact", "exact:line"},
    {"--filter", "exact:bloom", "exact:line"},
    {"--fp", "0.01", "0.5"},
    {"--fp", "1e-6", "0.5"},
  };
  trial *t = case_serve_site(74, 100);
  case_assert_code(
    t, STRATA(t, CRAWL, "--filter", "exact:line", "--fp", "0.5", "--tries", "1", "--max-pages", "20", "URL"), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char sentence[1024];
    case_assert_code(t, STRATA(t, CRAWL, rows[i].option, rows[i].value, "URL"), 2);
    snprintf(sentence, sizeof sentence,
             "strata crawl: %s: %s was made with %s, which cannot change; choose another --dir\n", rows[i].option,
             t->crawl, rows[i].was);
    assert_string_equal(t->err.bytes, sentence);
  }
  case_assert_code(t, STRATA(t, CRAWL, "--filter", "exact:line", "--fp", "0.5", "--max-pages", "40", "URL"), 0);
  case_assert_code(t, STRATA(t, CRAWL, "URL"), 0);
  case_assert_code(t, STRATA(t, CRAWL), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  case_assert_code(t, STRATA(t, "stat", "DIR"), 0);
  assert_non_null(strstr(t->out.bytes, "exact:line"));
  assert_non_null(strstr(t->out.bytes, "1 in 2 new URLs"));
}

CASE(another_directory_does_not_become_exact)
{
  trial *t = case_serve_site(75, 100);
  case_assert_code(t, STRATA(t, CRAWL, "--filter", "bloom", "--fp", "1e-3", "--tries", "1", "--max-pages", "20", "URL"),
                   0);
  case_assert_code(t, STRATA(t, CRAWL, "--filter", "exact:bloom"), 2);
  assert_non_null(strstr(t->err.bytes, "was made with bloom"));
  case_assert_code(t, STRATA(t, CRAWL), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  assert_int_equal(stat_number(t, "unconfirmed") + stat_number(t, "late"), 0);
  case_assert_code(t, STRATA(t, "stat", "DIR"), 0);
  assert_non_null(strstr(t->out.bytes, "1 in 1,000 new URLs wrongly called seen"));
}

/* Links wait through a kill, and a look at the directory says so; then all pages are there. */
CASE(killed_and_continued)
{
  trial *t = serve(76, MLBF_KIND_LINE);
  uint64_t before = stat_number(t, "late"), waited = 0;
  for (size_t requests = 50; requests <= 450; requests += 100) {
    pid_t crawl = trial_strata_start(t, (const char *const[]){CRAWL, "--per-host", "8", "URL", NULL});
    assert_true(trial_wait_requests(t, requests, crawl));
    assert_int_equal(kill(crawl, SIGKILL), 0);
    trial_collect(t, crawl);
    uint64_t waits = stat_number(t, "unconfirmed");
    waited = waits > waited ? waits : waited;
  }
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "8"), 0);
  verdict v = case_requests(t, &judge_after_a_crash);
  assert_int_equal(v.missed + v.forbidden + v.unknown, 0);
  case_assert_perfect(case_pages(t, &judge_everything)); /* none was reported twice */
  print_message("%llu links waited at most\n", (unsigned long long)waited);
  assert_true(waited > 0 && stat_number(t, "late") > before);
  assert_int_equal(stat_number(t, "unconfirmed"), 0);
  case_assert_code(t, STRATA(t, "check", "DIR"), 0);
}

static int compare_lines(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* With the key of each line's URL in its place: it is listed as it was spelled first. */
static char *keys_in_order(char *lines)
{
  static url u;
  char *list[ENTRIES] = {NULL};
  size_t count = 0;
  text all = {0};
  for (char *line; (line = strsep(&lines, "\n")) && *line; count++) {
    char *address = strchr(line, '\t') + 1;
    assert_true(count < ENTRIES && url_parse(address, strlen(address), URL_STRICT, &u) == URL_OK);
    assert_true(asprintf(&list[count], "%.*s%s", (int)(address - line), line, u.key) > 0);
  }
  qsort(list, count, sizeof *list, compare_lines);
  for (size_t i = 0; i < count; i++) {
    text_addf(&all, "%s\n", list[i]);
    free(list[i]);
  }
  assert_true(count > ENTRIES / 2);
  return all.bytes;
}

/* What strata inlinks prints after a crawl into `directory`. Counts of so few URLs are right. */
static char *inlinks_of(trial *t, const char *directory)
{
  case_assert_code(t,
                   STRATA(t, "crawl", "--dir", directory, "--delay", "0", "--per-host", "8", "--allow-private",
                          "--quiet", "URL"),
                   0);
  case_assert_code(t, STRATA(t, "inlinks", directory, "--top", "100000"), 0);
  return keys_in_order(t->out.bytes);
}

/* A link that waits is counted when it is found, and not again when its URL is queued late. */
CASE(a_late_url_is_counted_once)
{
  trial *t = serve(77, MLBF_KIND_BLOOM);
  uint64_t before = stat_number(t, "late");
  char *other = trial_path(t, "other"), *counts = inlinks_of(t, t->crawl), *without = inlinks_of(t, other);
  assert_string_equal(counts, without);
  assert_true(stat_number(t, "late") > before);
  free(counts);
  free(without);
  free(other);
}

EACH_CASE(NULL, case_end)
