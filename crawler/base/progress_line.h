/* How far a command is that may take long: one line on the terminal, drawn over itself, which is gone when it ends.
 *
 *     reading urls.txt: 43 %, 1,234,567 URLs, 310,000/s, 1 min 20 s left
 *
 * It appears two seconds after the command began (STRATA_PROGRESS_MS: after so many milliseconds), and only where
 * standard error is a terminal that can erase a line. It uses no colour. */
#ifndef STRATA_CRAWLER_PROGRESS_LINE_H
#define STRATA_CRAWLER_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
  bool is_live, is_drawn;
  const char *what;                   /* being done */
  uint64_t from_ms;                   /* drawn from then on */
  uint64_t began_ms, drawn_ms;        /* this `what`, and the last drawing */
  uint64_t first_done, first_counted; /* where `what` began */
} progress;

progress progress_begin(void);

/* `done` of `whole`; 0: the whole is unknown. `counted` of `unit` (NULL: none) is shown beside it and gives the rate. A
 * `what` at another address begins anew, so it must stay where it is. Takes a look at the clock, 50 ns. */
void progress_show(progress *p, const char *what, uint64_t done, uint64_t whole, uint64_t counted, const char *unit);

/* The same as a frontier_progress: `context` is the progress, whose `what` was set by progress_of. */
void progress_of(progress *p, const char *what);
void progress_told(void *context, uint64_t done, uint64_t whole);

/* The terminal as it was: before any other message, and at the end. */
void progress_clear(progress *p);

#endif
