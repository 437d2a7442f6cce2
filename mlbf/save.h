/* mlbf/save.h: saving a large filter a piece at a time, between insertions.
 *
 * A filter of 10^8 URLs is 500 MB: written at once it stops its owner for a second. Instead
 *
 *     mlbf_save_begin -> mlbf_save_step, insertions, mlbf_save_step, insertions ... -> *is_done: the file is there
 *
 * The file then holds every key inserted before mlbf_save_begin, and of those inserted since, some bits or all. Bits
 * are only ever added, so it is a sound filter: who has a log of keys replays those from mlbf_save_begin on, and what
 * it knows already does not matter.
 *
 * Threads: as one that reads the filter. The filter may not be freed before the saving ends. */
#ifndef STRATA_MLBF_SAVE_H
#define STRATA_MLBF_SAVE_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_saving mlbf_saving;

/* As mlbf_save: into `path`.tmp, renamed at the end. MLBF_IO, MLBF_NO_MEMORY; MLBF_DAMAGED for a mapped filter that
 * is. */
mlbf_status mlbf_save_begin(const mlbf_filter *filter, const char *path, mlbf_saving **saving);

/* About `bytes` more (at least a block of 1 MiB) onto the disk and synced, so that nothing piles up for the end. Any
 * failure is final: end the saving; the old file is as it was. */
mlbf_status mlbf_save_step(mlbf_saving *saving, uint64_t bytes, bool *is_done);

/* Bytes of all steps together: how many to ask for. */
uint64_t mlbf_save_size(const mlbf_saving *saving);

/* Done or not; if not, the temporary file is removed. NULL is fine. */
void mlbf_save_end(mlbf_saving *saving);

#ifdef __cplusplus
}
#endif
#endif
