/* frontier/core/add.c, forget.c: what the model (frontier_model.h) does not do: own keys, large payloads, full batches,
 * and filters made anew without what was forgotten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontier/frontier.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-9, .per_host = 1000, .depth_cap = UINT16_MAX};
static const char large[FRONTIER_PAYLOAD_MAX + 1] = "payload";

static frontier *open_or_fail(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, &plain, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static void parse(unsigned number, url *u)
{
  char text[64];
  int size = snprintf(text, sizeof text, "http://h.test/%u/%u", number / 10, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, u), URL_OK);
}

static frontier_outcome add_one(frontier *f, frontier_link link)
{
  frontier_verdict verdict;
  size_t settled;
  assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
  assert_int_equal(settled, 1);
  return verdict.outcome;
}

static frontier_outcome look(frontier *f, frontier_link link)
{
  frontier_verdict verdict;
  assert_int_equal(frontier_lookup_batch(f, &link, 1, &verdict), FRONTIER_OK);
  return verdict.outcome;
}

/* One page under many addresses, and many pages under one: the caller knows. */
CASE(the_callers_own_key)
{
  static url u, v;
  static const mlbf_span item[] = {{"shop", 4}, {"/7", 2}}, other[] = {{"shop", 4}, {"/8", 2}};
  char directory[SCRATCH_PATH];
  scratch_make_fast(directory);
  parse(1, &u);
  parse(2, &v);
  frontier_link one = {.target = &u, .key = item, .key_count = 2}, two = {.target = &v, .key = item, .key_count = 2};
  frontier_link three = {.target = &u, .key = other, .key_count = 2}, by_address = {.target = &u};
  frontier *f = open_or_fail(directory);
  assert_int_equal(add_one(f, one), FRONTIER_NEW_HOST);
  assert_int_equal(add_one(f, two), FRONTIER_SEEN);
  assert_int_equal(add_one(f, three), FRONTIER_NEW_SEGMENT);
  assert_int_equal(add_one(f, by_address), FRONTIER_NEW_HOST);
  frontier_lease leases[8];
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, 0, leases, 8, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 3);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
  frontier_close(f);

  uint64_t forgotten; /* the history has the address, and the key's hash */
  f = open_or_fail(directory);
  assert_int_equal(look(f, two), FRONTIER_SEEN);
  assert_int_equal(frontier_forget_prefix(f, u.fetch, u.fetch_size, &forgotten), FRONTIER_OK);
  assert_int_equal(forgotten, 3);
  assert_int_not_equal(look(f, two), FRONTIER_SEEN);
  assert_int_not_equal(look(f, three), FRONTIER_SEEN);
  assert_int_not_equal(look(f, by_address), FRONTIER_SEEN);
  frontier_close(f);
  scratch_remove(directory);
}

/* Of each URL what nobody brought before it, by layer; those before are in the same batch, or their commit is over. */
CASE(what_is_new_of_a_url)
{
  static const struct {
    const char *url;
    frontier_outcome outcome;
    uint32_t layer;
  } rows[] = {
    {"http://a.test/x/y", FRONTIER_NEW_HOST, 1},        {"http://a.test/x/y", FRONTIER_SEEN, 0},
    {"http://a.test/x/z", FRONTIER_NEW_SEGMENT, 3},     {"http://a.test/v/y", FRONTIER_NEW_SEGMENT, 2},
    {"http://a.test/v/z", FRONTIER_NEW_COMBINATION, 0}, {"http://a.test/z/v", FRONTIER_NEW_SEGMENT, 2},
    {"http://b.test/x/y", FRONTIER_NEW_HOST, 1},        {"http://b.test/x", FRONTIER_NEW_COMBINATION, 0},
    {"http://b.test/x/w", FRONTIER_NEW_SEGMENT, 3},     {"http://b.test/x/w/y", FRONTIER_NEW_SEGMENT, 4},
  };
  static const uint8_t secret[MLBF_SECRET_BYTES] = {7}; /* else a segment is known by chance, one run in a hundred */
  static url u;
  for (int are_committed = 0; are_committed < 2; are_committed++) {
    char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
    frontier_options options = plain;
    frontier *f = NULL;
    options.secret = secret;
    scratch_make_fast(directory);
    assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      frontier_verdict verdict;
      size_t settled;
      assert_int_equal(url_parse(rows[i].url, strlen(rows[i].url), URL_STRICT, &u), URL_OK);
      const frontier_link link = {.target = &u};
      assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
      if (verdict.outcome != rows[i].outcome || verdict.layer != rows[i].layer)
        fail_msg("%s: %s, layer %u", rows[i].url, frontier_outcome_name(verdict.outcome), verdict.layer);
      if (are_committed)
        assert_int_equal(frontier_sync(f), FRONTIER_OK);
    }
    frontier_close(f);
    scratch_remove(directory);
  }
}

