/* The whole program on a site of which everything is known: what the server saw must be the truth, no more, no less.
 * Each case serves its own site, so each can be run alone; the seed is printed. */
#include "tests/site/judge.h"
#include "tests/site/target.h"
#include "tests/site/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
/* Words of a crawl that need not be polite and may visit this machine. */
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private"

static trial *served;

static trial *serve(const trial_options *options)
{
  served = trial_open(options); /* not NULL: any port will do */
  print_message("seed %llu, %u entries\n", (unsigned long long)options->seed, options->entries);
  return served;
}

static trial *serve_site(uint64_t seed, uint32_t entries)
{
  return serve(&(trial_options){.seed = seed, .entries = entries});
}

static int stop_serving(void **state)
{
  (void)state;
  trial_close(served);
  served = NULL;
  return 0;
}

static verdict requests_of(trial *t, const judge_rules *rules)
{
  request_log log = requests_read(t->log);
  verdict v = judge_requests(&log, t->made, rules);
  requests_free(&log);
  return v;
}

static verdict pages_of(trial *t, const judge_rules *rules)
{
  page_log log = pages_read(t->pages);
  assert_int_equal(log.bad, 0);
  assert_false(log.torn);
  verdict v = judge_pages(&log, t->made, rules);
  pages_free(&log);
  return v;
}

static void assert_perfect(verdict v)
{
  assert_int_equal(v.missed, 0);
  assert_int_equal(v.again, 0);
  assert_int_equal(v.forbidden, 0);
  assert_int_equal(v.unknown, 0);
}

/* A program that was told to be quiet, or has no terminal, still says what went wrong: show it. */
static void assert_code(trial *t, int code, int expected)
{
  if (code != expected)
    print_error("strata ended with %d (signal %d), not %d:\n%s\n", code, t->end.signal, expected, t->err.bytes);
  assert_int_equal(code, expected);
}

static void crawl_all(trial *t, const char *filter)
{
  assert_code(t, STRATA(t, CRAWL, "--per-host", "8", "--filter", filter, "URL"), 0);
  verdict v = requests_of(t, &judge_everything);
  assert_perfect(v);
  assert_int_equal(v.robots, 1);
  assert_perfect(pages_of(t, &judge_everything));
}

static void a_site_with_the_layered_filter(void **state)
{
  (void)state;
  crawl_all(serve_site(1, 600), "mlbf");
}

static void a_site_with_the_classic_filter(void **state)
{
  (void)state;
  crawl_all(serve_site(2, 600), "bloom");
}

static void a_site_with_lines(void **state)
{
  (void)state;
  crawl_all(serve_site(2, 600), "line");
}

/* And it stays so: by name, another filter is refused; without a name, what the directory has is meant. */
static void a_site_with_exact_keys(void **state)
{
  (void)state;
  trial *t = serve_site(3, 600);
  crawl_all(t, "exact");
  assert_code(t, STRATA(t, CRAWL, "--filter", "mlbf", "URL"), 2);
  assert_non_null(strstr(t->err.bytes, "was made with exact"));
  assert_code(t, STRATA(t, CRAWL, "URL"), 0);
  assert_code(t, STRATA(t, "stat", "DIR"), 0);
  assert_non_null(strstr(t->out.bytes, "no new URL is called seen"));
}

static void a_large_site(void **state)
{
  (void)state;
  crawl_all(serve_site(3, 6000), "mlbf");
}

static void a_site_by_the_name_of_its_host(void **state)
{
  (void)state;
  crawl_all(serve(&(trial_options){.seed = 4, .entries = 300, .host = "localhost"}), "mlbf");
}

static void a_site_at_the_default_port(void **state)
{
  (void)state;
  const trial_options options = {.seed = 5, .entries = 300, .address = "127.0.0.1", .port = 80};
  served = trial_open(&options);
  if (!served) {
    print_message("skipped: port 80 cannot be had here\n");
    skip();
    return;
  }
  crawl_all(served, "mlbf");
}

static void a_slow_server_that_closes_connections(void **state)
{
  (void)state;
  crawl_all(serve(&(trial_options){.seed = 6, .entries = 300, .latency_ms = 1, .jitter_ms = 8, .close_after = 3}),
            "mlbf");
}

