/* From a thousand planned to millions real: no key lost, the promise kept, and what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/chain.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { KEYS = 100000 }; /* ten times slower there, and the arithmetic is the same */
#else
enum { KEYS = 3500000 };
#endif
enum { FIRST = 1000, QUERIES = 300000, BITS_AT = 56 + 8 * (9 + 2) /* of array 0, in a header: FORMAT.md */ };

/* host, directory, file of key number `id`; cheap, there are millions. */
static size_t key_make(uint64_t id, char text[64], mlbf_span segments[3])
{
  uint64_t parts[] = {id / 16, id / 4, id};
  for (size_t i = 0; i < 3; i++) {
    memcpy(text + 16 * i, "/.......", 8);
    memcpy(text + 16 * i + 8, &parts[i], 8);
    segments[i] = (mlbf_span){text + 16 * i, 16};
  }
  return 3;
}

/* A key with its text. */
typedef struct chain_key {
  char text[64];
  mlbf_span segments[3];
  mlbf_key key;
} chain_key;

static void make(chain_key *key, uint64_t id)
{
  key->key = (mlbf_key){key->segments, key_make(id, key->text, key->segments)};
}

static mlbf_verdict chain_test(const mlbf_chain *chain, uint64_t id)
{
  chain_key key;
  mlbf_verdict verdict;
  make(&key, id);
  mlbf_chain_test(chain, &key.key, 1, &verdict);
  return verdict;
}

static mlbf_verdict chain_insert(mlbf_chain *chain, uint64_t id)
{
  chain_key key;
  mlbf_verdict verdict;
  size_t done;
  make(&key, id);
  assert_int_equal(mlbf_chain_insert(chain, &key.key, 1, &verdict, &done), MLBF_OK);
  assert_int_equal(done, 1);
  return verdict;
}

static mlbf_chain *chain_of(mlbf_kind kind, bool signals, uint64_t keys)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = kind,
                          .keys = FIRST,
                          .rate = 0.01,
                          .seed = 3,
                          .signals = signals,
                          .profile = "p"};
  mlbf_chain *chain = NULL;
  assert_int_equal(mlbf_chain_create(&options, &chain), MLBF_OK);
  for (uint64_t id = 0; id < keys; id++) {
    mlbf_verdict verdict = chain_insert(chain, id);
    assert_true(verdict.outcome != MLBF_NEW_SEGMENT || verdict.layer != 1 || id % 16 == 0);
  }
  return chain;
}

static void assert_all_seen(const mlbf_chain *chain, uint64_t keys)
{
  for (uint64_t id = 0; id < keys; id++)
    assert_int_equal(chain_test(chain, id).outcome, MLBF_SEEN);
}

/* Batches of every size up to 200, which new slices cut, and in which keys come twice. */
CASE(a_batch_answers_as_one_by_one)
{
  enum { MOST = 200 };
  static chain_key texts[MOST];
  mlbf_key keys[MOST];
  uint64_t ids[MOST];
  mlbf_chain *batched = chain_of(MLBF_KIND_MLBF, true, 0), *single = chain_of(MLBF_KIND_MLBF, true, 0);
  mlbf_verdict verdicts[MOST], tested[MOST];
  uint64_t id = 0;
  for (size_t count = 0; count <= MOST; count++) {
    size_t done = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
      ids[i] = i % 7 == 3 ? id - 2 : id++;
      make(&texts[i], ids[i]);
      keys[i] = texts[i].key;
    }
    mlbf_chain_test(batched, keys, count, tested);
    for (size_t i = 0; i < count; i++)
      assert_int_equal(tested[i].outcome, chain_test(single, ids[i]).outcome);
    assert_int_equal(mlbf_chain_insert(batched, keys, count, verdicts, &done), MLBF_OK);
    assert_int_equal(done, count);
    for (size_t i = 0; i < count; i++) {
      mlbf_verdict one = chain_insert(single, ids[i]);
      assert_int_equal(one.outcome, verdicts[i].outcome);
      assert_int_equal(one.layer, verdicts[i].layer);
      assert_true(i % 7 != 3 || one.outcome == MLBF_SEEN);
    }
  }
  mlbf_chain_stats stats;
  mlbf_chain_stats_read(batched, &stats);
  assert_true(stats.slices > 3);
  assert_all_seen(batched, id);
  mlbf_chain_free(batched);
  mlbf_chain_free(single);
}

