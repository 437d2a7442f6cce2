/* A filter of somebody else, for bench_filters: one object file made elsewhere, which exports one of the tables below.
 * filter_opponents.sh builds them from public source. A table that is not linked in has the address NULL. */
#ifndef STRATA_TESTS_FILTER_OPPONENT_H
#define STRATA_TESTS_FILTER_OPPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opponent_text { /* laid out as mlbf_span */
  const void *bytes;
  size_t size;
} opponent_text;

typedef struct opponent_key { /* a text in segments, laid out as mlbf_key */
  const opponent_text *segments;
  size_t count;
} opponent_key;

typedef struct filter_opponent {
  /* An empty filter for so many keys at this rate; its bits. With `tells`, `add` tests first, so that it can tell how
   * many it had seen; without, some only set bits, and it returns 0. */
  void *(*make)(uint64_t keys, double rate, bool tells, uint64_t *bits);
  uint64_t (*add)(void *filter, const opponent_text *texts, const opponent_key *cut, size_t count);
  uint64_t (*ask)(const void *filter, const opponent_text *texts, const opponent_key *cut,
                  size_t count); /* how many it has seen */
  void (*drop)(void *filter);
} filter_opponent;

/* Hidden nowhere: the object files keep only these names. */
extern const filter_opponent filter_rocksdb __attribute__((weak));
extern const filter_opponent filter_split_block __attribute__((weak));
extern const filter_opponent filter_redisbloom __attribute__((weak));
extern const filter_opponent filter_libbloom __attribute__((weak));
extern const filter_opponent filter_before_line __attribute__((weak));    /* ours, of another checkout */
extern const filter_opponent filter_before_signals __attribute__((weak)); /* mlbf with signals, likewise */

/* Keys hashed and prefetched before the first of them is tested: RocksDB's MultiGet has 32, as have we. */
enum { OPPONENT_BATCH = 32 };

static inline void *opponent_need(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Cleared, and in huge pages if the system has them, as our filters are. */
static inline void *opponent_table(uint64_t bytes)
{
  const uint64_t huge = 2 << 20;
  bytes = (bytes + huge - 1) / huge * huge;
  void *table = opponent_need(aligned_alloc(huge, bytes));
  madvise(table, bytes, MADV_HUGEPAGE);
  memset(table, 0, bytes);
  return table;
}

#ifdef __cplusplus
}
#endif
#endif
