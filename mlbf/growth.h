/* mlbf/growth.h: filters for a number of keys nobody knows. Two ways:
 *
 *   rebuild   whoever keeps a log of hashes (see mlbf_insert_whole) makes the next larger filter and fills it from
 *             the log: one structure, the promised rate for life, at most 1.4 times the bits it needs, but two
 *             filters while it is being done (2.4 times the old one's memory)
 *   chain     without a log: slices, each twice the one before and promised 0.8 times its rate, so that all
 *             together keep the promise; more bits and one question a slice
 *
 *   chain   [ n, 0.2 p ] [ 2n, 0.16 p ] [ 4n, 0.128 p ] ...      0.2 p (1 + 0.8 + 0.64 + ...) = p
 *                                            ^ inserts go here; every slice is asked, newest first */
#ifndef STRATA_MLBF_GROWTH_H
#define STRATA_MLBF_GROWTH_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty filter like `filter` for 1.4 times the keys, to be filled from a log. 1.4: sizes then grow in few enough
 * steps that all rebuilds of a crawl together insert 3.5 times its keys, and a filter just made has 1.4 x 10.5 =
 * 14.7 bits for each key it holds at 1e-2 (mlbf). MLBF_BAD_ARGUMENT beyond 2^48 bits; MLBF_NO_MEMORY. */
mlbf_status mlbf_create_larger(const mlbf_filter *filter, mlbf_filter **larger);

/* A chain. For one thread at a time; readers may share it while nobody writes. Not for the paper's kinds. */
typedef struct mlbf_chain mlbf_chain;

/* `first` is for the first slice, but `first->rate` for the whole chain whatever its length, and `first->bits` 0. */
mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain);
void mlbf_chain_free(mlbf_chain *chain); /* NULL is fine */

/* As the same calls of a filter. Hashes fit every slice. */
void mlbf_chain_hash(const mlbf_chain *chain, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);
mlbf_verdict mlbf_chain_test(const mlbf_chain *chain, const mlbf_hashes *hashes);

/* Begin to fetch what a test or an insert of this key will touch: for callers who hash some tens of keys and ask
 * then. */
void mlbf_chain_prefetch(const mlbf_chain *chain, const mlbf_hashes *hashes);

/* MLBF_NO_MEMORY (or MLBF_BAD_ARGUMENT, past 64 slices): a new slice was needed and could not be had; the key is
 * then not inserted, `*verdict` is untouched, and the call may be repeated. Never MLBF_FULL. */
mlbf_status mlbf_chain_insert(mlbf_chain *chain, const mlbf_hashes *hashes, mlbf_verdict *verdict);

typedef struct mlbf_chain_stats {
  mlbf_kind kind;
  const char *profile; /* the chain's own */
  uint32_t slices;
  uint64_t keys, bits;
  double promised_rate;
  double rate; /* that some slice is wrong, now, from the fill of each */
} mlbf_chain_stats;

void mlbf_chain_stats_read(const mlbf_chain *chain, mlbf_chain_stats *stats); /* of all slices together */

/* One file for all slices; as mlbf_save and mlbf_load. A filter's file loads as a chain of one slice, which then
 * grows. */
mlbf_status mlbf_chain_save(const mlbf_chain *chain, const char *path);
mlbf_status mlbf_chain_load(const char *path, mlbf_chain **chain);

#ifdef __cplusplus
}
#endif
#endif
