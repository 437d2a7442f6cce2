/* mlbf/inside.h: what a filter is inside, and what each kind must bring. Internal to mlbf/. */
#ifndef STRATA_MLBF_INSIDE_H
#define STRATA_MLBF_INSIDE_H

#include "mlbf/array.h"
#include "mlbf/filter.h"
#include "mlbf/hash.h"
#include "mlbf/plan.h"

enum { MLBF_PROFILE_SIZE = 256 }; /* with its NUL */

/* What differs between kinds. The rest of the library asks nothing else of them. */
typedef struct mlbf_operations {
  void (*hash)(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);
  mlbf_verdict (*test)(const mlbf_filter *filter, const mlbf_hashes *hashes);
  mlbf_verdict (*insert)(mlbf_filter *filter, const mlbf_hashes *hashes);
  void (*prefetch)(const mlbf_filter *filter, const mlbf_hashes *hashes); /* what test and insert will touch */
  /* `count` wholes, in order, their cache lines asked for first. NULL: not from a hash alone */
  void (*insert_wholes)(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new);
  /* of one layer, 1-based and within range; NULL for kinds without layers */
  bool (*test_segment)(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  void (*insert_segment)(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment);
  double (*layer_distinct)(const mlbf_filter *filter, uint32_t layer);
} mlbf_operations;

extern const mlbf_operations mlbf_bloom_operations;       /* bloom.c */
extern const mlbf_operations mlbf_line_operations;        /* line.c */
extern const mlbf_operations mlbf_layered_operations;     /* mlbf.c */
extern const mlbf_operations mlbf_bloom_paper_operations; /* mlbf_paper.c */
extern const mlbf_operations mlbf_paper_operations;       /* mlbf_paper.c */

struct mlbf_filter {
  const mlbf_operations *operations;
  mlbf_plan plan;
  uint64_t seed;
  mlbf_salts salts;
  uint64_t keys;           /* insertions that were new */
  bool full_said;          /* MLBF_FULL has been returned */
  double layer_distinct[MLBF_LAYERS_MAX]; /* mlbf with signals, layers from 2: see mlbf.c */
  uint64_t deep_set;                      /* and the bits set in their array */
  mlbf_array arrays[MLBF_ARRAYS_MAX];
  void *body;
  uint64_t body_bytes;
  char profile[MLBF_PROFILE_SIZE];
};

/* A filter of this plan with cleared arrays. */
mlbf_status mlbf_filter_make(const mlbf_plan *plan, uint64_t seed, const char *profile, mlbf_filter **filter);

#endif
