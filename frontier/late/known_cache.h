/* Keys that were found to be known lately: most links of a page are those of the page before. A small table of parts of
 * hashes, 64 bits beside those that say where they lie, so it has no false hits; it may forget any key. What it has
 * need be asked of nothing else. */
#ifndef STRATA_FRONTIER_KNOWN_CACHE_H
#define STRATA_FRONTIER_KNOWN_CACHE_H

#include "mlbf/filter.h"

typedef struct known_cache known_cache;

known_cache *known_cache_create(size_t slots); /* a multiple of 8; 8 bytes each; NULL: no memory */
void known_cache_free(known_cache *c);         /* NULL is fine */

void known_cache_fetch(const known_cache *c, mlbf_hash128 key); /* it is asked soon */
bool known_cache_has(known_cache *c, mlbf_hash128 key);
void known_cache_put(known_cache *c, mlbf_hash128 key);       /* it was accepted */
void known_cache_put_doubt(known_cache *c, mlbf_hash128 key); /* the next one with this key is truly seen */
void known_cache_remove(known_cache *c, mlbf_hash128 key);    /* a key that was forgotten; fine if it is not there */

#endif
