/* The seen keys: filters, two batches, and the log chunk that is committed with each. seen.h has the steps.
 *
 * A key in a chunk (FORMAT.md, table "hashes"):
 *
 *     whole hash (16) | n (1) | n times: layer (1), hash of a segment (16)
 *
 * The n segments are those that the log does not hold yet, as far as a table of recent ones remembers. To leave
 * out those that the *filter* knows would be wrong: it may know one wrongly, and a larger filter built from the log
 * would lack it (mlbf/filter.h, mlbf_insert_hashes).
 *
 * Always: a key that was added is in a batch, and after seen_settle in a filter. Each of its segments is in its own
 * chunk or in an earlier one: the cache of logged segments (`logged`) compares all 128 bits, so it has no false hits; a
 * segment that it forgot is logged twice, which does no harm. The set of a batch is at most half full. Here seen_settle
 * alone sets bits, those of `young`, when the chunk is committed. A segment that another filter knows is set there all
 * the same: that one may know it wrongly, and its successor lack it.
 *
 * Called under the handle's mutex, and by check and salvage on a `seen` of their own. After a crash: only committed
 * chunks are left, and opening replays those that the filter's file does not have (core/checkpoint.c). */
#include "frontier/seen/seen.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>

enum { RECENT_SLOTS = 1 << 16 }; /* 1 MB; sites come in runs, so it drops nearly all repetitions */

enum { BATCH_SIZE = 4096 }; /* the least its table has */

enum { HASH_SIZE = 16, LAYER_SIZE = 1 + HASH_SIZE, KEY_SIZE_MAX = HASH_SIZE + 1 + MLBF_LAYERS_MAX * LAYER_SIZE };

/* Keys whose bits are not set yet. */
typedef struct key_batch {
  mlbf_hash128 *set; /* open addressing, at most half full; all-zero = free */
  size_t size;       /* a power of two */
  size_t used;
  size_t keys;
  uint8_t *log; /* their chunk */
  size_t log_size, log_room;
} key_batch;

/* Counting a filter's bits takes some 300 us: that is done as its keys grow by a part of what it is made for. Between
 * two counts the numbers are carried on. */
typedef struct followed {
  const mlbf_filter *of;
  mlbf_stats stats;
} followed;
enum { COUNTS = 16 }; /* while it fills */

struct seen {
  mlbf_filter *main, *frozen, *young;
  followed main_stats, frozen_stats, young_stats;
  double main_rate, frozen_rate; /* these two do not change */
  mlbf_recent *logged;           /* segments that the log, or a batch's chunk, holds */
  key_batch open, landing;
};

static void assert_batch(const key_batch *b)
{
  assert(b->size >= BATCH_SIZE && (b->size & (b->size - 1)) == 0);
  assert(2 * b->used <= b->size);
  assert(b->log_size <= b->log_room);
  assert(b->log_size >= b->keys * (HASH_SIZE + 1) && b->log_size <= b->keys * KEY_SIZE_MAX);
  (void)b;
}

static void assert_seen(const seen *s)
{
  assert_batch(&s->open);
  assert_batch(&s->landing);
}

static key_batch batch_create(void)
{
  return (key_batch){.size = BATCH_SIZE, .set = calloc(BATCH_SIZE, sizeof(mlbf_hash128))};
}

seen *seen_adopt(mlbf_filter *young)
{
  seen *s = calloc(1, sizeof *s);
  if (s)
    *s = (seen){
      .young = young, .logged = mlbf_recent_create(RECENT_SLOTS), .open = batch_create(), .landing = batch_create()};
  if (s && s->open.set && s->landing.set && s->logged)
    return s;
  if (s)
    seen_free(s);
  else
    mlbf_free(young);
  return NULL;
}

void seen_free(seen *s)
{
  if (!s)
    return;
  mlbf_free(s->main);
  mlbf_free(s->frozen);
  mlbf_free(s->young);
  mlbf_recent_free(s->logged);
  free(s->open.set);
  free(s->open.log);
  free(s->landing.set);
  free(s->landing.log);
  free(s);
}

