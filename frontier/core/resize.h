/* The filter's next size, in steps. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_RESIZE_H
#define STRATA_FRONTIER_RESIZE_H

#include "frontier/frontier.h"

typedef struct resize {
  mlbf_filter *growing;  /* the next larger filter while it is being filled; NULL */
  uint64_t growing_keys; /* of the log, those it holds */
  uint64_t full_at;      /* keys that the filter in use is made for, */
  uint64_t resize_at;    /* and its successor is begun when the log has so many keys; 0: not known yet */
} resize;

/* After each commit that brought `new_keys`; and at open, if a crash left a filter file behind that is too small for
 * the log, all at once. */
frontier_status resize_step(frontier *f, uint64_t new_keys);
frontier_status resize_at_open(frontier *f);
bool resize_is_due(const frontier *f);
bool resize_is_late(const frontier *f);      /* the filter in use is full */
uint64_t resize_room_for(uint64_t expected); /* keys of a filter that does not grow before more than these have come */
frontier_status resize_by(frontier *f, uint64_t keys); /* one step, when it is due */
void resize_abandon(frontier *f);                      /* before the filter goes, or another takes its place */

#endif
