/* The eye behind traps.h: judges one new URL after the other; private to this room. */
#ifndef STRATA_FRONTIER_TRAP_DETECTOR_H
#define STRATA_FRONTIER_TRAP_DETECTOR_H

#include "frontier/hosts/hosts.h"

typedef struct watch watch;

watch *watch_create(void); /* NULL: out of memory */
void watch_free(watch *w);

/* Count this new URL of `who`; true: it looks like a trap's. */
bool watch_judge(watch *w, host *who, const url *u);

/* This URL of `who` was judged to be a trap's by an earlier handle, and still waits. */
void watch_remember(watch *w, const host *who, const url *u);

/* The directory of a URL, as the watch tells them apart; `*end`: where its name ends within `fetch`. */
uint64_t watch_directory(const host *who, const char *fetch, size_t size, size_t path_begin, size_t *end);

#endif