const mlbf_filter *seen_filter(const seen *s)
{
  return s->young;
}

mlbf_filter *seen_main(const seen *s)
{
  return s->main;
}

mlbf_filter *seen_take_filter(seen *s)
{
  mlbf_filter *young = s->young;
  s->young = NULL;
  return young;
}

/* ---- filters ------------------------------------------------------------------------------------------ */

void seen_freeze(seen *s, mlbf_filter *young)
{
  assert(!s->frozen);
  s->frozen = s->young;
  s->young = young;
  s->frozen_rate = mlbf_rate(s->frozen);
}

bool seen_has_frozen(const seen *s)
{
  return s->frozen;
}

void seen_renew(seen *s, mlbf_filter *main, uint64_t keys)
{
  mlbf_free(s->main);
  mlbf_free(s->frozen);
  s->main = main;
  s->frozen = NULL;
  s->frozen_rate = 0;
  s->main_rate = main ? mlbf_rate_at(main, (double)keys) : 0; /* not from its fill: that would read the file */
}

void seen_replace(seen *s, mlbf_filter *young)
{
  mlbf_free(s->young);
  s->young = young;
}

double seen_rate(const seen *s, uint64_t young_keys)
{
  return s->main_rate + s->frozen_rate + mlbf_rate_at(s->young, (double)young_keys);
}

static mlbf_stats stats_of(followed *f, const mlbf_filter *filter)
{
  mlbf_stats now = f->stats;
  if (f->of == filter)
    mlbf_stats_follow(filter, &now);
  const mlbf_stats *then = &f->stats;
  if (f->of != filter || now.bits != then->bits || now.design_keys != then->design_keys || now.keys < then->keys ||
      now.keys - then->keys > now.design_keys / COUNTS) {
    mlbf_stats_read(filter, &now);
    *f = (followed){filter, now};
  }
  return now;
}

/* Segments that two filters know count twice. */
static void add_stats(mlbf_stats *stats, const mlbf_stats *more)
{
  stats->bits += more->bits;
  stats->memory_bytes += more->memory_bytes;
  stats->keys += more->keys;
  stats->estimated_keys += more->estimated_keys;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX; i++)
    stats->layer_distinct[i] += more->layer_distinct[i];
}

void seen_stats_read(seen *s, double promised_rate, mlbf_stats *stats)
{
  mlbf_stats young = stats_of(&s->young_stats, s->young), more;
  *stats = s->main ? stats_of(&s->main_stats, s->main) : young;
  stats->promised_rate = promised_rate;
  if (s->frozen) {
    more = stats_of(&s->frozen_stats, s->frozen);
    add_stats(stats, &more);
  }
  if (s->main)
    add_stats(stats, &young);
  uint64_t room = stats->keys - young.keys + mlbf_promise_of(s->young).keys; /* the others take no more */
  stats->design_keys = stats->design_keys > room ? stats->design_keys : room;
}

/* ---- batches ------------------------------------------------------------------------------------------ */

static bool is_free(mlbf_hash128 slot)
{
  return (slot.low | slot.high) == 0;
}

/* The slot of this hash, or the free one where it belongs. A hash of all zeros (1 in 2^128) takes the place of
 * its neighbour 1. */
static size_t slot_of(const key_batch *b, mlbf_hash128 *hash)
{
  if (is_free(*hash))
    hash->low = 1;
  size_t slot = hash->low & (b->size - 1);
  while (!is_free(b->set[slot]) && (b->set[slot].low != hash->low || b->set[slot].high != hash->high))
    slot = (slot + 1) & (b->size - 1);
  return slot;
}

static bool batch_has(const key_batch *b, mlbf_hash128 hash)
{
  return b->used && !is_free(b->set[slot_of(b, &hash)]);
}

static bool batches_have(const seen *s, mlbf_hash128 hash)
{
  return batch_has(&s->open, hash) || batch_has(&s->landing, hash);
}

