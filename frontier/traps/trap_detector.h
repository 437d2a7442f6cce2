/* The trap detector of traps.h: judges one new URL after the other; private to this room. */
#ifndef STRATA_FRONTIER_TRAP_DETECTOR_H
#define STRATA_FRONTIER_TRAP_DETECTOR_H

#include "frontier/hosts/hosts.h"

typedef struct trap_detector trap_detector;

trap_detector *trap_detector_create(const mlbf_hasher *hasher); /* which outlives it; NULL: out of memory */
void trap_detector_free(trap_detector *w);

/* Count this new URL of `who`; true: it looks like a trap's. */
bool trap_detector_judge(trap_detector *w, host *who, const url *u);

/* This URL of `who` was judged a trap's by an earlier handle, and is still queued. */
void trap_detector_remember(trap_detector *w, const host *who, const url *u);

/* The directory of a URL, as the watch numbers them; `*end`: where its name ends within `fetch`. */
uint64_t trap_detector_directory(const mlbf_hasher *hasher, const host *who, const char *fetch, size_t size,
                                 size_t path_begin, size_t *end);

#endif
