/* The seen keys: a filter, the open batch, and the hash log, from which both can be rebuilt.
 *
 *     seen_test -> filter says SEEN?  -> seen
 *               -> in open batch?     -> seen        (exact set: its bits are not in the filter yet)
 *               -> else new           -> seen_add: into the batch, its hashes into the log chunk
 *     commit of the chunk             -> seen_settle: bits set, batch empty
 *
 * A crash between commit and settle loses no key: open replays the part of the log that the filter file lacks. */
#ifndef STRATA_FRONTIER_SEEN_H
#define STRATA_FRONTIER_SEEN_H

#include "frontier/frontier.h"
#include "frontier/seen/tombstones.h"

typedef struct seen seen;

seen *seen_adopt(mlbf_filter *filter); /* takes the filter; NULL: no memory, and the filter is freed */
void seen_free(seen *s);
mlbf_filter *seen_give_filter(seen *s); /* frees all but the filter, which is the caller's now */

const mlbf_filter *seen_filter(const seen *s);
mlbf_filter *seen_take_filter(seen *s); /* the caller frees it; `s` is good for seen_free alone from then on */

void seen_hash(const mlbf_filter *filter, const url *u, mlbf_hashes *hashes); /* of the URL's key */

/* The filter's verdict on a key, with the keys of the open batch taken into account. */
frontier_verdict seen_judge(const seen *s, const mlbf_hashes *hashes, mlbf_verdict verdict);

/* To be judged, and perhaps added, soon: what that takes is fetched. */
void seen_fetch(const seen *s, const mlbf_hashes *hashes);

/* All three steps. Changes nothing. `hashes` serves a following seen_add. */
frontier_verdict seen_test(const seen *s, const url *u, mlbf_hashes *hashes);

/* Is the whole key seen, whatever its segments say? */
bool seen_has_whole(const seen *s, mlbf_hash128 whole);

/* Remember a key that seen_test called new. false: no memory, nothing changed. */
bool seen_add(seen *s, const mlbf_hashes *hashes);

/* The chunk of the log for the keys added since the last settle: to be committed. */
size_t seen_batch_keys(const seen *s);
const uint8_t *seen_batch_log(const seen *s, size_t *size);
/* The chunk is committed: set the bits. */
void seen_settle(seen *s);

/* Replay one chunk of the log into a filter, except keys that are forgotten (NULL: none). false: it is not a
 * chunk. */
bool seen_replay(mlbf_filter *filter, const uint8_t *chunk, size_t size, const tombstones *except);
/* How many keys are in a chunk. false: it is not a chunk. */
bool seen_count_keys(const uint8_t *chunk, size_t size, uint64_t *keys);
/* The hash of each key in a chunk, until `visit` returns false. */
typedef bool seen_visitor(void *context, mlbf_hash128 whole);
void seen_each_key(const uint8_t *chunk, size_t size, seen_visitor *visit, void *context);
/* Forgotten keys in a chunk become keys that no URL has; the segments beside them stay, since others may need them. How
 * many there were. */
size_t seen_erase(uint8_t *chunk, size_t size, const tombstones *which);
mlbf_hash128 seen_tombstone(mlbf_hash128 whole); /* what such a key becomes: its complement */
/* A larger filter, filled from the whole log, takes the place of the old one. */
void seen_replace(seen *s, mlbf_filter *filter);

#endif
