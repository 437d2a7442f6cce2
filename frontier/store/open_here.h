/* Which directories this process has open: LMDB's locks are per process, so it may open each once only. */
#ifndef STRATA_FRONTIER_OPEN_HERE_H
#define STRATA_FRONTIER_OPEN_HERE_H

#include "frontier/frontier.h"

typedef struct open_here open_here; /* a directory in the list */

/* BUSY: this process has this directory open; NO_MEMORY. One that is not there is left to LMDB to refuse: *o is then
 * NULL. */
frontier_status open_here_add(const char *directory, open_here **o);
void open_here_remove(open_here *o); /* NULL is fine */
bool open_here_has(const char *directory);

#endif
