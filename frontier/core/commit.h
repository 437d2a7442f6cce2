/* Commits: see commit.c. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_COMMIT_H
#define STRATA_FRONTIER_COMMIT_H

#include "frontier/frontier.h"

typedef struct committing {
  frontier_hook *hook; /* NULL: none */
  void *context;
  uint64_t sealed, landed;  /* sequences: the next one when the last transaction was sealed, and when one landed */
  uint64_t seals, landings; /* of this handle, ever */
  uint64_t sealed_ended;    /* URLs that ended in the sealed transaction, until it has landed */
  uint64_t waited_ms;       /* of calls, for what was being written */
  bool has_synced;          /* what the last transaction needed on disk before it; its thread writes this */
} committing;

void commit_open(frontier *f); /* at open: all that there is has landed */

/* Large enough, old enough, or so many have ended in it as the caller wants to have fetched again after a crash. */
bool commit_is_due(frontier *f, uint64_t now_ms);

/* Twice so many have ended and are not on disk yet: nothing more is leased until some are. */
bool commit_is_behind(frontier *f);

/* All that was added and has ended is on disk when it returns. */
frontier_status commit_batch(frontier *f);
/* The same in the commit thread, if there is one: it is on its way. Waits for the one before. */
frontier_status commit_begin(frontier *f);
/* If one has landed in the commit thread, what follows from it. */
void commit_poll(frontier *f);

/* Is the row of this URL on disk? Is that of every URL that is sealed? */
bool commit_has_landed(const frontier *f, uint64_t sequence);
bool commit_is_landed(const frontier *f);

uint64_t commit_waited_ms(const frontier *f); /* by all calls, for what was being written */

void commit_write(frontier *f); /* for lander.c */

#endif
