/* Does a redirect lead back to where it began? The last redirects of this run are remembered, 8,192 of them in 128 KiB:
 * the last URL of a loop to be fetched finds the others there. */
#ifndef STRATA_CRAWLER_REDIRECT_LOOPS_H
#define STRATA_CRAWLER_REDIRECT_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct redirect_loops redirect_loops;

redirect_loops *redirect_loops_create(void); /* NULL: out of memory */
void redirect_loops_free(redirect_loops *r); /* NULL is fine */

/* One more redirect, by hashes of keys. true: over at most 20 hops it leads back to `from`. */
bool redirect_loops_note(redirect_loops *r, uint64_t from, uint64_t to);

#endif