/* Keys of up to 20 segments, the deepest of which have one hash: as a batch is cut, each keeps its own. */
CASE(keys_of_every_depth)
{
  enum { DEPTH = 20, LOT = 50, IDS = 12000 };
  static uint64_t parts[LOT][DEPTH];
  static mlbf_span segments[LOT][DEPTH];
  mlbf_key keys[LOT];
  mlbf_verdict verdicts[LOT], one;
  mlbf_chain *batched = chain_of(MLBF_KIND_MLBF, true, 0), *single = chain_of(MLBF_KIND_MLBF, true, 0);
  size_t done;
  for (uint64_t begin = 0; begin < IDS; begin += LOT / 2) { /* half of each batch was in the one before */
    for (size_t i = 0; i < LOT; i++) {
      uint64_t id = begin + i;
      keys[i] = (mlbf_key){segments[i], 1 + (size_t)(id * 7 % DEPTH)};
      for (size_t s = 0; s < keys[i].count; s++) {
        parts[i][s] = id / (s + 1 == keys[i].count ? 1 : DEPTH - s);
        segments[i][s] = (mlbf_span){&parts[i][s], sizeof parts[i][s]};
      }
    }
    assert_int_equal(mlbf_chain_insert(batched, keys, LOT, verdicts, &done), MLBF_OK);
    for (size_t i = 0; i < LOT; i++) {
      assert_int_equal(mlbf_chain_insert(single, &keys[i], 1, &one, &done), MLBF_OK);
      assert_true(one.outcome == verdicts[i].outcome && one.layer == verdicts[i].layer);
      assert_int_equal(one.unknown, verdicts[i].unknown);
      mlbf_chain_test(batched, &keys[i], 1, &one);
      assert_int_equal(one.outcome, MLBF_SEEN);
    }
  }
  mlbf_chain_free(batched);
  mlbf_chain_free(single);
}

static double measured_rate(const mlbf_chain *chain)
{
  unsigned wrong = 0;
  for (uint64_t i = 0; i < QUERIES; i++)
    wrong += chain_test(chain, KEYS + i).outcome == MLBF_SEEN;
  return (double)wrong / QUERIES;
}

CASE(a_chain_keeps_its_promise)
{
  static const struct {
    mlbf_kind kind;
    bool signals;
  } rows[] = {
    {MLBF_KIND_BLOOM, false},
    {MLBF_KIND_LINE, false},
    {MLBF_KIND_MLBF, false},
    {MLBF_KIND_MLBF, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t keys = rows[i].kind == MLBF_KIND_LINE ? KEYS : KEYS / 10;
    mlbf_chain *chain = chain_of(rows[i].kind, rows[i].signals, keys);
    mlbf_chain_stats stats;
    mlbf_chain_stats_read(chain, &stats);
    double rate = measured_rate(chain);
    print_message("%s: %u slices, %.1f bits a key, promised 0.01, now %.4f, measured %.4f\n",
                  mlbf_kind_name(rows[i].kind), stats.slices, (double)stats.bits / (double)keys, stats.rate, rate);
    assert_all_seen(chain, keys);
    assert_true(rate < 0.01 && stats.rate < 0.01);
    assert_true(stats.slices > 1 && stats.keys > 0.98 * (double)keys);
    mlbf_chain_free(chain);
  }
}

CASE(a_chain_survives_its_file_and_grows_on)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  mlbf_chain *saved = chain_of(MLBF_KIND_MLBF, true, 20000), *loaded = NULL;
  assert_int_equal(mlbf_chain_save(saved, path), MLBF_OK);
  assert_int_equal(mlbf_chain_load(path, NULL, &loaded), MLBF_OK);
  assert_all_seen(loaded, 20000);
  for (uint64_t id = 0; id < 60000; id++) {
    mlbf_verdict one = chain_insert(saved, id), other = chain_insert(loaded, id);
    assert_int_equal(one.outcome, other.outcome);
    assert_int_equal(one.layer, other.layer);
  }
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_load(path, NULL, &filter), MLBF_MISMATCH); /* a chain is not one filter */
  assert_int_equal(mlbf_map(path, NULL, &filter), MLBF_MISMATCH);
  mlbf_chain_free(saved);
  mlbf_chain_free(loaded);
  unlink(path);
}

