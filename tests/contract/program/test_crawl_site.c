/* The whole program on a site of which everything is known: what the server saw must be the truth, no more, no less.
 * Each case serves its own site, so each can be run alone; the seed is printed. */
#include "tests/support/crawl_case.h"
#include "tests/site/target.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void crawl_all(trial *t, const char *filter)
{
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "8", "--filter", filter, "URL"), 0);
  verdict v = case_requests(t, &judge_everything);
  case_assert_perfect(v);
  assert_int_equal(v.robots, 1);
  case_assert_perfect(case_pages(t, &judge_everything));
}

CASE(a_site_with_the_layered_filter)
{
  crawl_all(case_serve_site(1, 600), "mlbf");
}

CASE(a_site_with_the_classic_filter)
{
  crawl_all(case_serve_site(2, 600), "bloom");
}

CASE(a_site_with_lines)
{
  crawl_all(case_serve_site(2, 600), "line");
}

CASE(a_site_with_exact_keys)
{
  trial *t = case_serve_site(3, 600);
  crawl_all(t, "exact");
  case_assert_code(t, STRATA(t, "stat", "DIR"), 0);
  assert_non_null(strstr(t->out.bytes, "no URL is missed; at most 1 in 100 new URLs comes late"));
}

CASE(a_large_site)
{
  crawl_all(case_serve_site(3, 6000), "mlbf");
}

CASE(a_site_by_the_name_of_its_host)
{
  crawl_all(case_serve(&(trial_options){.seed = 4, .entries = 300, .host = "localhost"}), "mlbf");
}

CASE(a_site_at_the_default_port)
{
  trial *t = case_serve(&(trial_options){.seed = 5, .entries = 300, .address = "127.0.0.1", .port = 80});
  if (!t) {
    print_message("skipped: port 80 cannot be had here\n");
    skip();
    return;
  }
  crawl_all(t, "mlbf");
}

CASE(a_slow_server_that_closes_connections)
{
  crawl_all(case_serve(&(trial_options){.seed = 6, .entries = 300, .latency_ms = 1, .jitter_ms = 8, .close_after = 3}),
            "mlbf");
}

/* As all servers do with a connection that was idle too long: the next request on it meets a closed door. */
CASE(a_server_that_drops_connections)
{
  crawl_all(case_serve(&(trial_options){.seed = 26, .entries = 3000, .drop_after = 2}), "mlbf");
}

/* Two hosts in one crawl: each has its own robots.txt, and a slow one does not hold up the other. */
CASE(two_sites_at_once)
{
  trial *t = case_serve(&(trial_options){.seed = 18, .entries = 300, .latency_ms = 20});
  trial *other = trial_open(&(trial_options){.seed = 19, .entries = 300, .host = "localhost"});
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL", other->url), 0);
  request_log log = requests_read(other->log);
  verdict v = judge_requests(&log, other->made, &judge_everything);
  requests_free(&log);
  trial_close(other);
  case_assert_perfect(v);
  assert_int_equal(v.robots, 1);
  case_assert_perfect(case_requests(t, &judge_everything));
}

CASE(one_connection)
{
  trial *t = case_serve_site(7, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "1", "--connections", "1", "URL"), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
}

