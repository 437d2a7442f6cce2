/* export --format jsonl: each URL with how it ended, as pages.jsonl has it. test_crawl_site has the states. */
#include "frontier/frontier.h"
#include "tests/site/pages.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})

static trial *t;

static int serve(void **state)
{
  (void)state;
  t = trial_open(&(trial_options){.seed = 71, .entries = 300});
  return STRATA(t, "crawl", "--dir", "DIR", "--delay", "0", "--tries", "1", "--allow-private", "--max-pages", "120",
                "URL", "http://127.0.0.1:1/");
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

static const char *string_of(const json_t *object, const char *name)
{
  const char *value = json_string_value(json_object_get(object, name));
  return value ? value : "";
}

/* The lines of the last output, by id. */
static json_t *exported(void)
{
  json_t *by_id = json_object();
  char *rest = t->out.bytes;
  for (char *line; (line = strsep(&rest, "\n")) && *line;) {
    char id[32];
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    snprintf(id, sizeof id, "%lld", (long long)json_integer_value(json_object_get(object, "id")));
    assert_null(json_object_get(by_id, id));
    json_object_set_new(by_id, id, object);
  }
  return by_id;
}

CASE(as_pages_jsonl_has_it)
{
  assert_int_equal(STRATA(t, "export", "DIR", "--format", "jsonl"), 0);
  json_t *urls = exported();
  page_log log = pages_read(t->pages);
  for (size_t i = 0; i < pages_count(&log); i++) {
    const json_t *line = json_array_get(log.list, i);
    char id[32];
    snprintf(id, sizeof id, "%lld", pages_number(&log, i, "id"));
    const json_t *url_line = json_object_get(urls, id);
    assert_non_null(url_line);
    static const char *const same[] = {"url", "depth", "via", "status", "error"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
      const json_t *a = json_object_get(line, same[k]), *b = json_object_get(url_line, same[k]);
      if ((a || b) && !json_equal(a, b))
        fail_msg("%s: \"%s\" differs", pages_url(&log, i), same[k]);
    }
    assert_string_equal(string_of(url_line, "state"), string_of(line, "outcome"));
    json_object_del(urls, id);
  }
  size_t queued = 0, skipped = 0;
  const char *id;
  json_t *rest;
  json_object_foreach(urls, id, rest)
  { /* what was not fetched, and why */
    bool is_skipped = strcmp(string_of(rest, "state"), "skipped") == 0;
    skipped += is_skipped;
    queued += strcmp(string_of(rest, "state"), "queued") == 0;
    assert_string_equal(string_of(rest, "reason"), is_skipped ? "robots" : "");
    assert_null(json_object_get(rest, "status"));
  }
  assert_true(queued > 0 && skipped > 0);
  assert_int_equal(queued + skipped, json_object_size(urls));
  json_decref(urls);
  pages_free(&log);
}

/* As a program of the library may have put it there. */
static void add_opaque(const char *bytes, size_t size)
{
  char path[4096], why[FRONTIER_MESSAGE_SIZE];
  const mlbf_span key = {"key", 3};
  const frontier_link link = {
    .key = &key, .key_count = 1, .group = "slot", .group_size = 4, .opaque = bytes, .opaque_size = size};
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 9, .rate = 1e-6, .per_host = 1, .keep_identity = true};
  frontier *f;
  frontier_verdict verdict;
  size_t settled;
  snprintf(path, sizeof path, "%s/frontier", t->crawl);
  assert_int_equal(frontier_open(path, &options, &f, why), FRONTIER_OK);
  assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(an_opaque_target_is_no_url)
{
  add_opaque("no\nURL\0\xff", 8);
  assert_int_equal(STRATA(t, "export", "DIR"), 0);
  assert_null(strstr(t->out.bytes, "URL"));
  assert_int_equal(STRATA(t, "export", "DIR", "--format", "jsonl"), 0);
  assert_non_null(strstr(t->out.bytes, "\"opaque\":\"6e6f0a55524c00ff\""));
}

CASE(what_it_refuses)
{
  assert_int_equal(STRATA(t, "export", "DIR", "--format", "xml"), 2);
  assert_non_null(strstr(t->err.bytes, "--format \"xml\""));
  assert_int_equal(STRATA(t, "export", "DIR", "--state", "lost"), 2);
  assert_int_equal(STRATA(t, "export"), 2);
  assert_int_equal(STRATA(t, "export", "/nowhere"), 1);
}

EACH_CASE(serve, stop)
