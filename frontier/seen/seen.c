/* The seen keys: filters, open batch, and the log chunk that is committed with it. seen.h has the steps.
 *
 * A key in a chunk (FORMAT.md, table "hashes"):
 *
 *     whole hash (16) | n (1) | n times: layer (1), hash of a segment (16)
 *
 * The n segments are those that the log does not hold yet, as far as a table of recent ones remembers. To leave
 * out those that the *filter* knows would be wrong: it may know one wrongly, and a larger filter built from the log
 * would lack it (mlbf/filter.h, mlbf_insert_whole).
 *
 * Always: a key that was added is in the batch, and after seen_settle in a filter. Each of its segments is in its own
 * chunk or in an earlier one: the cache of logged segments (`logged`) compares all 128 bits, so it has no false hits; a
 * segment that it forgot is logged twice, which does no harm. The batch is at most half full. Here seen_settle alone
 * sets bits, those of `young`, when the chunk is committed. A segment that another filter knows is set there all the
 * same: that one may know it wrongly, and its successor lack it.
 *
 * Called under the handle's mutex, and by check and salvage on a `seen` of their own. After a crash: only committed
 * chunks are left, and opening replays those that the filter's file does not have (core/checkpoint.c). */
#include "frontier/seen/seen.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>

enum { REPLAY_LOT = 32 }; /* as many misses as memory has under way, twice over */
enum { ASKED_TOGETHER = 64 };
enum { RECENT_SLOTS = 1 << 16 }; /* 1 MB; sites come in runs, so it drops nearly all repetitions */

enum { BATCH_SIZE = 4096 }; /* the least its table has */

enum { HASH_SIZE = 16, LAYER_SIZE = 1 + HASH_SIZE, KEY_SIZE_MAX = HASH_SIZE + 1 + MLBF_LAYERS_MAX * LAYER_SIZE };

struct seen {
  mlbf_filter *main, *frozen, *young;
  double main_rate, frozen_rate; /* these two do not change */
  mlbf_recent *logged;           /* segments that the log holds */
  mlbf_hash128 *batch;           /* open addressing, at most half full; all-zero = free */
  size_t batch_size;             /* a power of two */
  size_t batch_used;
  size_t keys; /* added since the last settle */
  uint8_t *log;
  size_t log_size, log_room;
};

static void assert_seen(const seen *s)
{
  assert(s->batch_size >= BATCH_SIZE && (s->batch_size & (s->batch_size - 1)) == 0);
  assert(2 * s->batch_used <= s->batch_size);
  assert(s->log_size <= s->log_room);
  assert(s->log_size >= s->keys * (HASH_SIZE + 1) && s->log_size <= s->keys * KEY_SIZE_MAX);
  (void)s;
}

seen *seen_adopt(mlbf_filter *young)
{
  seen *s = calloc(1, sizeof *s);
  if (s)
    *s = (seen){.young = young,
                .logged = mlbf_recent_create(RECENT_SLOTS),
                .batch_size = BATCH_SIZE,
                .batch = calloc(BATCH_SIZE, sizeof *s->batch)};
  if (s && s->batch && s->logged)
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
  free(s->batch);
  free(s->log);
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

/* Segments that two filters know count twice. */
static void add_stats(mlbf_stats *stats, const mlbf_filter *filter)
{
  mlbf_stats more;
  if (!filter)
    return;
  mlbf_stats_read(filter, &more);
  stats->bits += more.bits;
  stats->memory_bytes += more.memory_bytes;
  stats->keys += more.keys;
  stats->estimated_keys += more.estimated_keys;
  stats->answered_seen += more.answered_seen;
  stats->answered_new_combination += more.answered_new_combination;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX; i++) {
    stats->layer_distinct[i] += more.layer_distinct[i];
    stats->answered_new_segment[i] += more.answered_new_segment[i];
  }
}

void seen_stats_read(const seen *s, double promised_rate, mlbf_stats *stats)
{
  mlbf_stats_read(s->main ? s->main : s->young, stats);
  stats->promised_rate = promised_rate;
  add_stats(stats, s->frozen);
  uint64_t others = s->main ? stats->keys : 0, room = mlbf_promise_of(s->young).keys;
  add_stats(stats, s->main ? s->young : NULL);
  stats->design_keys = stats->design_keys > others + room ? stats->design_keys : others + room;
}

/* ---- the open batch ----------------------------------------------------------------------------------- */

static bool is_free(mlbf_hash128 slot)
{
  return (slot.low | slot.high) == 0;
}

/* The slot of this hash, or the free one where it belongs. A hash of all zeros (1 in 2^128) takes the place of
 * its neighbour 1. */
static size_t slot_of(const seen *s, mlbf_hash128 *hash)
{
  if (is_free(*hash))
    hash->low = 1;
  size_t slot = hash->low & (s->batch_size - 1);
  while (!is_free(s->batch[slot]) && (s->batch[slot].low != hash->low || s->batch[slot].high != hash->high))
    slot = (slot + 1) & (s->batch_size - 1);
  return slot;
}

static bool batch_has(const seen *s, mlbf_hash128 hash)
{
  return s->batch_used && !is_free(s->batch[slot_of(s, &hash)]);
}

