/* mlbf/save.h: saving a large filter in steps, between insertions.
 *
 * A filter of 10^8 URLs is 500 MB: writing it at once stops the caller for a second. Instead
 *
 *     mlbf_save_begin -> mlbf_save_step, insertions, mlbf_save_step, insertions ... -> *is_done: the file is there
 *
 * The file then holds every key inserted before mlbf_save_begin, and some or all bits of those inserted since. As bits
 * are only ever added, the file is a correct filter of the earlier keys. With a log of keys, replay those since
 * mlbf_save_begin; inserting a key twice does no harm.
 *
 * Threads: saving counts as a reader of the filter. The filter may not be freed before the saving ends. */
#ifndef STRATA_MLBF_SAVE_H
#define STRATA_MLBF_SAVE_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_saving mlbf_saving;

/* As mlbf_save: into `path`.tmp, renamed at the end. MLBF_IO, MLBF_NO_MEMORY; MLBF_DAMAGED if a mapped filter is. */
mlbf_status mlbf_save_begin(const mlbf_filter *filter, const char *path, mlbf_saving **saving);

/* Writes and syncs about `bytes` more (at least a block of 1 MiB), so that little is left to sync at the end. Any
 * failure is final: end the saving; the old file is unchanged. */
mlbf_status mlbf_save_step(mlbf_saving *saving, uint64_t bytes, bool *is_done);

/* Total bytes to pass to all steps. */
uint64_t mlbf_save_size(const mlbf_saving *saving);

/* Frees the saving; if it is not done, removes the temporary file. NULL is fine. */
void mlbf_save_end(mlbf_saving *saving);

#ifdef __cplusplus
}
#endif
#endif
