/* The filter's life on disk: checkpoints, and what opens from them. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_CHECKPOINT_H
#define STRATA_FRONTIER_CHECKPOINT_H

#include "frontier/core/progress.h"
#include "mlbf/save.h"

typedef struct checkpoint {
  uint64_t keys;        /* of the hash log, those the last saved filter holds */
  unsigned slot;        /* 0 or 1: the file that is valid */
  mlbf_saving *saving;  /* the other one, being written; NULL */
  uint64_t saving_keys; /* what it will hold of the log */
  uint64_t next_at;     /* the next one is begun when the log has so many keys */
} checkpoint;

void checkpoint_go_on(checkpoint *c, const progress *p); /* at open */
void checkpoint_say(const checkpoint *c, progress *p);   /* its present state */

frontier_status seen_load(frontier *f);      /* the filter file, and the newer log */
frontier_status seen_make_anew(frontier *f); /* from the log alone; with nothing to commit */

/* The filter into the other file, all at once; the record that says so goes with the next commit. false: not written,
 * which loses time at the next open and nothing else, since the log has it all. */
bool checkpoint_save(frontier *f);
bool checkpoint_is_worthwhile(const frontier *f); /* at close, for the next open */
/* The same in steps: begun when it is due, `bytes` further with each call; tried again later if it fails. */
bool checkpoint_is_due(const frontier *f);
void checkpoint_step(frontier *f, uint64_t bytes);
uint64_t checkpoint_share(const frontier *f, uint64_t new_keys); /* bytes to ask for after a commit of so many */
void checkpoint_hasten(frontier *f);                             /* another filter is in use: the next one is due */
void checkpoint_abandon(frontier *f);                            /* before the filter goes */
void checkpoint_lose(frontier *f);                               /* the files are gone: the next one is worthwhile */

#endif
