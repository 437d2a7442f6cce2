/* mlbf/rebuild.h: a filter's file made anew, larger or with more keys, in bounded memory and bounded steps.
 *
 * A filter of 10^9 URLs is 5 GB, and to insert keys one by one into so large a file writes each of its pages again and
 * again. Here the body is made window by window, each in memory only until it is written, from begin to end:
 *
 *     body    |== written ==|== window ==|.......|         of each key the caller hands over, in any order,
 *                            ^ old bits, then new ones     the bits in the window are set; the rest is ignored
 *
 *     mlbf_rebuild_begin -> mlbf_rebuild_step until it wants keys: give all of them, then mlbf_rebuild_keys_end
 *                       -> mlbf_rebuild_step until it wants keys: give them all again ... -> the file is in place
 *
 * The file has exactly the bits that inserting the keys one by one into a copy of the old filter would set. A caller
 * with a log of hashes reads it once a window; a window of an eighth of the body needs half a byte a key, and eight
 * readings.
 *
 * Threads: a rebuild is used by one thread at a time, and touches nothing but itself, its file and the old filter,
 * which it only reads: others may test that meanwhile. It may not be freed before the rebuild ends. */
#ifndef STRATA_MLBF_REBUILD_H
#define STRATA_MLBF_REBUILD_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_rebuild mlbf_rebuild;

typedef enum mlbf_rebuild_need {
  MLBF_REBUILD_STEP, /* another step */
  MLBF_REBUILD_KEYS, /* all keys, and then mlbf_rebuild_keys_end */
  MLBF_REBUILD_DONE, /* the file is in place: mlbf_rebuild_end */
} mlbf_rebuild_need;

/* Into `path`.tmp, renamed at the end. The bits of `old` (loaded or mapped) and its geometry; or, if that is NULL, an
 * empty filter of `options`. A window has `window_bytes`, rounded up to 1 MiB. MLBF_IO, MLBF_NO_MEMORY;
 * MLBF_BAD_ARGUMENT: as mlbf_create. */
mlbf_status mlbf_rebuild_begin(const mlbf_filter *old, const mlbf_options *options, uint64_t window_bytes,
                               const char *path, mlbf_rebuild **rebuild);

/* Reads or writes about `bytes` more (at least a block of 1 MiB), some millisecond each; the last step syncs the file.
 * What was written before is on its way to the disk by then. Any failure is final: end it; the file of this
 * name, if any, is unchanged. MLBF_DAMAGED: a block of the old filter, mapped, does not have its checksum. */
mlbf_status mlbf_rebuild_step(mlbf_rebuild *rebuild, uint64_t bytes, mlbf_rebuild_need *need);

/* While it wants keys. As mlbf_insert_hashes: repetitions and the order do not matter. */
void mlbf_rebuild_hashes(mlbf_rebuild *rebuild, const mlbf_hashes *hashes, size_t count);
void mlbf_rebuild_keys_end(mlbf_rebuild *rebuild);

/* What all steps will read, write and set, for a caller who spreads the work. */
uint64_t mlbf_rebuild_bytes(const mlbf_rebuild *rebuild);   /* to pass to all steps together */
uint64_t mlbf_rebuild_windows(const mlbf_rebuild *rebuild); /* how often it will want all keys */

/* Frees it; if it is not done, removes the temporary file. NULL is fine. */
void mlbf_rebuild_end(mlbf_rebuild *rebuild);

#ifdef __cplusplus
}
#endif
#endif