/* Everything that ends up in pages.jsonl: where, what came back, how much. */
CASE(pages_jsonl)
{
  trial *t = case_serve_site(8, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  page_log log = pages_read(t->pages);
  for (size_t i = 0; i < pages_count(&log); i++) {
    text target = {0};
    const char *url = pages_url(&log, i);
    target_of_url(&target, url);
    uint32_t index = site_find(t->made, target.bytes, target.size);
    if (index != SITE_NOWHERE)
      assert_int_equal(pages_number(&log, i, "status"), site_entry_at(t->made, index)->status);
    else
      assert_string_equal(target.bytes, "/robots.txt");
    text_free(&target);
  }
  pages_free(&log);
}

/* A line of the last program's output that is exactly this text. */
static bool printed(const trial *t, const char *line)
{
  size_t size = strlen(line);
  for (const char *at = t->out.bytes; at && (at = strstr(at, line)); at += size)
    if ((at == t->out.bytes || at[-1] == '\n') && at[size] == '\n')
      return true;
  return false;
}

static unsigned lines_printed(const trial *t)
{
  unsigned lines = 0;
  for (size_t i = 0; i < t->out.size; i++)
    lines += t->out.bytes[i] == '\n';
  return lines;
}

/* Half-way through: what is done or failed is what pages.jsonl has, and nothing is in two states. */
CASE(export_by_state)
{
  static const char *const states[] = {"seen", "queued", "done", "failed", "skipped"};
  unsigned lines[5];
  trial *t = case_serve_site(18, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--max-pages", "60", "URL"), 0);
  page_log log = pages_read(t->pages);
  for (int i = 0; i < 5; i++) {
    case_assert_code(t, STRATA(t, "export", "DIR", "--state", states[i]), 0);
    lines[i] = lines_printed(t);
    for (size_t page = 0; page < pages_count(&log); page++) {
      long long status = pages_number(&log, page, "status");
      bool is_there = i == 0 || i == (status >= 200 && status < 400 ? 2 : 3);
      if (printed(t, pages_url(&log, page)) != is_there)
        fail_msg("%s is%s in --state %s", pages_url(&log, page), is_there ? " not" : "", states[i]);
    }
  }
  assert_true(lines[1] > 0);
  assert_int_equal(lines[2] + lines[3], pages_count(&log));
  assert_int_equal(lines[0], lines[1] + lines[2] + lines[3] + lines[4]);
  pages_free(&log);
  case_assert_code(t, STRATA(t, "export", "DIR", "--state", "lost"), 2);
  case_assert_code(t, STRATA(t, "export", t->home), 1);
}

static json_t *load_json(const char *path)
{
  json_error_t error;
  json_t *object = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!object)
    print_error("%s: %s\n", path, error.text);
  assert_true(json_is_object(object));
  return object;
}

static long long number_of(const json_t *object, const char *name)
{
  const json_t *value = json_object_get(object, name);
  if (!json_is_number(value))
    print_error("no number \"%s\"\n", name);
  assert_true(json_is_number(value));
  return (long long)json_number_value(value);
}

/* Asked for though their keys were known, as redirects led there: judge.c says which may be. */
static unsigned other_spellings(trial *t)
{
  unsigned count = 0;
  page_log log = pages_read(t->pages);
  for (size_t i = 0; i < pages_count(&log); i++)
    count += strcmp(json_string_value(json_object_get(json_array_get(log.list, i), "verdict")), "seen") == 0;
  pages_free(&log);
  return count;
}

/* The numbers the program gives of itself are those that the server and the site would give. */
static void assert_counters(trial *t, const json_t *counters)
{
  long long pages = 0, fetched = other_spellings(t), forbidden = 0;
  for (uint32_t i = 0; i < site_size(t->made); i++) {
    const site_entry *entry = site_entry_at(t->made, i);
    bool is_wanted = site_entry_is_wanted(entry, false);
    fetched += is_wanted;
    forbidden += !is_wanted;
    pages += is_wanted && site_entry_is_page(entry);
  }
  assert_int_equal(number_of(counters, "done") + number_of(counters, "failed"), fetched);
  assert_int_equal(number_of(counters, "skipped"), forbidden);
  assert_int_equal(number_of(counters, "queued"), 0);
  assert_int_equal(number_of(json_object_get(counters, "counters"), "pages"), pages);
}

CASE(counters_agree)
{
  trial *t = case_serve_site(14, 400);
  char *summary = trial_path(t, "summary.json"), *out = trial_path(t, "stat.json");
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--summary", summary, "URL"), 0);
  json_t *object = load_json(summary);
  assert_counters(t, object);
  json_decref(object);
  const char *const stat_words[] = {"stat", "DIR", "--json", NULL};
  case_assert_code(t, trial_strata_with(t, stat_words, &(process_files){.out = out}), 0);
  object = load_json(out);
  assert_counters(t, object);
  json_decref(object);
  free(summary);
  free(out);
}

/* Somebody looks on while the crawl runs: no harm done to either. */
CASE(stat_while_it_runs)
{
  trial *t = case_serve(&(trial_options){.seed = 25, .entries = 400, .jitter_ms = 4});
  pid_t crawl = trial_strata_start(t, (const char *const[]){CRAWL, "--per-host", "4", "URL", NULL});
  char *out = trial_path(t, "stat.json"), *err = trial_path(t, "stat.err");
  const char *const argv[] = {STRATA_PROGRAM, "stat", t->crawl, "--json", NULL};
  long long done = 0;
  unsigned looks = 0;
  for (size_t requests = 20; trial_wait_requests(t, requests, crawl); requests += 60) {
    process_end end;
    assert_true(process_wait(process_start(argv, &(process_files){.out = out, .err = err}), &end));
    assert_int_equal(end.code, 0);
    json_t *counters = load_json(out);
    assert_true(number_of(counters, "done") >= done);
    done = number_of(counters, "done");
    json_decref(counters);
    looks++;
  }
  case_assert_code(t, trial_collect(t, crawl), 0);
  print_message("%u looks, the last saw %lld done\n", looks, done);
  assert_true(looks >= 3);
  case_assert_perfect(case_requests(t, &judge_everything));
  free(out);
  free(err);
}

/* Start URLs of a file, with empty lines and one twice in another spelling. */
static char *write_seeds(trial *t)
{
  char *path = trial_path(t, "seeds.txt");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "# where to begin\n%s\n\n \t\r\nHTTP://127.0.0.1:%u/%%7eann/../\r\n %s#top\n \t# %sno\n", t->url,
          t->port, t->url, t->url);
  assert_int_equal(fclose(file), 0);
  return path;
}