static void batch_put(key_batch *b, mlbf_hash128 hash)
{
  size_t slot = slot_of(b, &hash);
  b->used += is_free(b->set[slot]);
  b->set[slot] = hash;
}

/* For one key: its whole hash and all its layers'. */
static bool batch_make_room(key_batch *b)
{
  if (2 * (b->used + 1 + MLBF_LAYERS_MAX) <= b->size)
    return true;
  mlbf_hash128 *larger = calloc(2 * b->size, sizeof *larger), *old = b->set;
  if (!larger)
    return false;
  size_t old_size = b->size;
  b->set = larger;
  b->size *= 2;
  for (size_t i = 0; i < old_size; i++)
    if (!is_free(old[i]))
      b->set[slot_of(b, &old[i])] = old[i];
  free(old);
  return true;
}

/* After a large batch the table is too large for the next: to clear it, and to miss it, would cost more than to make it
 * again as it grows. */
static void batch_empty(key_batch *b)
{
  size_t size = b->size;
  while (size > BATCH_SIZE && 8 * b->used < size)
    size /= 2;
  mlbf_hash128 *smaller = size < b->size ? realloc(b->set, size * sizeof *b->set) : NULL;
  if (smaller) {
    b->set = smaller;
    b->size = size;
  }
  memset(b->set, 0, b->size * sizeof *b->set);
  b->used = b->keys = b->log_size = 0;
}

/* ---- one key ------------------------------------------------------------------------------------------ */

mlbf_hashes seen_lot_hashes(seen_lot *lot)
{
  return (mlbf_hashes){lot->wholes, lot->ends, lot->segments, lot->layers};
}

void seen_lot_key(const seen_lot *lot, size_t i, key_hashes *key)
{
  size_t begin = i ? lot->ends[i - 1] : 0;
  key->whole = lot->wholes[i];
  key->depth = lot->ends[i] - (uint32_t)begin;
  memcpy(key->layer, lot->segments + begin, key->depth * sizeof *key->layer);
}

/* One key as a lot. */
static void make_lot(const key_hashes *key, seen_lot *lot)
{
  lot->wholes[0] = key->whole;
  lot->ends[0] = key->depth;
  memcpy(lot->segments, key->layer, key->depth * sizeof *key->layer);
  for (uint32_t i = 0; i < key->depth; i++)
    lot->layers[i] = (uint8_t)(i + 1);
}

void seen_hash_key(const mlbf_filter *filter, const mlbf_span *segments, size_t count, key_hashes *key)
{
  uint8_t layers[MLBF_LAYERS_MAX]; /* 1, 2, ... */
  mlbf_hashes hashes = {&key->whole, &key->depth, key->layer, layers};
  mlbf_hash(filter, &(mlbf_key){segments, count}, 1, &hashes);
}

size_t seen_segments(const url *u, mlbf_span segments[URL_SEGMENTS_MAX])
{
  assert(u->segment_count && u->segment_count <= URL_SEGMENTS_MAX);
  for (uint32_t i = 0; i < u->segment_count; i++)
    segments[i] = (mlbf_span){u->key + u->segment_begin[i], u->segment_begin[i + 1] - u->segment_begin[i]};
  return u->segment_count;
}

void seen_hash(const mlbf_filter *filter, const url *u, key_hashes *key)
{
  mlbf_span segments[URL_SEGMENTS_MAX];
  seen_hash_key(filter, segments, seen_segments(u, segments), key);
}

/* Whole keys that a small filter knows: a test of its own, of all of them together. */
static void note_known(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  mlbf_verdict own[SEEN_LOT];
  if (!filter)
    return;
  mlbf_test_hashes(filter, &(mlbf_hashes){.keys = hashes->keys}, count, own);
  for (size_t i = 0; i < count; i++)
    if (own[i].outcome == MLBF_SEEN)
      verdicts[i] = (mlbf_verdict){MLBF_SEEN, 0, 0};
}

