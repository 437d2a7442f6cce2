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
#include "mlbf/filter/stripes.h"

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

/* Insertions by answer; kinds without layers count NEW under new_combination. */
typedef struct mlbf_answers {
  uint64_t seen, new_combination, new_segment[MLBF_LAYERS_MAX];
} mlbf_answers;

/* What a call counts before it adds that to the filter's counters, which threads may share. */
typedef struct mlbf_tally {
  mlbf_answers answers;
  uint32_t found[MLBF_LAYERS_MAX], found_deep; /* deep segments that were new, by layer, and all */
  size_t keys;
} mlbf_tally;

/* What differs between kinds. The rest of the library asks nothing else of them. */
typedef struct mlbf_operations {
  void (*hash)(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);
  mlbf_verdict (*test)(const mlbf_filter *filter, const mlbf_hashes *hashes);
  mlbf_verdict (*insert)(mlbf_filter *filter, const mlbf_hashes *hashes);
  /* NULL: hash, prefetch and test (or insert) of each are as good */
  /* `hosts_first`: probably most hosts are new; returns how many were */
  size_t (*test_keys)(const mlbf_filter *filter, const mlbf_batch *batch, bool hosts_first, mlbf_verdict *verdicts);
  void (*insert_layers)(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count, mlbf_verdict *verdicts,
                        mlbf_tally *tally);
  void (*prefetch)(const mlbf_filter *filter, const mlbf_hashes *hashes); /* what test and insert will touch */
  /* wholes alone, at most MLBF_BATCH; prefetch_wholes is called some time before. Bit i of the result is key i's:
   * known; new. NULL: not from a hash alone */
  void (*prefetch_wholes)(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  uint64_t (*test_wholes)(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  uint64_t (*insert_wholes)(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
  /* of one layer, 1-based and within range; NULL for kinds without layers */
  bool (*test_segment)(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  void (*insert_segment)(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  void (*prefetch_segment)(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment); /* NULL: without */
  double (*layer_distinct)(const mlbf_filter *filter, uint32_t layer);
} mlbf_operations;

extern const mlbf_operations mlbf_bloom_operations;       /* bloom.c */
extern const mlbf_operations mlbf_line_operations;        /* line.c */
extern const mlbf_operations mlbf_layered_operations;     /* mlbf.c */
extern const mlbf_operations mlbf_bloom_paper_operations; /* mlbf_paper.c */
extern const mlbf_operations mlbf_paper_operations;       /* mlbf_paper.c */

/* What mlbf_free gives back: the body, or the whole file mapped around it. */
typedef struct mlbf_memory {
  void *begin;
  uint64_t bytes;
} mlbf_memory;

struct mlbf_filter {
  const mlbf_operations *operations;
  mlbf_plan plan;
  mlbf_keying keying;
  uint64_t keys; /* insertions that were new */
  mlbf_answers answers;
  bool is_patch;                         /* made by mlbf_difference: good for mlbf_union alone */
  uint64_t layer_found[MLBF_LAYERS_MAX]; /* mlbf with signals: distinct segments of layers from 2, see mlbf.c */
  uint64_t deep_set;                     /* and the bits set in their array */
  mlbf_guard *guard;                     /* mapped, and not all blocks checked yet; else NULL */
  mlbf_guard *unchecked;                 /* mapped, and its blocks are used as they are; else NULL */
  uint64_t verified;                     /* of those, the first so many are sound */
  mlbf_stripe *stripes;                  /* shared: many threads may insert; else NULL */
  size_t stripe_count;                   /* so many of them are used */
  mlbf_array arrays[MLBF_ARRAYS_MAX];
  mlbf_memory memory;
  void *body;
  uint64_t body_bytes;
  char profile[MLBF_PROFILE_SIZE];
};

/* Of every filter, made, loaded or mapped: its arrays are its plan's, end to end in its body, and one of two ways of
 * sharing it at most. */
static inline void assert_filter(const mlbf_filter *filter)
{
  const mlbf_plan *plan = &filter->plan;
  assert(filter->operations && plan->array_count >= 1 && plan->array_count <= MLBF_ARRAYS_MAX);
  assert(plan->keys > 0 && plan->rate > 0 && plan->rate < 1);
  assert(filter->arrays[0].bits > 0 && filter->arrays[0].bits <= plan->bits);
  assert(filter->arrays[0].hashes >= 1 && filter->arrays[0].hashes <= MLBF_HASHES_MAX);
  assert(filter->arrays[0].words == filter->body && filter->arrays[0].bits <= 8 * filter->body_bytes);
  assert(filter->body_bytes % (MLBF_LINE_BITS / 8) == 0 && filter->body_bytes <= filter->memory.bytes);
  assert(!filter->guard || !filter->stripes); /* blocks cannot be checked while others write to them */
  assert(filter->profile[MLBF_PROFILE_SIZE - 1] == '\0');
  (void)plan;
}

/* A filter of this plan with cleared arrays. */
mlbf_status mlbf_filter_make(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                             mlbf_filter **filter);

/* The same over a body inside `memory`, which it owns from now on, and `guard` too (may be NULL). */
mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                                  mlbf_memory memory, void *body, mlbf_guard *guard, mlbf_filter **filter);

/* Of a mapped one: the system begins to read this block, if there is one. */
void mlbf_filter_read_ahead(const mlbf_filter *filter, uint64_t block);

static inline bool mlbf_kind_is_paper(mlbf_kind kind)
{
  return kind == MLBF_KIND_BLOOM_PAPER || kind == MLBF_KIND_MLBF_PAPER;
}

/* A patch lacks some of its keys' bits, a damaged filter unknown ones: neither can answer. */
bool mlbf_filter_cannot_tell(const mlbf_filter *filter);

/* mlbf: adds deep segments found new to the filter's counters (mlbf.c). */
void mlbf_count_found(mlbf_filter *filter, const mlbf_tally *tally);

/* Tests and sets, counts the answer, but not the key. */
mlbf_verdict mlbf_filter_insert_one(mlbf_filter *filter, const mlbf_hashes *hashes);

static inline uint64_t *mlbf_answer_counter(mlbf_answers *answers, mlbf_verdict verdict)
{
  assert(verdict.outcome != MLBF_UNKNOWN);
  assert(verdict.outcome != MLBF_NEW_SEGMENT || (verdict.layer >= 1 && verdict.layer <= MLBF_LAYERS_MAX));
  uint64_t *of_whole = verdict.outcome == MLBF_SEEN ? &answers->seen : &answers->new_combination;
  return verdict.layer ? &answers->new_segment[verdict.layer - 1] : of_whole;
}

/* Counts new keys. Exactly one caller's addition crosses the design load, whatever the number of threads. */
mlbf_status mlbf_filter_count_keys(mlbf_filter *filter, uint64_t count);

static inline bool mlbf_verdict_is_new(mlbf_verdict verdict)
{
  return verdict.outcome != MLBF_SEEN && verdict.outcome != MLBF_UNKNOWN;
}

/* Hashes of a batch's keys for kind mlbf, deep ones with signals alone; their places and the texts of keys to come are
 * fetched meanwhile. */
void mlbf_batch_hash_layers(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_layer_hashes *hashes);

/* The same from hashes at hand. */
void mlbf_flatten(const mlbf_filter *filter, const mlbf_hashes *from, size_t count, mlbf_layer_hashes *to);

/* Hashes of whole keys, their places in array 0 and the texts of keys to come fetched meanwhile. */
void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes);

/* Of a shared filter: the lock of all keys whose line or page (bloom: first bit) is this key's. A kind that sorts by
 * stripe uses fewer, for more keys at once. */
enum { MLBF_SORTED_STRIPES = 32 };

static inline size_t mlbf_stripe_number(const mlbf_filter *filter, mlbf_hash128 whole)
{
  return mlbf_scale(whole.low, filter->arrays[0].places) % filter->stripe_count;
}

/* Whole keys of a shared filter, sorted by stripe until enough are together to take its lock for (shared.c). The kind
 * is one whose array 0 lies in lines and decides alone. Answers go to `verdicts` or to `was_new`, by a key's number. */
enum { MLBF_SORTED_KEYS = 64 };
typedef struct mlbf_sorter {
  mlbf_filter *filter;
  mlbf_verdict *verdicts;
  bool *was_new;
  uint64_t new_keys;
  uint8_t count[MLBF_SORTED_STRIPES]; /* of each of these rows */
  mlbf_hash128 wholes[MLBF_SORTED_STRIPES][MLBF_SORTED_KEYS];
  size_t number[MLBF_SORTED_STRIPES][MLBF_SORTED_KEYS];
} mlbf_sorter;

void mlbf_sorter_begin(mlbf_sorter *sorter, mlbf_filter *filter, mlbf_verdict *verdicts, bool *was_new);
void mlbf_sorter_add(mlbf_sorter *sorter, const mlbf_hash128 *wholes, size_t count, size_t first_number);
uint64_t mlbf_sorter_end(mlbf_sorter *sorter); /* settles the rest; returns the number of new keys */

/* Adds to a counter of the filter; returns its value before. */
static inline uint64_t mlbf_counter_add(const mlbf_filter *filter, uint64_t *counter, uint64_t count)
{
  if (filter->stripes)
    return __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
  uint64_t before = *counter;
  *counter += count;
  return before;
}

/* The caller's options, whose size there is given; false: one is set that is not known here. */
bool mlbf_options_take(mlbf_options *options, const mlbf_options *given, size_t size);

#endif
