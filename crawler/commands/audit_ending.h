/* How an audit ends: a crawl with --audit is done, and what is broken is counted. */
#ifndef STRATA_CRAWLER_AUDIT_ENDING_H
#define STRATA_CRAWLER_AUDIT_ENDING_H

#include <stdbool.h>

/* Of the crawl in `directory`, which is closed. EXIT_DONE, EXIT_BROKEN, or EXIT_FAILED after one sentence on stderr. */
int audit_ending(const char *directory, bool is_quiet);

#endif
