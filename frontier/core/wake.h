/* The event that wakes a thread which waits for a URL: a part of the handle (part.h). */
#ifndef STRATA_FRONTIER_WAKE_H
#define STRATA_FRONTIER_WAKE_H

#include "frontier/frontier.h"

typedef struct wake_event {
  int fd; /* if it was asked for */
  bool has_fd;
  bool is_set;          /* the fd is readable */
  bool was_unread;      /* at the end of the last call of frontier_next: some URL on disk was not read */
  uint64_t foreseen_ms; /* own time when it said to call again */
} wake_event;

/* frontier_next ends; `gave`: some URL. Else it said to wait so long. */
void wake_foresee(frontier *f, bool gave, uint64_t now_ms, int64_t wait_ms);
/* Something was changed that may let a URL be taken: is it now, or sooner than foreseen? */
void wake_look(frontier *f);
/* The same, and what was changed cannot be seen in the workbench. */
void wake_now(frontier *f);

#endif