/* Nothing is known of a key of so many segments. */
static mlbf_verdict least(size_t depth)
{
  uint16_t unknown = (uint16_t)((1u << depth) - 1);
  return depth ? (mlbf_verdict){MLBF_NEW_SEGMENT, 1, unknown} : (mlbf_verdict){MLBF_NEW, 0, 0};
}

mlbf_verdict seen_least(const key_hashes *key)
{
  return least(key->depth);
}

void seen_ask(const seen *s, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  assert(count <= SEEN_LOT);
  if (s->main)
    mlbf_test_hashes(s->main, hashes, count, verdicts);
  for (size_t i = 0; i < count && !s->main; i++)
    verdicts[i] = least(hashes->ends ? hashes->ends[i] - (i ? hashes->ends[i - 1] : 0) : 0);
  note_known(s->frozen, hashes, count, verdicts);
  note_known(s->young, hashes, count, verdicts);
}

mlbf_verdict seen_ask_one(const seen *s, const key_hashes *key)
{
  seen_lot lot;
  mlbf_verdict verdict;
  make_lot(key, &lot);
  mlbf_hashes hashes = seen_lot_hashes(&lot);
  seen_ask(s, &hashes, 1, &verdict);
  return verdict;
}

mlbf_verdict seen_ask_file(const mlbf_filter *filter, const key_hashes *key)
{
  seen_lot lot;
  mlbf_verdict verdict;
  make_lot(key, &lot);
  mlbf_hashes hashes = seen_lot_hashes(&lot);
  mlbf_test_hashes(filter, &hashes, 1, &verdict);
  return verdict;
}

/* Of the segments that are unknown so far, as bits by layer, those that this filter does not know either. */
static uint16_t unknown_to(const mlbf_filter *filter, const key_hashes *key, uint16_t unknown)
{
  return filter && unknown ? unknown & seen_ask_file(filter, key).unknown : unknown;
}

/* Layer hashes are salted by their layer, so they share a batch's set with whole hashes. */
static uint16_t unknown_to_all(const seen *s, const key_hashes *key, uint16_t unknown)
{
  unknown = unknown_to(s->frozen, key, unknown_to(s->young, key, unknown));
  for (uint32_t i = 0; i < key->depth; i++)
    if (unknown >> i & 1 && batches_have(s, key->layer[i]))
      unknown &= (uint16_t) ~(1u << i);
  return unknown;
}

frontier_verdict seen_judge(const seen *s, const key_hashes *key, mlbf_verdict verdict)
{
  if (verdict.outcome == MLBF_SEEN || batches_have(s, key->whole))
    return (frontier_verdict){FRONTIER_SEEN, 0};
  if (verdict.outcome == MLBF_NEW)
    return (frontier_verdict){FRONTIER_NEW, 0};
  uint32_t layer = (uint32_t)__builtin_ffs(unknown_to_all(s, key, verdict.unknown));
  frontier_outcome outcome = layer == 1 ? FRONTIER_NEW_HOST : FRONTIER_NEW_SEGMENT;
  return (frontier_verdict){layer ? outcome : FRONTIER_NEW_COMBINATION, layer};
}

bool seen_has_in_batch(const seen *s, mlbf_hash128 whole)
{
  return batches_have(s, whole);
}

static void fetch_slots(const seen *s, mlbf_hash128 hash)
{
  __builtin_prefetch(&s->open.set[hash.low & (s->open.size - 1)], 1);
  if (s->landing.used)
    __builtin_prefetch(&s->landing.set[hash.low & (s->landing.size - 1)]);
}

void seen_fetch(const seen *s, const key_hashes *key)
{
  fetch_slots(s, key->whole);
  for (uint32_t i = 0; i < key->depth; i++) {
    fetch_slots(s, key->layer[i]);
    mlbf_recent_fetch(s->logged, key->layer[i]);
  }
}

