/* How a crawl is ended from outside: Ctrl-C, SIGTERM and the time of --max-seconds, within a second of them.
 *
 *     from   ending_begin       ending_add            ending_added     ending_run          ending_close
 *            nothing is begun   start URLs are read   they are queued  the crawl stops     all that came is being kept
 *            ends at once       no more are, and      ends at once     cleanly, in half    ends when it is on the disk,
 *                               those are committed                    a second            and says so
 *
 * A second signal ends the program at once, at any time: what was committed is as safe as ever. One crawl a process. */
#ifndef STRATA_CRAWLER_CRAWL_ENDING_H
#define STRATA_CRAWLER_CRAWL_ENDING_H

#include "crawler/loop/crawl.h"

void ending_begin(void);
void ending_limit(uint64_t max_ms); /* of time from now on; UINT64_MAX: no limit */
void ending_add(crawl *c);
void ending_added(void);
void ending_run(crawl *c);
void ending_close(void); /* `c` may be freed */

#endif
