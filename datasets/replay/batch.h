/* datasets/replay/batch.h: 1,024 keys, copied, cut and hashed before the clock starts.
 *
 * A key is that of the profile `path-paper`, "//host/a/b?x&y": the scheme is dropped. All filters of a run see the
 * same bytes, so that "is a member" means one thing; where the key is cut differs:
 *
 *     CUT_PAPER    "//host" "/a" "/b?x&y"          at '/' only, as the seed paper has it
 *     CUT_LAYERS   "//host" "/a" "/b" "?x" "&y"    at '/', from '?' on at '&', as the frontier does
 *
 * At most MLBF_LAYERS_MAX segments; the last has the rest.
 *
 * The time of a filter is that of hashing and looking up. Reading the list, composing a query and cutting it into
 * segments cost the same for all filters and happen here. A batch of usual keys (0.1 MB) and its spans (0.1 MB) stay
 * in a processor's second-level cache while the filters run in turn. */
#ifndef STRATA_DATASETS_BATCH_H
#define STRATA_DATASETS_BATCH_H

#include "datasets/sort/list.h"
#include "mlbf/filter.h"

typedef enum key_cut { CUT_PAPER, CUT_LAYERS } key_cut;
enum { CUT_COUNT = 2 };

/* Cut `key`, which begins with "//"; the number of segments, at least 1. The spans point into `key`. */
size_t cut_key(key_cut how, const char *key, size_t size, mlbf_span segments[MLBF_LAYERS_MAX]);

enum { BATCH_KEYS = 1024 };

typedef struct key_batch {
  size_t count;
  key_hash hash[BATCH_KEYS]; /* identifies the key in the exact list; filters hash for themselves */
  mlbf_key keys[CUT_COUNT][BATCH_KEYS];
  mlbf_span spans[CUT_COUNT][BATCH_KEYS * MLBF_LAYERS_MAX]; /* of the keys, end to end */
  size_t span_count[CUT_COUNT], size;                       /* spans and bytes in use */
  char bytes[(size_t)BATCH_KEYS * KEY_SIZE_MAX];
} key_batch;

key_batch *batch_create(void); /* NULL: out of memory. Free with free(). */
void batch_clear(key_batch *batch);

static inline bool batch_is_full(const key_batch *batch)
{
  return batch->count == BATCH_KEYS;
}

/* Append a key of at most KEY_SIZE_MAX bytes. The batch must not be full. */
void batch_add(key_batch *batch, const char *key, size_t size);

/* The bytes of a key. They are contiguous, however it is cut. */
const char *batch_key(const key_batch *batch, size_t index, size_t *size);

#endif
