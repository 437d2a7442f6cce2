/* The seen keys: the filters, two batches, and the hash log, from which all of them can be rebuilt.
 *
 *     log       [================ main ================|==== frozen ====|==== young ====|= landing =|= open =]
 *     filters    file, mapped, never written to           in memory        in memory      exact set   exact set
 *
 *     seen_ask  -> a filter knows the key? -> seen
 *               -> in a batch?             -> seen     (its bits are not in a filter yet)
 *               -> else new                -> seen_add: into the open batch, its hashes into the log chunk
 *     the chunk is in a transaction        -> seen_seal: the open batch is the landing one; keys go into an empty one
 *     the transaction is on disk           -> seen_settle: bits of the landing batch set in `young`, and it is empty
 *
 * While the next main file is made from `main` and `frozen`, new keys go into `young`; else there is no frozen one. A
 * small crawl, and a frontier that keeps nothing, has `young` alone. A key's segments may be in an earlier filter than
 * the key: so the small ones are asked for whole keys alone, and a segment is known if any of the three knows it.
 *
 * A crash between commit and settle loses no key: open replays the part of the log that the main file lacks. */
#ifndef STRATA_FRONTIER_SEEN_H
#define STRATA_FRONTIER_SEEN_H

#include "frontier/frontier.h"
#include "frontier/base/key_hashes.h"
#include "frontier/seen/tombstones.h"
#include "mlbf/rebuild.h"

typedef struct seen seen;

/* Of the promised rate p the main filter has 7/8, frozen and young one 1/16 each: their sum is p at most, as each holds
 * at most its design load. A new key is wrongly seen if any of the three errs. 1/16 costs the small ones 6 bits a key
 * more, of an eighth of the keys; 1/8 less costs the main one 0.3 bits. All of these are exact in binary. */
static inline double seen_main_rate(double promised)
{
  return promised * 7 / 8;
}

static inline double seen_young_rate(double promised)
{
  return promised / 16;
}

/* With this young filter, which it takes; NULL: no memory, and the filter is freed. */
seen *seen_adopt(mlbf_filter *young);
void seen_free(seen *s);

/* One of its filters, for what all have in common: kind, secret, profile, layers. */
const mlbf_filter *seen_filter(const seen *s);
mlbf_filter *seen_main(const seen *s);  /* NULL: none */
mlbf_filter *seen_take_filter(seen *s); /* the young one; the caller frees it; `s` is good for seen_free alone then */

/* From now on keys go into `young`; those of the one before wait for the next main file. There is no frozen one. */
void seen_freeze(seen *s, mlbf_filter *young);
bool seen_has_frozen(const seen *s);
/* A main filter that has the first `keys` keys of the log, those of the frozen one too. */
void seen_renew(seen *s, mlbf_filter *main, uint64_t keys);
/* The young one grows: a larger one with its keys. */
void seen_replace(seen *s, mlbf_filter *young);

/* Of all filters together, and what was promised of them. The design load: before more keys than these have come, a
 * filter grows or is merged. */
void seen_stats_read(seen *s, double promised_rate, mlbf_stats *stats);
/* Probability that a new key is taken for seen, with so many keys in the young filter. */
double seen_rate(const seen *s, uint64_t young_keys);

enum { SEEN_LOT = 32 }; /* keys that are asked for together: as many misses as memory has under way, twice over */

/* The hashes of some keys, side by side. */
typedef struct seen_lot {
  mlbf_hash128 wholes[SEEN_LOT], segments[SEEN_LOT * MLBF_LAYERS_MAX];
  uint32_t ends[SEEN_LOT];
  uint8_t layers[SEEN_LOT * MLBF_LAYERS_MAX];
} seen_lot;

mlbf_hashes seen_lot_hashes(seen_lot *lot);                        /* as the filters take them */
void seen_lot_key(const seen_lot *lot, size_t i, key_hashes *key); /* one of them */

size_t seen_segments(const url *u, mlbf_span segments[URL_SEGMENTS_MAX]); /* of the URL's key; how many */
void seen_hash_key(const mlbf_filter *filter, const mlbf_span *segments, size_t count, key_hashes *key);
void seen_hash(const mlbf_filter *filter, const url *u, key_hashes *key); /* of the URL's key */

/* The filters' verdicts on many keys. What is unknown is so to main, as seen_judge takes it. */
void seen_ask(const seen *s, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts);
mlbf_verdict seen_ask_one(const seen *s, const key_hashes *key);

mlbf_verdict seen_ask_file(const mlbf_filter *filter, const key_hashes *key); /* of a filter alone */

/* Such a verdict, with the small filters' segments and the keys of both batches taken into account. */
frontier_verdict seen_judge(const seen *s, const key_hashes *key, mlbf_verdict verdict);

/* To be judged, and perhaps added, soon: what that takes is fetched. */
void seen_fetch(const seen *s, const key_hashes *key);

/* All three steps. Changes nothing. `key` serves a following seen_add. */
frontier_verdict seen_test(const seen *s, const url *u, key_hashes *key);

/* For a key that the filters call seen, but is not: where seen_judge begins. */
mlbf_verdict seen_least(const key_hashes *key);

/* Is the key in one of the batches? Then it is certain that it was accepted. */
bool seen_has_in_batch(const seen *s, mlbf_hash128 whole);

/* Is the whole key seen, whatever its segments say? */
bool seen_has_whole(const seen *s, mlbf_hash128 whole);
/* And is each of its segments? Else a main filter that is made of the same log would call it new. */
bool seen_has_all(const seen *s, const key_hashes *key);

/* Remember a key that seen_test called new. false: no memory, nothing changed. */
bool seen_add(seen *s, const key_hashes *key);

size_t seen_batch_keys(const seen *s);   /* keys whose bits are not set yet, of both batches; */
size_t seen_landing_keys(const seen *s); /* of the landing one */
/* The chunk of the log for the open batch: to be committed. Valid until a key is added, or seen_seal. */
const uint8_t *seen_batch_log(const seen *s, size_t *size);
/* That of the landing batch, until seen_settle. */
const uint8_t *seen_landing_log(const seen *s, size_t *size);
/* The chunk will be committed. Nothing else is landing. */
void seen_seal(seen *s);
/* What was sealed is committed: set the bits. */
void seen_settle(seen *s);

typedef bool seen_visitor(void *context, mlbf_hash128 whole); /* false: enough */

/* Where keys of the log go: into a filter, into one that is made anew, or to a visitor. */
typedef struct seen_sink {
  mlbf_filter *filter;      /* or */
  mlbf_rebuild *rebuild;    /* which wants keys; or */
  seen_visitor *visit;      /* of whole keys alone, forgotten ones too */
  void *context;            /* of the visitor */
  const tombstones *except; /* keys that are forgotten stay out; NULL: none are */
} seen_sink;

/* One chunk of the log. false: it is not a chunk. */
bool seen_replay(const seen_sink *sink, const uint8_t *chunk, size_t size);
/* How many keys are in a chunk. false: it is not a chunk. */
bool seen_count_keys(const uint8_t *chunk, size_t size, uint64_t *keys);
/* The hash of each key in a chunk, until `visit` returns false. */
void seen_each_key(const uint8_t *chunk, size_t size, seen_visitor *visit, void *context);
/* Forgotten keys in a chunk become keys that no URL has; the segments beside them stay, since others may need them. How
 * many there were. */
size_t seen_erase(uint8_t *chunk, size_t size, const tombstones *which);
mlbf_hash128 seen_tombstone(mlbf_hash128 whole); /* what such a key becomes: its complement */
#endif
