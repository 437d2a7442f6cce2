/* The newest keys of the log, as they come, with an index to look them up: an array, and a table of places in it. Equal
 * keys are kept, so that their number is that of the log. 16 bytes a key, and 8 to 16 of the table. */
#ifndef STRATA_FRONTIER_FRESH_KEYS_H
#define STRATA_FRONTIER_FRESH_KEYS_H

#include "mlbf/filter.h"

typedef struct fresh_keys {
  mlbf_hash128 *keys;
  size_t count, room;
  uint32_t *slots; /* a place in `keys`, plus 1; 0: free */
  size_t size;     /* of `slots`: a power of two, at least twice `count` */
} fresh_keys;      /* all zeros is an empty one */

void fresh_keys_free(fresh_keys *s);
bool fresh_keys_make_room(fresh_keys *s, size_t keys); /* for so many more; false: no memory */
void fresh_keys_add(fresh_keys *s, mlbf_hash128 key);  /* there is room */
bool fresh_keys_has(const fresh_keys *s, mlbf_hash128 key);
void fresh_keys_clear(fresh_keys *s);
/* The array, which the caller frees; the set is empty then. */
mlbf_hash128 *fresh_keys_take(fresh_keys *s);
uint64_t fresh_keys_memory(const fresh_keys *s);

#endif
