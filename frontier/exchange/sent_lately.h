/* Which keys were put into a parcel lately: a table where a newer one takes the place of an older. A miss costs some
 * bytes on the wire. It has no false hit but for equal hashes of 64 bits, as a hit keeps a URL from being sent. Each
 * handle has its own, empty at open: a hit may lean on a parcel that is in the open batch, and that is committed in no
 * later transaction than what leans on it. */
#ifndef STRATA_FRONTIER_SENT_LATELY_H
#define STRATA_FRONTIER_SENT_LATELY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sent_lately {
  uint64_t *hashes; /* NULL until something was put */
} sent_lately;      /* all zeros is an empty one */

bool sent_lately_has(const sent_lately *s, uint64_t hash);
void sent_lately_put(sent_lately *s, uint64_t hash); /* without memory it stays empty */
void sent_lately_free(sent_lately *s);

#endif
