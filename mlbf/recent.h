/* mlbf/recent.h: a small cache of segment hashes that a log already holds.
 *
 * A log that rebuilds filters must hold every distinct segment (see mlbf_insert_hashes); writing each
 * segment of each key would make it three times as long. URLs come in runs of neighbours, so a table of
 * the last tens of thousands, exact in all 128 bits, drops nearly all repetitions. It may forget a hash (the log
 * then holds a segment twice, which is harmless) but has no false hits (no segment is left out). */
#ifndef STRATA_MLBF_RECENT_H
#define STRATA_MLBF_RECENT_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_recent mlbf_recent;

/* Remembers up to `slots` hashes (rounded up to a power of two, four at least), 16 bytes each; of four that share a set
 * all are remembered, a fifth replaces the one noted longest ago. NULL: out of memory. */
mlbf_recent *mlbf_recent_create(size_t slots);
void mlbf_recent_free(mlbf_recent *recent); /* NULL is fine */

/* True: this hash was noted before, so the log has it. False: write it to the log; it is noted now. Hashes
 * are salted by layer, so the layer is not needed. */
bool mlbf_recent_note(mlbf_recent *recent, mlbf_hash128 segment);

/* Prefetches the memory for a coming mlbf_recent_note. */
void mlbf_recent_fetch(const mlbf_recent *recent, mlbf_hash128 segment);

#ifdef __cplusplus
}
#endif
#endif
