/* What limits a crawl: on what the time of the thread that crawls goes. All of it is counted, to one of four uses, in
 * counters of the frontier, so that strata stat knows it over all runs. */
#ifndef STRATA_CRAWLER_TIME_SHARES_H
#define STRATA_CRAWLER_TIME_SHARES_H

#include "frontier/frontier.h"

typedef enum time_use {
  TIME_POLITENESS, /* waits, and no host may be asked now */
  TIME_NETWORK,    /* waits for answers, or for pages that readers have */
  TIME_DISK,       /* waits for a commit, or for a full disk */
  TIME_WORK,       /* computes */
} time_use;
enum { TIME_USES = TIME_WORK + 1, TIME_SHARES_SIZE = 160 };

typedef struct time_shares {
  uint64_t at_ms;         /* all before is counted */
  uint64_t disk_ms;       /* what the frontier says it has waited, when it was asked last */
  uint64_t ms[TIME_USES]; /* not in the frontier's counters yet */
} time_shares;

void time_shares_begin(time_shares *t, uint64_t now_ms);

/* All since the last call; of that `waited_ms` for `use`, the rest was work. */
void time_shares_pass(time_shares *t, uint64_t now_ms, time_use use, uint64_t waited_ms);

/* Into the counters, with the next commit. What commits waited was counted as work, and is moved. */
frontier_status time_shares_keep(time_shares *t, frontier *f);

/* The counter of this name is one of these. */
bool time_shares_has(const char *counter);

/* "71% politeness, 12% network, 1% disk, 16% work"; false: nothing is known yet. */
bool time_shares_say(const frontier *f, char text[TIME_SHARES_SIZE]);

#endif
