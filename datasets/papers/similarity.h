/* datasets/papers/similarity.h: Roussev's Table 5 (2012): is a short piece of a large target found in it, and a foreign
 * piece not?
 *
 * We found the protocol by trial; with 100 MB it gives the printed false positives (strata replay --paper sdhash):
 *
 *     target           random bytes; a digest in blocks of 16 KiB
 *     query            a stream digest of a piece; found if its score against the target is above 0
 *     false positive   a piece of other random bytes that is found. Pieces of all sizes are prefixes of the same bytes,
 *                      so only their size differs
 *     true positive    a piece from anywhere in the target that is found in the blocks that hold it; other blocks are
 *                      not compared, to exclude chance matches */
#ifndef STRATA_DATASETS_SIMILARITY_H
#define STRATA_DATASETS_SIMILARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlbf/digest.h"

enum { SIMILARITY_RULES = 2 }; /* by mlbf_digest_rule */

typedef struct similarity_target {
  size_t size;
  uint8_t *bytes;
  mlbf_digest *digest;
} similarity_target;

/* Same seed, same bytes. False: out of memory, and there is nothing to free. */
bool similarity_target_make(size_t size, uint64_t seed, similarity_target *target);
void similarity_target_free(similarity_target *target);

typedef struct similarity_result {
  uint32_t asked;                                            /* of either kind */
  uint32_t split, split_right[SIMILARITY_RULES];             /* pieces in the target that lie in two blocks; found */
  uint32_t wrong[SIMILARITY_RULES], right[SIMILARITY_RULES]; /* found, of pieces that are not in the target, and are */
} similarity_result;

/* `asked` pieces of `piece_size` bytes, MLBF_DIGEST_SIZE_MIN to the target's size. False: out of memory. */
bool similarity_measure(const similarity_target *target, size_t piece_size, uint32_t asked, uint64_t seed,
                        similarity_result *result);

/* MB of the target digested in blocks in a second by so many threads; the median of three. 0: out of memory. */
double similarity_rate(const similarity_target *target, unsigned threads);

/* Pairs of filters compared in a millisecond: the target's beginning with all of it, by 1 or 2 threads. 0: out of
 * memory. */
double similarity_comparisons(const similarity_target *target, unsigned threads);

#endif
