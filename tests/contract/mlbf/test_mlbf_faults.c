/* Each allocation, write and sync of a filter's life fails once, and then, from each on, all of them. Whatever happens:
 * the call says so by its status and writes no output, the same call works once the cause is gone, no key is lost, and
 * nothing is leaked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/count.h"
#include "mlbf/digest.h"
#include "mlbf/chain.h"
#include "mlbf/key_set.h"
#include "mlbf/rebuild.h"
#include "mlbf/recent.h"
#include "mlbf/window.h"
#include "tests/support/lives.h"

enum {
  KEYS = 300,
  COUNTED = 20, /* keys of a counting filter, which allocates as it fills */
  FIRST = 60,   /* of a chain: three slices for 300 keys */
  DESIGN = 250000,
};

static void make_key(uint64_t id, char text[32], mlbf_span segments[2])
{
  int host = snprintf(text, 16, "h%llu", (unsigned long long)(id / 5));
  int page = snprintf(text + 16, 16, "/%llu", (unsigned long long)id);
  segments[0] = (mlbf_span){text, (size_t)host};
  segments[1] = (mlbf_span){text + 16, (size_t)page};
}

static one_key hashes_of(const mlbf_filter *filter, uint64_t id)
{
  char text[32];
  mlbf_span segments[2];
  one_key hashes;
  make_key(id, text, segments);
  one_key_hash(filter, segments, 2, &hashes);
  return hashes;
}

static void insert(mlbf_filter *filter, uint64_t begin, uint64_t end)
{
  for (uint64_t id = begin; id < end; id++) {
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict verdict;
    one_key_insert(filter, &hashes, &verdict);
  }
}

static void assert_all_seen(const mlbf_filter *filter)
{
  for (uint64_t id = 0; id < KEYS; id++) {
    one_key hashes = hashes_of(filter, id);
    assert_int_equal(one_key_test(filter, &hashes).outcome, MLBF_SEEN);
  }
}

static mlbf_filter *create(story *s, mlbf_options options)
{
  mlbf_filter *filter = NULL;
  while (has_failed(s, mlbf_create(&options, &filter)))
    assert_null(filter);
  return filter;
}

static mlbf_filter *open_file(story *s, mlbf_status (*open)(const char *, const uint8_t *, mlbf_filter **))
{
  mlbf_filter *filter = NULL;
  while (has_failed(s, open(s->path, NULL, &filter)))
    assert_null(filter);
  assert_all_seen(filter);
  return filter;
}

static void live_on_disk(story *s, const mlbf_filter *filter)
{
  while (has_failed(s, mlbf_save(filter, s->path)))
    ;
  mlbf_filter *mapped = open_file(s, mlbf_map);
  assert_int_equal(mlbf_verify(mapped, UINT64_MAX, NULL), MLBF_OK);
  assert_all_seen(mapped);
  mlbf_free(mapped);
  mlbf_free(open_file(s, mlbf_load));
  while (has_failed(s, mlbf_save(filter, s->path))) /* the old file stays, or the new one is there: whole */
    mlbf_free(open_file(s, mlbf_load));
}

static void live_with_others(story *s, mlbf_filter *filter, mlbf_options options)
{
  mlbf_filter *other = create(s, options);
  insert(other, 0, KEYS / 2);
  assert_int_equal(mlbf_union(other, filter), MLBF_OK);
  assert_all_seen(other);
  mlbf_free(other);
}

static void live_alone(story *s, mlbf_options options)
{
  mlbf_filter *filter = create(s, options);
  insert(filter, 0, KEYS);
  live_on_disk(s, filter);
  live_with_others(s, filter, options);
  mlbf_free(filter);
}

static void assert_chain_knows(const mlbf_chain *chain, uint64_t keys)
{
  for (uint64_t id = 0; id < keys; id++) {
    char text[32];
    mlbf_span segments[2];
    mlbf_verdict verdict;
    make_key(id, text, segments);
    mlbf_chain_test(chain, &(mlbf_key){segments, 2}, 1, &verdict);
    assert_int_equal(verdict.outcome, MLBF_SEEN);
  }
}

/* Two keys in one call, or one where `count` is. */
static mlbf_status chain_insert(mlbf_chain *chain, uint64_t id, size_t count, mlbf_verdict verdicts[2], size_t *settled)
{
  char text[2][32];
  mlbf_span segments[2][2];
  mlbf_key keys[2];
  for (size_t i = 0; i < count; i++) {
    make_key(id + i, text[i], segments[i]);
    keys[i] = (mlbf_key){segments[i], 2};
  }
  return mlbf_chain_insert(chain, keys, count, verdicts, settled);
}

