/* The eye behind traps.h: judges one new URL after the other; private to this room. */
#ifndef STRATA_FRONTIER_WATCH_H
#define STRATA_FRONTIER_WATCH_H

#include "frontier/hosts.h"

typedef struct watch watch;

watch *watch_create(void); /* NULL: out of memory */
void watch_free(watch *w);

/* Count this new URL of `who`; true: it looks like a trap's. */
bool watch_judge(watch *w, host *who, const url *u);

#endif