static void batch_put(seen *s, mlbf_hash128 hash)
{
  size_t slot = slot_of(s, &hash);
  s->batch_used += is_free(s->batch[slot]);
  s->batch[slot] = hash;
}

/* For one key: its whole hash and all its layers'. */
static bool batch_make_room(seen *s)
{
  if (2 * (s->batch_used + 1 + MLBF_LAYERS_MAX) <= s->batch_size)
    return true;
  mlbf_hash128 *larger = calloc(2 * s->batch_size, sizeof *larger), *old = s->batch;
  if (!larger)
    return false;
  size_t old_size = s->batch_size;
  s->batch = larger;
  s->batch_size *= 2;
  for (size_t i = 0; i < old_size; i++)
    if (!is_free(old[i]))
      s->batch[slot_of(s, &old[i])] = old[i];
  free(old);
  return true;
}

/* After a large batch the table is too large for the next: to clear it, and to miss it, would cost more than to make it
 * again as it grows. */
static void batch_empty(seen *s)
{
  size_t size = s->batch_size;
  while (size > BATCH_SIZE && 8 * s->batch_used < size)
    size /= 2;
  mlbf_hash128 *smaller = size < s->batch_size ? realloc(s->batch, size * sizeof *s->batch) : NULL;
  if (smaller) {
    s->batch = smaller;
    s->batch_size = size;
  }
  memset(s->batch, 0, s->batch_size * sizeof *s->batch);
  s->batch_used = 0;
}

/* ---- one key ------------------------------------------------------------------------------------------ */

static uint32_t layers_of(const seen *s, const mlbf_hashes *hashes)
{
  uint32_t layers = mlbf_layer_count(s->young);
  return hashes->depth < layers ? hashes->depth : layers;
}

/* Known to a filter or accepted in the open batch. Layer hashes are salted by their layer, so they share the
 * batch's set with whole hashes. */
static bool segment_is_known(const seen *s, const mlbf_hashes *hashes, uint32_t i)
{
  mlbf_hash128 segment = hashes->layer[i];
  return (s->main && mlbf_test_segment(s->main, i + 1, segment)) || mlbf_test_segment(s->young, i + 1, segment) ||
         (s->frozen && mlbf_test_segment(s->frozen, i + 1, segment)) || batch_has(s, segment);
}

/* What main called new in segment `from` (1-based), once all others have their say. */
static frontier_verdict newest_segment(const seen *s, const mlbf_hashes *hashes, uint32_t from)
{
  for (uint32_t i = from - 1, layers = layers_of(s, hashes); i < layers; i++)
    if (!segment_is_known(s, hashes, i))
      return (frontier_verdict){i == 0 ? FRONTIER_NEW_HOST : FRONTIER_NEW_SEGMENT, i + 1};
  return (frontier_verdict){FRONTIER_NEW_COMBINATION, 0};
}

void seen_hash(const mlbf_filter *filter, const url *u, mlbf_hashes *hashes)
{
  mlbf_span segments[URL_SEGMENTS_MAX];
  assert(u->segment_count && u->segment_count <= URL_SEGMENTS_MAX);
  for (uint32_t i = 0; i < u->segment_count; i++)
    segments[i] = (mlbf_span){u->key + u->segment_begin[i], u->segment_begin[i + 1] - u->segment_begin[i]};
  mlbf_hash(filter, segments, u->segment_count, hashes);
}

/* Whole keys that a small filter knows: a test of its own, of all of them together. */
static void note_known(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, mlbf_verdict *verdicts)
{
  bool is_known[ASKED_TOGETHER];
  if (!filter)
    return;
  mlbf_test_wholes(filter, wholes, count, is_known);
  for (size_t i = 0; i < count; i++)
    if (is_known[i])
      verdicts[i] = (mlbf_verdict){MLBF_SEEN, 0};
}

static void ask_some(const seen *s, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[ASKED_TOGETHER];
  uint32_t layers = mlbf_layer_count(s->young);
  for (size_t i = 0; i < count; i++) {
    wholes[i] = hashes[i].whole;
    if (!s->main)
      verdicts[i] = layers && hashes[i].depth ? (mlbf_verdict){MLBF_NEW_SEGMENT, 1} : (mlbf_verdict){MLBF_NEW, 0};
  }
  if (s->main)
    mlbf_test_many(s->main, hashes, count, verdicts);
  note_known(s->frozen, wholes, count, verdicts);
  note_known(s->young, wholes, count, verdicts);
}

void seen_ask(const seen *s, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = count - begin < ASKED_TOGETHER ? count - begin : ASKED_TOGETHER;
    ask_some(s, hashes + begin, size, verdicts + begin);
  }
}

frontier_verdict seen_judge(const seen *s, const mlbf_hashes *hashes, mlbf_verdict verdict)
{
  assert(verdict.outcome != MLBF_NEW_SEGMENT || (verdict.layer >= 1 && verdict.layer <= MLBF_LAYERS_MAX));
  if (verdict.outcome == MLBF_SEEN || batch_has(s, hashes->whole))
    return (frontier_verdict){FRONTIER_SEEN, 0};
  if (verdict.outcome == MLBF_NEW_SEGMENT)
    return newest_segment(s, hashes, verdict.layer);
  return (frontier_verdict){verdict.outcome == MLBF_NEW ? FRONTIER_NEW : FRONTIER_NEW_COMBINATION, 0};
}

