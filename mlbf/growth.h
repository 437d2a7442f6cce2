/* mlbf/growth.h: the chain, a filter for an unknown number of keys: slices, each twice as large as the one before, at
 * 0.8 times its rate, so that all together keep the promised rate. More bits than one filter has, and one lookup a
 * slice; who keeps a log of hashes can make one filter anew from it instead (remake.h).
 *
 *           [ n, 0.2 p ] [ 2n, 0.16 p ] [ 4n, 0.128 p ] ...      0.2 p (1 + 0.8 + 0.64 + ...) = p
 *                                            ^ inserts go here; lookups try every slice, newest first */
#ifndef STRATA_MLBF_GROWTH_H
#define STRATA_MLBF_GROWTH_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A chain. One writer at a time; any number of readers while no thread writes. */
typedef struct mlbf_chain mlbf_chain;

/* `first` describes the first slice; but `first->rate` is that of the whole chain, and `first->bits` must be 0. */
static inline mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain);

/* The same with the size of the caller's options: see mlbf_create_sized. */
mlbf_status mlbf_chain_create_sized(const mlbf_options *first, size_t options_size, mlbf_chain **chain);

static inline mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain)
{
  return mlbf_chain_create_sized(first, sizeof *first, chain);
}

void mlbf_chain_free(mlbf_chain *chain); /* NULL is fine */

/* As the same calls of a filter. Hashes fit every slice. */
void mlbf_chain_hash(const mlbf_chain *chain, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);
mlbf_verdict mlbf_chain_test(const mlbf_chain *chain, const mlbf_hashes *hashes);

/* Prefetches the memory for a test or insert of this key: hash some tens of keys first, then test them. */
void mlbf_chain_prefetch(const mlbf_chain *chain, const mlbf_hashes *hashes);

/* MLBF_NO_MEMORY (or MLBF_BAD_ARGUMENT, past 64 slices): the key needs a new slice, which could not be created; it is
 * not inserted, `*verdict` is untouched, and the call may be repeated. Never MLBF_FULL. */
mlbf_status mlbf_chain_insert(mlbf_chain *chain, const mlbf_hashes *hashes, mlbf_verdict *verdict);

/* The same for many keys, in order; memory of the next ones is prefetched meanwhile. A key twice in one batch is first
 * new, then seen. On failure the first `*settled` keys were inserted and have their verdicts; the rest may be tried
 * again. */
mlbf_status mlbf_chain_insert_many(mlbf_chain *chain, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts,
                                   size_t *settled);

typedef struct mlbf_chain_stats {
  mlbf_kind kind;
  const char *profile; /* the chain's own */
  uint32_t slices;
  uint64_t keys, bits;
  double promised_rate;
  double rate; /* false-positive probability now, from the fill of each slice */
} mlbf_chain_stats;

void mlbf_chain_stats_read(const mlbf_chain *chain, mlbf_chain_stats *stats); /* of all slices together */

/* One file for all slices; as mlbf_save and mlbf_load. A filter's file loads as a chain of one slice, which then
 * grows. */
mlbf_status mlbf_chain_save(const mlbf_chain *chain, const char *path);
mlbf_status mlbf_chain_load(const char *path, mlbf_chain **chain);
mlbf_status mlbf_chain_load_with(const char *path, const uint8_t *secret, mlbf_chain **chain);

#ifdef __cplusplus
}
#endif
#endif