CASE(a_torn_chain_is_refused)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  int file = mkstemp(path);
  mlbf_chain *chain = chain_of(MLBF_KIND_LINE, false, 5000), *loaded = NULL;
  assert_int_equal(mlbf_chain_save(chain, path), MLBF_OK);
  mlbf_chain_free(chain);
  close(file);
  for (off_t cut = 8192; cut > 0; cut -= 1024) { /* through the end of the last slice, over its header, and before */
    assert_int_equal(truncate(path, cut), 0);
    assert_int_equal(mlbf_chain_load(path, NULL, &loaded), cut < 4096 ? MLBF_NOT_A_FILTER : MLBF_DAMAGED);
  }
  assert_null(loaded);
  unlink(path);
}

/* A single filter's file is a chain of one. */
CASE(a_filter_loads_as_a_chain)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_LINE, .keys = FIRST, .rate = 0.002, .seed = 1};
  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  chain_key key;
  make(&key, 1);
  assert_int_equal(mlbf_insert(filter, &key.key, 1, NULL), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  assert_int_equal(mlbf_chain_load(path, NULL, &chain), MLBF_OK);
  assert_int_equal(chain_test(chain, 1).outcome, MLBF_SEEN);
  mlbf_free(filter);
  mlbf_chain_free(chain);
  unlink(path);
}

/* ---- callbacks -------------------------------------------------------------------------------------------------- */

/* A chain's bytes in memory, written and read a piece at a time; it may end too soon, or fail. */
typedef struct pipe_end {
  unsigned char *bytes;
  size_t size, room, at, fails_at; /* at which byte; SIZE_MAX: never */
  size_t most;                     /* bytes that one read gives */
} pipe_end;

static bool take(void *context, const void *bytes, uint64_t size)
{
  pipe_end *p = context;
  if (p->size + size > p->fails_at)
    return false;
  while (p->size + size > p->room)
    p->bytes = realloc(p->bytes, p->room = 2 * p->room + 4096);
  memcpy(p->bytes + p->size, bytes, size);
  p->size += size;
  return true;
}

static int64_t give(void *context, void *bytes, uint64_t size)
{
  pipe_end *p = context;
  uint64_t left = p->size - p->at, part = left < size ? left : size;
  assert_true(size > 0);
  if (p->at >= p->fails_at)
    return -1;
  part = part < p->most ? part : p->most;
  memcpy(bytes, p->bytes + p->at, part);
  p->at += part;
  return (int64_t)part;
}

static pipe_end pipe_of(const mlbf_chain *chain)
{
  pipe_end p = {.fails_at = SIZE_MAX, .most = SIZE_MAX};
  assert_int_equal(mlbf_chain_write(chain, take, &p), MLBF_OK);
  return p;
}