frontier_verdict seen_test(const seen *s, const url *u, key_hashes *key)
{
  seen_hash(s->young, u, key);
  return seen_judge(s, key, seen_ask_one(s, key));
}

static uint8_t *put_hash(uint8_t *at, mlbf_hash128 hash)
{
  put_le(at, hash.low, 8);
  put_le(at + 8, hash.high, 8);
  return at + HASH_SIZE;
}

static mlbf_hash128 get_hash(const uint8_t *at)
{
  return (mlbf_hash128){get_le(at, 8), get_le(at + 8, 8)};
}

bool seen_add(seen *s, const key_hashes *key)
{
  assert(s->young);
  assert_seen(s);
  key_batch *b = &s->open;
  if (!batch_make_room(b) || !HAS_ROOM(b->log, b->log_room, b->log_size + KEY_SIZE_MAX))
    return false;
  uint8_t *count = put_hash(b->log + b->log_size, key->whole), *at = count + 1;
  *count = 0;
  for (uint32_t i = 0; i < key->depth; i++) {
    if (!mlbf_recent_note(s->logged, key->layer[i])) {
      batch_put(b, key->layer[i]); /* even if main knows it: perhaps wrongly, and its successor not */
      *at++ = (uint8_t)(i + 1);
      at = put_hash(at, key->layer[i]);
      ++*count;
    }
  }
  b->log_size = (size_t)(at - b->log);
  batch_put(b, key->whole);
  b->keys++;
  assert_seen(s);
  return true;
}

/* ---- the log ------------------------------------------------------------------------------------------ */

size_t seen_batch_keys(const seen *s)
{
  return s->open.keys + s->landing.keys;
}

size_t seen_landing_keys(const seen *s)
{
  return s->landing.keys;
}

const uint8_t *seen_batch_log(const seen *s, size_t *size)
{
  *size = s->open.log_size;
  return s->open.log;
}

const uint8_t *seen_landing_log(const seen *s, size_t *size)
{
  *size = s->landing.log_size;
  return s->landing.log;
}

/* By the lot, their memory fetched together. */
typedef struct replaying {
  const seen_sink *sink;
  size_t count, end; /* keys, and their segments */
  mlbf_hash128 wholes[SEEN_LOT], segments[SEEN_LOT * MLBF_LAYERS_MAX];
  uint32_t ends[SEEN_LOT];
  uint8_t layers[SEEN_LOT * MLBF_LAYERS_MAX];
} replaying;

static void hand_over(const seen_sink *sink, const mlbf_hashes *hashes, size_t count)
{
  if (sink->filter)
    mlbf_insert_hashes(sink->filter, hashes, count, NULL);
  else
    mlbf_rebuild_hashes(sink->rebuild, hashes, count);
}

static void flush(replaying *r)
{
  assert(r->count <= SEEN_LOT);
  if (r->count)
    hand_over(r->sink, &(mlbf_hashes){r->wholes, r->ends, r->segments, r->layers}, r->count);
  r->count = r->end = 0;
}

/* Where the next key begins, or NULL if what stands at `at` is none. */
static const uint8_t *next_key(const uint8_t *at, const uint8_t *end)
{
  if (end - at < HASH_SIZE + 1)
    return NULL;
  unsigned layers = at[HASH_SIZE];
  const uint8_t *layer = at + HASH_SIZE + 1;
  if (layers > MLBF_LAYERS_MAX || end - layer < (ptrdiff_t)layers * LAYER_SIZE)
    return NULL;
  for (; layers; layers--, layer += LAYER_SIZE)
    if (*layer < 1 || *layer > MLBF_LAYERS_MAX)
      return NULL;
  return layer;
}

