/* datasets/sort/spool.h: a temporary file: written from front to back, then mapped and read.
 *
 * The file has no name, so nothing is left behind however the program ends. Reading uses the page cache: a spool
 * larger than memory works, and the kernel can reclaim the pages. */
#ifndef STRATA_DATASETS_SPOOL_H
#define STRATA_DATASETS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spool spool;

/* In `directory`. NULL: errno says why. */
spool *spool_create(const char *directory);
void spool_free(spool *old); /* NULL is fine */

/* Append. False: errno says why (ENOSPC); the spool is then good for spool_free only. */
bool spool_write(spool *s, const void *bytes, size_t size);
uint64_t spool_size(const spool *s); /* bytes written */

/* End writing, and map. False: errno says why. spool_bytes is NULL for an empty spool. */
bool spool_finish(spool *written);
const void *spool_bytes(const spool *finished);
int spool_descriptor(const spool *finished); /* of the file, as long as the spool; its offset is the caller's */

#endif