CASE(what_is_refused)
{
  static url u;
  static const mlbf_span key[] = {{"k", 1}};
  parse(1, &u);
  frontier *f = open_or_fail(NULL);
  const frontier_link good = {.target = &u}, too_much = {.target = &u, .payload = large, .payload_size = sizeof large},
                      no_key = {.target = &u, .key = key, .key_count = 0};
  const frontier_link links[] = {good, too_much, good};
  frontier_verdict verdicts[3];
  size_t settled;
  assert_int_equal(frontier_add_batch(f, links, 3, 0, verdicts, &settled), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 1); /* the first, and its verdict, hold */
  assert_int_equal(verdicts[0].outcome, FRONTIER_NEW_HOST);
  assert_int_equal(frontier_force(f, &no_key, 0, verdicts), FRONTIER_BAD_ARGUMENT);
  bool was_seen;
  assert_int_equal(frontier_lookup_batch(f, &no_key, 1, verdicts), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_forget(f, &no_key, &was_seen), FRONTIER_BAD_ARGUMENT);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 1);
  assert_int_equal(frontier_add_batch(f, NULL, 0, 0, NULL, &settled), FRONTIER_OK);
  frontier_close(f);
}

static bool count_record(void *context, const frontier_record *record)
{
  uint64_t *payloads = context;
  if (record->payload_size == FRONTIER_PAYLOAD_MAX && memcmp(record->payload, large, FRONTIER_PAYLOAD_MAX) == 0)
    ++*payloads;
  return true;
}

/* 300 payloads of 64 KiB: the batch is committed by itself when it is full, and each comes back whole. */
CASE(payloads_that_fill_a_batch)
{
  static url u;
  enum { LINKS = 300, FULL = (16 << 20) / FRONTIER_PAYLOAD_MAX };
  char directory[SCRATCH_PATH];
  uint64_t on_disk = 0;
  assert_int_equal(FRONTIER_PAYLOAD_MAX, 64 << 10);
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory);
  for (unsigned i = 0; i < LINKS; i++) {
    parse(i, &u);
    add_one(f, (frontier_link){.target = &u, .payload = large, .payload_size = FRONTIER_PAYLOAD_MAX});
  }
  assert_int_equal(frontier_each(f, count_record, &on_disk), FRONTIER_OK); /* what was committed */
  assert_in_range(on_disk, FULL - 32, FULL + 32);
  frontier_close(f);
  f = open_or_fail(directory);
  size_t leased = 0, count = 1;
  for (uint64_t now_ms = 0; leased < LINKS && count; now_ms++) {
    frontier_lease leases[64];
    int64_t wait_ms;
    assert_int_equal(frontier_next(f, now_ms, leases, 64, &count, &wait_ms), FRONTIER_OK);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(leases[i].payload_size, FRONTIER_PAYLOAD_MAX);
      assert_memory_equal(leases[i].payload, large, FRONTIER_PAYLOAD_MAX);
      assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
    }
    leased += count;
  }
  assert_int_equal(leased, LINKS);
  frontier_close(f);
  scratch_remove(directory);
}

/* URLs and payloads of every length, with and without an own key: from the batch, then from disk. */
CASE(payloads_are_aligned)
{
  static url u;
  static const char zeros[64] = "";
  enum { LINKS = 160 };
  char directory[SCRATCH_PATH], text[128], path[64] = "";
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory);
  for (unsigned i = 0; i < LINKS; i++) {
    memset(path, 'x', i / 2 % 37);
    path[i / 2 % 37] = '\0';
    int size = snprintf(text, sizeof text, "http://h.test/%u%s", i, path);
    assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
    mlbf_span own = {text, (size_t)size};
    add_one(
      f, (frontier_link){
           .target = &u, .key = i % 2 ? &own : NULL, .key_count = i % 2, .payload = zeros, .payload_size = 1 + i % 35});
  }
  for (int round = 0; round < 2; round++) {
    frontier_lease leases[LINKS];
    size_t all = 0, count;
    int64_t wait_ms;
    for (uint64_t now_ms = 0; all < LINKS && now_ms < 10; now_ms++, all += count)
      assert_int_equal(frontier_next(f, now_ms, leases + all, LINKS - all, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(all, LINKS);
    for (size_t i = 0; i < LINKS; i++) {
      assert_int_equal((uintptr_t)leases[i].payload % 16, 0);
      assert_memory_equal(leases[i].payload, zeros, leases[i].payload_size);
    }
    frontier_close(f);
    f = open_or_fail(directory);
  }
  frontier_close(f);
  scratch_remove(directory);
}

static void lose_filter_files(const char *directory)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, "seen.0", path);
  unlink(path);
  scratch_join(directory, "seen.1", path);
  unlink(path);
}

