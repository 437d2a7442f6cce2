/* The next main filter, in steps, and room in the young one. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_RENEWAL_H
#define STRATA_FRONTIER_RENEWAL_H

#include "frontier/frontier.h"
#include "mlbf/rebuild.h"

typedef struct renewal {
  mlbf_rebuild *making; /* the next main file; NULL */
  uint64_t from, to;    /* keys of the log that go into it */
  uint64_t at;          /* while it wants keys: the next one */
  bool wants_keys;
  uint64_t steps, steps_in_all;
  uint64_t retry_at;   /* after a failure not before the log has so many keys */
  bool is_unverified;  /* blocks of the main file in use are still to be checked */
  bool is_suspect;     /* one of them is damaged: the next is made from the log alone */
  uint64_t young_from; /* the young filter has the keys of the log from here on, */
  uint64_t young_room; /* and is made for so many; */
  uint64_t young_full; /* with so many they are frozen, for the next main file */
} renewal;

/* An empty young filter that replaces the one there is, if any, with room for the keys of the log from `from` on; these
 * are put in unless `is_empty`. */
frontier_status renewal_make_young(frontier *f, uint64_t from, bool is_empty);

/* Before the bits of so many keys are set: room for them. It may freeze the young filter and begin the next main one.
 * NO_MEMORY: the young filter takes them all the same, beyond what it is made for, so that more new keys are called
 * seen. */
frontier_status renewal_make_room(frontier *f, uint64_t keys);

/* Keys that a main filter is made for when it has so many. */
uint64_t renewal_main_room(const frontier *f, uint64_t keys);

double renewal_rate(const frontier *f); /* of the filters, for a key that comes next */

bool renewal_is_due(const frontier *f); /* a step was to be done by now */
bool renewal_can_step(const frontier *f);
void renewal_step(frontier *f); /* some 2 ms; a failure is tried again later */
bool renewal_is_unverified(const frontier *f);
void renewal_verify(frontier *f); /* a piece of the main file in use */
void renewal_doubt(frontier *f);  /* all of it is to be verified */

/* The next main file at once, with all keys committed; from the log alone, or with the bits of the one in use. false:
 * not written, which loses time at the next open and nothing else. The record that names it goes with the next
 * commit. */
bool renewal_make(frontier *f, bool from_log);
bool renewal_make_last(frontier *f); /* before the handle is closed: no filter for keys that come later */
void renewal_abandon(frontier *f);   /* before filters or store go */

#endif