CASE(a_chain_goes_through_callbacks)
{
  static const size_t pieces[] = {1, 4095, 1 << 20, SIZE_MAX};
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  mlbf_chain *chain = chain_of(MLBF_KIND_MLBF, true, 20000);
  pipe_end p = pipe_of(chain);
  size_t size;
  assert_int_equal(mlbf_chain_save(chain, path), MLBF_OK);
  char *file = scratch_read(path, &size);
  assert_int_equal(size, p.size);
  assert_memory_equal(file, p.bytes, size);
  take(&p, "behind it", 9);
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    mlbf_chain *again = NULL;
    p.at = 0;
    p.most = pieces[i];
    assert_int_equal(mlbf_chain_read(give, &p, NULL, &again), MLBF_OK);
    assert_int_equal(p.at, size); /* and no further */
    assert_all_seen(again, 20000);
    mlbf_chain_free(again);
  }
  free(file);
  free(p.bytes);
  mlbf_chain_free(chain);
  unlink(path);
}

CASE(callbacks_that_fail_or_end_are_noticed)
{
  mlbf_chain *chain = chain_of(MLBF_KIND_LINE, false, 5000), *again = NULL;
  pipe_end p = pipe_of(chain);
  for (size_t at = 0; at < p.size; at += at < 4200 ? 1 : 997) {
    pipe_end torn = {.bytes = p.bytes, .size = at, .fails_at = SIZE_MAX, .most = SIZE_MAX};
    assert_int_equal(mlbf_chain_read(give, &torn, NULL, &again), MLBF_DAMAGED);
    torn = (pipe_end){.bytes = p.bytes, .size = p.size, .fails_at = at, .most = 512};
    assert_int_equal(mlbf_chain_read(give, &torn, NULL, &again), MLBF_IO);
    torn = (pipe_end){.fails_at = at, .most = SIZE_MAX};
    assert_int_equal(mlbf_chain_write(chain, take, &torn), MLBF_IO);
    free(torn.bytes);
  }
  for (size_t at = 0; at < p.size; at += at < 300 ? 1 : 499) {
    p.bytes[at] ^= 4;
    p.at = 0;
    mlbf_status status = mlbf_chain_read(give, &p, NULL, &again);
    assert_true(status == MLBF_NOT_A_FILTER || status == MLBF_VERSION || status == MLBF_DAMAGED);
    p.bytes[at] ^= 4;
  }
  assert_null(again);
  free(p.bytes);
  mlbf_chain_free(chain);
}

/* Slices are as full as they would be key by key, though batches end anywhere. */
CASE(a_batch_makes_the_same_file)
{
  enum { BATCH = 77, IDS = 100 * BATCH };
  static chain_key texts[BATCH];
  mlbf_key keys[BATCH];
  mlbf_verdict verdicts[BATCH];
  size_t done;
  mlbf_chain *batched = chain_of(MLBF_KIND_LINE, false, 0), *single = chain_of(MLBF_KIND_LINE, false, IDS);
  for (uint64_t begin = 0; begin < IDS; begin += BATCH) {
    for (size_t i = 0; i < BATCH; i++) {
      make(&texts[i], begin + i);
      keys[i] = texts[i].key;
    }
    assert_int_equal(mlbf_chain_insert(batched, keys, BATCH, verdicts, &done), MLBF_OK);
  }
  pipe_end p = pipe_of(batched), wanted = pipe_of(single);
  assert_int_equal(p.size, wanted.size);
  assert_memory_equal(p.bytes, wanted.bytes, p.size);
  free(p.bytes);
  free(wanted.bytes);
  mlbf_chain_free(batched);
  mlbf_chain_free(single);
}

/* Where the slices of a chain's file begin; how many there are. */
static size_t find_slices(const pipe_end *p, size_t begins[8])
{
  size_t count = 0;
  for (uint64_t at = 0, body, blocks; at < p->size; at += 4096 + body + 8 * blocks) {
    assert_true(count < 7);
    begins[count++] = (size_t)at;
    memcpy(&body, p->bytes + at + 32, 8);
    memcpy(&blocks, p->bytes + at + 40, 8);
  }
  begins[count] = p->size;
  return count;
}