static void assert_seen(const char *directory, unsigned from, unsigned to, uint64_t keys)
{
  static url u;
  frontier_stats stats;
  lose_filter_files(directory);
  frontier *f = open_or_fail(directory);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.filter.keys, keys);
  for (unsigned i = 0; i < 60; i++) {
    parse(i, &u);
    assert_int_equal(look(f, (frontier_link){.target = &u}) == FRONTIER_SEEN, i >= from && i < to);
  }
  frontier_close(f);
}

/* A filter made from the log lacks what was forgotten, and has it again once it was accepted again. */
CASE(a_filter_made_anew)
{
  static url u;
  char directory[SCRATCH_PATH];
  frontier_verdict verdict;
  uint64_t forgotten;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory);
  for (unsigned i = 0; i < 60; i++) {
    parse(i, &u);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_forget_prefix(f, "http://h.test/0/", 16, &forgotten), FRONTIER_OK);
  assert_int_equal(forgotten, 10);
  assert_int_equal(frontier_forget_prefix(f, "http://h.test/0/", 16, &forgotten), FRONTIER_OK);
  assert_int_equal(forgotten, 0); /* they are new already */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_seen(directory, 10, 60, 50);
  f = open_or_fail(directory);
  for (unsigned i = 0; i < 10; i++) {
    parse(i, &u);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict), FRONTIER_OK);
    assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_seen(directory, 0, 60, 60);
  scratch_remove(directory);
}

/* A classic filter at one in a hundred, made for 1,000 keys: it is made anew, larger, as they come. */
CASE(rates_hold_while_filters_are_made_anew)
{
  enum { URLS = 100000, ASKED = 5000, OF_A_HUNDRED = 100, SPREAD = 5 };
  static const frontier_options options = {.filter = MLBF_KIND_BLOOM,
                                           .expected_urls = 1000,
                                           .rate = 1.0 / OF_A_HUNDRED,
                                           .per_host = 1,
                                           .depth_cap = UINT16_MAX};
  static bool was_new[URLS];
  static url u;
  char message[FRONTIER_MESSAGE_SIZE], directory[SCRATCH_PATH];
  unsigned lost = 0, wrong = 0, asked = 0;
  frontier_verdict verdict;
  frontier *f;
  scratch_make_fast(directory);
  assert_int_equal(frontier_open(directory, &options, &f, message), FRONTIER_OK);
  for (unsigned i = 0; i < URLS; i++) {
    parse(i, &u);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &u}, i, &verdict), FRONTIER_OK);
    was_new[i] = verdict.outcome != FRONTIER_SEEN;
    lost += !was_new[i];
    if (i % (URLS / 20) == URLS / 20 - 1)
      assert_int_equal(frontier_sync(f), FRONTIER_OK); /* what is in the open batch is known exactly */
    for (unsigned k = 0; k < ASKED && i % (URLS / 20) == URLS / 20 - 1; k++, asked++) {
      parse(URLS + asked, &u);
      wrong += look(f, (frontier_link){.target = &u}) == FRONTIER_SEEN;
    }
  }
  for (unsigned i = 0; i < URLS; i++) {
    parse(i, &u);
    if (was_new[i] && look(f, (frontier_link){.target = &u}) != FRONTIER_SEEN)
      fail_msg("%u is not seen", i);
  }
  print_message("%u of %d new ones lost, %u of %u wrongly seen\n", lost, URLS, wrong, asked);
  assert_in_range(lost, 1, URLS / OF_A_HUNDRED + SPREAD * 32); /* standard deviations */
  assert_in_range(wrong, 1, asked / OF_A_HUNDRED + SPREAD * 32);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