CASE(start_urls_from_a_file)
{
  trial *t = case_serve_site(15, 300);
  char *seeds = write_seeds(t);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--seeds", seeds), 0);
  assert_null(strstr(t->err.bytes, seeds)); /* no bad lines */
  case_assert_perfect(case_requests(t, &judge_everything));
  free(seeds);
}

/* What is on its way when the cap is near would have gone beyond it by 64 pages. */
CASE(not_many_bytes_beyond_the_cap)
{
  enum { CAP = 100000 };
  (void)state;
  trial *t = case_serve_site(19, 600);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "64", "--max-bytes", "100000", "URL"), 0);
  page_log log = pages_read(t->pages);
  long long all = 0, largest = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    long long bytes = pages_number(&log, i, "body_bytes");
    all += bytes;
    largest = bytes > largest ? bytes : largest;
  }
  print_message("%lld bytes, a page of %lld at most\n", all, largest);
  assert_true(all >= CAP);
  assert_true(all <= CAP + 8 * largest);
  pages_free(&log);
}

CASE(start_urls_from_standard_input)
{
  trial *t = case_serve_site(16, 300);
  char *seeds = write_seeds(t);
  const char *const words[] = {CRAWL, "--per-host", "4", "-", NULL};
  case_assert_code(t, trial_strata_with(t, words, &(process_files){.in = seeds}), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  free(seeds);
}

CASE(a_second_run_fetches_nothing_new)
{
  trial *t = case_serve_site(17, 300);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  case_assert_code(t, STRATA(t, CRAWL, "--per-host", "4"), 0); /* --dir alone continues */
  case_assert_perfect(case_requests(t, &judge_everything));
  case_assert_perfect(case_pages(t, &judge_everything));
}

EACH_CASE(NULL, case_end)
