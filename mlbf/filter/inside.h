/* mlbf/filter/inside.h: the filter's struct, and the functions that each kind implements. Internal to mlbf/. */
#ifndef STRATA_MLBF_INSIDE_H
#define STRATA_MLBF_INSIDE_H

#include <assert.h>

#include "mlbf/filter/array.h"
#include "mlbf/filter.h"
#include "mlbf/filter/lazy_verify.h"
#include "mlbf/filter/hash.h"
#include "mlbf/hash/keying.h"
#include "mlbf/plan.h"

enum {
  MLBF_BATCH = MLBF_HASH_BATCH,
  MLBF_PROFILE_SIZE = 256, /* with its NUL */
  MLBF_FOUND_UNIT = 65536, /* one distinct segment in layer_found: a fixed-point number can be added to atomically */
};

/* Keys that are hashed, fetched and settled together: at most MLBF_BATCH, and as many behind them that come next. */
typedef struct mlbf_batch {
  const mlbf_key *keys;
  size_t count, following;
} mlbf_batch;

/* What a call counts before it adds that to the filter's counters, which threads may share. */
typedef struct mlbf_tally {
  uint32_t found[MLBF_LAYERS_MAX], found_deep; /* deep segments that were new, by layer, and all */
} mlbf_tally;

/* What differs between kinds. The rest of the library asks nothing else of them. */
typedef struct mlbf_operations {
  void (*hash)(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);
  mlbf_verdict (*test)(const mlbf_filter *filter, const mlbf_hashes *hashes);
  mlbf_verdict (*insert)(mlbf_filter *filter, const mlbf_hashes *hashes);
  /* NULL: kinds without layers, whose wholes are enough */
  /* `hosts_first`: probably most hosts are new; returns how many were */
  size_t (*test_keys)(const mlbf_filter *filter, const mlbf_batch *batch, bool hosts_first, mlbf_verdict *verdicts);
  void (*insert_layers)(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count, mlbf_verdict *verdicts,
                        mlbf_tally *tally);
  void (*prefetch)(const mlbf_filter *filter, const mlbf_hashes *hashes); /* what test and insert will touch */
  /* wholes alone, at most MLBF_BATCH; prefetch_wholes is called some time before. Bit i of the result is key i's:
   * known; new */
  void (*prefetch_wholes)(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  uint64_t (*test_wholes)(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  uint64_t (*insert_wholes)(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  /* of one layer, 1-based and within range; NULL for kinds without layers */
  bool (*test_segment)(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  void (*insert_segment)(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  void (*prefetch_segment)(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment); /* NULL: without */
  double (*layer_distinct)(const mlbf_filter *filter, uint32_t layer);
} mlbf_operations;

extern const mlbf_operations mlbf_bloom_operations;   /* bloom.c */
extern const mlbf_operations mlbf_line_operations;    /* line.c */
extern const mlbf_operations mlbf_layered_operations; /* mlbf.c */

/* What mlbf_free gives back: the body, or the whole file mapped around it. */
typedef struct mlbf_memory {
  void *begin;
  uint64_t bytes;
} mlbf_memory;

struct mlbf_filter {
  const mlbf_operations *operations;
  mlbf_plan plan;
  mlbf_keying keying;
  uint64_t keys;                         /* insertions that were new */
  uint64_t layer_found[MLBF_LAYERS_MAX]; /* mlbf with signals: distinct segments of layers from 2, see mlbf.c */
  uint64_t deep_set;                     /* and the bits set in their array */
  mlbf_guard *unchecked;                 /* mapped, and not all of its blocks are checked; else NULL */
  uint64_t verified;                     /* of those, the first so many are sound */
  mlbf_array arrays[MLBF_ARRAYS_MAX];
  mlbf_memory memory;
  void *body;
  uint64_t body_bytes;
  char profile[MLBF_PROFILE_SIZE];
};

/* Of every filter, made, loaded or mapped: its arrays are its plan's, end to end in its body. */
static inline void assert_filter(const mlbf_filter *filter)
{
  const mlbf_plan *plan = &filter->plan;
  assert(filter->operations && plan->array_count >= 1 && plan->array_count <= MLBF_ARRAYS_MAX);
  assert(plan->keys > 0 && plan->rate > 0 && plan->rate < 1);
  assert(filter->arrays[0].bits > 0 && filter->arrays[0].bits <= plan->bits);
  assert(filter->arrays[0].hashes >= 1 && filter->arrays[0].hashes <= MLBF_HASHES_MAX);
  assert(filter->arrays[0].words == filter->body && filter->arrays[0].bits <= 8 * filter->body_bytes);
  assert(filter->body_bytes % (MLBF_LINE_BITS / 8) == 0 && filter->body_bytes <= filter->memory.bytes);
  assert(filter->profile[MLBF_PROFILE_SIZE - 1] == '\0');
  (void)plan;
}

/* A filter of this plan with cleared arrays. */
mlbf_status mlbf_filter_make(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                             mlbf_filter **filter);

/* The same over a body inside `memory`, which it owns from now on, and `unchecked` too (may be NULL). */
mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                                  mlbf_memory memory, void *body, mlbf_guard *unchecked, mlbf_filter **filter);

/* False: a block of a mapped one is not as its file was written. */
bool mlbf_filter_is_sound(const mlbf_filter *filter);

/* Of a mapped one: the system begins to read this block, if there is one. */
void mlbf_filter_read_ahead(const mlbf_filter *filter, uint64_t block);

/* mlbf: adds deep segments found new to the filter's counters (mlbf.c). */
void mlbf_count_found(mlbf_filter *filter, const mlbf_tally *tally);

/* Counts new keys. Exactly one caller's addition crosses the design load, whatever the number of threads. */
mlbf_status mlbf_filter_count_keys(mlbf_filter *filter, uint64_t count);

static inline bool mlbf_verdict_is_new(mlbf_verdict verdict)
{
  return verdict.outcome != MLBF_SEEN;
}

/* Hashes of a batch's keys for kind mlbf, deep ones with signals alone; their places and the texts of keys to come are
 * fetched meanwhile. */
void mlbf_batch_hash_layers(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_layer_hashes *hashes);

/* The same from hashes at hand. */
void mlbf_flatten(const mlbf_filter *filter, const mlbf_hashes *from, size_t count, mlbf_layer_hashes *to);

/* Hashes of whole keys, their places in array 0 and the texts of keys to come fetched meanwhile. */
void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes);

/* Adds to a counter of the filter; returns its value before. */
static inline uint64_t mlbf_counter_add(const mlbf_filter *filter, uint64_t *counter, uint64_t count)
{
  uint64_t before = *counter;
  (void)filter;
  *counter += count;
  return before;
}

/* The caller's options, whose size there is given; false: one is set that is not known here. */
bool mlbf_options_take(mlbf_options *options, const mlbf_options *given, size_t size);

#endif
