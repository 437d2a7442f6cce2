/* mlbf/plan.h: how large a filter must be, and which rate a size gives. mlbf_create uses it, and so can a caller
 * before spending the memory. Needs no filter and allocates nothing. */
#ifndef STRATA_MLBF_PLAN_H
#define STRATA_MLBF_PLAN_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a key's k bits are. */
typedef enum mlbf_layout {
  MLBF_LAYOUT_CLASSIC = 1,
  MLBF_LAYOUT_LINE = 2,
  MLBF_LAYOUT_TWO_LINES = 3,
} mlbf_layout;

enum {
  MLBF_LINE_BITS = 512,  /* one cache line of every machine we know */
  MLBF_LINE_WORDS = 8,   /* of 64 bits */
  MLBF_PAGE_LINES = 256, /* at most, in a page: both lines of a key of TWO_LINES are in one */
  MLBF_HASHES_MAX = 32,  /* k */
};

enum { MLBF_ARRAYS_MAX = 3 };

typedef struct mlbf_array_plan {
  mlbf_layout layout;
  uint32_t hashes; /* k */
  uint64_t bits;   /* m; LINE: a multiple of 512; TWO_LINES: of 512 times its pages, as many as are needed */
} mlbf_array_plan;

/* A filter's arrays. Array 0 decides whether a key is seen; the others, if any, are layers. Only mlbf has some:
 * 1: hosts (layer 1); 2, with signals: one array for all deeper layers. */
typedef struct mlbf_plan {
  mlbf_kind kind;
  uint64_t keys;
  double rate; /* promised */
  bool signals;
  uint32_t array_count;
  mlbf_array_plan arrays[MLBF_ARRAYS_MAX];
  uint64_t bits; /* all arrays together */
} mlbf_plan;

enum { MLBF_REASON_SIZE = 128 };

/* The plan for options. (keys, rate): the smallest that keeps the rate. (keys, bits), rate 0: the best rate
 * for those bits, which is then the promised rate. For bloom `bits` is m, for line and mlbf the total,
 * rounded down to whole cache lines.
 * MLBF_BAD_ARGUMENT writes to `reason` (if not NULL) which field is wrong, "keys is 0", and leaves `*plan` alone. */
mlbf_status mlbf_plan_make(const mlbf_options *options, mlbf_plan *plan, char reason[MLBF_REASON_SIZE]);

/* The inverse: the false-positive rate of SEEN at `keys` keys, for keys unrelated to the inserted ones (lower for
 * keys of new hosts). */
double mlbf_plan_rate(const mlbf_plan *plan, uint64_t keys);

#ifdef __cplusplus
}
#endif
#endif