/* As all servers do with a connection that was idle too long: the next request on it meets a closed door. */
static void a_server_that_drops_connections(void **state)
{
  (void)state;
  crawl_all(serve(&(trial_options){.seed = 26, .entries = 3000, .drop_after = 2}), "mlbf");
}

/* Two hosts in one crawl: each has its own robots.txt, and a slow one does not hold up the other. */
static void two_sites_at_once(void **state)
{
  (void)state;
  trial *t = serve(&(trial_options){.seed = 18, .entries = 300, .latency_ms = 20});
  trial *other = trial_open(&(trial_options){.seed = 19, .entries = 300, .host = "localhost"});
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL", other->url), 0);
  request_log log = requests_read(other->log);
  verdict v = judge_requests(&log, other->made, &judge_everything);
  requests_free(&log);
  trial_close(other);
  assert_perfect(v);
  assert_int_equal(v.robots, 1);
  assert_perfect(requests_of(t, &judge_everything));
}

static void one_connection(void **state)
{
  (void)state;
  trial *t = serve_site(7, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "1", "--connections", "1", "URL"), 0);
  assert_perfect(requests_of(t, &judge_everything));
}

/* Everything that ends up in pages.jsonl: where, what came back, how much. */
static void pages_jsonl(void **state)
{
  (void)state;
  trial *t = serve_site(8, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
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
static void export_by_state(void **state)
{
  (void)state;
  static const char *const states[] = {"seen", "queued", "done", "failed", "skipped"};
  unsigned lines[5];
  trial *t = serve_site(18, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--max-pages", "60", "URL"), 0);
  page_log log = pages_read(t->pages);
  for (int i = 0; i < 5; i++) {
    assert_code(t, STRATA(t, "export", "DIR", "--state", states[i]), 0);
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
  assert_code(t, STRATA(t, "export", "DIR", "--state", "lost"), 2);
  assert_code(t, STRATA(t, "export", t->home), 1);
}

static void robots_ignored_when_told_so(void **state)
{
  (void)state;
  trial *t = serve_site(9, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--ignore-robots", "URL"), 0);
  judge_rules rules = judge_everything;
  rules.ignore_robots = true;
  verdict v = requests_of(t, &rules);
  assert_perfect(v);
  assert_int_equal(v.robots, 0);
}

static void no_deeper_than_told(void **state)
{
  (void)state;
  trial *t = serve_site(10, 600);
  judge_rules rules = judge_everything;
  rules.max_depth = 3;
  assert_code(t, STRATA(t, CRAWL, "--max-depth", "3", "URL"), 0);
  verdict v = requests_of(t, &rules);
  assert_perfect(v);
  print_message("%u of %u entries\n", v.pages, site_size(t->made));
  assert_in_range(v.pages, 10, 590);
}

static void no_more_pages_than_told(void **state)
{
  (void)state;
  trial *t = serve_site(11, 600);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--max-pages", "50", "URL"), 0);
  page_log log = pages_read(t->pages);
  unsigned pages = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    text target = {0};
    target_of_url(&target, pages_url(&log, i));
    uint32_t index = site_find(t->made, target.bytes, target.size);
    text_free(&target);
    if (index != SITE_NOWHERE) { /* robots.txt is no page */
      const site_entry *entry = site_entry_at(t->made, index);
      pages += entry->status == 200 && entry->kind != SITE_EMPTY;
    }
  }
  pages_free(&log);
  assert_int_equal(pages, 50);
  assert_non_null(strstr(t->err.bytes, "--max-pages"));
  /* and the same command without the cap goes on to the end, without asking anything again */
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  assert_perfect(requests_of(t, &judge_everything));
  assert_perfect(pages_of(t, &judge_everything));
}

static void no_longer_than_told(void **state)
{
  (void)state;
  trial *t = serve(&(trial_options){.seed = 20, .entries = 300, .latency_ms = 50}); /* 15 s, one after the other */
  double begin = process_clock();
  assert_code(t, STRATA(t, CRAWL, "--max-seconds", "1", "URL"), 0);
  assert_true(process_clock() - begin > 0.9);
  assert_non_null(strstr(t->err.bytes, "--max-seconds"));
  assert_in_range(trial_requests(t), 1, 299);
}

/* A page each 0.2 s, whatever --per-host would allow. */
static void as_politely_as_told(void **state)
{
  (void)state;
  trial *t = serve_site(21, 300);
  double begin = process_clock();
  assert_code(t, STRATA(t, "crawl", "--dir", "DIR", "--allow-private", "--delay", "0.2", "--per-host", "8",
                        "--max-pages", "6", "URL"), 0);
  double took = process_clock() - begin;
  print_message("%.2f s\n", took);
  assert_true(took >= 1.0);
}

static void a_server_that_does_not_answer_in_time(void **state)
{
  (void)state;
  enum { DAY_MS = 86400000 }; /* whoever waits for it is killed */
  trial *t = serve(&(trial_options){.seed = 22, .entries = 10, .latency_ms = DAY_MS});
  assert_code(t, STRATA(t, CRAWL, "--timeout", "0.3", "--tries", "1", "--ignore-robots", "URL"), 1);
  page_log log = pages_read(t->pages);
  assert_int_equal(pages_count(&log), 1);
  assert_string_equal(json_string_value(json_object_get(json_array_get(log.list, 0), "error")), "timeout");
  pages_free(&log);
}

static void no_more_of_a_page_than_told(void **state)
{
  (void)state;
  trial *t = serve_site(23, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--max-body", "1000", "URL"), 0);
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

static void by_the_name_it_was_given(void **state)
{
  (void)state;
  trial *t = serve_site(24, 30);
  assert_code(t, STRATA(t, CRAWL, "--user-agent", "examiner/7", "--contact", "http://e.example/", "URL"), 0);
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

static void not_above_the_start_with_scope_prefix(void **state)
{
  (void)state;
  trial *t = serve_site(12, 600);
  judge_rules rules = judge_everything;
  rules.prefix = "/docs/";
  rules.start = best_start(t->made, rules.prefix);
  text url = {0};
  text_addf(&url, "http://127.0.0.1:%u%s", t->port, site_entry_at(t->made, rules.start)->target);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--scope", "prefix", url.bytes), 0);
  verdict v = requests_of(t, &rules);
  assert_perfect(v);
  print_message("%u entries below %s\n", v.pages, rules.prefix);
  assert_in_range(v.pages, 20, 500);
  text_free(&url);
}

static void nothing_kept_with_no_store(void **state)
{
  (void)state;
  trial *t = serve_site(13, 300);
  text directory = {0};
  text_addf(&directory, "strata-127.0.0.1-%u", t->port); /* where it would be kept */
  assert_code(t, STRATA(t, "crawl", "--no-store", "--delay", "0", "--allow-private", "--per-host", "4", "URL"), 0);
  assert_perfect(requests_of(t, &judge_everything));
  assert_int_not_equal(access(directory.bytes, F_OK), 0);
  text_free(&directory);
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

/* The numbers the program gives of itself are those that the server and the site would give. */
static void assert_counters(trial *t, const json_t *counters)
{
  long long pages = 0, fetched = 0, forbidden = 0;
  for (uint32_t i = 0; i < site_size(t->made); i++) {
    const site_entry *entry = site_entry_at(t->made, i);
    bool is_wanted = site_entry_is_wanted(entry, false);
    fetched += is_wanted;
    forbidden += !is_wanted;
    pages += is_wanted && entry->status == 200 && entry->kind != SITE_EMPTY;
  }
  assert_int_equal(number_of(counters, "done") + number_of(counters, "failed"), fetched);
  assert_int_equal(number_of(counters, "skipped"), forbidden);
  assert_int_equal(number_of(counters, "queued"), 0);
  assert_int_equal(number_of(json_object_get(counters, "counters"), "pages"), pages);
}

static void counters_agree(void **state)
{
  (void)state;
  trial *t = serve_site(14, 400);
  char *summary = trial_path(t, "summary.json"), *out = trial_path(t, "stat.json");
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--summary", summary, "URL"), 0);
  json_t *object = load_json(summary);
  assert_counters(t, object);
  json_decref(object);
  const char *const stat_words[] = {"stat", "DIR", "--json", NULL};
  assert_code(t, trial_strata_with(t, stat_words, &(process_files){.out = out}), 0);
  object = load_json(out);
  assert_counters(t, object);
  json_decref(object);
  free(summary);
  free(out);
}

/* Somebody looks on while the crawl runs: no harm done to either. */
static void stat_while_it_runs(void **state)
{
  (void)state;
  trial *t = serve(&(trial_options){.seed = 25, .entries = 400, .jitter_ms = 4});
  pid_t crawl = trial_strata_start(t, (const char *const[]){CRAWL, "--per-host", "4", "URL", NULL});
  char *out = trial_path(t, "stat.json"), *err = trial_path(t, "stat.err");
  const char *const argv[] = {STRATA_PROGRAM, "stat", t->crawl, "--json", NULL};
  long long done = 0;
  unsigned looks = 0;
  for (size_t requests = 20; trial_wait_requests(t, requests, crawl); requests += 60) {
    process_end end;
    assert_true(process_wait(process_start(argv, &(process_files){.out = out, .err = err}), 20, &end));
    assert_int_equal(end.code, 0);
    json_t *counters = load_json(out);
    assert_true(number_of(counters, "done") >= done);
    done = number_of(counters, "done");
    json_decref(counters);
    looks++;
  }
  assert_code(t, trial_collect(t, crawl), 0);
  print_message("%u looks, the last saw %lld done\n", looks, done);
  assert_true(looks >= 3);
  assert_perfect(requests_of(t, &judge_everything));
  free(out);
  free(err);
}

/* Start URLs of a file, with empty lines and one twice in another spelling. */
static char *write_seeds(trial *t)
{
  char *path = trial_path(t, "seeds.txt");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n\nHTTP://127.0.0.1:%u/%%7eann/../\r\n%s#top\n", t->url, t->port, t->url);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void start_urls_from_a_file(void **state)
{
  (void)state;
  trial *t = serve_site(15, 300);
  char *seeds = write_seeds(t);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "--seeds", seeds), 0);
  assert_perfect(requests_of(t, &judge_everything));
  free(seeds);
}

static void start_urls_from_standard_input(void **state)
{
  (void)state;
  trial *t = serve_site(16, 300);
  char *seeds = write_seeds(t);
  const char *const words[] = {CRAWL, "--per-host", "4", "-", NULL};
  assert_code(t, trial_strata_with(t, words, &(process_files){.in = seeds}), 0);
  assert_perfect(requests_of(t, &judge_everything));
  free(seeds);
}

static void a_second_run_fetches_nothing_new(void **state)
{
  (void)state;
  trial *t = serve_site(17, 300);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4", "URL"), 0);
  assert_code(t, STRATA(t, CRAWL, "--per-host", "4"), 0); /* --dir alone continues */
  assert_perfect(requests_of(t, &judge_everything));
  assert_perfect(pages_of(t, &judge_everything));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_teardown(name, stop_serving)
  const struct CMUnitTest tests[] = {
    CASE(a_site_with_the_layered_filter),
    CASE(a_site_with_the_classic_filter),
    CASE(a_site_with_lines),
    CASE(a_site_with_exact_keys),
    CASE(a_large_site),
    CASE(a_site_by_the_name_of_its_host),
    CASE(a_site_at_the_default_port),
    CASE(a_slow_server_that_closes_connections),
    CASE(a_server_that_drops_connections),
    CASE(two_sites_at_once),
    CASE(one_connection),
    CASE(pages_jsonl),
    CASE(export_by_state),
    CASE(robots_ignored_when_told_so),
    CASE(no_deeper_than_told),
    CASE(no_more_pages_than_told),
    CASE(no_longer_than_told),
    CASE(as_politely_as_told),
    CASE(a_server_that_does_not_answer_in_time),
    CASE(no_more_of_a_page_than_told),
    CASE(by_the_name_it_was_given),
    CASE(not_above_the_start_with_scope_prefix),
    CASE(nothing_kept_with_no_store),
    CASE(counters_agree),
    CASE(stat_while_it_runs),
    CASE(start_urls_from_a_file),
    CASE(start_urls_from_standard_input),
    CASE(a_second_run_fetches_nothing_new),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
