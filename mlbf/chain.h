/* mlbf/chain.h: a filter for an unknown number of keys: slices, each twice as large as the one before, at 0.8 times its
 * rate, so that all together keep the promised rate. More bits than one filter has, and one look a slice; who keeps a
 * log of hashes can make one filter anew from it instead (rebuild.h).
 *
 *     [ n, 0.2 p ] [ 2n, 0.16 p ] [ 4n, 0.128 p ] ...      0.2 p (1 + 0.8 + 0.64 + ...) = p
 *                                    ^ keys go in here; every slice is asked
 *
 * Threads: one writer at a time; any number of readers while no thread writes. */
#ifndef STRATA_MLBF_CHAIN_H
#define STRATA_MLBF_CHAIN_H

#include "mlbf/filter.h"
#include "mlbf/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_chain mlbf_chain;

/* `first` describes the first slice; but `first->rate` is that of the whole chain, and `first->bits` must be 0. As
 * mlbf_create. */
mlbf_status mlbf_chain_create(const mlbf_options *first, mlbf_chain **chain);
void mlbf_chain_free(mlbf_chain *chain); /* NULL is fine */

/* As mlbf_test and mlbf_insert, of all slices together; but never MLBF_FULL, and verdicts may not be NULL.
 * MLBF_NO_MEMORY (or MLBF_BAD_ARGUMENT, past 64 slices): a new slice was needed, which could not be created; the first
 * `*done` keys were inserted and have their verdicts, and the others may be tried again. */
void mlbf_chain_test(const mlbf_chain *chain, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts);
mlbf_status mlbf_chain_insert(mlbf_chain *chain, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts,
                              size_t *done);

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
mlbf_status mlbf_chain_load(const char *path, const uint8_t *secret, mlbf_chain **chain);

/* The bytes of that file through a callback. Beside the chain itself memory is 8 bytes a MiB of it. mlbf_chain_read
 * reads as far as the chain goes, and no further. MLBF_IO: the callback failed. */
mlbf_status mlbf_chain_write(const mlbf_chain *chain, mlbf_write *write, void *context);
mlbf_status mlbf_chain_read(mlbf_read *read, void *context, const uint8_t *secret, mlbf_chain **chain);

#ifdef __cplusplus
}
#endif
#endif
