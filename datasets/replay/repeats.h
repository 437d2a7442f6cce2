/* datasets/replay/repeats.h: segments known both at depth three and, as a URL's last segment, at depth four. If one of
 * them is appended twice to a URL of two segments, host/page/x/x, the XOR of unsalted hashes is that of host/page: the
 * seed paper's filter always says "seen". */
#ifndef STRATA_DATASETS_REPEATS_H
#define STRATA_DATASETS_REPEATS_H

#include "datasets/sort/list.h"

enum { REPEATS_BEFORE = 2 }; /* segments before the repeated one: the host, and one */

typedef struct repeats repeats;

/* Look through the first `inserted` keys; a sample of at most 65,536 such segments, fixed by `seed`, is kept.
 * NULL: errno says why. */
repeats *repeats_find(const urllist *list, uint64_t inserted, const char *directory, uint64_t seed);
void repeats_free(repeats *old); /* NULL is fine */

/* One of them, its '/' included; NULL if there are none. */
const char *repeats_draw(const repeats *known, uint64_t *rng, size_t *size);

#endif