/* Of a key that is forgotten the segments alone, which others may need. */
static void replay_key(replaying *r, const uint8_t *at, const uint8_t *end)
{
  mlbf_hash128 whole = get_hash(at);
  size_t begin = r->end;
  for (const uint8_t *layer = at + HASH_SIZE + 1; layer < end; layer += LAYER_SIZE) {
    r->layers[r->end] = *layer;
    r->segments[r->end++] = get_hash(layer + 1);
  }
  if (r->sink->except && !tombstones_is_empty(r->sink->except) && tombstones_has(r->sink->except, whole)) {
    uint32_t count = (uint32_t)(r->end - begin);
    mlbf_hashes orphans = {NULL, &count, r->segments + begin, r->layers + begin};
    if (count)
      hand_over(r->sink, &orphans, 1);
    r->end = begin;
    return;
  }
  r->wholes[r->count] = whole;
  r->ends[r->count++] = (uint32_t)r->end;
  if (r->count == SEEN_LOT)
    flush(r);
}

static bool visit_keys(const seen_sink *sink, const uint8_t *chunk, size_t size)
{
  uint64_t keys;
  if (!seen_count_keys(chunk, size, &keys))
    return false;
  seen_each_key(chunk, size, sink->visit, sink->context);
  return true;
}

bool seen_replay(const seen_sink *sink, const uint8_t *chunk, size_t size)
{
  replaying r;
  if (sink->visit)
    return visit_keys(sink, chunk, size);
  r.sink = sink;
  r.count = r.end = 0;
  const uint8_t *end = size ? chunk + size : chunk, *next; /* an empty one may be NULL */
  for (const uint8_t *at = chunk; at != end; at = next) {
    next = next_key(at, end);
    if (!next)
      return false; /* what came before is in, except the last lots */
    replay_key(&r, at, next);
  }
  flush(&r);
  return true;
}

bool seen_count_keys(const uint8_t *chunk, size_t size, uint64_t *keys)
{
  uint64_t count = 0;
  for (const uint8_t *at = chunk, *end = size ? chunk + size : chunk; at != end; count++) {
    at = next_key(at, end);
    if (!at)
      return false;
  }
  *keys = count;
  return true;
}

void seen_each_key(const uint8_t *chunk, size_t size, seen_visitor *visit, void *context)
{
  const uint8_t *end = size ? chunk + size : chunk, *next;
  for (const uint8_t *at = chunk; at < end && (next = next_key(at, end)) && visit(context, get_hash(at)); at = next)
    ;
}

mlbf_hash128 seen_tombstone(mlbf_hash128 whole)
{
  return (mlbf_hash128){~whole.low, ~whole.high};
}

size_t seen_erase(uint8_t *chunk, size_t size, const tombstones *which)
{
  const uint8_t *next;
  size_t count = 0;
  for (uint8_t *at = chunk, *end = chunk + size; at < end && (next = next_key(at, end)); at += next - at) {
    mlbf_hash128 hash = get_hash(at);
    if (tombstones_has(which, hash)) {
      put_hash(at, seen_tombstone(hash));
      count++;
    }
  }
  return count;
}

bool seen_has_whole(const seen *s, mlbf_hash128 whole)
{
  key_hashes alone = {.whole = whole}; /* of depth 0: no segment is asked */
  return seen_ask_one(s, &alone).outcome == MLBF_SEEN || batches_have(s, whole);
}

bool seen_has_all(const seen *s, const key_hashes *key)
{
  uint16_t unknown = seen_least(key).unknown;
  return unknown_to_all(s, key, unknown_to(s->main, key, unknown)) == 0 && seen_has_whole(s, key->whole);
}

static void swap_batches(seen *s)
{
  key_batch open = s->open;
  s->open = s->landing;
  s->landing = open;
}

void seen_seal(seen *s)
{
  assert(s->landing.keys == 0);
  swap_batches(s);
  assert_seen(s);
}

void seen_settle(seen *s)
{
  key_batch *b = &s->landing;
  assert(s->young);
  assert_seen(s);
  seen_replay(&(seen_sink){.filter = s->young}, b->log, b->log_size); /* tombstones of this batch lie beside it */
  batch_empty(b);
  if (s->open.keys == 0) /* the next keys go where memory is; without a commit thread, into one batch for ever */
    swap_batches(s);
  assert_seen(s);
}