static void live_in_slices(story *s, mlbf_options options)
{
  mlbf_chain *chain = NULL, *loaded = NULL;
  options.keys = FIRST;
  while (has_failed(s, mlbf_chain_create(&options, &chain)))
    assert_null(chain);
  size_t settled;
  for (uint64_t id = 0; id < KEYS; id += settled) {
    mlbf_verdict verdicts[2] = {{MLBF_NEW, 77, 0}, {MLBF_NEW, 77, 0}};
    size_t count = id + 1 < KEYS ? 2 : 1;
    if (has_failed(s, chain_insert(chain, id, count, verdicts, &settled))) { /* no slice: the rest is untouched */
      assert_true(settled < count);
      assert_int_equal(verdicts[settled].layer, 77);
      assert_chain_knows(chain, id + settled);
    } else {
      assert_int_equal(settled, count);
    }
  }
  while (has_failed(s, mlbf_chain_save(chain, s->path)))
    ;
  while (has_failed(s, mlbf_chain_load(s->path, NULL, &loaded)))
    assert_null(loaded);
  assert_chain_knows(loaded, KEYS);
  mlbf_chain_free(loaded);
  mlbf_chain_free(chain);
}

/* A file with all keys, from an old filter that has some. */
static mlbf_status rebuild(const mlbf_filter *old, const char *path)
{
  mlbf_rebuild *r = NULL;
  mlbf_rebuild_need need = MLBF_REBUILD_STEP;
  mlbf_status status = mlbf_rebuild_begin(old, NULL, 0, path, &r);
  while (status == MLBF_OK && need != MLBF_REBUILD_DONE) {
    status = mlbf_rebuild_step(r, 1, &need);
    if (status != MLBF_OK || need != MLBF_REBUILD_KEYS)
      continue;
    for (uint64_t id = 0; id < KEYS; id++) {
      one_key hashes = hashes_of(old, id);
      mlbf_rebuild_hashes(r, &(mlbf_hashes){.keys = &hashes.whole}, 1);
    }
    mlbf_rebuild_keys_end(r);
  }
  mlbf_rebuild_end(r);
  return status;
}

static void live_in_windows(story *s, mlbf_options options)
{
  mlbf_filter *filter = create(s, options);
  insert(filter, 0, KEYS / 2);
  while (has_failed(s, rebuild(filter, s->path)))
    ;
  mlbf_free(open_file(s, mlbf_load));
  while (has_failed(s, rebuild(filter, s->path))) /* the old file stays, or the new one is there: whole */
    mlbf_free(open_file(s, mlbf_load));
  mlbf_free(filter);
}

static void remember(story *s)
{
  mlbf_recent *recent;
  while (!(recent = mlbf_recent_create(1000)))
    assert_true(has_failed(s, MLBF_NO_MEMORY));
  mlbf_recent_free(recent);
}

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

static void assert_counts(const mlbf_count *count, uint32_t least)
{
  for (uint64_t id = 0; id < COUNTED; id++) {
    uint32_t times;
    times = mlbf_count_get(count, span_of(&id));
    assert_in_range(times, least, least + least / 2); /* and nothing was added twice */
  }
}

static void count_keys(story *s)
{
  enum { TIMES = 6 };
  mlbf_count_options options = {.size = sizeof(mlbf_count_options),
                                .limit = MLBF_COUNT_LIMIT_MOST,
                                .keys = COUNTED,
                                .rate = 1e-3,
                                .base_bits = 1,
                                .seed = 1};
  mlbf_count *count = NULL, *copy = NULL, *delta = NULL;
  while (has_failed(s, mlbf_count_create(&options, &count)))
    assert_null(count);
  for (uint64_t id = 0; id < COUNTED; id++) {
    uint32_t now = 77;
    while (has_failed(s, mlbf_count_add(count, span_of(&id), TIMES, &now)))
      assert_int_equal(now, 77);
  }
  while (has_failed(s, mlbf_count_save(count, s->path)))
    assert_counts(count, TIMES);
  while (has_failed(s, mlbf_count_load(s->path, NULL, &copy)))
    assert_null(copy);
  while (has_failed(s, mlbf_count_merge(copy, count)))
    assert_counts(copy, TIMES);
  assert_counts(copy, 2 * TIMES);
  while (has_failed(s, mlbf_count_difference(copy, count, &delta)))
    assert_null(delta);
  assert_counts(delta, TIMES);
  mlbf_count_free(count);
  mlbf_count_free(copy);
  mlbf_count_free(delta);
}

