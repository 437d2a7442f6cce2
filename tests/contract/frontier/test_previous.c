/* frontier/core/previous.h: what an earlier crawl knew, from its directory and from its filter file alone. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontier/frontier.h"
#include "tests/support/one_key.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-9, .per_host = 1, .depth_cap = UINT16_MAX};

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static frontier_outcome add(frontier *f, unsigned number, bool only_look)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://h%u.test/%u", number % 3, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
  assert_int_equal(only_look ? frontier_lookup(f, &u, &verdict)
                             : frontier_add(f, &u, (frontier_origin){0}, 0, &verdict),
                   FRONTIER_OK);
  return verdict.outcome;
}

/* A crawl of pages 0 to 99, of which 7 was forgotten. With exact keys, its filter alone would know many of the later
 * pages. */
static void make_earlier(const char *directory, bool exact)
{
  static url u;
  bool was_seen;
  frontier_options options = plain;
  options.secret = test_secret(0);
  options.exact = exact;
  options.rate = exact ? 0.5 : options.rate;
  options.expected_urls = 120;
  frontier *f = open_or_fail(directory, &options);
  for (unsigned i = 0; i < 100; i++)
    add(f, i, false);
  assert_int_equal(url_parse("http://h1.test/7", 16, URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Pages 50 to 149, of which the earlier crawl knew 50 to 99. */
static void check_later(const char *directory, const uint8_t *secret, const char *previous_path)
{
  frontier_options options = plain;
  options.secret = secret;
  options.previous_path = previous_path;
  frontier *f = open_or_fail(directory, &options);
  for (unsigned i = 50; i < 150; i++) {
    bool was_known = i < 100;
    frontier_outcome looked = add(f, i, true), outcome = add(f, i, false);
    assert_int_equal(looked, outcome);
    assert_true(outcome != FRONTIER_SEEN && (outcome == FRONTIER_KNOWN_BEFORE) == was_known);
    assert_int_equal(add(f, i, false), FRONTIER_SEEN);
  }
  assert_int_not_equal(add(f, 7, true), FRONTIER_KNOWN_BEFORE);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_stats stats;
  f = open_or_fail(directory, &plain);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 100);
  assert_int_equal(stats.outcomes[FRONTIER_KNOWN_BEFORE], 50);
  assert_int_equal(stats.outcomes[FRONTIER_SEEN], 100);
  frontier_close(f);
}

CASE(known_to_a_directory_or_a_filter_file)
{
  char root[SCRATCH_PATH], earlier[SCRATCH_PATH], later[SCRATCH_PATH], file[SCRATCH_PATH];
  scratch_make_fast(root);
  scratch_join(root, "earlier", earlier);
  scratch_join(root, "later", later);
  make_earlier(earlier, false);
  check_later(later, NULL, earlier); /* each with its own secret */
  scratch_join(root, "of-one-secret", later);
  check_later(later, test_secret(0), earlier);
  scratch_join(root, "by-file", later);
  scratch_join(earlier, "seen.1", file);
  check_later(later, test_secret(0), file); /* it was made when the key had been forgotten */
  scratch_remove(root);
}

/* One that holds its secret needs no other. */
CASE(a_filter_file_with_its_own_secret)
{
  char root[SCRATCH_PATH], later[SCRATCH_PATH], file[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  static url u;
  mlbf_options drawn = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 100, .rate = 1e-9, .profile = "strict"};
  mlbf_filter *filter;
  scratch_make_fast(root);
  scratch_join(root, "later", later);
  scratch_join(root, "filter", file);
  assert_int_equal(mlbf_create(&drawn, &filter), MLBF_OK);
  assert_int_equal(url_parse("http://h1.test/1", 16, URL_STRICT, &u), URL_OK);
  mlbf_span segments[URL_SEGMENTS_MAX];
  for (uint32_t i = 0; i < u.segment_count; i++)
    segments[i] = (mlbf_span){u.key + u.segment_begin[i], u.segment_begin[i + 1] - u.segment_begin[i]};
  one_key hashes;
  one_key_hash(filter, segments, u.segment_count, &hashes);
  mlbf_verdict verdict;
  assert_int_equal(one_key_insert(filter, &hashes, &verdict), MLBF_OK);
  assert_int_equal(mlbf_save(filter, file), MLBF_OK);
  mlbf_free(filter);
  frontier_options options = plain;
  options.previous_path = file;
  frontier *f = open_or_fail(later, &options);
  assert_int_equal(add(f, 1, false), FRONTIER_KNOWN_BEFORE);
  assert_true(add(f, 2, false) != FRONTIER_KNOWN_BEFORE);
  frontier_close(f);
  scratch_join(root, "earlier", later);
  make_earlier(later, false);
  scratch_join(later, "seen.1", file);
  options.previous_path = file;
  options.secret = test_secret(1);
  assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_MISMATCH);
  assert_non_null(strstr(message, file));
  assert_non_null(strstr(message, "secret"));
  scratch_remove(root);
}

CASE(known_exactly)
{
  char root[SCRATCH_PATH], earlier[SCRATCH_PATH], later[SCRATCH_PATH];
  scratch_make_fast(root);
  scratch_join(root, "earlier", earlier);
  scratch_join(root, "later", later);
  make_earlier(earlier, true);
  check_later(later, test_secret(1), earlier);
  scratch_remove(root);
}

CASE(what_cannot_be_the_previous_crawl)
{
  char root[SCRATCH_PATH], earlier[SCRATCH_PATH], later[SCRATCH_PATH], junk[SCRATCH_PATH], none[SCRATCH_PATH];
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f = NULL;
  scratch_make_fast(root);
  scratch_join(root, "earlier", earlier);
  scratch_join(root, "later", later);
  scratch_join(root, "junk", junk);
  scratch_join(root, "none", none);
  make_earlier(earlier, false);
  scratch_write(junk, "no filter at all", 16);
  const struct row {
    const char *directory, *previous_path;
    url_profile profile;
    frontier_status status;
    const char *key_scheme;
  } rows[] = {
    {later, none, URL_STRICT, FRONTIER_IO, NULL},
    {later, junk, URL_STRICT, FRONTIER_NOT_OURS, NULL},
    {later, root, URL_STRICT, FRONTIER_NOT_FOUND, NULL},
    {NULL, earlier, URL_NO_WWW, FRONTIER_MISMATCH, NULL},
    {NULL, earlier, URL_STRICT, FRONTIER_MISMATCH, "isbn-13"},
    {earlier, earlier, URL_STRICT, FRONTIER_BAD_ARGUMENT, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    frontier_options options = plain;
    options.previous_path = rows[i].previous_path;
    options.profile = rows[i].profile;
    options.key_scheme = rows[i].key_scheme;
    *message = '\0';
    assert_int_equal(frontier_open(rows[i].directory, &options, &f, message), rows[i].status);
    assert_non_null(strstr(message, rows[i].previous_path));
  }
  assert_int_not_equal(access(later, F_OK), 0); /* nothing was made */
  scratch_remove(root);
}
