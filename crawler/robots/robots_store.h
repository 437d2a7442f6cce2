/* crawler/robots/robots_store.h: rules that memory has no room for, in a nameless file that ends with the process.
 *
 * A ring: the newest overwrite the oldest. A fixed table finds them. So it forgets some, and what it gives is what was
 * put there. */
#ifndef STRATA_CRAWLER_ROBOTS_STORE_H
#define STRATA_CRAWLER_ROBOTS_STORE_H

#include "crawler/robots/robots.h"
#include "mlbf/secret.h"

#include <stdint.h>

typedef struct robots_store robots_store;

enum { ROBOTS_STORED_MAX = 64 * 1024 }; /* bytes of a robots.txt's rules; larger ones are not taken */

/* A file of up to `file_bytes` in `directory`; a table of `index_bytes` in memory. NULL: there can be none. */
robots_store *robots_store_create(const char *directory, uint64_t file_bytes, size_t index_bytes,
                                  const uint8_t secret[MLBF_SECRET_BYTES]);
void robots_store_free(robots_store *s); /* NULL is fine */

/* `known_ms`: a number that comes back with the rules. A disk that is full forgets them. */
void robots_store_put(robots_store *s, const char *name, const robots *rules, uint64_t known_ms);

/* NULL: not there, or out of memory. */
robots *robots_store_get(const robots_store *s, const char *name, uint64_t *known_ms);

#endif