static void look_through_a_window(story *s)
{
  mlbf_window_options options = {
    .size = sizeof(mlbf_window_options), .unit = MLBF_WINDOW_INSERTIONS, .window = KEYS, .rate = 0.01, .seed = 1};
  mlbf_epoch *epoch = NULL, *epoch_again = NULL;
  while (has_failed(s, mlbf_epoch_create(&options, &epoch)))
    assert_null(epoch);
  for (uint64_t id = 0; id < KEYS; id++)
    mlbf_epoch_insert(epoch, span_of(&id), 0);
  while (has_failed(s, mlbf_epoch_save(epoch, s->path)))
    ;
  while (has_failed(s, mlbf_epoch_load(s->path, NULL, &epoch_again)))
    assert_null(epoch_again);
  for (uint64_t id = 0; id < KEYS; id++)
    assert_true(mlbf_epoch_test(epoch_again, span_of(&id), 0));
  mlbf_epoch_free(epoch);
  mlbf_epoch_free(epoch_again);
}

static void know_keys(story *s)
{
  enum { MANY = 5000 }; /* it grows some times */
  mlbf_key_set *set = NULL, *again = NULL;
  while (has_failed(s, mlbf_key_set_create(NULL, 1, "", &set)))
    assert_null(set);
  for (uint64_t id = 0; id < MANY; id++) {
    mlbf_hash128 hash = mlbf_key_set_hash(set, span_of(&id));
    bool was_seen = true;
    while (has_failed(s, mlbf_key_set_insert(set, hash, &was_seen)))
      assert_false(mlbf_key_set_test(set, hash));
    assert_false(was_seen);
  }
  while (has_failed(s, mlbf_key_set_save(set, s->path)))
    ;
  while (has_failed(s, mlbf_key_set_load(s->path, NULL, &again)))
    assert_null(again);
  for (uint64_t id = 0; id < MANY; id++)
    assert_true(mlbf_key_set_test(set, mlbf_key_set_hash(set, span_of(&id))) &&
                mlbf_key_set_test(again, mlbf_key_set_hash(again, span_of(&id))));
  mlbf_key_set_free(set);
  mlbf_key_set_free(again);
}

static void digest(story *s, bool blocks)
{
  enum { SIZE = 40000 };
  static unsigned char bytes[SIZE];
  mlbf_digest *made = NULL, *again = NULL;
  mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .blocks = blocks, .threads = 1};
  const char *why = NULL;
  char *text;
  for (uint64_t i = 0, dice = 1; i < SIZE; i++) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (unsigned char)(dice >> 56);
  }
  while (has_failed(s, mlbf_digest_create(&options, bytes, SIZE, &made)))
    assert_null(made);
  while (!(text = mlbf_digest_text(made, "name")))
    assert_true(has_failed(s, MLBF_NO_MEMORY));
  while (has_failed(s, mlbf_digest_parse(text, strlen(text), &again, &why)))
    assert_null(again);
  int score = mlbf_digest_score(made, again, MLBF_DIGEST_RULE_CURRENT);
  for (; score == MLBF_DIGEST_NO_MEMORY; score = mlbf_digest_score(made, again, MLBF_DIGEST_RULE_CURRENT))
    assert_true(has_failed(s, MLBF_NO_MEMORY));
  assert_int_equal(score, 100);
  free(text);
  mlbf_digest_free(made);
  mlbf_digest_free(again);
}

static void digest_a_stream(story *s)
{
  digest(s, false);
}

static void digest_blocks(story *s)
{
  digest(s, true);
}

/* bloom: planned in no time, and no kind allocates otherwise */
static const mlbf_options usual = {
  .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = DESIGN, .rate = 1e-6, .seed = 1};

static void be_a_filter(story *s)
{
  live_alone(s, usual);
}

static void be_a_chain(story *s)
{
  live_in_slices(s, usual);
}

static void be_rebuilt(story *s)
{
  live_in_windows(s, usual);
}

static life *const lives[] = {be_a_filter,           be_rebuilt, be_a_chain,      remember,     count_keys,
                              look_through_a_window, know_keys,  digest_a_stream, digest_blocks};

LIVES_FAIL(lives, sizeof lives / sizeof *lives)

/* A new file that cannot be synced does not get the name of the old one: it would be there after a power cut, and what
 * is in it perhaps not. */
CASE(a_file_is_synced_before_it_has_its_name)
{
  char root[SCRATCH_PATH], path[SCRATCH_PATH];
  mlbf_filter *filter = NULL;
  size_t size, size_after;
  scratch_make_fast(root);
  scratch_join(root, "filter", path);
  assert_int_equal(mlbf_create(&usual, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  char *before = scratch_read(path, &size);
  insert(filter, 0, KEYS);
  for (int is_rebuilt = 0; is_rebuilt < 2; is_rebuilt++) {
    faults_set(FAULT_SYNC, 1, EIO, false);
    assert_int_equal(is_rebuilt ? rebuild(filter, path) : mlbf_save(filter, path), MLBF_IO);
    assert_true(faults_have_struck());
    faults_end();
    char *after = scratch_read(path, &size_after);
    assert_int_equal(size_after, size);
    assert_memory_equal(after, before, size);
    free(after);
  }
  free(before);
  mlbf_free(filter);
  scratch_remove(root);
}