/* Each slice is sound, but they are not those of one chain, in its order. */
CASE(slices_that_make_no_chain_are_refused)
{
  static const struct {
    int slices[3], others; /* this one is of another chain */
    mlbf_status wanted;
  } rows[] = {
    {{0, 1, 2}, -1, MLBF_OK},      {{1, 0, 2}, -1, MLBF_DAMAGED}, {{0, 2, 1}, -1, MLBF_DAMAGED},
    {{0, 0, 2}, -1, MLBF_DAMAGED}, {{0, 1, 1}, -1, MLBF_DAMAGED}, {{1, 2, 2}, -1, MLBF_DAMAGED},
    {{0, 1, 2}, 1, MLBF_MISMATCH}, {{0, 1, 2}, 0, MLBF_MISMATCH}, {{0, 1, 2}, 2, MLBF_MISMATCH},
  };
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_LINE, .keys = FIRST, .rate = 0.01, .seed = 4, .profile = "p"};
  mlbf_chain *chain = chain_of(MLBF_KIND_LINE, false, 5000), *other = NULL;
  assert_int_equal(mlbf_chain_create(&options, &other), MLBF_OK); /* of another secret */
  for (uint64_t id = 0; id < 5000; id++)
    chain_insert(other, id);
  pipe_end p = pipe_of(chain), q = pipe_of(other);
  size_t begins[8];
  assert_int_equal(find_slices(&p, begins), 3);
  assert_int_equal(q.size, p.size);
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    pipe_end mixed = {.fails_at = SIZE_MAX, .most = SIZE_MAX};
    mlbf_chain *read = NULL;
    for (int i = 0; i < 3; i++) {
      size_t slice = (size_t)rows[row].slices[i];
      const pipe_end *source = rows[row].others == i ? &q : &p;
      take(&mixed, source->bytes + begins[slice], begins[slice + 1] - begins[slice]);
    }
    assert_int_equal(mlbf_chain_read(give, &mixed, NULL, &read), rows[row].wanted);
    assert_true((read != NULL) == (rows[row].wanted == MLBF_OK));
    mlbf_chain_free(read);
    free(mixed.bytes);
  }
  free(p.bytes);
  free(q.bytes);
  mlbf_chain_free(chain);
  mlbf_chain_free(other);
}

/* A header with correct checksums that promises more than any machine has; nothing comes behind it. */
CASE(a_header_that_promises_much_costs_little)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = 10, .bits = 64, .hashes = 1, .seed = 1};
  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL, *again = NULL;
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  assert_int_equal(mlbf_chain_load(path, NULL, &chain), MLBF_OK);
  pipe_end p = pipe_of(chain);
  for (unsigned log = 20; log <= 48; log++) { /* bits */
    uint64_t bits = UINT64_C(1) << log, body = bits / 8, blocks = (body + (1 << 20) - 1) >> 20;
    memcpy(p.bytes + BITS_AT, &bits, 8);
    memcpy(p.bytes + 32, &body, 8);
    memcpy(p.bytes + 40, &blocks, 8);
    uint64_t checksum = XXH3_64bits(p.bytes, 4088);
    memcpy(p.bytes + 4088, &checksum, 8);
    p.at = 0;
    mlbf_status status = mlbf_chain_read(give, &p, NULL, &again);
    assert_true(status == MLBF_DAMAGED || (log > 36 && status == MLBF_NO_MEMORY));
  }
  assert_null(again);
  free(p.bytes);
  mlbf_free(filter);
  mlbf_chain_free(chain);
  unlink(path);
}

CASE(nonsense_is_refused)
{
  mlbf_chain *chain = NULL;
  mlbf_options rows[] = {
    {.kind = (mlbf_kind)3, .keys = 10, .rate = 0.1, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = 0.1, .bits = 4096, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = 3, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = NAN, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 0, .rate = 0.1, .seed = 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    rows[i].size = sizeof rows[i];
    assert_int_equal(mlbf_chain_create(&rows[i], &chain), MLBF_BAD_ARGUMENT);
  }
  assert_int_equal(mlbf_chain_load("/nowhere", NULL, &chain), MLBF_IO);
  assert_null(chain);
  mlbf_chain_free(NULL);
}