void seen_fetch(const seen *s, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_of(s, hashes);
  __builtin_prefetch(&s->batch[hashes->whole.low & (s->batch_size - 1)], 1);
  for (uint32_t i = 0; i < layers; i++) {
    __builtin_prefetch(&s->batch[hashes->layer[i].low & (s->batch_size - 1)], 1);
    mlbf_recent_fetch(s->logged, hashes->layer[i]);
  }
}

frontier_verdict seen_test(const seen *s, const url *u, mlbf_hashes *hashes)
{
  mlbf_verdict verdict;
  seen_hash(s->young, u, hashes);
  seen_ask(s, hashes, 1, &verdict);
  return seen_judge(s, hashes, verdict);
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

bool seen_add(seen *s, const mlbf_hashes *hashes)
{
  assert(s->young);
  assert_seen(s);
  if (!batch_make_room(s) || !HAS_ROOM(s->log, s->log_room, s->log_size + KEY_SIZE_MAX))
    return false;
  uint8_t *count = put_hash(s->log + s->log_size, hashes->whole), *at = count + 1;
  uint32_t layers = layers_of(s, hashes);
  *count = 0;
  for (uint32_t i = 0; i < layers; i++) {
    if (!mlbf_recent_note(s->logged, hashes->layer[i])) {
      batch_put(s, hashes->layer[i]); /* even if main knows it: perhaps wrongly, and its successor not */
      *at++ = (uint8_t)(i + 1);
      at = put_hash(at, hashes->layer[i]);
      ++*count;
    }
  }
  s->log_size = (size_t)(at - s->log);
  batch_put(s, hashes->whole);
  s->keys++;
  assert_seen(s);
  return true;
}

/* ---- the log ------------------------------------------------------------------------------------------ */

size_t seen_batch_keys(const seen *s)
{
  return s->keys;
}

const uint8_t *seen_batch_log(const seen *s, size_t *size)
{
  *size = s->log_size;
  return s->log;
}

/* By the lot, their memory fetched together. */
typedef struct replaying {
  const seen_sink *sink;
  size_t whole_count, segment_count;
  mlbf_hash128 wholes[REPLAY_LOT];
  mlbf_segment segments[REPLAY_LOT];
} replaying;

static void flush_wholes(replaying *r)
{
  bool was_new[REPLAY_LOT];
  assert(r->whole_count <= REPLAY_LOT);
  if (r->sink->filter)
    mlbf_insert_wholes(r->sink->filter, r->wholes, r->whole_count, was_new);
  else
    mlbf_remake_wholes(r->sink->remaking, r->wholes, r->whole_count);
  r->whole_count = 0;
}

static void flush_segments(replaying *r)
{
  assert(r->segment_count <= REPLAY_LOT);
  if (r->sink->filter)
    mlbf_insert_segments(r->sink->filter, r->segments, r->segment_count);
  else
    mlbf_remake_segments(r->sink->remaking, r->segments, r->segment_count);
  r->segment_count = 0;
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

static void replay_key(replaying *r, const uint8_t *at, const uint8_t *end)
{
  for (const uint8_t *layer = at + HASH_SIZE + 1; layer < end; layer += LAYER_SIZE) {
    r->segments[r->segment_count++] = (mlbf_segment){*layer, get_hash(layer + 1)};
    if (r->segment_count == REPLAY_LOT)
      flush_segments(r);
  }
  if (r->sink->except && !tombstones_is_empty(r->sink->except) && tombstones_has(r->sink->except, get_hash(at)))
    return;
  r->wholes[r->whole_count++] = get_hash(at);
  if (r->whole_count == REPLAY_LOT)
    flush_wholes(r);
}

bool seen_replay(const seen_sink *sink, const uint8_t *chunk, size_t size)
{
  replaying r;
  r.sink = sink;
  r.whole_count = r.segment_count = 0;
  const uint8_t *end = size ? chunk + size : chunk, *next; /* an empty one may be NULL */
  for (const uint8_t *at = chunk; at != end; at = next) {
    next = next_key(at, end);
    if (!next)
      return false; /* what came before is in, except the last lots */
    replay_key(&r, at, next);
  }
  flush_wholes(&r);
  flush_segments(&r);
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
  mlbf_hashes alone = {.whole = whole}; /* of depth 0: no segment is asked */
  mlbf_verdict verdict;
  seen_ask(s, &alone, 1, &verdict);
  return verdict.outcome == MLBF_SEEN || batch_has(s, whole);
}

void seen_settle(seen *s)
{
  assert(s->young);
  assert_seen(s);
  seen_replay(&(seen_sink){.filter = s->young}, s->log, s->log_size); /* tombstones of this batch lie beside it */
  batch_empty(s);
  s->keys = 0;
  s->log_size = 0;
  assert_seen(s);
}
