/* mlbf/stream.h: where a structure is written to, or read from, if that is no file. */
#ifndef STRATA_MLBF_STREAM_H
#define STRATA_MLBF_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes all of these bytes; false: it cannot, and is not called again. */
typedef bool mlbf_write(void *context, const void *bytes, uint64_t size);

/* Gives up to `size` bytes, `size` being at least 1: returns how many; 0: there are no more; -1: it failed. */
typedef int64_t mlbf_read(void *context, void *bytes, uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
