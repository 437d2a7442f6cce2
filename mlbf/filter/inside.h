/* mlbf/filter/inside.h: the filter's struct, and what its files share. Internal to mlbf/. */
#ifndef STRATA_MLBF_INSIDE_H
#define STRATA_MLBF_INSIDE_H

#include <assert.h>

#include "mlbf/file/block_file.h"
#include "mlbf/filter.h"
#include "mlbf/filter/array.h"
#include "mlbf/plan.h"

enum {
  MLBF_BATCH = 32,           /* keys at once: 16 are too few to hide a cache miss behind, beyond 32 nothing is gained */
  MLBF_BATCH_SEGMENTS = 144, /* and their segments: so that all of it fits in 4 kB of stack */
  MLBF_FOUND_UNIT = 65536,   /* one distinct segment in layer_found: a fixed-point number */
};

/* A filter's arrays: the integrity layer decides, layer 1 and all deeper ones say why a key is new. */
enum { MLBF_INTEGRITY, MLBF_HOSTS, MLBF_DEEP };

struct mlbf_filter {
  mlbf_plan plan;
  mlbf_block_file file;                  /* secret, profile and body; its numbers are filled in to be saved */
  uint64_t keys;                         /* insertions that were new */
  uint64_t layer_found[MLBF_LAYERS_MAX]; /* with signals: distinct segments of layers from 2, see layers.c */
  uint64_t deep_set;                     /* and the bits set in their array */
  mlbf_array arrays[MLBF_ARRAYS_MAX];
};

/* Of every filter, made, loaded or mapped: its arrays are its plan's, end to end in its body. */
static inline void assert_filter(const mlbf_filter *filter)
{
  const mlbf_plan *plan = &filter->plan;
  const mlbf_array *integrity = &filter->arrays[MLBF_INTEGRITY];
  assert(plan->array_count >= 1 && plan->array_count <= MLBF_ARRAYS_MAX);
  assert(plan->keys > 0 && plan->rate > 0 && plan->rate < 1);
  assert(integrity->bits > 0 && integrity->bits <= plan->bits);
  assert(integrity->hashes >= 1 && integrity->hashes <= MLBF_HASHES_MAX);
  assert((const void *)integrity->words == filter->file.body && integrity->bits <= 8 * filter->file.body_bytes);
  assert(filter->file.body_bytes == mlbf_body_bytes(plan) && filter->file.kind == MLBF_FILE_FILTER);
  (void)plan, (void)integrity;
}

/* A filter of this plan with cleared arrays. */
mlbf_status mlbf_filter_make(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                             mlbf_filter **filter);

/* The same over a file's body; takes `file` over, whatever happens. */
mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, const mlbf_block_file *file, mlbf_filter **filter);

/* How many layers have bits: always the first ones. It depends on kind and `signals`, not on size: every filter built
 * from a log has the same layers. */
static inline uint32_t mlbf_layer_count(const mlbf_filter *filter)
{
  uint32_t layer_arrays = filter->plan.array_count - 1;
  return layer_arrays > 1 ? MLBF_LAYERS_MAX : layer_arrays;
}

/* Counts new keys; MLBF_FULL as they cross the design load. */
mlbf_status mlbf_filter_count_keys(mlbf_filter *filter, uint64_t count);

/* Hashes of a batch, on the stack of who hashes it. */
typedef struct mlbf_some_hashes {
  mlbf_hashes hashes;
  mlbf_hash128 keys[MLBF_BATCH], segments[MLBF_BATCH_SEGMENTS];
  uint32_t ends[MLBF_BATCH];
  uint8_t layers[MLBF_BATCH_SEGMENTS];
} mlbf_some_hashes;

/* Hashes as many keys as it has room for, at least one of `count`; returns how many. */
size_t mlbf_hash_some(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_some_hashes *some);

/* The numbers of a file (filter_file.c). */
void mlbf_filter_numbers(const mlbf_filter *filter, uint32_t slice, uint32_t slice_count,
                         uint64_t numbers[MLBF_NUMBERS]);
uint64_t mlbf_filter_body_bytes(const mlbf_block_file *file); /* a mlbf_body_sizer */
/* A filter over a file that was read; takes `file` over, whatever happens. */
mlbf_status mlbf_filter_adopt(const mlbf_block_file *file, mlbf_filter **filter);
uint32_t mlbf_filter_slice(const mlbf_block_file *file, uint32_t *slice_count);

#endif
