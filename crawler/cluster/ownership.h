/* crawler/cluster/ownership.h: which process has a partition.
 *
 *     NAME:own:p    "WORKER INCARNATION SINCE", for 15 s from the last renewal
 *     NAME:known    a field for each partition that ever had an owner: "WORKER DIRECTORY"
 *     NAME:boot     when the server was found empty; 0: when the crawl began
 *
 * The directory is what owns: the lease only keeps a copy of it from being crawled as well. Of two, the one with the
 * higher incarnation has it; of equals, the older one; of copies, the one who had it first. A WORKER is a directory on
 * a machine, so that one started again after kill -9 goes on at once. */
#ifndef STRATA_CRAWLER_OWNERSHIP_H
#define STRATA_CRAWLER_OWNERSHIP_H

#include "crawler/cluster/broker.h"

#include <stdbool.h>

enum { OWNERSHIP_WORKER_SIZE = 96, OWNERSHIP_LEASE_MS = 15000 };

typedef enum ownership_state {
  OWNERSHIP_ASKED,      /* not known yet */
  OWNERSHIP_WAITS,      /* the server was emptied: its owner, if there is one, says so first */
  OWNERSHIP_OURS,       /* or was when the server was heard of last: without it there is nobody who could take over */
  OWNERSHIP_OTHERS,     /* another process has it; `holder` */
  OWNERSHIP_SUPERSEDED, /* ... with a later life of this directory: this one is history */
} ownership_state;

typedef struct ownership {
  broker *broker;
  uint32_t partition;
  uint64_t incarnation, since_ms;
  char worker[OWNERSHIP_WORKER_SIZE];
  char directory[4096];
  bool had_it; /* it, or all of the crawl, is new, or this worker was the last owner */
  ownership_state state;
  char holder[OWNERSHIP_WORKER_SIZE + 64];
  uint64_t asked_ms;
} ownership;

/* A name for a directory on this machine: one line of host name and digits. false: it is no directory. */
bool ownership_worker(const char *directory, char worker[OWNERSHIP_WORKER_SIZE]);

/* Asks, and renews. Never waits. */
void ownership_turn(ownership *o, uint64_t now_ms);

/* Gives it back, if it is ours: another may have it at once. */
void ownership_leave(ownership *o);

#endif
