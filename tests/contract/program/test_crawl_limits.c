/* What a crawl is told not to do, it does not do: on sites of which everything is known, as in test_crawl_site.c. */
#include "tests/support/crawl_case.h"
#include "tests/site/target.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CASE(robots_ignored_when_told_so)
{
  trial *t = case_serve_site(9, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--ignore-robots", "URL"), 0);
  judge_rules rules = judge_everything;
  rules.ignore_robots = true;
  verdict v = case_requests(t, &rules);
  case_assert_perfect(v);
  assert_int_equal(v.robots, 0);
}

CASE(no_deeper_than_told)
{
  trial *t = case_serve_site(10, 600);
  judge_rules rules = judge_everything;
  rules.max_depth = 3;
  case_assert_code(t, STRATA(t, CRAWL, "--max-depth", "3", "URL"), 0);
  verdict v = case_requests(t, &rules);
  case_assert_perfect(v);
  print_message("%u of %u entries\n", v.pages, site_size(t->made));
  assert_in_range(v.pages, 10, 590);
}

CASE(no_more_pages_than_told)
{
  trial *t = case_serve_site(11, 600);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--tries", "1", "--max-pages", "50", "URL"), 0);
  page_log log = pages_read(t->pages);
  unsigned pages = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    text target = {0};
    target_of_url(&target, pages_url(&log, i));
    uint32_t index = site_find(t->made, target.bytes, target.size);
    text_free(&target);
    if (index != SITE_NOWHERE) { /* robots.txt is no page */
      pages += site_entry_is_page(site_entry_at(t->made, index));
    }
  }
  pages_free(&log);
  assert_int_equal(pages, 50);
  assert_non_null(strstr(t->err.bytes, "--max-pages"));
  /* and the same command without the cap goes on to the end, without asking anything again */
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  case_assert_perfect(case_pages(t, &judge_everything));
}

CASE(no_longer_than_told)
{
  trial *t = case_serve(&(trial_options){.seed = 20, .entries = 300, .latency_ms = 50}); /* 15 s, one after the other */
  double begin = process_clock();
  case_assert_code(t, STRATA(t, CRAWL, "--max-seconds", "4", "URL"), 0);
  assert_true(process_clock() - begin > 3.9);
  assert_non_null(strstr(t->err.bytes, "--max-seconds"));
  assert_in_range(trial_requests(t), 1, 299);
}

/* A page each 0.2 s, whatever --per-host would allow. */
CASE(as_politely_as_told)
{
  trial *t = case_serve_site(21, 300);
  double begin = process_clock();
  case_assert_code(t,
                   STRATA(t, "crawl", "--dir", "DIR", "--allow-private", "--delay", "0.2", "--per-host", "8",
                          "--max-pages", "6", "URL"),
                   0);
  double took = process_clock() - begin;
  print_message("%.2f s\n", took);
  assert_true(took >= 1.0);
}

CASE(a_server_that_does_not_answer_in_time)
{
  enum { DAY_MS = 86400000 }; /* whoever waits for it is killed */
  trial *t = case_serve(&(trial_options){.seed = 22, .entries = 10, .latency_ms = DAY_MS});
  case_assert_code(t, STRATA(t, CRAWL, "--timeout", "0.3", "--tries", "1", "--ignore-robots", "URL"), 1);
  page_log log = pages_read(t->pages);
  assert_int_equal(pages_count(&log), 1);
  assert_string_equal(json_string_value(json_object_get(json_array_get(log.list, 0), "error")), "timeout");
  pages_free(&log);
}

CASE(no_more_of_a_page_than_told)
{
  trial *t = case_serve_site(23, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--max-body", "1000", "URL"), 0);
  page_log log = pages_read(t->pages);
  unsigned truncated = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    assert_true(pages_number(&log, i, "body_bytes") <= 1000);
    truncated += json_is_true(json_object_get(json_array_get(log.list, i), "truncated"));
  }
  pages_free(&log);
  print_message("%u pages cut\n", truncated);
  assert_true(truncated > 0);
}

CASE(by_the_name_it_was_given)
{
  trial *t = case_serve_site(24, 30);
  case_assert_code(t, STRATA(t, CRAWL, "--user-agent", "examiner/7", "--contact", "http://e.example/", "URL"), 0);
  request_log log = requests_read(t->log);
  for (size_t i = 0; i < log.count; i++)
    assert_string_equal(log.lines[i].agent, "examiner/7 (+http://e.example/)");
  assert_true(log.count > 5);
  requests_free(&log);
}

/* The page below `prefix` from which most of what lies there can be reached. */
static uint32_t best_start(const site *s, const char *prefix)
{
  uint32_t best = 0, most = 0;
  uint32_t *depths = calloc(site_size(s), sizeof *depths);
  assert_non_null(depths);
  for (uint32_t start = 0; start < site_size(s); start++) {
    const site_entry *entry = site_entry_at(s, start);
    if (entry->kind != SITE_PAGE || strncmp(entry->target, prefix, strlen(prefix)) != 0 ||
        strchr(entry->target + strlen(prefix), '/'))
      continue;
    uint32_t reached = 0;
    site_measure(s, start, prefix, false, depths);
    for (uint32_t i = 0; i < site_size(s); i++)
      reached += depths[i] != UINT32_MAX;
    if (reached > most)
      most = reached, best = start;
  }
  free(depths);
  return best;
}

CASE(not_above_the_start_with_scope_prefix)
{
  trial *t = case_serve_site(12, 600);
  judge_rules rules = judge_everything;
  rules.prefix = "/docs/";
  rules.start = best_start(t->made, rules.prefix);
  text url = {0};
  text_addf(&url, "http://127.0.0.1:%u%s", t->port, site_entry_at(t->made, rules.start)->target);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--scope", "prefix", url.bytes), 0);
  verdict v = case_requests(t, &rules);
  case_assert_perfect(v);
  print_message("%u entries below %s\n", v.pages, rules.prefix);
  assert_in_range(v.pages, 20, 500);
  text_free(&url);
}

CASE(nothing_kept_with_no_store)
{
  trial *t = case_serve_site(13, 300);
  text directory = {0};
  text_addf(&directory, "strata-127.0.0.1-%u", t->port); /* where it would be kept */
  case_assert_code(t, STRATA(t, "crawl", "--no-store", "--delay", "0", "--allow-private", "--per-host", "4", "URL"), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  assert_int_not_equal(access(directory.bytes, F_OK), 0);
  text_free(&directory);
}

EACH_CASE(NULL, case_end)
