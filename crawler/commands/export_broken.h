/* strata export --broken: each link to what is broken, as CSV (RFC 4180) or a JSON object a line. */
#ifndef STRATA_CRAWLER_EXPORT_BROKEN_H
#define STRATA_CRAWLER_EXPORT_BROKEN_H

#include "frontier/frontier.h"

#include <stdbool.h>

/* Of the crawl in `directory`, to standard output. EXIT_DONE, EXIT_BROKEN if there is one, or EXIT_FAILED after one
 * sentence on stderr. */
int export_broken(frontier *f, const char *directory, bool as_json);

#endif
